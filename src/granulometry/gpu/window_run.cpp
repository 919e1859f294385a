// The order of the kernels of a granulometry.
#include "granulometry/gpu/window_run.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <tamis/error.hpp>

#include "granulometry/gpu/distance/sweeps.hpp"
#include "granulometry/gpu/large/run.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

using cuda::check;

constexpr int levels_of_pass = 4;
constexpr int most_swept_planes = 8;
constexpr int most_planes = 16;

/// City-block distances to the background are found by sweeps; what runs along paths inside a domain, and the
/// chessboard's, by erosions.
bool sweeps(Neighbours neighbours, bool neutral) { return neighbours == Neighbours::Cross3 && !neutral; }

/// What boxes may come to, of the volume. Below 255 they save a seventh plane, a sixth of the time, and a voxel of
/// theirs takes some times as long as one of the volume; beyond, they save erosions and sixteen planes.
double worthwhile_share(int planes) { return planes < most_swept_planes ? 1.0 / 64 : 1.0 / 8; }

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
  if (!sweeps(task.neighbours, task.neutral)) use_erosions();
}

WindowRun::~WindowRun() = default;

std::int64_t WindowRun::largest() const {
  return apart_ ? std::max(std::int64_t{host_flags_[0].largest}, large_->largest()) : host_flags_[0].largest;
}

std::int64_t WindowRun::boxes() const { return apart_ ? large_->boxes() : 0; }

std::int64_t WindowRun::bytes_of_slice(const WindowTask& task, int planes) {
  const Windows& w = task.windows;
  const std::int64_t rows = w.columns * w.pitch;
  std::int64_t bytes = rows * 2 * words_of_row(planes) * 4 + w.peak_count() * 2;
  if (sweeps(task.neighbours, task.neutral) && planes <= most_swept_planes) {
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
  if (sweeps(task_.neighbours, task_.neutral)) require_budget(most_planes);  // which is what erosions end in then
  work_ = {};
  rows_ = cuda::DeviceBuffer<BitRow>(stream_, w.row_count() * (Assembly::most_passes + 1));
  counts_ = cuda::DeviceBuffer<CountRow>(stream_, w.row_count() * Assembly::most_passes);
  depth_ = cuda::DeviceBuffer<std::uint8_t>(stream_, w.depth_count());
  rows_.clear();  // rows outside the image are read, and not used
  if (task_.neutral) domain_ = cuda::DeviceBuffer<BitRow>(stream_, w.row_count());
  domain_.clear();
}

void WindowRun::start(const BitImage& object, const BitImage* domain) {
  check(cudaMemsetAsync(flags_.data(), 0, sizeof(Flags), stream_.get()), "clear flags");
  depth_.clear();
  peaks_.clear();
  pack_windows(stream_, task_.windows, object, domain, rows_.data(), depth_.data());
  if (domain) pack_windows(stream_, task_.windows, *domain, nullptr, domain_.data(), nullptr);
  check(cudaMemsetAsync(&flags_.data()->left[0], 1, 1, stream_.get()), "set a flag");
}

void WindowRun::erode(const WindowQuery& query, int passes) {
  const Windows& w = task_.windows;
  for (int i = 0; i < passes; ++i) {
    ErosionPass pass;
    pass.windows = w;
    pass.neighbours = task_.neighbours;
    pass.neutral = task_.neutral;
    pass.open_below = query.open_below;
    pass.open_above = query.open_above;
    pass.chunk = chunk_erosion_;
    pass.from = rows_.data() + i * w.row_count();
    pass.to = rows_.data() + (i + 1) * w.row_count();
    pass.domain = domain_.data();
    pass.counts = counts_.data() + i * w.row_count();
    pass.index = i;
    pass.depth = depth_.data();
    pass.left_from = &flags_.data()->left[i];
    pass.left_to = &flags_.data()->left[i + 1];
    pass.changed = &flags_.data()->changed[i];
    erosion_pass(stream_, pass);
  }
}

void WindowRun::require_budget(int planes) const {
  if (task_.budget == 0) return;
  WindowTask one = task_;
  one.windows = Windows(1, task_.windows.ny, task_.windows.nx);
  const std::int64_t bytes = task_.windows.nz * bytes_of_slice(one, planes);
  if (bytes <= task_.budget) return;
  throw cuda::OutOfMemory("GPU memory: " + std::to_string((bytes >> 20) + 1) + " MiB for numbers of " +
                          std::to_string(planes) + " bits, got " + std::to_string(task_.budget >> 20) +
                          " MiB; wanted a larger device memory limit, max_size, or device cpu");
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
  if (sweeps(task_.neighbours, task_.neutral) && planes <= most_swept_planes) {
    work_ = cuda::DeviceBuffer<std::uint32_t>(stream_, separable_distance_words(w, planes));
  }
  const Schedule schedule = schedule_of(1, false, std::min(planes, 7));  // which have most pieces
  band_peaks_ = cuda::DeviceBuffer<std::uint16_t>(stream_, band_peak_count(schedule));
  schedule_ = cuda::DeviceBuffer<int>(stream_, schedule_ints(schedule));
  if (task_.map) map_ = cuda::DeviceBuffer<std::uint8_t>(stream_, w.nz * w.ny * map_pitch());
}

void WindowRun::assemble(const WindowQuery& query, int passes, std::int64_t base, bool end) {
  const Windows& w = task_.windows;
  Assembly task;
  task.windows = w;
  task.neutral = task_.neutral;
  task.passes = passes;
  task.base = base;
  task.rows = rows_.data();
  task.counts = counts_.data();
  task.depth = depth_.data();
  task.left = &flags_.data()->left[0];
  task.domain = domain_.data();
  task.end = end;
  task.cap = query.cap;
  task.peaks_begin = query.inner_begin;
  task.peaks_end = query.inner_end;
  task.count_begin = query.begin;
  task.count_end = query.end;
  task.to[0] = numbers_[0];
  task.to[1] = numbers_[1];
  task.peaks = peaks_.data();
  task.largest = &flags_.data()->largest;
  task.never = &flags_.data()->never;
  assemble_distances(stream_, planes_, task);
}

/// The passes of a round, and what they came to.
struct WindowRun::Round {
  int used = 0;            ///< passes before nothing was left
  bool left = false;       ///< something is alive after them
  bool unchanged = false;  ///< and will always be
};

void WindowRun::read_flags() {
  check(cudaMemcpyAsync(host_flags_.data(), flags_.data(), sizeof(Flags), cudaMemcpyDeviceToHost, stream_.get()),
        "read flags");
}

WindowRun::Round WindowRun::read_round(int passes) {
  read_flags();
  stream_.synchronize();
  const Flags& flags = host_flags_[0];
  Round round;
  while (round.used < passes && flags.left[round.used] != 0) ++round.used;
  round.left = flags.left[round.used] != 0;
  round.unchanged = task_.neutral && round.left && round.used > 0 && flags.changed[round.used - 1] == 0;
  return round;
}

/// What was alive after the last pass of a round is where the next one starts.
void WindowRun::next_round() {
  const Windows& w = task_.windows;
  constexpr int last = Assembly::most_passes;
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_.get()), "copy on the device");
  };
  copy(rows_.data(), rows_.data() + last * w.row_count(), static_cast<std::size_t>(w.row_count()) * sizeof(BitRow));
  restart_depths(stream_, depth_.data(), w.depth_count());
  Flags& flags = *flags_.data();  // an address on the device
  copy(&flags.left[0], &flags.left[last], sizeof(unsigned));
  check(cudaMemsetAsync(&flags.left[1], 0, offsetof(Flags, largest) - sizeof(unsigned), stream_.get()), "clear flags");
}

