// Parameters as texts, in the order name, value, name, value, and a null pointer.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/operations.hpp>

namespace tamis::c {

/// The parameters of one call.
struct Parameters {
  Arguments arguments;
  std::vector<std::pair<std::string, std::string>> own;  ///< those that the interface adds, which are read already

  /// Of the interface's own; empty where it was not given.
  [[nodiscard]] std::string_view text(std::string_view name) const;
};

/// Reads them into those of the operation. Masks of elements ("file:mask.png") are read until `cancel` says no. Throws
/// InputError for what nothing is called, for what is given twice, for texts that are refused.
[[nodiscard]] Parameters read_parameters(const OperationDescription& operation, const char* const* texts,
                                         const std::stop_token& cancel);

/// Sets one of a description's. `whose` begins the refusal of a name that nothing has: "median".
void set_parameter(const OperationDescription& description, std::string_view whose, Arguments& arguments,
                   std::string_view name, std::string_view text, const std::stop_token& cancel = {});

}  // namespace tamis::c
