// Passes one after the other, cut into tiles that threads share.
#include "morphology/cpu/run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/border.hpp"
#include "core/cpu/parallel.hpp"
#include "core/cpu/workspace_pool.hpp"
#include "core/operation/filter_image.hpp"
#include "morphology/cpu/box/run.hpp"
#include "morphology/cpu/tile/tile.hpp"
#include "morphology/plan/steps.hpp"
#include "morphology/run.hpp"

namespace tamis::morphology_detail::cpu {
namespace {

/// Rows, or slices, that a step needs beside those it makes.
std::int64_t reach(const Step& step, int rank) {
  const OffsetBox& box = step.set.box();
  return rank == 3 ? box.high.z - box.low.z : box.high.y - box.low.y;
}

bool is_flat(const Step& step) { return step.set.box().low.z == 0 && step.set.box().high.z == 0; }

/// A box is separable under every border: along each axis it maps, or leaves out, what lies outside on its own.
void add_split(const Step& step, const CpuTuning& tuning, std::vector<Step>& steps) {
  const OffsetBox& box = step.set.box();
  const std::int64_t depth = box.high.z - box.low.z;
  const std::int64_t height = box.high.y - box.low.y;
  if (is_flat(step) || !step.set.is_box() || std::min(depth, height) < tuning.least_split_reach) {
    steps.push_back(step);
    return;
  }
  const OffsetSet along_z(OffsetBox{{box.low.z, 0, 0}, {box.high.z, 0, 0}});
  const OffsetSet flat(OffsetBox{{0, box.low.y, box.low.x}, {0, box.high.y, box.high.x}});
  // In an opening the rectangles of both halves become neighbours.
  const bool last = step.order == Order::Max;
  Step first{step.order, last ? flat : along_z, make_program(last ? flat : along_z, last)};
  Step second{step.order, last ? along_z : flat, make_program(last ? along_z : flat, last)};
  steps.push_back(std::move(first));
  steps.push_back(std::move(second));
}

}  // namespace

std::vector<std::span<const Step>> fused_steps(const Plan& plan, const CpuTuning& tuning) {
  const std::int64_t most = plan.rank == 3 ? tuning.fused_slices : tuning.fused_rows;
  const std::span<const Step> all = plan.steps;
  std::vector<std::span<const Step>> fused;
  std::size_t begin = 0;
  std::int64_t reached = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t more = reach(all[i], plan.rank);
    if (i > begin && reached + more > most) {
      fused.push_back(all.subspan(begin, i - begin));
      begin = i;
      reached = 0;
    }
    reached += more;
  }
  if (begin < all.size()) fused.push_back(all.subspan(begin));
  return fused;
}

std::vector<Pass> passes_of(const Plan& plan, const CpuTuning& tuning) {
  std::vector<Pass> passes;
  for (const std::span<const Step> pass : fused_steps(plan, tuning)) {
    if (plan.rank == 2) {
      passes.push_back({2, {pass.begin(), pass.end()}});
      continue;
    }
    std::vector<Step> steps;
    for (const Step& step : pass) add_split(step, tuning, steps);
    const bool whole = steps.size() == pass.size();
    bool open = false;
    for (Step& step : steps) {
      const int rank = is_flat(step) && !whole ? 2 : 3;
      if (!open || passes.back().rank != rank) passes.push_back({rank, {}});
      open = true;
      passes.back().steps.push_back(std::move(step));
    }
  }
  if (passes.empty()) passes.push_back({plan.rank, {}});
  return passes;
}

std::string describe(const Plan& plan, const CpuTuning& tuning) {
  if (plan.steps.empty()) return "copy\n";
  std::string text;
  for (const std::span<const Step> pass : fused_steps(plan, tuning)) {
    std::string steps;
    for (const Step& step : pass) steps += (steps.empty() ? "" : "; ") + describe(step);
    text += steps + "\n";
  }
  return text;
}

