// The operations for images that lie on a GPU: nothing is copied to the host, results are arrays of the same library.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include <tamis/balls.hpp>
#include <tamis/distance.hpp>

#include "python/context.hpp"
#include "python/family/granulometry.hpp"
#include "python/object/sizes.hpp"

namespace tamis::python {

[[nodiscard]] ArrayResult gpu_threshold(Call& call, nb::handle image, const ThresholdOptions& options, nb::handle roi,
                                        nb::handle crop, nb::handle out);
[[nodiscard]] double gpu_threshold_value(Call& call, nb::handle image, ThresholdMethod method, nb::handle roi,
                                         nb::handle crop);
[[nodiscard]] SizesResult gpu_granulometry(Call& call, const ObjectArguments& arguments);
[[nodiscard]] ArrayResult gpu_size_map(Call& call, const ObjectArguments& arguments, bool widths, nb::handle out);
[[nodiscard]] BallSizes gpu_ball_granulometry(Call& call, const ObjectArguments& arguments);
[[nodiscard]] std::pair<ArrayResult, BallSizes> gpu_ball_map(Call& call, const ObjectArguments& arguments,
                                                             BallMeasure measure, nb::handle out);

/// What is asked of distances.
struct GpuDistance {
  nb::handle image, roi, crop, out;
  ThresholdOptions threshold;
  DistanceOptions options;
  Spacing spacing;
  bool squared = false;
};
[[nodiscard]] ArrayResult gpu_distance(Call& call, const GpuDistance& asked);

/// Axes of an image on a GPU.
[[nodiscard]] int rank_of_gpu_array(nb::handle image);

}  // namespace tamis::python
