// What each family says of its operations, at the end of its operation.cpp; operations.cpp makes the list.
#pragma once

#include <optional>
#include <vector>

#include <tamis/threshold.hpp>

namespace tamis {

struct OperationDescription;

[[nodiscard]] std::vector<OperationDescription> describe_granulometry();
[[nodiscard]] std::vector<OperationDescription> describe_porosimetry();
[[nodiscard]] std::vector<OperationDescription> describe_distance();
[[nodiscard]] std::vector<OperationDescription> describe_thresholds();
[[nodiscard]] std::vector<OperationDescription> describe_convert();
[[nodiscard]] std::vector<OperationDescription> describe_lines();
[[nodiscard]] OperationDescription describe_foam();
[[nodiscard]] OperationDescription describe_octahedra();

namespace morphology_detail {
[[nodiscard]] std::vector<OperationDescription> describe_morphology();
}
namespace median_detail {
[[nodiscard]] std::vector<OperationDescription> describe_medians();
}

/// What a parameter `threshold` and a phase come to; without a threshold the image has two values.
[[nodiscard]] ThresholdOptions with_phase(const std::optional<ThresholdOptions>& threshold, Phase phase);

}  // namespace tamis
