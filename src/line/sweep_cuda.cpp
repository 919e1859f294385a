#include "line/sweep_cuda.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/gpu_morphology.hpp>

#include "core/device.hpp"

namespace tamis::line_detail {
namespace {

constexpr std::int64_t alignment = 16;

/// Slices with rows at multiples of 16 bytes.
class Slices {
 public:
  Slices() = default;
  Slices(const cuda::Stream& stream, std::int64_t row_bytes, std::int64_t rows, std::int64_t count = 1)
      : row_bytes_(row_bytes), rows_(rows) {
    slices_.pitch = (row_bytes + alignment - 1) / alignment * alignment;
    slices_.slice = slices_.pitch * rows;
    memory_ = cuda::DeviceBuffer<std::byte>(stream, slices_.slice * count);
    slices_.data = memory_.data();
  }
  [[nodiscard]] const DeviceImage& get() const { return slices_; }

  void fill(const cuda::Stream& stream, const void* from) const {
    copy(stream, slices_.data, slices_.pitch, from, row_bytes_);
  }
  void read(const cuda::Stream& stream, void* to) const { copy(stream, to, row_bytes_, slices_.data, slices_.pitch); }

 private:
  void copy(const cuda::Stream& stream, void* to, std::int64_t to_pitch, const void* from,
            std::int64_t from_pitch) const {
    cuda::check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                                  static_cast<std::size_t>(row_bytes_), static_cast<std::size_t>(rows_),
                                  cudaMemcpyDefault, stream.get()),
                "copy a slice");
  }

  std::int64_t row_bytes_ = 0, rows_ = 0;
  DeviceImage slices_;
  cuda::DeviceBuffer<std::byte> memory_;
};

/// Maps with a pitch in proportion to that of the image.
struct Maps {
  Slices best, worst, index;
};

std::int64_t angles_at_once(const SweepTask& task, std::int64_t slice_bytes) {
  constexpr std::int64_t worth_a_launch = std::int64_t{256} << 20;
  const auto count = static_cast<std::int64_t>(task.angles.size());
  return std::clamp<std::int64_t>(worth_a_launch / slice_bytes, 1, count);
}

/// One slice after the other, by prepared filters: segments that angles share are done once.
class InvariantSweep {
 public:
  InvariantSweep(const Context& context, const cuda::Stream& stream, const SweepTask& task, Type type,
                 const Shape& slice)
      : context_(context),
        stream_(stream),
        task_(task),
        type_(type),
        slice_(slice),
        row_bytes_(slice.x * sample_bytes(type)),
        from_(stream, row_bytes_ * slice.y),
        to_(stream, row_bytes_ * slice.y),
        opening_(stream, row_bytes_, slice.y) {}

  void run(const DeviceSweep& sweep, const Slices& image, Stage& stage) {
    const Slices& opening = opening_;
    image.read(stream_, from_.data());  // filters take dense rows
    MapTask map{type_, task_.dark, slice_.x, slice_.y, opening.get(), 1, 0, sweep.best, sweep.worst, sweep.index};
    std::map<std::vector<Offset>, std::size_t> done;
    for (std::size_t i = 0; i < task_.angles.size(); ++i) {
      const StructuringElement element = StructuringElement::line(task_.length, task_.angles[i]);
      const auto [place, is_new] = done.try_emplace(element.offsets(2), i);
      same_as.push_back(place->second);
      stage.advance(slice_.count());
      if (!is_new) continue;
      GpuMorphology::Options options;
      options.morphology.element = element;
      options.stream = stream_.get();
      GpuMorphology filter(context_, task_.dark ? Operation::Close : Operation::Open, type_, slice_, options);
      filter.run(from_.data(), to_.data());
      opening.fill(stream_, to_.data());
      if (sweep.best.data) {
        map.first = static_cast<int>(i);
        take_into_maps(stream_, map);
      }
      if (sweep.counts) {
        count_slice(stream_, type_, opening.get(), slice_.x, slice_.y, sweep.scale, sweep.counts + i);
      }
    }
  }

