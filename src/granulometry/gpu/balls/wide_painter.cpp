#include <algorithm>
#include <cmath>
#include <limits>

#include "granulometry/gpu/balls/wide.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

/// Lists of boxes by tiles, and their order.
template <class Lane>
struct WideLists {
  explicit WideLists(const cuda::Stream& stream, std::int64_t count)
      : boxes(stream, count), squares(stream, count), order(stream, count) {}

  cuda::DeviceBuffer<Box> boxes;
  cuda::DeviceBuffer<Lane> squares;
  cuda::DeviceBuffer<std::uint32_t> order;
};

/// Waits.
std::uint64_t read(const cuda::Stream& stream, const cuda::DeviceBuffer<unsigned long long>& number) {
  const cuda::PinnedBuffer<unsigned long long> host(stream, 1);
  cuda::check(cudaMemcpyAsync(host.data(), number.data(), number.bytes(), cudaMemcpyDeviceToHost, stream.get()),
              "read the length of a list");
  stream.synchronize();
  return host[0];
}

/// Throws OutOfMemory, and then nothing has changed.
template <class Lane>
void paint_tiles(const cuda::Stream& stream, const WideTask<Lane>& task) {
  const std::int64_t tiles = Tiles(task.squares).count();
  const bool exact = sizeof(Lane) == 8 || task.largest >= least_exact;
  const cuda::DeviceBuffer<Segment> segments(stream, tiles);
  const cuda::DeviceBuffer<Lane> covers(stream, tiles);
  const cuda::DeviceBuffer<std::uint32_t> counts(stream, tiles), next(stream, tiles);
  const cuda::DeviceBuffer<unsigned long long> boxes(stream, 1);
  covers.clear();
  counts.clear();
  const WideSegments<Lane> of_tiles{segments.data(), covers.data(), counts.data(), next.data(), boxes.data()};
  count_boxes(stream, task, exact, of_tiles);
  const std::uint64_t count = read(stream, boxes);
  if (count == 0) return;
  if (count > std::numeric_limits<std::uint32_t>::max()) throw cuda::OutOfMemory("lists of balls");
  const WideLists<Lane> lists(stream, static_cast<std::int64_t>(count));
  const cuda::DeviceBuffer<Cursors> cursors(stream, 1);
  cursors.clear();
  PaintingOf<Lane> painting{
      task.squares, reinterpret_cast<const std::uint32_t*>(task.object), task.sides, task.largest, {}};
  painting.lists.boxes = lists.boxes.data();
  painting.lists.squares = lists.squares.data();
  painting.lists.order = lists.order.data();
  painting.lists.room = static_cast<std::uint32_t>(count);
  painting.lists.segments = segments.data();
  painting.lists.counts = counts.data();
  painting.lists.segment_room = 1;
  painting.lists.cursors = cursors.data();
  write_boxes(stream, task, exact, of_tiles, painting.lists);
  paint(stream, painting);
  stream.synchronize();  // the lists go
}

}  // namespace

template <class Lane>
void paint_wide(const cuda::Stream& stream, const WideTask<Lane>& task) {
  if (task.largest < 2) return;  // every ball is its own voxel
  // Boxes have 16 bits for how far the middle of a ball is from a tile that it touches.
  constexpr double most_steps = 32000;
  const int least = std::min({task.sides.x, task.sides.y, task.sides.flat ? task.sides.x : task.sides.z});
  if (std::sqrt(static_cast<double>(task.largest)) >= most_steps * least) {
    return paint_parts(stream, task.squares, task.sides);
  }
  try {
    paint_tiles(stream, task);
  } catch (const cuda::OutOfMemory&) {
    paint_parts(stream, task.squares, task.sides);
  }
}

template void paint_wide(const cuda::Stream&, const WideTask<std::uint32_t>&);
template void paint_wide(const cuda::Stream&, const WideTask<std::uint64_t>&);

}  // namespace tamis::granulometry_detail::gpu::balls
