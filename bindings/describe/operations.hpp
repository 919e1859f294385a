// What operations say of themselves as JSON: `tamis operations --json`, tamis_operations() of the C interface.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <tamis/operations.hpp>

namespace tamis {

[[nodiscard]] nlohmann::ordered_json json_of(const Parameter& parameter);
[[nodiscard]] nlohmann::ordered_json json_of(const Data& data);
[[nodiscard]] nlohmann::ordered_json json_of(const OperationDescription& operation);

}  // namespace tamis
