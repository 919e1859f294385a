// The descriptions of threshold and threshold_value.
#pragma once

#include <optional>
#include <vector>

#include <tamis/threshold.hpp>

namespace tamis {

struct OperationDescription;

[[nodiscard]] std::vector<OperationDescription> describe_thresholds();

/// What a parameter `threshold` and a phase come to; without a threshold the image has two values.
[[nodiscard]] ThresholdOptions with_phase(const std::optional<ThresholdOptions>& threshold, Phase phase);

}  // namespace tamis
