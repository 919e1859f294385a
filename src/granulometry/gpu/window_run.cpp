// Memory, and the order of the kernels from distances to sizes. How distances are found: window_distances.cpp.
#include "granulometry/gpu/window_run.hpp"

#include <algorithm>
#include <string>

#include "granulometry/gpu/distance/sweeps.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

using cuda::check;

/// Slices a warp marches through: long enough that the halo costs little, short enough to fill the device.
int chunk_of(const Windows& w, bool solid, int own_rows, int longest) {
  if (!solid) return static_cast<int>(std::min<std::int64_t>(w.nz, 8));
  constexpr std::int64_t warps_wanted = 6000;
  const std::int64_t columns = std::int64_t{w.columns} * w.bands(own_rows);
  const std::int64_t chunks = std::max<std::int64_t>(1, (warps_wanted + columns - 1) / columns);
  return static_cast<int>(std::clamp<std::int64_t>((w.nz + chunks - 1) / chunks, 16, longest));
}

std::int64_t words_of_row(int planes) { return 2 * stored_planes(planes) + edge_words(planes); }

}  // namespace

Neighbours neighbours_of(const Shape& shape, Element element) {
  const bool solid = shape.rank == 3 && element != Element::Square;
  if (element == Element::Cross) return solid ? Neighbours::Cross3 : Neighbours::Cross2;
  return solid ? Neighbours::Box3 : Neighbours::Box2;
}

Image whole_slice(const Shape& shape) {
  Image slice(Type::Bool, {1, shape.y, shape.x, 3});
  for (std::int64_t y = 0; y < shape.y; ++y) {
    auto* const words = slice.row<std::uint64_t>(0, y);
    for (std::int64_t x = 0; x < shape.x; ++x) words[x / 64] |= std::uint64_t{1} << (x % 64);
  }
  return slice;
}

/// City-block distances to the background are found by sweeps; what runs along paths inside a domain, and the
/// chessboard's, by erosions.
bool WindowRun::by_sweeps(const WindowTask& task) { return task.neighbours == Neighbours::Cross3 && !task.neutral; }

WindowRun::WindowRun(const cuda::Stream& stream, const WindowTask& task)
    : stream_(stream),
      task_(task),
      chunk_erosion_(chunk_of(task.windows, is_volumetric(task.neighbours), 56, 64)),
      chunk_(chunk_of(task.windows, is_volumetric(task.neighbours), 26, 48)),
      peaks_(stream, task.windows.peak_count()),
      flags_(stream, 1),
      host_flags_(stream, 1),
      device_counts_(stream, 65536),
      host_counts_(stream, 65536) {
  if (!by_sweeps(task)) use_erosions();
}

std::int64_t WindowRun::bytes_of_slice(const WindowTask& task, int planes) {
  const Windows& w = task.windows;
  const std::int64_t rows = w.columns * w.pitch;
  std::int64_t bytes = rows * 2 * words_of_row(planes) * 4 + w.peak_count() * 2;
  if (by_sweeps(task) && planes <= most_swept_planes) {
    bytes += separable_distance_words(w, planes) * 4;
  } else {
    constexpr auto of_bits = static_cast<std::int64_t>(sizeof(BitRow));
    constexpr auto of_counts = static_cast<std::int64_t>(sizeof(CountRow));
    bytes +=
        rows * (of_bits * (Assembly::most_passes + 1 + (task.neutral ? 1 : 0)) + of_counts * Assembly::most_passes);
    bytes += w.depth_count();
  }
  if (task.map) bytes += w.ny * w.columns * Windows::own_x * (planes <= 8 ? 1 : 2);
  return bytes;
}

void WindowRun::use_erosions() {
  if (rows_.data()) return;
  const Windows& w = task_.windows;
  if (by_sweeps(task_)) require_budget(most_planes);  // which is what erosions end in then
  work_ = {};
  rows_ = cuda::DeviceBuffer<BitRow>(stream_, w.row_count() * (Assembly::most_passes + 1));
  counts_ = cuda::DeviceBuffer<CountRow>(stream_, w.row_count() * Assembly::most_passes);
  depth_ = cuda::DeviceBuffer<std::uint8_t>(stream_, w.depth_count());
  rows_.clear();  // rows outside the image are read, and not used
  if (task_.neutral) domain_ = cuda::DeviceBuffer<BitRow>(stream_, w.row_count());
  domain_.clear();
}

