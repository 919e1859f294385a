// Boxes on the CPU: erosions and dilations by rectangles and cuboids, openings, and what is built from them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/cpu/run.hpp"
#include "morphology/cpu/tile/sample_lanes.hpp"
#include "morphology/plan/steps.hpp"

namespace tamis::morphology_detail::cpu {

// Plans made of boxes alone, as the CPU runs them: along z, and within slices.

/// A result is the extremum of samples low ... high beside its own.
struct Reach {
  std::int64_t low = 0;
  std::int64_t high = 0;

  [[nodiscard]] std::int64_t length() const { return high - low + 1; }
};

struct BoxStep {
  Order order = Order::Min;
  Reach rows;  ///< across rows; of a pass along z: across slices
  Reach x;
};

struct BoxPass {
  bool along_z = false;  ///< the rows are those of all slices at one place; else the slices are images of their own
  std::vector<BoxStep> steps;
};

/// A box is separable under every border: along each axis the border maps, or leaves out, what lies outside on its own.
/// In volumes z and the slices take turns so that neighbours share a pass and the last one is within slices: an opening
/// erodes in slices, erodes and dilates along z, dilates in slices. Nothing for plans that boxes do not make up, and
/// for images that are narrower than a vector.
[[nodiscard]] std::optional<std::vector<BoxPass>> box_passes(const Plan& plan, Type type, const Shape& shape,
                                                             const CpuTuning& tuning);

/// As run() of morphology/cpu/run.hpp, for a plan's passes of boxes. Where there is NaN, returns true and what is in
/// `out` is of no use.
bool run_boxes(const Context& context, const std::vector<BoxPass>& passes, const Border& border, const Image& in,
               Combine combine, const Image& image, Image& out, Stage& stage, const CpuTuning& tuning);

}  // namespace tamis::morphology_detail::cpu
