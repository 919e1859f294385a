// Threads take one angle after the other, each with maps of its own, which are put together at the end: small images
// stay in the caches. Images whose maps would be too many are done angle by angle, all threads on one.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/memory.hpp"
#include "line/sweep.hpp"
#include "line/sweep_kernels.hpp"
#include "line/traced_cpu.hpp"
#include "line/traced_cpu_filter.hpp"

namespace tamis::line_detail {
namespace {

/// Angles that have one segment, in order.
using Group = std::vector<std::size_t>;

MorphologyOptions options_at(const SweepTask& task, double angle) {
  MorphologyOptions options;
  options.element = StructuringElement::line(task.length, angle);
  options.lines = task.lines;
  options.border = task.fit ? Border::fit() : Border::neutral();
  return options;
}

template <class Key, class KeyAt>
std::vector<Group> groups_by(const std::vector<double>& angles, KeyAt key_at) {
  std::map<Key, std::size_t> known;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const auto [place, fresh] = known.try_emplace(key_at(angles[i]), groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  return groups;
}

std::vector<Group> distinct_groups(const SweepTask& task, const Shape& shape) {
  if (task.lines == Lines::Invariant) {
    return groups_by<std::vector<OffsetSet::Run>>(
        task.angles, [&](double angle) { return StructuringElement::line(task.length, angle).sum(shape.rank).runs(); });
  }
  return groups_by<std::pair<bool, std::vector<std::int32_t>>>(task.angles, [&](double angle) {
    TracedLines lines = trace_lines(angle, shape);
    return std::pair(lines.steep, std::move(lines.shift));
  });
}

template <class Sample>
class Sweeper {
 public:
  using Lane = LaneOf<Sample>;
  using Code = CodeOf<Lane>;

  Sweeper(const Context& context, const Image& image, const SweepTask& task, SweepResult& result, Stage& stage)
      : context_(context),
        image_(image),
        task_(task),
        result_(result),
        stage_(stage),
        kernels_(sweep_kernels<Sample>(context.simd)),
        count_(image.shape().count()),
        groups_(distinct_groups(task, image.shape())) {
    context_.on_progress = {};  // its filters are no stages of their own
    context_.on_stage = {};
    context_.device = Device::Cpu;
  }

  void run() {
    result_.counts.resize(task_.angles.size());
    result_.image_count = sum_of(image_);
    if (task_.maps) make_maps();
    constexpr std::int64_t usual_bytes = std::int64_t{512} << 20;
    const std::int64_t most_bytes = context_.memory_bytes > 0 ? context_.memory_bytes : usual_bytes;
    const int threads = thread_count(context_);
    const bool apart = threads * count_ * static_cast<std::int64_t>(4 * sizeof(Lane)) <= most_bytes;
    std::vector<Worker> workers(apart ? static_cast<std::size_t>(threads) : 1);
    Context inner = context_;
    if (apart) inner.threads = 1;
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::int64_t index) {
      Worker& worker = workers[static_cast<std::size_t>(index)];
      start(worker);
      // Each worker sees rising angles.
      for (std::size_t g = next++; g < groups_.size(); g = next++) take_group(inner, worker, groups_[g]);
    };
    if (apart) {
      parallel_for(context_, threads, work);
    } else {
      work(0);
    }
    if (task_.maps) join(workers);
  }

 private:
  struct Worker {
    Image now;
    Workplace<Lane> place;
    Buffer<Lane> best, worst;
    Buffer<Code> code;
    std::vector<std::uint16_t> angles;  ///< by code
  };

  [[nodiscard]] Lane poorest() const { return task_.dark ? highest_lane<Sample>() : lowest_lane<Sample>(); }
  [[nodiscard]] Lane richest() const { return task_.dark ? lowest_lane<Sample>() : highest_lane<Sample>(); }

  void make_maps() {
    result_.best = Image(image_.type(), image_.shape(), image_.spacing);
    result_.worst = Image(image_.type(), image_.shape(), image_.spacing);
    result_.index = Image(Type::U16, image_.shape(), image_.spacing);
    std::fill_n(lanes(result_.best), count_, poorest());
    std::fill_n(lanes(result_.worst), count_, richest());
    std::fill_n(result_.index.row<std::uint16_t>(0, 0), count_, std::uint16_t{0xffff});
  }

  void start(Worker& worker) const {
    worker.now = Image(image_.type(), image_.shape());
    if (!task_.maps) return;
    worker.best = Buffer<Lane>(count_);
    worker.worst = Buffer<Lane>(count_);
    worker.code = Buffer<Code>(count_);
    forget(worker);
  }
  void forget(Worker& worker) const {
    worker.angles.clear();
    std::fill_n(worker.best.data(), count_, poorest());
    std::fill_n(worker.worst.data(), count_, richest());
    std::fill_n(worker.code.data(), count_, Code{0});
  }

  void take_group(const Context& context, Worker& worker, const Group& group) {
    make_opening(context, worker, task_.angles[group.front()]);
    const std::int64_t sum = take(context, worker, static_cast<std::uint16_t>(group.front()));
    for (const std::size_t angle : group) result_.counts[angle] = sum;
    stage_.advance(count_ * static_cast<std::int64_t>(group.size()));
  }

  void make_opening(const Context& context, Worker& worker, double angle) {
    const Along what = task_.dark ? Along::Close : Along::Open;
    const auto length = static_cast<std::int64_t>(task_.length);
    const TracedSegment segment{length, length / 2, angle, task_.fit};
    if (task_.lines == Lines::Invariant) {
      morphology(context, task_.dark ? Operation::Close : Operation::Open, image_, options_at(task_, angle),
                 worker.now);
    } else if (context.threads != 1) {
      Stage quiet(context, "sweep");
      traced_cpu(context, what, segment, image_, worker.now, quiet);
    } else {
      // The thread's memory serves for all angles.
      const TracedFilter<Sample> filter(context.simd, 1, what, segment, image_.shape());
      for (std::int64_t z = 0; z < image_.shape().z; ++z) {
        for (std::int64_t strip = 0; strip < filter.strips(); ++strip) {
          filter.run_strip(image_, worker.now, z, strip, worker.place);
        }
      }
    }
  }

  /// Calls body(first sample, samples) for all of the image; returns the sum of what it gives.
  template <class Body>
  std::int64_t in_parts(const Context& context, Body body) const {
    std::atomic<std::int64_t> sum{0};
    parallel_for(context, (count_ + most_swept - 1) / most_swept, [&](std::int64_t part) {
      const std::int64_t from = part * most_swept;
      sum.fetch_add(body(from, std::min(most_swept, count_ - from)), std::memory_order_relaxed);
    });
    return sum;
  }

  std::int64_t sum_of(const Image& image) const {
    const auto* const samples = image.row<Sample>(0, 0);
    return in_parts(context_, [&](std::int64_t from, std::int64_t count) {
      return kernels_.sum(samples + from, count, result_.scale);
    });
  }

  std::int64_t take(const Context& context, Worker& worker, std::uint16_t angle) {
    const auto* const now = worker.now.template row<Sample>(0, 0);
    if (!task_.maps) {
      return in_parts(context, [&](std::int64_t from, std::int64_t count) {
        return kernels_.sum(now + from, count, result_.scale);
      });
    }
    if (worker.angles.size() > std::numeric_limits<Code>::max()) {
      const std::lock_guard lock(joining_);
      join(worker, 0, count_);
      forget(worker);
    }
    const auto code = static_cast<Code>(worker.angles.size());
    worker.angles.push_back(angle);
    const auto kernel = task_.dark ? kernels_.take_dark : kernels_.take;
    return in_parts(context, [&](std::int64_t from, std::int64_t count) {
      const SweepMaps<Lane> maps{worker.best.data() + from, worker.worst.data() + from, worker.code.data() + from};
      return kernel(now + from, count, result_.scale, maps, code);
    });
  }

  void join(const std::vector<Worker>& workers) {
    in_parts(context_, [&](std::int64_t from, std::int64_t count) {
      for (const Worker& worker : workers) {
        if (!worker.angles.empty()) join(worker, from, count);
      }
      to_samples(lanes(result_.best) + from, count);
      to_samples(lanes(result_.worst) + from, count);
      return 0;
    });
  }

  /// Of two angles that tie the lower one wins, whoever did it.
  void join(const Worker& worker, std::int64_t from, std::int64_t count) {
    Lane* const best = lanes(result_.best);
    Lane* const worst = lanes(result_.worst);
    auto* const index = result_.index.row<std::uint16_t>(0, 0);
    for (std::int64_t i = from; i < from + count; ++i) {
      const Lane value = worker.best[i];
      const std::uint16_t angle = worker.angles[worker.code[i]];
      const bool better = task_.dark ? value < best[i] : value > best[i];
      if (better || (value == best[i] && angle < index[i])) {
        best[i] = value;
        index[i] = angle;
      }
      worst[i] = task_.dark ? std::max(worst[i], worker.worst[i]) : std::min(worst[i], worker.worst[i]);
    }
  }

  /// The maps hold lanes until the end.
  static Lane* lanes(Image& image) { return image.row<Lane>(0, 0); }
  static void to_samples(Lane* lanes, std::int64_t count) {
    if constexpr (std::is_same_v<Sample, float>) {
      for (std::int64_t i = 0; i < count; ++i) lanes[i] ^= lanes[i] >> 31 & 0x7fffffff;
    }
  }

  Context context_;
  const Image& image_;
  const SweepTask& task_;
  SweepResult& result_;
  Stage& stage_;
  SweepKernels<Sample> kernels_;
  std::int64_t count_;
  std::vector<Group> groups_;
  std::mutex joining_;
};

}  // namespace

SweepResult sweep_cpu(const Context& context, const Image& image, const SweepTask& task, Stage& stage) {
  // Says what is wrong with the request before anything is done.
  (void)explain(Operation::Open, image.shape(), options_at(task, task.angles.front()));
  for (const double angle : task.angles) {
    if (!std::isfinite(angle)) (void)options_at(task, angle);
  }
  SweepResult result;
  result.scale = sweep_scale(context, image);
  if (image.type() == Type::U16) {
    Sweeper<std::uint16_t>(context, image, task, result, stage).run();
  } else if (image.type() == Type::I16) {
    Sweeper<std::int16_t>(context, image, task, result, stage).run();
  } else if (image.type() == Type::F32) {
    Sweeper<float>(context, image, task, result, stage).run();
  } else {
    Sweeper<std::uint8_t>(context, image, task, result, stage).run();
  }
  return result;
}

}  // namespace tamis::line_detail
