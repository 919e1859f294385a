#include "line/traced/gpu/run.hpp"

#include <algorithm>
#include <utility>

#include "core/gpu/launch.hpp"
#include "line/traced/gpu/load.cuh"
#include "line/traced/gpu/windows.cuh"
#include "line/traced/lines.hpp"

namespace tamis::line_detail::gpu {
namespace tile {
namespace {

// A block of threads works on a bundle of neighbouring lines, a stretch of them in shared memory: a row of the tile is
// one position along the lines, its 16 words are the lines side by side. Steep lines come in row by row, each moved by
// its shift; shallow ones in squares that are turned, because their neighbours lie one above the other.
//
// Along the lines the method of van Herk, for windows of L rows from each row on: a thread has `block` rows of one word
// in registers, extrema from each row to the last of them; what comes after them it runs through once, so that the
// extremum up to the window's end is there when it is needed. Whole blocks of 8 rows in between are read as one.

template <class T, int threads, int block>
__global__ void __launch_bounds__(threads, 1024 / threads) traced_kernel(const __grid_constant__ Work work) {
  extern __shared__ std::uint32_t memory_words[];
  Place place;
  if (!find_place<T>(work, place)) return;
  const Memory memory(memory_words, work.rows);
  for (int t = static_cast<int>(threadIdx.x); t < place.rows; t += threads) {
    memory.shift[t] = shift_at(place.angle, place.k0 + t);
  }
  __syncthreads();
  Seen seen;
  load<T, threads>(work, place, memory, seen);
  if (seen.nan && work.nan) *work.nan = 1;
  __syncthreads();
  if constexpr (block > 0) {
    const bool sums = block == block_rows && work.length > block_rows + summed_rows;
    if (sums) {
      sum_rows<T, threads, true>(place, memory);
      __syncthreads();
    }
    erode<T, threads, block>(work, place, memory);
    __syncthreads();
    if (work.opens) {
      if (sums) {
        sum_rows<T, threads, false>(place, memory);
        __syncthreads();
      }
      dilate<T, threads, block>(work, place, memory);
      __syncthreads();
    }
  }
  if (!work.counts) return store<T, threads, true, false>(work, place, memory);
  if (!work.to) return store<T, threads, false, true>(work, place, memory);
  store<T, threads, true, true>(work, place, memory);
}

}  // namespace
}  // namespace tile

namespace {

using tile::Angle;
using tile::Work;

/// Samples as the kernels see them.
struct Words {
  std::uint32_t flip, highest, lowest, count_flip;
};

Words words_of(Type type, bool dark) {
  const std::uint32_t sign = type == Type::I16 ? 0x80008000U : 0U;
  if (type == Type::F32) return {dark ? 0x80000000U : 0U, 0x7F800000U, 0xFF800000U, dark ? 0x80000000U : 0U};
  const std::uint32_t turned = dark ? ~0U : 0U;
  return {sign ^ turned, ~0U, 0U, turned};
}

/// Samples of a word.
int samples_of(Type type) { return static_cast<int>(4 / sample_bytes(type)); }

/// How lines are cut: `parts` stretches of `own` positions, each in a tile of `rows`.
struct Cut {
  int parts = 0;  ///< 0: windows are too long
  int own = 0, rows = 0;
  int threads = tile::few_threads;
};

/// Blocks of threads as they fit on a multiprocessor, with the largest tile that lets as many in, and what a row costs.
struct Fit {
  int threads, most_rows;
  double price;
};
constexpr Fit fits[] = {
    {tile::few_threads, 704, 1.0}, {tile::many_threads, 1424, 1.15}, {tile::many_threads, 2880, 1.7}};
constexpr int slack = 2 * tile::block_rows + 8;

Cut cut_of(int along, const Work& work) {
  Cut best;
  double least = 0;
  const int window = work.length - 1;
  for (const Fit& fit : fits) {
    if (fit.threads != tile::few_threads && work.length <= tile::block_rows) break;
    for (int parts = 1; parts <= along; ++parts) {
      const int own = ((along + parts - 1) / parts + 3) / 4 * 4;
      const int reach = parts == 1 ? window : work.opens ? 2 * window : window;
      const int rows = (own + reach + slack) / tile::block_rows * tile::block_rows;
      if (rows > fit.most_rows) continue;
      const double price = fit.price * parts * rows;
      if (best.parts == 0 || price < least) {
        best = {parts, own, rows, fit.threads};
        least = price;
      }
      break;  // more parts overlap more
    }
  }
  return best;
}

template <class T>
auto kernel_of(int length, int threads) -> void (*)(Work) {
  constexpr int few = tile::few_threads;
  if (length <= 1) return tile::traced_kernel<T, few, 0>;
  if (length <= 2) return tile::traced_kernel<T, few, 1>;
  if (length <= 4) return tile::traced_kernel<T, few, 2>;
  if (length <= 8) return tile::traced_kernel<T, few, 4>;
  if (length <= 16) return tile::traced_kernel<T, few, 8>;
  return threads == few ? tile::traced_kernel<T, few, 16> : tile::traced_kernel<T, tile::many_threads, 16>;
}

Angle angle_of(double degrees, int nx, int ny) {
  const Slope slope = slope_of(degrees);
  Angle angle;
  angle.slope = slope.slope;
  angle.steep = slope.steep ? 1 : 0;
  const int along = slope.steep ? ny : nx;
  const int across = slope.steep ? nx : ny;
  const int first = shift_at(slope, 0);
  const int last = shift_at(slope, along - 1);
  angle.first = std::min(first, last);
  angle.last = across - 1 + std::max(first, last);
  return angle;
}

/// Launches with `work.angle` filled; false if windows are too long for one.
bool launch_work(const cuda::Stream& stream, Type type, int slices, Work work) {
  int along = 0;
  int lines = 0;
  for (int i = 0; i < work.angles; ++i) {
    along = std::max(along, work.angle[i].steep ? work.ny : work.nx);
    lines = std::max(lines, work.angle[i].last - work.angle[i].first + 1);
  }
  const Cut cut = cut_of(along, work);
  if (cut.parts == 0) return false;
  work.own = cut.own;
  work.rows = cut.rows;
  const auto kernel = type == Type::U8    ? kernel_of<std::uint8_t>(work.length, cut.threads)
                      : type == Type::F32 ? kernel_of<float>(work.length, cut.threads)
                                          : kernel_of<std::uint16_t>(work.length, cut.threads);
  const int samples = samples_of(type);
  const int own = (tile::row_words - (samples > 1 ? 1 : 0)) * samples;
  const int bundles = (lines + 2 * samples + own - 1) / own;
  constexpr int most_slices = 65535;
  const int at_once = std::max(1, most_slices / work.angles);
  for (int z = 0; z < slices; z += at_once) {
    Work part = work;
    part.from += z * work.from_slice;
    if (part.to) part.to += z * work.to_slice;
    const int count = std::min(at_once, slices - z);
    cuda::LaunchShape shape;
    shape.blocks = dim3(static_cast<unsigned>(bundles), static_cast<unsigned>(cut.parts),
                        static_cast<unsigned>(count * work.angles));
    shape.threads = dim3(static_cast<unsigned>(cut.threads));
    shape.shared_bytes = tile::shared_bytes(cut.rows);
    cuda::launch(stream, shape, "traced lines", kernel, part);
  }
  return true;
}

/// A window of the erosion, on an image where no line is longer than `most`.
void set_window(Work& work, std::int64_t before, std::int64_t after, std::int64_t most) {
  work.origin = static_cast<int>(std::min(before, most));
  work.length = work.origin + static_cast<int>(std::min(after, most)) + 1;
}

Work work_of(Type type, std::int64_t nx, std::int64_t ny, bool dark, bool fit) {
  const Words words = words_of(type, dark);
  Work work;
  work.nx = static_cast<int>(nx);
  work.ny = static_cast<int>(ny);
  work.flip = words.flip;
  work.outside = fit ? words.lowest : words.highest;
  work.lowest = words.lowest;
  work.count_flip = words.count_flip;
  return work;
}

void put_images(Work& work, const DeviceImage& from, const DeviceImage& to) {
  work.from = from.data;
  work.from_pitch = from.pitch;
  work.from_slice = from.slice;
  work.to = to.data;
  work.to_pitch = to.pitch;
  work.to_slice = to.slice;
}

/// Erosions alone, of windows short enough for one launch each, one after the other.
class Chain {
 public:
  Chain(const cuda::Stream& stream, const TracedTask& task)
      : stream_(stream),
        task_(task),
        memory_(stream, task.from.slice * task.shape.z),
        other_{memory_.data(), task.from.pitch, task.from.slice} {}

