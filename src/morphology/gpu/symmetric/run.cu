// Which walks make an element: parts of it that registers hold, one after the other.
#include <algorithm>

#include "core/gpu/launch.hpp"
#include "morphology/gpu/kernels.hpp"
#include "morphology/gpu/rows/cells.cuh"
#include "morphology/gpu/symmetric/walk.cuh"

namespace tamis::morphology_detail::gpu {
namespace {

using namespace symmetric_walk;

template <class T>
constexpr int bits_of = std::is_same_v<T, bool> ? 1 : 8 * static_cast<int>(sizeof(T));

/// As many words as leave the sums in about 128 registers. Bits: rows are short.
template <class T, int sums>
constexpr int words_of_lane = std::is_same_v<T, bool> ? 1 : std::clamp(128 / (sums * Cell<T>::parts), 1, 4);

constexpr int most_shared_bytes = 200 << 10;
constexpr int most_rows = 63;  // of the largest kernel, one less than its sums

template <int words>
int shared_bytes(int widest) {
  return (widest + 2) * rows_at_once * 128 * words;
}

template <class T, Order order, int sums>
void launch_walk(const cuda::Stream& stream, const StepTask& task, const SymmetricRows& rows, bool with_before) {
  constexpr int words = words_of_lane<T, sums>;
  constexpr int lane_bytes = 4 * words;
  Walk walk;
  walk.task = task;
  walk.constant = task.border.value;
  walk.with_before = with_before;
  walk.row_bits = task.shape.x * bits_of<T>;
  walk.stored_bytes = std::is_same_v<T, bool> ? (task.shape.x + 63) / 64 * 8 : (walk.row_bits + 7) / 8;
  walk.height = rows.height;
  walk.depth = rows.depth;
  walk.ny = static_cast<int>(task.shape.y);
  walk.nz = static_cast<int>(task.shape.z);
  walk.low_y = static_cast<int>(rows.low_y);
  walk.low_z = static_cast<int>(rows.low_z);
  int widest = 0;
  for (int z = 0; z < rows.depth; ++z) {
    walk.steps[z] = static_cast<std::int16_t>(rows.widest(z));
    widest = std::max(widest, rows.widest(z));
    for (int k = 0; k < rows.height; ++k) {
      const int radius = rows.at(z, rows.height - 1 - k);
      walk.place[z * sums + k] = static_cast<Place>((radius + 1) * rows_at_once * 128 * words / place_bytes);
    }
  }
  const bool shows_samples = task.border.kind == Border::Kind::Reflect || task.border.kind == Border::Kind::Nearest;
  const bool in_one = 8 * 32 * lane_bytes >= walk.row_bits && !shows_samples;
  walk.halo_bytes = in_one ? 0 : (widest * bits_of<T> + 8 * lane_bytes - 1) / (8 * lane_bytes) * lane_bytes;
  walk.own_bytes = 32 * lane_bytes - 2 * walk.halo_bytes;
  walk.strips = static_cast<int>((walk.stored_bytes + walk.own_bytes - 1) / walk.own_bytes);
  const auto kernel =
      shows_samples ? symmetric_kernel<T, order, words, sums, true> : symmetric_kernel<T, order, words, sums, false>;
  cuda::LaunchShape shape;
  shape.threads = dim3(32);
  shape.shared_bytes = static_cast<std::size_t>(shared_bytes<words>(widest));
  const std::int64_t columns = walk.strips * task.shape.z;
  walk.chunk =
      chunk_rows(task.shape.y, rows.height, columns, cuda::resident_blocks(stream, kernel, 32, shape.shared_bytes));
  walk.chunks = static_cast<int>((task.shape.y + walk.chunk - 1) / walk.chunk);
  shape.blocks = dim3(static_cast<unsigned>(columns * walk.chunks));
  cuda::launch(stream, shape, "extremum", kernel, walk);
}

template <class T, Order order>
void one_pass(const cuda::Stream& stream, const StepTask& task, const SymmetricRows& rows, bool with_before) {
  if (rows.height < 4) return launch_walk<T, order, 4>(stream, task, rows, with_before);
  if (rows.height < 12) return launch_walk<T, order, 12>(stream, task, rows, with_before);
  if (rows.height < 32) return launch_walk<T, order, 32>(stream, task, rows, with_before);
  launch_walk<T, order, 64>(stream, task, rows, with_before);
}

int sums_for(int height) { return height < 4 ? 4 : height < 12 ? 12 : height < 32 ? 32 : 64; }

template <class T, Order order>
void run(const cuda::Stream& stream, const StepTask& task, const SymmetricRows& rows) {
  bool with_before = false;
  for (int y = 0; y < rows.height; y += most_rows) {
    const int height = std::min(most_rows, rows.height - y);
    const int slices = std::min(most_slices, most_places / sums_for(height));
    for (int z = 0; z < rows.depth; z += slices) {
      one_pass<T, order>(stream, task, rows.part(z, std::min(slices, rows.depth - z), y, height), with_before);
      with_before = true;
    }
  }
}

template <class T>
void run(const cuda::Stream& stream, const StepTask& task, const SymmetricRows& rows) {
  if (task.order == Order::Min) return run<T, Order::Min>(stream, task, rows);
  return run<T, Order::Max>(stream, task, rows);
}

template <class T>
bool fits(const SymmetricRows& rows) {
  int widest = 0;
  for (int z = 0; z < rows.depth; ++z) widest = std::max(widest, rows.widest(z));
  const int sums = sums_for(std::min(rows.height, most_rows));
  const int words = sums == 4    ? words_of_lane<T, 4>
                    : sums == 12 ? words_of_lane<T, 12>
                    : sums == 32 ? words_of_lane<T, 32>
                                 : words_of_lane<T, 64>;
  // Two thirds of a strip may be halo.
  return widest * bits_of<T> <= 8 * 32 * 4 * words / 3 &&
         (widest + 2) * rows_at_once * 128 * words <= most_shared_bytes;
}

}  // namespace

bool symmetric_extremum_can(const StepTask& task, const SymmetricRows& rows) {
  if (task.type == Type::Bool) return fits<bool>(rows);
  if (task.type == Type::U8) return fits<std::uint8_t>(rows);
  if (task.type == Type::F32) return fits<float>(rows);
  return fits<std::uint16_t>(rows);
}

void symmetric_extremum(const cuda::Stream& stream, const StepTask& task, const SymmetricRows& rows) {
  if (task.type == Type::Bool) return run<bool>(stream, task, rows);
  if (task.type == Type::U8) return run<std::uint8_t>(stream, task, rows);
  if (task.type == Type::U16) return run<std::uint16_t>(stream, task, rows);
  if (task.type == Type::I16) return run<std::int16_t>(stream, task, rows);
  run<float>(stream, task, rows);
}

}  // namespace tamis::morphology_detail::gpu
