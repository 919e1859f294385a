// The object of an image: what is true, or on one side of a threshold.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include <tamis/gpu/binary.hpp>
#include <tamis/threshold.hpp>

#include "python/array/input.hpp"
#include "python/array/result/output.hpp"
#include "python/context.hpp"

namespace tamis::python {

/// Bits of the image. Without a threshold True is the object; of other types 1 of 0 and 1, or the larger of two values.
[[nodiscard]] Binary binary_of(Call& call, Input& input, const ThresholdOptions& threshold);
/// The same to an array of bool.
void write_binary_of(Call& call, Input& input, const ThresholdOptions& threshold, const Output& output);

/// The same on the GPU, where the bits stay; nothing unless the call asks for a GPU by name and they fit there.
[[nodiscard]] std::optional<GpuBinary> gpu_binary_of(Call& call, Input& input, const ThresholdOptions& threshold);

}  // namespace tamis::python