  /// Both halves of the window, in links. The last one of `halves` writes to the task's result.
  void run(std::vector<Work> halves) {
    std::vector<Work> links;
    for (const Work& half : halves) add(half, links);
    DeviceImage now = task_.from;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const DeviceImage& next = (links.size() - i) % 2 == 1 ? task_.to : other_;
      put_images(links[i], now, next);
      if (i > 0) links[i].nan = nullptr;  // the first one has read the image
      launch_work(stream_, task_.type, static_cast<int>(task_.shape.z), links[i]);
      now = next;
    }
  }

 private:
  static void add(const Work& half, std::vector<Work>& links) {
    constexpr int most = 1536;
    int before = half.origin;
    int after = half.length - 1 - half.origin;
    do {
      Work link = half;
      link.opens = false;
      link.origin = std::min(before, most / 2);
      const int ahead = std::min(after, most - link.origin);
      link.length = link.origin + ahead + 1;
      before -= link.origin;
      after -= ahead;
      links.push_back(link);
    } while (before > 0 || after > 0);
  }

  const cuda::Stream& stream_;
  const TracedTask& task_;
  cuda::DeviceBuffer<std::byte> memory_;
  DeviceImage other_;
};

/// Bits as bytes and back.
void traced_bits(const cuda::Stream& stream, const TracedTask& task) {
  constexpr std::int64_t alignment = 16;
  const Shape& shape = task.shape;
  const std::int64_t pitch = (shape.x + alignment - 1) / alignment * alignment;
  const std::int64_t rows = shape.y * shape.z;
  cuda::DeviceBuffer<std::byte> before(stream, pitch * rows);
  cuda::DeviceBuffer<std::byte> after(stream, pitch * rows);
  TracedTask bytes = task;
  bytes.type = Type::U8;
  bytes.from = {before.data(), pitch, pitch * shape.y};
  bytes.to = {after.data(), pitch, pitch * shape.y};
  bytes_of_bits(stream, task.from, bytes.from, shape.x, rows);
  traced(stream, bytes);
  bits_of_bytes(stream, bytes.to, task.to, shape.x, rows);
}

}  // namespace

