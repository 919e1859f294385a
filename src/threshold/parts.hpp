// Thresholds of images whose parts are counted by different processes: the values that one process finds, of samples of
// at most 16 bits. Others take several passes, each from what the last has found.
#pragma once

#include <tamis/context.hpp>
#include <tamis/threshold.hpp>

#include "core/parts/tally.hpp"

namespace tamis::threshold_detail {

/// Whether parts of samples of this type can be counted.
[[nodiscard]] bool has_tally(Type type);

/// How often each value of the samples in the region occurs; there has to be one. Throws as histogram().
[[nodiscard]] parts::Tally tally_of_values(const Context& context, SliceSource& source, const Region& region);

/// The same of a value that somebody else has counted. Throws InputError for one that the type does not have.
void add_value(parts::Tally& tally, Type type, std::int64_t value, std::int64_t count);

/// The value that a method chooses, or the smaller of two values (ThresholdMethod::TwoValues). Throws as
/// threshold_value() and binarise(), and InputError where nothing was counted.
[[nodiscard]] double value_of(const parts::Tally& tally, Type type, ThresholdMethod method);

}  // namespace tamis::threshold_detail
