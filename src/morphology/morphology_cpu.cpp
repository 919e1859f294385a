// Passes one after the other, cut into tiles that threads share.
#include "morphology/morphology_cpu.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/filter_image.hpp"
#include "morphology/box_cpu.hpp"
#include "morphology/cpu_passes.hpp"
#include "morphology/morphology_tuning.hpp"
#include "morphology/tile.hpp"
#include "morphology/traced_steps.hpp"

namespace tamis::morphology_detail {
namespace {

/// How a pass is cut.
struct Cut {
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
std::int64_t bytes_of(const PassWork<Sample>& work, const Cut& cut) {
  using Lane = LaneOf<Sample>;
  // A tile in the middle, as far as there is one.
  const TileAxes& extent = work.graph.extent;
  const auto middle = [](std::int64_t n, std::int64_t part) {
    const std::int64_t low = (n - part) / 2 / 64 * 64;
    return Span{low, std::min(low + part, n)};
  };
  const TileSpans spans{middle(extent.outer, std::min(cut.outer, 4 * work.batch)), middle(extent.inner, cut.inner),
                        middle(extent.x, cut.x)};
  const TileLayout layout = make_layout(work.graph, spans, work.batch, sizeof(Lane), samples_a_lane<Lane>);
  return layout.lanes * static_cast<std::int64_t>(sizeof(Lane));
}

template <class Sample>
Cut cut_of(const Context& context, const PassWork<Sample>& work, const CpuTuning& tuning) {
  const TileAxes& extent = work.graph.extent;
  Cut cut{extent.outer, extent.inner, extent.x, work.rank == 3 ? 1 : work.in->shape().z};
  const std::int64_t least_columns =
      tuning.least_tile_columns / static_cast<std::int64_t>(sizeof(LaneOf<Sample>)) * samples_a_lane<LaneOf<Sample>>;
  const auto half = [](std::int64_t n, std::int64_t unit) { return parts(parts(n, 2), unit) * unit; };
  while (bytes_of(work, cut) > tuning.tile_bytes) {
    if (cut.inner > 16) {
      cut.inner = half(cut.inner, 8);
    } else if (cut.x >= 2 * least_columns && cut.x > 64) {
      cut.x = half(cut.x, 64);
    } else {
      break;
    }
  }
  const std::int64_t tiles = parts(extent.inner, cut.inner) * parts(extent.x, cut.x) * cut.slices;
  const std::int64_t samples = work.in->shape().count();
  const std::int64_t worth = std::max<std::int64_t>(1, samples / tuning.least_task_samples);
  const std::int64_t wanted = parts(std::min(thread_count(context) * tuning.strips_per_thread, worth), tiles);
  // Four times the halo, unless a thread would have nothing to do.
  const std::int64_t halo = reach(work.graph);
  const std::int64_t each = std::max(halo, parts(extent.outer, thread_count(context)));
  const std::int64_t least = std::max(work.rank == 3 ? 1 : tuning.least_strip_rows, std::min(4 * halo, each));
  cut.outer = std::max(least, parts(extent.outer, wanted));
  return cut;
}

/// Tiles that wait for a thread; a thread takes one, with its memory, and gives it back.
template <class Sample>
class TilePool {
 public:
  explicit TilePool(PassWork<Sample>& work) : work_(work) {}
  void run(const TileSpans& spans, std::int64_t z) {
    std::unique_ptr<Tile<Sample>> tile = take();
    tile->run(spans, z);
    const std::lock_guard lock(guard_);
    free_.push_back(std::move(tile));
  }

 private:
  std::unique_ptr<Tile<Sample>> take() {
    const std::lock_guard lock(guard_);
    if (free_.empty()) return std::make_unique<Tile<Sample>>(work_);
    std::unique_ptr<Tile<Sample>> tile = std::move(free_.back());
    free_.pop_back();
    return tile;
  }

  PassWork<Sample>& work_;
  std::mutex guard_;
  std::vector<std::unique_ptr<Tile<Sample>>> free_;
};

template <class Sample>
void run_tiles(const Context& context, PassWork<Sample>& work, const CpuTuning& tuning, Stage& stage) {
  const Cut cut = cut_of(context, work, tuning);
  const TileAxes& extent = work.graph.extent;
  const std::int64_t outer = parts(extent.outer, cut.outer);
  const std::int64_t inner = parts(extent.inner, cut.inner);
  const std::int64_t columns = parts(extent.x, cut.x);
  TilePool<Sample> pool(work);
  const auto span = [](std::int64_t i, std::int64_t part, std::int64_t extent_of_axis) {
    return Span{i * part, std::min((i + 1) * part, extent_of_axis)};
  };
  parallel_for(context, cut.slices * outer * inner * columns, [&](std::int64_t task) {
    const TileSpans spans{span(task / columns % outer, cut.outer, extent.outer),
                          span(task / columns / outer % inner, cut.inner, extent.inner),
                          span(task % columns, cut.x, extent.x)};
    pool.run(spans, task / columns / outer / inner);
    stage.advance(spans.outer.size() * spans.inner.size() * spans.x.size());
  });
}

template <class Sample>
bool run_pass(const Context& context, const Plan& plan, const CpuPass& pass, const Image& in, Combine combine,
              const Image& image, Image& out, Stage& stage, const CpuTuning& tuning) {
  PassWork<Sample> work;
  work.graph = make_graph(pass.steps, pass.rank, plan.border.kind, in.shape());
  work.samples = sample_kernels(context.simd);
  for (const Order order : {Order::Min, Order::Max}) {
    const auto index = static_cast<std::size_t>(order);
    work.kernels[index] = extremum_kernels<LaneOf<Sample>>(context.simd, order);
    work.outside[index] =
        plan.border.kind == Border::Kind::Constant ? lane_of<Sample>(plan.border.value) : neutral_lane<Sample>(order);
  }
  work.combine = combine;
  work.in = &in;
  work.image = &image;
  work.out = &out;
  work.rank = pass.rank;
  // A line of the cache that is written in parts, some of them past it, costs more than all the rest.
  work.stream = out.bytes() >= tuning.stream_bytes && out.row_bytes() % 64 == 0 && in.type() != Type::Bool;
  work.batch = batch_of(work.graph, pass.rank, tuning);
  work.stage = &stage;
  run_tiles(context, work, tuning, stage);
  return work.nan_found;
}

}  // namespace

std::int64_t stage_steps(const Plan& plan, const Image& image) {
  if (is_traced(plan)) return static_cast<std::int64_t>(traced_moves(plan).size()) * image.shape().count();
  const std::optional<std::vector<BoxPass>> boxes = box_passes(plan, image.type(), image.shape());
  const std::size_t passes = boxes ? boxes->size() : cpu_passes(plan, CpuTuning{}).size();
  return static_cast<std::int64_t>(passes) * image.shape().count();
}

bool run_cpu(const Context& context, const Plan& plan, const Image& in, Combine combine, const Image& image, Image& out,
             Stage& stage, const CpuTuning& tuning) {
  if (is_traced(plan)) return run_traced(context, plan, in, combine, image, out, stage);
  if (tuning.boxes) {
    const std::optional<std::vector<BoxPass>> boxes = box_passes(plan, in.type(), in.shape());
    // Tiles leave NaN out.
    if (boxes && !run_boxes(context, *boxes, plan.border, in, combine, image, out, stage, tuning)) return false;
  }
  const std::vector<CpuPass> passes = cpu_passes(plan, tuning);
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

}  // namespace tamis::morphology_detail