void traced(const cuda::Stream& stream, const TracedTask& task) {
  if (task.type == Type::Bool) return traced_bits(stream, task);
  const Shape& shape = task.shape;
  const TracedSegment& segment = task.segment;
  const std::int64_t ahead = segment.length - 1 - segment.origin;
  const bool erodes = task.what == Along::Erode || task.what == Along::Open;
  const std::int64_t most = std::max(shape.x, shape.y);
  const auto half = [&](bool erode, bool fit) {
    Work work = work_of(task.type, shape.x, shape.y, !erode, fit);
    set_window(work, erode ? segment.origin : ahead, erode ? ahead : segment.origin, most);
    work.angle[0] = angle_of(segment.angle, work.nx, work.ny);
    return work;
  };
  Work work = half(erodes, segment.fit);
  work.opens = task.what == Along::Open || task.what == Along::Close;
  put_images(work, task.from, task.to);
  work.nan = task.nan;
  if (launch_work(stream, task.type, static_cast<int>(shape.z), work)) return;
  std::vector<Work> halves{work};
  if (work.opens) halves.push_back(half(!erodes, false));
  Chain(stream, task).run(std::move(halves));
}

bool traced_angles(const cuda::Stream& stream, const TracedAngles& task) {
  Work work = work_of(task.type, task.nx, task.ny, task.dark, task.fit);
  const std::int64_t origin = task.length / 2;
  const std::int64_t ahead = task.length - 1 - origin;
  const std::int64_t most = std::max(task.nx, task.ny);
  set_window(work, task.dark ? ahead : origin, task.dark ? origin : ahead, most);
  work.opens = true;
  work.base = task.base;
  work.step = task.step;
  put_images(work, task.from, task.to);
  work.to_angle = task.to.slice;
  // Of all angles or of none: nothing may be counted twice.
  if (cut_of(static_cast<int>(most), work).parts == 0) return false;
  const auto count = static_cast<int>(task.angles.size());
  for (int first = 0; first < count; first += Work::most_angles) {
    work.angles = std::min(Work::most_angles, count - first);
    for (int i = 0; i < work.angles; ++i) {
      work.angle[i] = angle_of(task.angles[static_cast<std::size_t>(first + i)], work.nx, work.ny);
    }
    if (task.to.data) work.to = task.to.data + first * work.to_angle;
    if (task.counts) work.counts = task.counts + first;
    launch_work(stream, task.type, 1, work);
  }
  return true;
}

}  // namespace tamis::line_detail::gpu