bool WindowRun::measure_with(const BitImage& object, const BitImage* domain, const WindowQuery& query,
                             int least_planes) {
  start(object, domain);
  for (std::int64_t base = 0;; base += Assembly::most_passes * levels_of_pass) {
    std::int64_t wanted = Assembly::most_passes;
    // A distance is one more than the erosions survived, so a cap needs one erosion less.
    if (query.cap > 0) {
      wanted = std::clamp<std::int64_t>((query.cap - 1 - base + levels_of_pass - 1) / levels_of_pass, 1, wanted);
    }
    erode(query, static_cast<int>(wanted));
    const Round round = read_round(static_cast<int>(wanted));
    const std::int64_t survived = base + std::int64_t{round.used} * levels_of_pass;
    const bool end = !round.left || round.unchanged || (query.cap > 0 && survived >= query.cap - 1);
    bound_ = survived + (end ? 0 : 1);
    if (query.cap > 0) bound_ = round.unchanged ? query.cap : std::min(bound_ + 1, query.cap);
    if (base == 0) use_planes(std::max(least_planes, end ? planes_for(bound_) : 8));
    if (bound_ >> planes_ != 0) return false;
    assemble(query, round.used, base, end);
    if (end) return true;
    next_round();
  }
}

void WindowRun::sweep(const BitImage& object, const WindowQuery& query) {
  check(cudaMemsetAsync(flags_.data(), 0, sizeof(Flags), stream_.get()), "clear flags");
  SeparableDistance task;
  task.windows = task_.windows;
  task.object = object;
  task.open_below = query.open_below;
  task.open_above = query.open_above;
  task.cap = query.cap;
  task.peaks_begin = query.inner_begin;
  task.peaks_end = query.inner_end;
  task.work = work_.data();
  task.to[0] = numbers_[0];
  task.to[1] = numbers_[1];
  task.peaks = peaks_.data();
  task.largest = &flags_.data()->largest;
  task.bound = &flags_.data()->bound;
  separable_distances(stream_, planes_, task);
}

