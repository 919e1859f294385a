// What operations say of themselves as JSON: `tamis operations --json`, tamis_operations() of the C interface,
// tamis.operations() of Python.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <tamis/operations.hpp>

namespace tamis {

[[nodiscard]] nlohmann::ordered_json json_of(const Parameter& parameter);
[[nodiscard]] nlohmann::ordered_json json_of(const Data& data);
[[nodiscard]] nlohmann::ordered_json json_of(const OperationDescription& operation);
/// {"operations": [...], "running": [...]}: all of them, and the parameters that all of them have.
[[nodiscard]] nlohmann::ordered_json described_operations();

}  // namespace tamis
