// The walks that make a window one after the other, and what lies between them.
#include <vector>

#include "core/gpu/launch.hpp"
#include "morphology/gpu/box/walk.cuh"
#include "morphology/gpu/kernels.hpp"
#include "morphology/gpu/rows/cells.cuh"
#include "morphology/plan/box_parts.hpp"

namespace tamis::morphology_detail::gpu {
namespace {

using namespace box_walk;

/// `height` as box_kernel has it.
template <class T, Order order, int words, bool along_x, int height>
void launch_walk(const cuda::Stream& stream, const BoxTask& task, const RowRange& read, const RowRange& write,
                 int stride = 1) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  constexpr int lane_bytes = 4 * words;
  Walk walk;
  walk.task = task;
  walk.read = read;
  walk.write = write;
  walk.constant = task.border.value;
  walk.stride = stride;
  walk.read_step = task.from.pitch * stride;
  walk.write_step = task.to.pitch * stride;
  walk.height = static_cast<int>((task.high_y - task.low_y) / stride + 1);
  const std::int64_t low = task.low_x * size;
  walk.moved = along_x ? static_cast<int>(((low % lane_bytes) + lane_bytes) % lane_bytes) : 0;
  walk.width = static_cast<int>(task.high_x - task.low_x + 1);
  const int halo = along_x ? walk.moved + (walk.width - 1) * static_cast<int>(size) : 0;
  walk.own_bytes = (32 * lane_bytes - halo) / lane_bytes * lane_bytes;
  walk.strips = static_cast<int>((task.nx * size + walk.own_bytes - 1) / walk.own_bytes);
  const bool shows_samples = task.border.kind == Border::Kind::Reflect || task.border.kind == Border::Kind::Nearest;
  const auto kernel = shows_samples ? box_kernel<T, order, words, along_x, height, true>
                                    : box_kernel<T, order, words, along_x, height, false>;
  cuda::LaunchShape shape;
  shape.threads = dim3(32);
  shape.shared_bytes =
      sizeof(Slot<words>) * static_cast<std::size_t>((height == many ? walk.height : 0) + (shows_samples ? 1 : 0));
  const std::int64_t columns_of_warps = walk.strips * task.nz * stride;
  const std::int64_t all_rows = (write.end - write.begin + stride - 1) / stride;
  walk.chunk = chunk_rows(all_rows, walk.height, columns_of_warps,
                          cuda::resident_blocks(stream, kernel, 32, shape.shared_bytes));
  walk.chunks = static_cast<int>((all_rows + walk.chunk - 1) / walk.chunk);
  shape.blocks = dim3(static_cast<unsigned>(columns_of_warps * walk.chunks));
  cuda::launch(stream, shape, "box", kernel, walk);
}

constexpr std::int64_t widest_of_8_words = 512;

template <class T, Order order>
void one_pass(const cuda::Stream& stream, const BoxTask& task, const RowRange& read, const RowRange& write,
              int stride = 1) {
  const bool along_x = task.high_x > task.low_x || task.low_x != 0;
  const std::int64_t height = (task.high_y - task.low_y) / stride + 1;
  if (along_x && height == 1) {
    const std::int64_t bytes = (task.high_x - task.low_x + 1) * static_cast<std::int64_t>(sizeof(T));
    if (bytes <= BoxLimits::widest_bytes) return launch_walk<T, order, 4, true, 1>(stream, task, read, write);
    if (bytes <= widest_of_8_words) return launch_walk<T, order, 8, true, 1>(stream, task, read, write);
    return launch_walk<T, order, 16, true, 1>(stream, task, read, write);
  }
  if (along_x) {
    if (height == 3) return launch_walk<T, order, 4, true, 3>(stream, task, read, write, stride);
    if (height == 5) return launch_walk<T, order, 4, true, 5>(stream, task, read, write, stride);
    return launch_walk<T, order, 4, true, many>(stream, task, read, write, stride);
  }
  if (height == 3) return launch_walk<T, order, 4, false, 3>(stream, task, read, write, stride);
  if (height == 5) return launch_walk<T, order, 4, false, 5>(stream, task, read, write, stride);
  launch_walk<T, order, 4, false, many>(stream, task, read, write, stride);
}

template <class T, Order order>
void run(const cuda::Stream& stream, const BoxTask& task) {
  const std::vector<BoxPart> parts =
      parts_of({task.low_x, task.high_x, task.low_y, task.high_y}, task.ny, static_cast<std::int64_t>(sizeof(T)));
  std::vector<cuda::DeviceBuffer<std::byte>> between;
  DeviceImage from = task.from;
  RowRange read{0, task.ny};
  for (const BoxPart& part : parts) {
    BoxTask now = task;
    now.low_x = part.window.low_x;
    now.high_x = part.window.high_x;
    now.low_y = part.window.low_y;
    now.high_y = part.window.high_y;
    now.from = from;
    if (part.border_is_done) now.border = Border::neutral();
    if (&part != &parts.back()) {
      const std::int64_t pitch =
          (task.nx * static_cast<std::int64_t>(sizeof(T)) + piece_bytes - 1) / piece_bytes * piece_bytes;
      const std::int64_t slice = pitch * (part.write.end - part.write.begin);
      between.emplace_back(stream, slice * task.nz);
      now.to = {between.back().data(), pitch, slice};
    }
    one_pass<T, order>(stream, now, read, part.write, part.stride);
    from = now.to;
    read = part.write;
  }
}

template <class T>
void run(const cuda::Stream& stream, const BoxTask& task) {
  if (task.order == Order::Min) return run<T, Order::Min>(stream, task);
  return run<T, Order::Max>(stream, task);
}

}  // namespace

bool box_extremum_can(const BoxTask& task) {
  const std::int64_t bytes = (task.high_x - task.low_x + 1) * sample_bytes(task.type);
  if (bytes <= BoxLimits::widest_alone_bytes) return true;
  return task.low_x <= 0 && task.high_x >= 0 && task.border.kind != Border::Kind::Reflect;
}

void box_extremum(const cuda::Stream& stream, const BoxTask& task) {
  if (task.type == Type::U8) return run<std::uint8_t>(stream, task);
  if (task.type == Type::U16) return run<std::uint16_t>(stream, task);
  if (task.type == Type::I16) return run<std::int16_t>(stream, task);
  run<float>(stream, task);
}

}  // namespace tamis::morphology_detail::gpu
