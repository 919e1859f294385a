// Passes one after the other, cut into tasks that threads share.
#include "morphology/cpu/box/run.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/cpu/workspace_pool.hpp"
#include "core/image_over.hpp"
#include "core/operation/filter_image.hpp"
#include "morphology/cpu/box/sweep.hpp"
#include "morphology/cpu/run.hpp"

namespace tamis::morphology_detail::cpu {
namespace {

BoxStep within_slices(const Step& step) {
  const OffsetBox& box = step.set.box();
  return {step.order, {box.low.y, box.high.y}, {box.low.x, box.high.x}};
}

BoxStep along_z(const Step& step) { return {step.order, {step.set.box().low.z, step.set.box().high.z}, {}}; }

/// Longer chains of steps that could not be merged keep more rows than the caches hold; tiles are made for them.
constexpr std::size_t most_steps = 4;

}  // namespace

std::optional<std::vector<BoxPass>> box_passes(const Plan& plan, Type type, const Shape& shape,
                                               const CpuTuning& tuning) {
  if (type == Type::Bool || shape.x * sample_bytes(type) < least_box_row_bytes) return std::nullopt;
  const std::size_t steps = plan.steps.size();
  if (steps == 0 || steps > most_steps) return std::nullopt;
  std::vector<BoxPass> passes;
  bool z_first = steps % 2 == 1;
  for (const std::span<const Step> pass : fused_steps(plan, tuning)) {
    if (plan.rank == 2) passes.emplace_back();
    for (const Step& step : pass) {
      if (!step.set.is_box()) return std::nullopt;
      if (plan.rank == 2) {
        passes.back().steps.push_back(within_slices(step));
        continue;
      }
      for (const bool z : {z_first, !z_first}) {
        if (passes.empty() || passes.back().along_z != z) passes.push_back({z, {}});
        passes.back().steps.push_back(z ? along_z(step) : within_slices(step));
      }
      z_first = !z_first;
    }
  }
  return passes;
}

namespace {

std::int64_t parts(std::int64_t extent, std::int64_t part) { return (extent + part - 1) / part; }

/// A pass in place never reads what it has overwritten: its first step is far enough ahead of its result, which is
/// written a block late within slices.
bool can_be_in_place(const BoxPass& pass, const Shape& shape) {
  const std::int64_t extent = pass.along_z ? shape.z : shape.y;
  if (pass.along_z && pass.steps.size() < 2) return false;
  std::int64_t ahead = 0;
  for (const BoxStep& step : pass.steps) {
    const Reach& rows = step.rows;
    if (rows.low > 0 || rows.high < 0 || rows.length() > extent) return false;
    if (&step != pass.steps.data()) ahead += rows.high;
  }
  // A block has at least as many rows as a run, if that is not longer than a window.
  const Reach& last = pass.steps.back().rows;
  if (!pass.along_z) ahead += std::min(last.length(), most_window_results);
  const Reach& first = pass.steps.front().rows;
  return ahead >= std::max(-first.low, first.high);
}

/// How a pass is cut: strips of the rows of `slices` slices each, or chunks of a slice through all of them.
struct TaskSizes {
  std::int64_t slices = 1;
  std::int64_t rows = 1;
  std::int64_t chunk = 1;
};

TaskSizes task_sizes(const Context& context, const BoxPass& pass, bool in_place, const Image& image,
                     const CpuTuning& tuning) {
  const Shape& shape = image.shape();
  const std::int64_t threads = thread_count(context);
  const std::int64_t worth = std::max<std::int64_t>(1, image.bytes() / tuning.box_task_bytes);
  const std::int64_t wanted = std::min(worth, tuning.strips(threads));
  if (pass.along_z) {
    const std::int64_t bytes = sample_bytes(image.type());
    const std::int64_t slice = shape.y * shape.x;
    const std::int64_t usual = tuning.box_chunk_bytes / bytes;
    // Chunks of nearly one size, none of them narrower than a vector.
    const std::int64_t chunks = std::max<std::int64_t>(1, slice / usual);
    return {1, 1, parts(parts(slice, chunks), 64) * 64};
  }
  if (in_place || shape.z >= wanted) return {std::max<std::int64_t>(1, shape.z / (4 * wanted)), shape.y, 1};
  std::int64_t halo = 0;
  for (const BoxStep& step : pass.steps) {
    if (&step != pass.steps.data()) halo += step.rows.length() - 1;
  }
  // Four times the halo, unless a thread would have nothing to do.
  const std::int64_t least = std::min(4 * halo, parts(shape.y, threads));
  return {1, std::max(least, parts(shape.y, parts(wanted, shape.z))), 1};
}

/// Sweeps with their memory.
template <class Sample>
WorkspacePool<BoxSweep<Sample>> sweep_pool(SharedBoxPass<Sample>& shared) {
  return WorkspacePool<BoxSweep<Sample>>([&shared] { return std::make_unique<BoxSweep<Sample>>(shared); });
}

struct Images {
  const Image* from = nullptr;
  const Image* image = nullptr;
  Image* to = nullptr;
};

/// Rows of a slice, or from one row of each slice on, sample x.
BoxRows rows_of(const Images& images, bool along_z, std::int64_t slice, std::int64_t row = 0, std::int64_t x = 0) {
  const Shape& shape = images.to->shape();
  const auto place = [&](auto& image) {
    auto* const first = image.template row<std::byte>(slice, row) + x * sample_bytes(image.type());
    return RowsAt<std::remove_pointer_t<decltype(first)>>{first, along_z ? image.slice_bytes() : image.row_bytes()};
  };
  BoxRows task;
  task.from = place(*images.from);
  task.to = place(*images.to);
  task.image = place(*images.image);
  task.extent = along_z ? shape.z : shape.y;
  task.width = shape.x;
  return task;
}

template <class Sample>
void run_along_z(const Context& context, SharedBoxPass<Sample>& shared, const Images& images, const TaskSizes& sizes) {
  const Shape& shape = images.to->shape();
  // A slice is one row, unless there are gaps between its rows.
  const bool flat = has_no_gaps(*images.from) && has_no_gaps(*images.to) && has_no_gaps(*images.image);
  const std::int64_t width = flat ? shape.y * shape.x : shape.x;
  WorkspacePool<BoxSweep<Sample>> pool = sweep_pool(shared);
  // What is left over at the end is too narrow to stand alone.
  const std::int64_t chunks = std::max<std::int64_t>(1, width / sizes.chunk);
  parallel_for(context, flat ? chunks : shape.y * chunks, [&](std::int64_t index) {
    const std::int64_t row = index / chunks, chunk = index % chunks;
    BoxRows task = rows_of(images, true, 0, row, chunk * sizes.chunk);
    task.width = chunk + 1 < chunks ? sizes.chunk : width - chunk * sizes.chunk;
    task.rows = {0, shape.z};
    if (chunk + 2 < chunks) {
      task.after = rows_of(images, true, 0, row, (chunk + 1) * sizes.chunk).from;
      task.rows_after = shape.z;
    }
    pool.with([&](BoxSweep<Sample>& sweep) { sweep.run(task); });
    shared.stage->advance(task.width * shape.z);
  });
}

template <class Sample>
void run_in_slices(const Context& context, SharedBoxPass<Sample>& shared, const Images& images,
                   const TaskSizes& sizes) {
  const Shape& shape = images.to->shape();
  const std::int64_t strips = parts(shape.y, sizes.rows);
  WorkspacePool<BoxSweep<Sample>> pool = sweep_pool(shared);
  parallel_for(context, parts(shape.z, sizes.slices) * strips, [&](std::int64_t index) {
    const std::int64_t first = index / strips * sizes.slices;
    const std::int64_t row = index % strips * sizes.rows;
    pool.with([&](BoxSweep<Sample>& sweep) {
      for (std::int64_t z = first; z < std::min(first + sizes.slices, shape.z); ++z) {
        BoxRows task = rows_of(images, false, z);
        task.rows = {row, std::min(row + sizes.rows, shape.y)};
        if (z + 1 < shape.z) {
          task.after = rows_of(images, false, z + 1).from;
          task.rows_after = shape.y;
        }
        sweep.run(task);
        shared.stage->advance(task.rows.size() * shape.x);
      }
    });
  });
}

template <class Sample>
bool run_passes(const Context& context, const std::vector<BoxPass>& passes, const Border& border, const Image& in,
                Combine combine, const Image& image, Image& out, Stage& stage, const CpuTuning& tuning) {
  const std::size_t count = passes.size();
  // Backwards: where each pass writes, for the output may hold what a pass still reads.
  Image between[2];
  std::vector<Image*> to(count, &out);
  for (std::size_t i = count - 1; i-- > 0;) {
    const bool spoils = combine == Combine::OutputMinus && to[i + 1] == &out;
    const bool same = !spoils && can_be_in_place(passes[i + 1], in.shape());
    const bool output_is_free = combine != Combine::OutputMinus;
    to[i] = same                                  ? to[i + 1]
            : to[i + 1] != &out && output_is_free ? &out
            : to[i + 1] == &between[0]            ? &between[1]
                                                  : &between[0];
    if (to[i]->empty()) *to[i] = image_between(context, in);
  }
  for (std::size_t i = 0; i < count; ++i) {
    SharedBoxPass<Sample> shared;
    shared.pass = passes[i];
    shared.border = border.kind;
    for (const Order order : {Order::Min, Order::Max}) {
      const auto index = static_cast<std::size_t>(order);
      shared.across[index] = row_kernels<Sample>(context.simd, order);
      shared.along[index] = along_kernel<LaneOf<Sample>>(context.simd, order);
      shared.outside[index] =
          border.kind == Border::Kind::Constant ? lane_of<Sample>(border.value) : neutral_lane<Sample>(order);
    }
    shared.first = i == 0;
    shared.last = i + 1 == count;
    shared.in_place = i > 0 && to[i - 1] == to[i];
    shared.stream = !shared.in_place && out.bytes() >= tuning.stream_bytes && has_whole_lines(out);
    if (shared.last) shared.combine = combine;
    shared.block_bytes = tuning.box_block_bytes;
    shared.stage = &stage;
    const Images images{i == 0 ? &in : to[i - 1], &image, to[i]};
    const TaskSizes sizes = task_sizes(context, passes[i], shared.in_place, in, tuning);
    if (passes[i].along_z) {
      run_along_z(context, shared, images, sizes);
    } else {
      run_in_slices(context, shared, images, sizes);
    }
    if (shared.nan_found) return true;
  }
  return false;
}

}  // namespace

bool run_boxes(const Context& context, const std::vector<BoxPass>& passes, const Border& border, const Image& in,
               Combine combine, const Image& image, Image& out, Stage& stage, const CpuTuning& tuning) {
  if (in.type() == Type::U8) {
    return run_passes<std::uint8_t>(context, passes, border, in, combine, image, out, stage, tuning);
  }
  if (in.type() == Type::U16) {
    return run_passes<std::uint16_t>(context, passes, border, in, combine, image, out, stage, tuning);
  }
  if (in.type() == Type::I16) {
    return run_passes<std::int16_t>(context, passes, border, in, combine, image, out, stage, tuning);
  }
  return run_passes<float>(context, passes, border, in, combine, image, out, stage, tuning);
}

}  // namespace tamis::morphology_detail::cpu
