// What an operation is made of: plans whose results are combined. Validation too. The same for every backend.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail {

/// One or two plans on the same image, the first of which only fills the output.
struct FilterPlan {
  std::string_view what;  ///< the operation, for errors
  NanPolicy nan = NanPolicy::Refuse;
  std::optional<Plan> first;
  Plan second;
  Combine combine = Combine::Result;
  bool clip = false;  ///< what is below 0 becomes 0
};

/// How far the samples lie that a result depends on, as FilterCalls::reach.
[[nodiscard]] Offset reach_of(const FilterPlan& plan);
/// Of plans one after the other.
[[nodiscard]] Offset reach_of(const std::vector<FilterPlan>& plans);

/// Bytes that its steps take at a time to write out their border, and an image between them; 0 where engines know it.
[[nodiscard]] std::int64_t bytes_laid_out(const FilterPlan& plan, Type type, const Shape& shape);

/// All throw InputError for other types, borders that are no value of the type, 3-D elements on images.
[[nodiscard]] FilterPlan plan_filter(Operation operation, Type type, const Shape& shape,
                                     const MorphologyOptions& options, const std::stop_token& cancel = {});
[[nodiscard]] FilterPlan plan_hitmiss(Type type, const Shape& shape, const HitMissOptions& options);
/// Openings and closings that follow each other.
[[nodiscard]] std::vector<FilterPlan> plan_asf(Type type, const Shape& shape, const AsfOptions& options);

}  // namespace tamis::morphology_detail
