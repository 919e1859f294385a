#include "line/sweep/gpu/run.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu/morphology.hpp>

#include "core/device.hpp"
#include "core/gpu/device_image.hpp"
#include "core/gpu/callers/host.hpp"
#include "line/segment/gpu/run.hpp"

namespace tamis::line_detail::gpu {
namespace {

/// What is made of a slice.
struct Maps {
  Maps() = default;
  Maps(const cuda::Stream& stream, Type type, const Shape& slice)
      : best(stream, type, slice),
        worst(stream, type, slice),
        twice(stream, Type::U16, slice),
        tied(stream, tied_room(type, slice)) {}
  cuda::DeviceStore best, worst, twice;
  cuda::DeviceBuffer<TiedAngles> tied;
};

std::int64_t angles_at_once(const SweepTask& task, std::int64_t slice_bytes) {
  constexpr std::int64_t worth_a_launch = std::int64_t{256} << 20;
  const auto count = static_cast<std::int64_t>(task.angles.size());
  return std::clamp<std::int64_t>(worth_a_launch / slice_bytes, 1, count);
}

MapTask map_task(const SweepTask& task, Type type, const Shape& slice, const DeviceSweep& sweep) {
  MapTask map;
  map.type = type;
  map.dark = task.dark;
  map.nx = slice.x;
  map.ny = slice.y;
  map.angles = static_cast<int>(task.angles.size());
  map.second_half = second_half(map.angles, task.cyclic);
  map.best = sweep.best;
  map.worst = sweep.worst;
  map.twice = sweep.twice;
  map.tied = sweep.tied;
  return map;
}

/// Of an erosion and a dilation; segments of few samples and the longest ones have none.
struct SegmentPlans {
  std::optional<SegmentPlan> erosion, dilation;

  explicit SegmentPlans(const StructuringElement& element) {
    const OffsetSet set = element.sum(2);
    const OffsetSet reflected = set.reflected();
    erosion = plan_segment(set);
    dilation = set == reflected ? erosion : plan_segment(reflected);
  }
};

/// One segment after the other.
class InvariantSweep {
 public:
  InvariantSweep(const Context& context, const cuda::Stream& stream, const SweepTask& task, Type type,
                 const Shape& slice)
      : context_(context),
        stream_(stream),
        task_(task),
        type_(type),
        slice_(slice),
        between_(stream, type, slice),
        opening_(stream, type, slice) {
    const std::size_t angles = task.angles.size();
    const auto border = static_cast<std::size_t>(second_half(static_cast<int>(angles), task.cyclic));
    for (const auto& [begin, end] : {std::pair(std::size_t{0}, border), std::pair(border, angles)}) {
      const std::vector<AngleRun> runs = runs_of_one_segment(task, slice, begin, end);
      runs_.insert(runs_.end(), runs.begin(), runs.end());
    }
  }

  void run(const DeviceSweep& sweep, const cuda::DeviceStore& image, Stage& stage) {
    MapTask map = map_task(task_, type_, slice_, sweep);
    map.stack = opening_.get();
    map.count = 1;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const AngleRun& run = runs_[i];
      // The GPU opens by one segment while the host plans the next one.
      const StructuringElement element = StructuringElement::line(task_.length, task_.angles[run.first]);
      if (i == plans_.size()) plans_.emplace_back(element);
      if (plans_[i].erosion && plans_[i].dilation) {
        open(plans_[i], image.get());
      } else {
        open(element, image);
      }
      if (sweep.best.data) {
        map.first = static_cast<int>(run.first);
        map.width = static_cast<int>(run.last - run.first) + 1;
        take_into_maps(stream_, map);
      }
      count_slice(stream_, type_, opening_.get(), slice_.x, slice_.y, sweep.scale, sweep.counts + run.first);
      stage.advance(slice_.count() * static_cast<std::int64_t>(run.last - run.first + 1));
    }
  }