namespace {

/// How a pass is cut.
struct TileSizes {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::int64_t x = 1;
  std::int64_t slices = 1;
};

std::int64_t parts(std::int64_t extent, std::int64_t part) { return (extent + part - 1) / part; }

/// Rows (slices) that the result of a pass needs on both sides together.
std::int64_t reach(const PassGraph& graph) {
  std::int64_t sum = 0;
  for (const GraphNode& node : graph.nodes) {
    std::int64_t most = 0;
    for (const GraphEdge& edge : node.edges) most = std::max(most, edge.high.outer - edge.low.outer);
    sum += most;
  }
  return sum;
}

std::int64_t batch_of(const PassGraph& graph, int rank, const CpuTuning& tuning) {
  if (rank == 3) return graph.has_outer_runs ? tuning.batch_slices : 1;
  std::int64_t longest = 0;
  for (const GraphNode& node : graph.nodes) {
    if (node.kind == NodeKind::RunOuter) longest = std::max(longest, node.length);
  }
  if (longest == 0) return 1;
  return longest > tuning.batch_rows ? tuning.batch_rows_of_long_runs : tuning.batch_rows;
}

template <class Sample>
std::int64_t bytes_of(const SharedPass<Sample>& shared, const TileSizes& sizes) {
  using Lane = LaneOf<Sample>;
  // A tile in the middle, as far as there is one.
  const TileAxes& extent = shared.graph.extent;
  const auto middle = [](std::int64_t n, std::int64_t part) {
    const std::int64_t low = (n - part) / 2 / 64 * 64;
    return Span{low, std::min(low + part, n)};
  };
  const TileSpans spans{middle(extent.outer, std::min(sizes.outer, 4 * shared.batch)),
                        middle(extent.inner, sizes.inner), middle(extent.x, sizes.x)};
  const TileLayout layout = make_layout(shared.graph, spans, shared.batch, sizeof(Lane), samples_a_lane<Lane>);
  return layout.lanes * static_cast<std::int64_t>(sizeof(Lane));
}

template <class Sample>
TileSizes tile_sizes(const Context& context, const SharedPass<Sample>& shared, const CpuTuning& tuning) {
  const TileAxes& extent = shared.graph.extent;
  TileSizes sizes{extent.outer, extent.inner, extent.x, shared.rank == 3 ? 1 : shared.in->shape().z};
  const std::int64_t least_columns =
      tuning.least_tile_columns / static_cast<std::int64_t>(sizeof(LaneOf<Sample>)) * samples_a_lane<LaneOf<Sample>>;
  const auto half = [](std::int64_t n, std::int64_t unit) { return parts(parts(n, 2), unit) * unit; };
  while (bytes_of(shared, sizes) > tuning.tile_bytes) {
    if (sizes.inner > 16) {
      sizes.inner = half(sizes.inner, 8);
    } else if (sizes.x >= 2 * least_columns && sizes.x > 64) {
      sizes.x = half(sizes.x, 64);
    } else {
      break;
    }
  }
  const std::int64_t tiles = parts(extent.inner, sizes.inner) * parts(extent.x, sizes.x) * sizes.slices;
  const std::int64_t samples = shared.in->shape().count();
  const std::int64_t worth = std::max<std::int64_t>(1, samples / tuning.least_task_samples);
  const std::int64_t wanted = parts(std::min(tuning.strips(thread_count(context)), worth), tiles);
  // Four times the halo, unless a thread would have nothing to do.
  const std::int64_t halo = reach(shared.graph);
  const std::int64_t each = std::max(halo, parts(extent.outer, thread_count(context)));
  const std::int64_t least = std::max(shared.rank == 3 ? 1 : tuning.least_strip_rows, std::min(4 * halo, each));
  sizes.outer = std::max(least, parts(extent.outer, wanted));
  return sizes;
}

template <class Sample>
void run_tiles(const Context& context, SharedPass<Sample>& shared, const CpuTuning& tuning, Stage& stage) {
  const TileSizes sizes = tile_sizes(context, shared, tuning);
  const TileAxes& extent = shared.graph.extent;
  const std::int64_t outer = parts(extent.outer, sizes.outer);
  const std::int64_t inner = parts(extent.inner, sizes.inner);
  const std::int64_t columns = parts(extent.x, sizes.x);
  WorkspacePool<Tile<Sample>> pool([&] { return std::make_unique<Tile<Sample>>(shared); });
  const auto span = [](std::int64_t i, std::int64_t part, std::int64_t extent_of_axis) {
    return Span{i * part, std::min((i + 1) * part, extent_of_axis)};
  };
  parallel_for(context, sizes.slices * outer * inner * columns, [&](std::int64_t task) {
    const TileSpans spans{span(task / columns % outer, sizes.outer, extent.outer),
                          span(task / columns / outer % inner, sizes.inner, extent.inner),
                          span(task % columns, sizes.x, extent.x)};
    pool.with([&](Tile<Sample>& tile) { tile.run(spans, task / columns / outer / inner); });
    stage.advance(spans.outer.size() * spans.inner.size() * spans.x.size());
  });
}

template <class Sample>
bool run_pass(const Context& context, const Plan& plan, const Pass& pass, const Image& in, Combine combine,
              const Image& image, Image& out, Stage& stage, const CpuTuning& tuning) {
  SharedPass<Sample> shared;
  shared.graph = make_graph(pass.steps, pass.rank, plan.border.kind, in.shape());
  shared.samples = sample_kernels(context.simd);
  for (const Order order : {Order::Min, Order::Max}) {
    const auto index = static_cast<std::size_t>(order);
    shared.kernels[index] = extremum_kernels<LaneOf<Sample>>(context.simd, order);
    shared.outside[index] =
        plan.border.kind == Border::Kind::Constant ? lane_of<Sample>(plan.border.value) : neutral_lane<Sample>(order);
  }
  shared.combine = combine;
  shared.in = &in;
  shared.image = &image;
  shared.out = &out;
  shared.rank = pass.rank;
  // Whole cache lines only: one that ordinary and streaming stores share costs more than all the rest.
  shared.stream = out.bytes() >= tuning.stream_bytes && has_whole_lines(out) && in.type() != Type::Bool;
  shared.batch = batch_of(shared.graph, pass.rank, tuning);
  shared.stage = &stage;
  run_tiles(context, shared, tuning, stage);
  return shared.nan_found;
}

/// Without a step no border is seen.
bool works_laid_out(const Plan& plan) { return is_laid_out(plan.border) && !plan.steps.empty(); }

}  // namespace