  std::vector<std::size_t> same_as;  ///< for each angle the first one with its segment

 private:
  const Context& context_;
  const cuda::Stream& stream_;
  const SweepTask& task_;
  Type type_;
  Shape slice_;
  std::int64_t row_bytes_;
  cuda::DeviceBuffer<std::byte> from_, to_;
  Slices opening_;
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
    traced_cuda(stream, task);
    if (angles.counts) count_slice(stream, angles.type, task.to, angles.nx, angles.ny, scale, angles.counts + i);
  }
}

}  // namespace

void sweep_slice_cuda(const cuda::Stream& stream, const SweepTask& task, Type type, const Shape& shape,
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
    if (!traced_angles_cuda(stream, angles)) {
      cuda::DeviceBuffer<std::byte> room;
      if (!maps) room = cuda::DeviceBuffer<std::byte>(stream, sweep.from.slice);
      trace_each(stream, angles, {room.data(), sweep.from.pitch, sweep.from.slice}, sweep.scale);
    }
    if (!maps) continue;
    take_into_maps(stream, {type, task.dark, shape.x, shape.y, angles.to, static_cast<int>(now),
                            static_cast<int>(first), sweep.best, sweep.worst, sweep.index});
  }
}

SweepResult sweep_cuda(const Context& context, const Image& image, const SweepTask& task, Stage& stage) {
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  const Type type = image.type();
  const Shape slice{1, image.shape().y, image.shape().x, 2};
  const auto angles = static_cast<std::int64_t>(task.angles.size());
  SweepResult result;
  result.scale = sweep_scale(context, image);
  const bool traced = task.lines == Lines::Traced;
  const std::int64_t row_bytes = slice.x * sample_bytes(type);
  const Slices from(stream, row_bytes, slice.y);
  Maps maps;
  cuda::DeviceBuffer<std::byte> stack;
  if (task.maps) {
    maps.best = Slices(stream, row_bytes, slice.y);
    maps.worst = Slices(stream, row_bytes, slice.y);
    maps.index = Slices(stream, slice.x * 2, slice.y);
    result.best = Image(type, image.shape(), image.spacing);
    result.worst = Image(type, image.shape(), image.spacing);
    result.index = Image(Type::U16, image.shape(), image.spacing);
    if (traced) {
      const std::int64_t bytes = from.get().slice;
      stack = cuda::DeviceBuffer<std::byte>(stream, bytes * angles_at_once(task, bytes));
    }
  }
  // The last one is the image's.
  cuda::DeviceBuffer<unsigned long long> counts(stream, angles + 1);
  counts.clear();
  std::vector<std::size_t> same_as;
  for (std::int64_t z = 0; z < image.shape().z; ++z) {
    from.fill(stream, image.row<std::byte>(z, 0));
    DeviceSweep sweep{from.get(), maps.best.get(), maps.worst.get(), maps.index.get(), counts.data(), result.scale};
    count_slice(stream, type, from.get(), slice.x, slice.y, result.scale, counts.data() + angles);
    if (traced) {
      sweep_slice_cuda(stream, task, type, slice, sweep, stack);
      stage.advance(slice.count() * angles);
    } else {
      InvariantSweep invariant(context, stream, task, type, slice);
      invariant.run(sweep, from, stage);
      same_as = std::move(invariant.same_as);
    }
    if (task.maps) {
      maps.best.read(stream, result.best.row<std::byte>(z, 0));
      maps.worst.read(stream, result.worst.row<std::byte>(z, 0));
      maps.index.read(stream, result.index.row<std::byte>(z, 0));
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
  for (std::size_t i = 0; i < same_as.size(); ++i) result.counts[i] = result.counts[same_as[i]];
  result.image_count = result.counts.back();
  result.counts.pop_back();
  return result;
}

}  // namespace tamis::line_detail