/// With how many planes to begin.
int WindowRun::first_planes(const WindowQuery& query) const {
  constexpr int usual = 6;
  if (planes_ > 0) return std::min(planes_, most_swept_planes);
  if (query.cap == 0) return usual;
  const int all = std::min(planes_for(query.cap), most_swept_planes);
  return can_take_boxes(query, usual) ? std::min(all, usual) : all;
}

bool WindowRun::measure_by_sweeps(const BitImage& object, const WindowQuery& query) {
  for (int planes = first_planes(query);; planes = most_swept_planes) {
    use_planes(planes);
    sweep(object, query);
    read_flags();
    stream_.synchronize();
    bound_ = host_flags_[0].bound;
    if (planes_suffice(planes, host_flags_[0].bound, query.cap)) {
      if (planes_suffice(7, host_flags_[0].bound, query.cap)) use_planes(std::min(planes, 7));  // the next time
      return true;
    }
    // What six planes do not hold may be little, and then need not be swept again with more.
    if (takes_boxes(object, query)) return true;
    if (planes == most_swept_planes) return false;
  }
}

/// Whether boxes tell what so many planes do not hold: sizes are only counted, and open sides of a slab are far enough
/// (large/boxes.hpp).
bool WindowRun::can_take_boxes(const WindowQuery& query, int planes) const {
  if (task_.map || task_.box_share == 0) return false;
  const std::int64_t far = 2 * ((std::int64_t{1} << planes) - 1);
  const bool below = !query.open_below || query.begin >= far;
  const bool above = !query.open_above || task_.windows.nz - query.end >= far;
  return below && above;
}

/// Looks for the numbers that are cut off, and queues what tells them.
bool WindowRun::takes_boxes(const BitImage& object, const WindowQuery& query) {
  if (!can_take_boxes(query, planes_)) {
    large_.reset();  // from another query
    return false;
  }
  const Windows& w = task_.windows;
  BoxLimits limits;
  limits.share = task_.box_share.value_or(worthwhile_share(planes_));
  if (task_.budget > 0) {
    WindowTask slice = task_;
    slice.windows = Windows(1, w.ny, w.nx);
    limits.device_bytes = task_.budget - w.nz * bytes_of_slice(slice, planes_);
    if (limits.device_bytes <= 0) return false;
  }
  if (!large_) large_ = std::make_unique<LargeSizes>(stream_);
  apart_ = large_->run({w, object, peaks_.data(), bound_, query.cap, {query.begin, query.end}}, limits);
  if (!apart_) large_.reset();
  return apart_;
}

std::int64_t WindowRun::measure(const BitImage& object, const BitImage* domain, const WindowQuery& query) {
  apart_ = false;
  if (sweeps(task_.neighbours, task_.neutral) && planes_ <= most_swept_planes) {
    if (measure_by_sweeps(object, query)) return apart_ ? std::max(bound_, large_->bound()) : bound_;
    use_erosions();
  }
  // Planes are too few only past 255, where a second start costs less than moving all rows.
  if (!measure_with(object, domain, query, 0) && !measure_with(object, domain, query, most_planes)) {
    throw ResourceError("GPU: sizes above 65534; wanted max_size, or device cpu");
  }
  read_flags();
  return bound_;
}

void WindowRun::prepare(std::int64_t largest) {
  use_planes(planes_for(largest));
  if (planes_ > most_swept_planes) use_erosions();
}

void WindowRun::run(const BitImage& object, const BitImage* domain, const WindowQuery& query) {
  apart_ = false;
  bound_ = query.cap;
  prepare(query.cap);
  if (sweeps(task_.neighbours, task_.neutral) && planes_ <= most_swept_planes) {
    sweep(object, query);
    read_flags();
    return open(query);
  }
  start(object, domain);
  // A distance is one more than the erosions survived, so a cap needs one erosion less.
  std::int64_t passes = std::max<std::int64_t>(1, (query.cap - 1 + levels_of_pass - 1) / levels_of_pass);
  for (std::int64_t base = 0; passes > 0; base += Assembly::most_passes * levels_of_pass) {
    const auto now = static_cast<int>(std::min<std::int64_t>(passes, Assembly::most_passes));
    if (base > 0) next_round();
    erode(query, now);
    passes -= now;
    assemble(query, now, base, passes == 0);
  }
  read_flags();
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

std::vector<std::int64_t> WindowRun::counts() const {
  std::vector<std::int64_t> counts(host_counts_.data(), host_counts_.data() + bound_ + 1);
  if (apart_) large_->complete(counts);
  return counts;
}

}  // namespace tamis::granulometry_detail::gpu