  /// Counts were made for the first angle of each run.
  void share(std::vector<std::int64_t>& counts) const {
    for (const AngleRun& run : runs_) {
      for (std::size_t i = run.first; i <= run.last; ++i) counts[i] = counts[run.first];
    }
  }

 private:
  void open(const SegmentPlans& plans, const DeviceImage& image) const {
    const auto half = [&](bool max, const DeviceImage& from, const DeviceImage& to) {
      segment_extremum(stream_, max ? *plans.dilation : *plans.erosion, {max, type_, slice_, from, to});
    };
    half(task_.dark, image, between_.get());
    half(!task_.dark, between_.get(), opening_.get());
  }

  /// By a filter of its own, which wants dense rows.
  void open(const StructuringElement& element, const cuda::DeviceStore& image) const {
    GpuMorphology::Options options;
    options.morphology.element = element;
    options.stream = stream_.get();
    GpuMorphology filter(context_, task_.dark ? Operation::Close : Operation::Open, type_, slice_, options);
    const std::int64_t bytes = cuda::dense_row_bytes(type_, slice_.x) * slice_.y;
    const cuda::DeviceBuffer<std::byte> from(stream_, bytes), to(stream_, bytes);
    image.read(stream_, from.data());
    filter.run(from.data(), to.data());
    opening_.fill(stream_, to.data());
  }

  const Context& context_;
  const cuda::Stream& stream_;
  const SweepTask& task_;
  Type type_;
  Shape slice_;
  std::vector<AngleRun> runs_;
  std::vector<SegmentPlans> plans_;  ///< one a run; serve for all slices
  cuda::DeviceStore between_, opening_;
};

/// One angle after the other, for windows that are too long for one launch.
void trace_each(const cuda::Stream& stream, const TracedAngles& angles, const DeviceImage& room,
                const SweepScale& scale) {
  for (std::size_t i = 0; i < angles.angles.size(); ++i) {
    TracedTask task;
    task.what = angles.dark ? Along::Close : Along::Open;
    task.segment = {angles.length, angles.length / 2, angles.angles[i], angles.fit};
    task.type = angles.type;
    task.shape = {1, angles.ny, angles.nx, 2};
    task.from = angles.from;
    task.to = room;
    if (angles.to.data) task.to.data = angles.to.data + static_cast<std::int64_t>(i) * angles.to.slice;
    traced(stream, task);
    if (angles.counts) count_slice(stream, angles.type, task.to, angles.nx, angles.ny, scale, angles.counts + i);
  }
}

}  // namespace

void sweep_slice(const cuda::Stream& stream, const SweepTask& task, Type type, const Shape& shape,
                 const DeviceSweep& sweep, const cuda::DeviceBuffer<std::byte>& stack) {
  TracedAngles angles;
  angles.dark = task.dark;
  angles.fit = task.fit;
  angles.length = static_cast<std::int64_t>(task.length);
  angles.type = type;
  angles.nx = shape.x;
  angles.ny = shape.y;
  angles.from = sweep.from;
  angles.base = sweep.scale.base;
  angles.step = sweep.scale.step;
  const auto count = static_cast<std::int64_t>(task.angles.size());
  const bool maps = sweep.best.data != nullptr;
  const std::int64_t at_once = maps ? std::min(count, stack.size() / sweep.from.slice) : count;
  for (std::int64_t first = 0; first < count; first += at_once) {
    const std::int64_t now = std::min(at_once, count - first);
    angles.angles.assign(task.angles.begin() + first, task.angles.begin() + first + now);
    if (maps) angles.to = {stack.data(), sweep.from.pitch, sweep.from.slice};
    if (sweep.counts) angles.counts = sweep.counts + first;
    if (!traced_angles(stream, angles)) {
      cuda::DeviceBuffer<std::byte> room;
      if (!maps) room = cuda::DeviceBuffer<std::byte>(stream, sweep.from.slice);
      trace_each(stream, angles, {room.data(), sweep.from.pitch, sweep.from.slice}, sweep.scale);
    }
    if (!maps) continue;
    MapTask map = map_task(task, type, shape, sweep);
    map.stack = angles.to;
    map.count = static_cast<int>(now);
    map.first = static_cast<int>(first);
    take_into_maps(stream, map);
  }
}

