// The kernels that find distances, by sweeps or by erosions: how far they have to go is known only while they run.
#include <algorithm>
#include <cstddef>

#include <tamis/error.hpp>

#include "granulometry/gpu/distance/sweeps.hpp"
#include "granulometry/gpu/window_run.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

using cuda::check;

constexpr int levels_of_pass = 4;

}  // namespace

void WindowRun::read_flags() {
  check(cudaMemcpyAsync(host_flags_.data(), flags_.data(), sizeof(Flags), cudaMemcpyDeviceToHost, stream_.get()),
        "read flags");
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
  for (std::int64_t base = 0;; base += std::int64_t{Assembly::most_passes} * levels_of_pass) {
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
  return std::min(planes_for(query.cap), most_swept_planes);
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
    if (planes == most_swept_planes) return false;
  }
}

std::int64_t WindowRun::measure(const BitImage& object, const BitImage* domain, const WindowQuery& query) {
  if (by_sweeps(task_) && planes_ <= most_swept_planes) {
    if (measure_by_sweeps(object, query)) return bound_;
    use_erosions();
  }
  // Planes are too few only past 255, where a second start costs less than moving all rows.
  if (!measure_with(object, domain, query, 0) && !measure_with(object, domain, query, most_planes)) {
    throw ResourceError("GPU: sizes above 65534; wanted `max_size N`, or `device cpu`");
  }
  read_flags();
  return bound_;
}

/// Without waiting: the cap says how far to go.
void WindowRun::queue_distances(const BitImage& object, const BitImage* domain, const WindowQuery& query) {
  if (by_sweeps(task_) && planes_ <= most_swept_planes) {
    sweep(object, query);
    return read_flags();
  }
  start(object, domain);
  // A distance is one more than the erosions survived, so a cap needs one erosion less.
  std::int64_t passes = std::max<std::int64_t>(1, (query.cap - 1 + levels_of_pass - 1) / levels_of_pass);
  for (std::int64_t base = 0; passes > 0; base += std::int64_t{Assembly::most_passes} * levels_of_pass) {
    const auto now = static_cast<int>(std::min<std::int64_t>(passes, Assembly::most_passes));
    if (base > 0) next_round();
    erode(query, now);
    passes -= now;
    assemble(query, now, base, passes == 0);
  }
  read_flags();
}

}  // namespace tamis::granulometry_detail::gpu
