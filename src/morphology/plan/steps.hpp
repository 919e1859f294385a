// What is decided before any sample is touched: which erosions and dilations, by which programs. The same for every
// backend; what the CPU does at once is cpu/run.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/element.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/stage.hpp"
#include "line/traced/lines.hpp"
#include "morphology/plan/program.hpp"

namespace tamis::morphology_detail {

/// Min: an erosion, Max: a dilation.
enum class Order : std::uint8_t { Min, Max };

/// What becomes of a result r in the image: f is the sample of the image that was given, o what was in the output.
enum class Combine : std::uint8_t { Result, ImageMinus /* f - r */, MinusImage /* r - f */, OutputMinus /* o - r */ };

/// One elementary step: the border applies to its input. The result at p is the extremum of the input at p + s over the
/// set (of a dilation the reflected element), and `program` computes that. Or a segment of traced lines does, and there
/// is no set.
struct Step {
  Order order = Order::Min;
  OffsetSet set;
  Program program;
  std::optional<line_detail::TracedSegment> traced = {};
};

struct Plan {
  int rank = 2;  ///< 2: slices are images of their own
  Border border;
  std::vector<Step> steps;  ///< none: the result is the input
};

struct PlanRequest {
  std::vector<OffsetSet> sets;  ///< of the element's sum
  std::int64_t iterations = 1;
  Border border;
  std::vector<Order> halves;  ///< {Min} an erosion, {Min, Max} an opening, ...
  int rank = 2;
  Shape shape;  ///< of the image: what reaches farther is the same as what reaches as far
  std::stop_token cancel{};  ///< of the call: a plan of a million runs takes most of a second

  /// Between sets of offsets. Throws Cancelled.
  void stop_if_cancelled() const {
    if (cancel.stop_requested()) throw Cancelled();
  }
};

[[nodiscard]] Plan make_plan(const PlanRequest& request);
/// The same by a segment of traced lines: of the request only iterations, border (neutral or fit) and halves count.
[[nodiscard]] Plan make_traced_plan(const PlanRequest& request, std::int64_t length, double angle);
/// A plan is of traced steps all, or has none.
[[nodiscard]] bool is_traced(const Plan& plan);
/// Traced steps in pairs where they make an opening or a closing, else one by one.
struct TracedMove {
  line_detail::Along what = line_detail::Along::Erode;
  line_detail::TracedSegment segment;
};
[[nodiscard]] std::vector<TracedMove> traced_moves(const Plan& plan);

/// Rank of the action of sets on an image: 2 for all of z = 0, even on a volume.
[[nodiscard]] int rank_of(const std::vector<OffsetSet>& sets);

/// "erode (...)".
[[nodiscard]] std::string describe(const Step& step);

// Plans of traced steps on the CPU.

/// cpu::run() for a traced plan.
bool run_traced(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image,
                Image& out, Stage& stage);

// How many iterations of an erosion or a dilation change anything.

/// The request's iterations, or fewer that give the same: on an image of n samples along an axis, unit steps have seen
/// all they will ever see after n of them.
[[nodiscard]] std::int64_t useful_iterations(const PlanRequest& request);

}  // namespace tamis::morphology_detail