void WindowRun::require_budget(int planes) const {
  if (task_.budget == 0) return;
  WindowTask one = task_;
  one.windows = Windows(1, task_.windows.ny, task_.windows.nx);
  const std::int64_t bytes = task_.windows.nz * bytes_of_slice(one, planes);
  if (bytes <= task_.budget) return;
  throw cuda::OutOfMemory("GPU memory: " + std::to_string((bytes >> 20) + 1) + " MiB for numbers of " +
                          std::to_string(planes) + " bits, got " + std::to_string(task_.budget >> 20) +
                          " MiB; wanted a larger device memory limit, `max_size N`, or `device cpu`");
}

void WindowRun::use_planes(int planes) {
  if (planes_ == planes) return;
  if (planes_ > 0 && stored_planes(planes_) == stored_planes(planes)) {
    planes_ = planes;
    return;
  }
  const Windows& w = task_.windows;
  require_budget(planes);
  planes_ = planes;
  const std::int64_t rows = w.row_count();
  planes_memory_ = {};  // all of the old before any of the new
  work_ = {};
  band_peaks_ = {};
  schedule_ = {};
  map_ = {};
  planes_memory_ = cuda::DeviceBuffer<std::uint32_t>(stream_, 2 * rows * words_of_row(planes));
  const std::int64_t words = rows * 2 * stored_planes(planes);
  const std::int64_t edges = rows * edge_words(planes);
  numbers_[0].words = planes_memory_.data();
  numbers_[0].edges = numbers_[0].words + 2 * words;
  numbers_[1] = {numbers_[0].words + words, numbers_[0].edges + edges};
  // Rows outside the image are read (and not used) but never written.
  planes_memory_.clear();
  if (by_sweeps(task_) && planes <= most_swept_planes) {
    work_ = cuda::DeviceBuffer<std::uint32_t>(stream_, separable_distance_words(w, planes));
  }
  const Schedule schedule = schedule_of(1, false, std::min(planes, 7));  // which have most pieces
  band_peaks_ = cuda::DeviceBuffer<std::uint16_t>(stream_, band_peak_count(schedule));
  schedule_ = cuda::DeviceBuffer<int>(stream_, schedule_ints(schedule));
  if (task_.map) map_ = cuda::DeviceBuffer<std::uint8_t>(stream_, w.nz * w.ny * map_pitch());
}

void WindowRun::prepare(std::int64_t largest) {
  use_planes(planes_for(largest));
  if (planes_ > most_swept_planes) use_erosions();
}

void WindowRun::run(const BitImage& object, const BitImage* domain, const WindowQuery& query) {
  bound_ = query.cap;
  prepare(query.cap);
  queue_distances(object, domain, query);
  open(query);
}

Schedule WindowRun::schedule_of(int passes, bool ragged, int planes) const {
  Schedule s(task_.windows, steps_of_pass(task_.neighbours, planes), passes, chunk_);
  s.ragged = ragged && is_volumetric(task_.neighbours);
  s.peaks = band_peaks_.data();
  if (schedule_.data()) place_schedule(s, schedule_.data());
  return s;
}

void WindowRun::open(const WindowQuery& query) {
  device_counts_.clear();
  if (task_.map) map_.clear();
  // In the memory of eight planes seven are enough for most.
  const int planes = planes_ == 8 && bound_ >> 7 == 0 ? 7 : planes_;
  const std::int64_t steps = steps_of_pass(task_.neighbours, planes);
  // Level bound - 2 is the first at which anything can change; the last one is 0.
  const auto passes = static_cast<int>(std::max<std::int64_t>(1, (bound_ - 1 + steps - 1) / steps));
  Recursion recursion;
  recursion.schedule = schedule_of(passes, query.ragged, planes);
  recursion.numbers = numbers_[0];
  recursion.pitch = static_cast<std::uint32_t>(task_.windows.pitch);
  recursion.rows_of_slice = static_cast<std::uint32_t>(task_.windows.columns * task_.windows.pitch);
  recursion.count_begin = query.begin;
  recursion.count_end = query.end;
  recursion.counts = device_counts_.data();
  recursion.map = map_.data();
  recursion.map_pitch = task_.map ? map_pitch() : 0;
  make_schedule(stream_, recursion.schedule, peaks_.data(), band_peaks_.data());
  run_recursion(stream_, task_.neighbours, planes, recursion);
  const std::size_t values = static_cast<std::size_t>(bound_) + 1;
  check(cudaMemcpyAsync(host_counts_.data(), device_counts_.data(), values * sizeof(unsigned long long),
                        cudaMemcpyDeviceToHost, stream_.get()),
        "read counts");
}

}  // namespace tamis::granulometry_detail::gpu
