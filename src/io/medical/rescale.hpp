// Samples that stand for other values: slope * sample + intercept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tamis/image.hpp>

#include "io/format.hpp"

namespace tamis::io {

/// f32 where it holds every sample of the type, otherwise f64.
[[nodiscard]] Type float_for(Type type);
/// slope * sample + intercept of `count` samples, computed in f64, to f32 or f64, where NaN stays, or to i16. False
/// where one does not fit.
[[nodiscard]] bool rescale(Type from, const std::byte* samples, std::int64_t count, double slope, double intercept,
                           Type to, std::byte* out);
/// The same for a whole source, slice by slice; its type becomes float_for() of what it was.
[[nodiscard]] std::unique_ptr<Source> open_rescaled(std::unique_ptr<Source> samples, double slope, double intercept);

}  // namespace tamis::io