std::int64_t stage_steps(const Plan& plan, Type type, const Shape& shape) {
  if (is_traced(plan)) return static_cast<std::int64_t>(traced_moves(plan).size()) * shape.count();
  if (works_laid_out(plan)) return laid_out_stage_steps(plan, type, shape);
  const CpuTuning tuning;
  const std::optional<std::vector<BoxPass>> boxes = box_passes(plan, type, shape, tuning);
  const std::size_t passes = boxes            ? boxes->size()
                             : plan.rank == 2 ? std::max<std::size_t>(1, fused_steps(plan, tuning).size())
                                              : passes_of(plan, tuning).size();
  return static_cast<std::int64_t>(passes) * shape.count();
}

bool run(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image, Image& out,
         Stage& stage, const CpuTuning& tuning) {
  if (is_traced(plan)) return run_traced(context, plan, in, combine, image, out, stage);
  if (works_laid_out(plan)) return run_laid_out(context, plan, in, combine, image, out, stage, tuning);
  if (tuning.boxes) {
    const std::optional<std::vector<BoxPass>> boxes = box_passes(plan, in.type(), in.shape(), tuning);
    // Tiles leave NaN out.
    if (boxes && !run_boxes(context, *boxes, plan.border, in, combine, image, out, stage, tuning)) return false;
  }
  const std::vector<Pass> passes = passes_of(plan, tuning);
  return visit_sample(in.type(), [&](auto sample) {
    using Sample = decltype(sample);
    bool nan = false;
    // The output serves as every other image on the way, unless what is in it is still needed.
    const bool output_is_free = combine != Combine::OutputMinus;
    Image between[2];
    const Image* from = &in;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const std::size_t left = passes.size() - 1 - i;
      const bool last = left == 0;
      Image& buffer = between[left % 2];
      stage.advance(0);  // passes of very many terms take a while to be laid out
      const bool into_output = last || (output_is_free && left % 2 == 0);
      if (!into_output && buffer.empty()) buffer = image_between(context, in);
      Image& to = into_output ? out : buffer;
      nan = run_pass<Sample>(context, plan, passes[i], *from, last ? combine : Combine::Result, image, to, stage,
                             tuning) ||
            nan;
      from = &to;
    }
    return nan;
  });
}

namespace {

/// What lies beyond the extent reaches only results that are cut off.
Plan alone(const Plan& plan, const Step& step) { return {plan.rank, Border::neutral(), {step}}; }

}  // namespace

bool run_laid_out(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image,
                  Image& out, Stage& stage, const CpuTuning& tuning) {
  bool nan = false;
  Image between;
  if (plan.steps.size() > 1 || combine != Combine::Result) between = image_between(context, in);
  const Image* now = &in;
  for (const Step& step : plan.steps) {
    const Extent extent = extent_of(in.shape(), step.set.box());
    const Image wide = extended(context, *now, extent, plan.border.kind);
    Image result(wide.type(), wide.shape());
    nan = run(context, alone(plan, step), wide, Combine::Result, wide, result, stage, tuning) || nan;
    const bool last = &step == &plan.steps.back();
    Image& to = last && combine == Combine::Result ? out : between;
    cut_out(context, result, extent, to);
    now = &to;
  }
  if (combine != Combine::Result) combine_images(context, combine, *now, image, out);
  return nan;
}

std::int64_t laid_out_stage_steps(const Plan& plan, Type type, const Shape& shape) {
  std::int64_t sum = 0;
  for (const Step& step : plan.steps) {
    sum += stage_steps(alone(plan, step), type, extent_of(shape, step.set.box()).shape);
  }
  return sum;
}

}  // namespace tamis::morphology_detail::cpu