namespace {

/// A slice, what lies between it and its openings, and its maps.
std::int64_t bytes_of_sweep(const SweepTask& task, Type type, const Shape& slice) {
  const std::int64_t image = cuda::DeviceStore::layout(type, slice).slice;
  const std::int64_t between = task.lines == Lines::Invariant ? 2 : task.maps ? angles_at_once(task, image) : 0;
  const std::int64_t maps = 2 * image + cuda::DeviceStore::layout(Type::U16, slice).slice +
                            tied_room(type, slice) * static_cast<std::int64_t>(sizeof(TiedAngles));
  return (1 + between) * image + (task.maps ? maps : 0);
}

SweepResult sweep_slices(const Context& context, const Image& image, const SweepTask& task, Stage& stage) {
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  const Type type = image.type();
  const Shape slice{1, image.shape().y, image.shape().x, 2};
  const auto angles = static_cast<std::int64_t>(task.angles.size());
  SweepResult result;
  result.scale = sweep_scale(context, image);
  const bool traced = task.lines == Lines::Traced;
  const cuda::DeviceStore from(stream, type, slice);
  Maps maps;
  cuda::DeviceBuffer<std::byte> stack;
  std::optional<InvariantSweep> invariant;
  if (!traced) invariant.emplace(context, stream, task, type, slice);
  if (task.maps) {
    maps = Maps(stream, type, slice);
    result.best = Image(type, image.shape(), image.spacing);
    result.worst = Image(type, image.shape(), image.spacing);
    result.twice = Image(Type::U16, image.shape(), image.spacing);
    if (traced) {
      const std::int64_t bytes = from.get().slice;
      stack = cuda::DeviceBuffer<std::byte>(stream, bytes * angles_at_once(task, bytes));
    }
  }
  // The last one is the image's.
  cuda::DeviceBuffer<unsigned long long> counts(stream, angles + 1);
  counts.clear();
  for (std::int64_t z = 0; z < image.shape().z; ++z) {
    from.fill(stream, image.row<std::byte>(z, 0));
    const DeviceSweep sweep{from.get(),       maps.best.get(), maps.worst.get(), maps.twice.get(),
                            maps.tied.data(), counts.data(),   result.scale};
    count_slice(stream, type, from.get(), slice.x, slice.y, result.scale, counts.data() + angles);
    if (traced) {
      sweep_slice(stream, task, type, slice, sweep, stack);
      stage.advance(slice.count() * angles);
    } else {
      invariant->run(sweep, from, stage);
    }
    if (task.maps) {
      maps.best.read(stream, result.best.row<std::byte>(z, 0));
      maps.worst.read(stream, result.worst.row<std::byte>(z, 0));
      maps.twice.read(stream, result.twice.row<std::byte>(z, 0));
    }
    stream.synchronize();  // so that a cancellation is heard
  }
  result.counts.resize(static_cast<std::size_t>(angles) + 1);
  cuda::check(
      cudaMemcpyAsync(result.counts.data(), counts.data(), counts.bytes(), cudaMemcpyDeviceToHost, stream.get()),
      "read counts");
  stream.synchronize();
  const std::int64_t bias = type == Type::I16 ? std::int64_t{32768} * image.shape().count() : 0;
  for (std::int64_t& count : result.counts) count -= bias;
  if (invariant) invariant->share(result.counts);
  result.image_count = result.counts.back();
  result.counts.pop_back();
  return result;
}

}  // namespace

SweepResult sweep(const Context& context, const Image& image, const SweepTask& task, Stage& stage) {
  const Shape slice{1, image.shape().y, image.shape().x, 2};
  return cuda::run_whole(context, "a sweep of lines", slice, bytes_of_sweep(task, image.type(), slice),
                         [&] { return sweep_slices(context, image, task, stage); });
}

}  // namespace tamis::line_detail::gpu
