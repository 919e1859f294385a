// Which walks make a window: their order, and what lies between them.
#include <algorithm>
#include <vector>

#include "core/cuda/launch.hpp"
#include "morphology/box_cuda.hpp"
#include "morphology/box_walk.cuh"

namespace tamis::morphology_detail {
namespace {

using namespace box_walk;

template <class T, Order order, int words, bool rows, bool columns>
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
  walk.height = static_cast<int>((task.high_y - task.low_y) / stride + 1);
  const std::int64_t low = task.low_x * size;
  walk.moved = rows ? static_cast<int>(((low % lane_bytes) + lane_bytes) % lane_bytes) : 0;
  walk.width_bytes = static_cast<int>((task.high_x - task.low_x + 1) * size);
  const int halo = rows ? walk.moved + walk.width_bytes - static_cast<int>(size) : 0;
  walk.own_bytes = (32 * lane_bytes - halo) / lane_bytes * lane_bytes;
  walk.strips = static_cast<int>((task.nx * size + walk.own_bytes - 1) / walk.own_bytes);
  // Chunks long enough that the rows before them cost little, short enough to fill the device several times.
  constexpr std::int64_t warps_wanted = 16000;
  const std::int64_t columns_of_warps = walk.strips * task.nz * stride;
  const std::int64_t all_rows = (write.end - write.begin + stride - 1) / stride;
  const std::int64_t most = std::max<std::int64_t>(1, (warps_wanted + columns_of_warps - 1) / columns_of_warps);
  const std::int64_t least = columns ? std::max<std::int64_t>(64, 8 * walk.height) : 32;
  walk.chunk = static_cast<int>(std::min(all_rows, std::max((all_rows + most - 1) / most, least)));
  walk.chunks = static_cast<int>((all_rows + walk.chunk - 1) / walk.chunk);
  cuda::LaunchShape shape;
  shape.blocks = dim3(static_cast<unsigned>(columns_of_warps * walk.chunks));
  shape.threads = dim3(32);
  shape.shared_bytes = sizeof(Slot<words>) * static_cast<std::size_t>(ahead<words> + (columns ? walk.height : 0));
  const bool shows_samples = task.border.kind == Border::Kind::Reflect || task.border.kind == Border::Kind::Nearest;
  if (shows_samples) {
    cuda::launch(stream, shape, "box", box_kernel<T, order, words, rows, columns, true>, walk);
  } else {
    cuda::launch(stream, shape, "box", box_kernel<T, order, words, rows, columns, false>, walk);
  }
}

/// The limits of one pass: rows that shared memory holds for enough warps, and a halo that leaves most of a strip.
constexpr std::int64_t tallest = 48;
constexpr std::int64_t widest_bytes = 200;
constexpr std::int64_t widest_alone_bytes = 1536;

/// A tall window is a short one at rows some `stride` apart, as teeth of a comb.
struct Comb {
  std::int64_t rows = 1, stride = 1, teeth = 1;
};
Comb comb_of(std::int64_t height) {
  Comb best{height, 1, 1};
  for (std::int64_t rows = 2; rows < height && height > tallest; ++rows) {
    std::int64_t stride = rows;
    while ((height - rows) % stride != 0) --stride;
    const std::int64_t teeth = (height - rows) / stride + 1;
    if (std::max(rows, teeth) < std::max(best.rows, best.teeth)) best = {rows, stride, teeth};
  }
  return best;
}

template <class T, Order order>
void one_pass(const cuda::Stream& stream, const BoxTask& task, const RowRange& read, const RowRange& write,
              int stride = 1) {
  const bool rows = task.high_x > task.low_x || task.low_x != 0;
  const bool columns = task.high_y > task.low_y;
  if (!rows) return launch_walk<T, order, 4, false, true>(stream, task, read, write, stride);
  if (!columns) return launch_walk<T, order, 16, true, false>(stream, task, read, write, stride);
  launch_walk<T, order, 4, true, true>(stream, task, read, write, stride);
}

/// Windows one after the other, each on the result of the one before.
struct Part {
  std::int64_t low_x = 0, high_x = 0, low_y = 0, high_y = 0;
  int stride = 1;
  RowRange write;
  bool border_is_done = false;  ///< all rows it asks for were made by the part before
};

std::vector<Part> parts_of(const BoxTask& task, std::int64_t sample) {
  const RowRange image{0, task.ny};
  const std::int64_t width = task.high_x - task.low_x + 1;
  const std::int64_t height = task.high_y - task.low_y + 1;
  const Comb comb = comb_of(height);
  const bool apart = (height > 1 && width * sample > widest_bytes) || width * sample > widest_alone_bytes;
  std::vector<Part> parts;
  Part part{apart ? 0 : task.low_x, apart ? 0 : task.high_x, task.low_y, task.high_y, 1, image, false};
  if (comb.teeth > 1) {
    // Rows beyond the image are made too, as the short window shows them.
    const std::int64_t reach = (comb.teeth - 1) * comb.stride;
    part.high_y = task.low_y + comb.rows - 1;
    part.write.end += reach;
    parts.push_back(part);
    part = {0, 0, 0, reach, static_cast<int>(comb.stride), image, true};
  }
  if (!apart || height > 1) parts.push_back(part);
  if (!apart) return parts;
  // A wide window in several, all of which hold the origin: a way from one sample to another stays inside.
  const std::int64_t longest = widest_alone_bytes / sample;
  for (std::int64_t low = task.low_x, high = task.high_x;;) {
    if (high - low < longest) {
      parts.push_back({low, high, 0, 0, 1, image, false});
      return parts;
    }
    const std::int64_t left = std::min(-low, longest / 2);
    const std::int64_t right = std::min(high, longest - 1 - left);
    parts.push_back({-left, right, 0, 0, 1, image, false});
    low += left;
    high -= right;
  }
}

template <class T, Order order>
void run(const cuda::Stream& stream, const BoxTask& task) {
  const std::vector<Part> parts = parts_of(task, sizeof(T));
  std::vector<cuda::DeviceBuffer<std::byte>> between;
  DeviceImage from = task.from;
  RowRange read{0, task.ny};
  for (const Part& part : parts) {
    BoxTask now = task;
    now.low_x = part.low_x;
    now.high_x = part.high_x;
    now.low_y = part.low_y;
    now.high_y = part.high_y;
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
  if (bytes <= widest_alone_bytes) return true;
  return task.low_x <= 0 && task.high_x >= 0 && task.border.kind != Border::Kind::Reflect;
}

void box_extremum(const cuda::Stream& stream, const BoxTask& task) {
  if (task.type == Type::U8) return run<std::uint8_t>(stream, task);
  if (task.type == Type::U16) return run<std::uint16_t>(stream, task);
  if (task.type == Type::I16) return run<std::int16_t>(stream, task);
  run<float>(stream, task);
}

}  // namespace tamis::morphology_detail
