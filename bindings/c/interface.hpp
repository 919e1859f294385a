// What the C interface adds to what operations say of themselves: parameters and images that other front ends have as
// options of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tamis/operations.hpp>

namespace tamis::c {

/// Parameters beside the operation's own: which map a granulometry or a porosimetry gives ("map"), which voxels
/// resample makes ("voxel").
[[nodiscard]] std::vector<Parameter> own_parameters(const OperationDescription& operation);
/// Throws InputError for a text that it does not take.
void check_own(const Parameter& parameter, std::string_view text);

/// Images beside those that the operation takes, given by their names: "roi" (what counts of an object), "mask" (what a
/// filter sees), "inlet" (where a fluid comes from).
[[nodiscard]] std::vector<Data> own_images(const OperationDescription& operation);

/// The names of the images that it makes, in their order: of a granulometry and a porosimetry the map that was asked
/// for.
[[nodiscard]] std::vector<std::string> made_images(const OperationDescription& operation);

/// The description of an operation with both.
[[nodiscard]] nlohmann::ordered_json described(const OperationDescription& operation);

}  // namespace tamis::c
