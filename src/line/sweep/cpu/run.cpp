// Threads take one angle after the other, each with maps of its own, which are put together at the end: small images
// stay in the caches. Images whose maps would be too many are done angle by angle, all threads on one.
#include "line/sweep/cpu/run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <vector>

#include "core/bits/ordered_bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/memory.hpp"
#include "line/sweep/sweep.hpp"
#include "line/traced/cpu/filter.hpp"
#include "line/traced/cpu/run.hpp"

namespace tamis::line_detail::cpu {
namespace {

MorphologyOptions options_at(const SweepTask& task, double angle) {
  MorphologyOptions options;
  options.element = StructuringElement::line(task.length, angle);
  options.lines = task.lines;
  options.border = task.fit ? Border::fit() : Border::neutral();
  return options;
}

/// Makes arrays in one piece of memory: in one of a megabyte or two there are fewer pages to be touched for the first
/// time than in many small ones.
class Carver {
 public:
  Carver(Buffer<std::byte>& memory, std::int64_t bytes) {
    memory = Buffer<std::byte>(bytes);
    at_ = memory.data();
  }
  template <class T>
  [[nodiscard]] T* take(std::int64_t count) {
    auto* const array = reinterpret_cast<T*>(at_);
    at_ += count * static_cast<std::int64_t>(sizeof(T));
    return array;
  }

 private:
  std::byte* at_ = nullptr;
};

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
        angles_(static_cast<int>(task.angles.size())),
        second_half_(second_half(angles_, task.cyclic)),
        joining_(static_cast<std::size_t>(part_count())) {
    context_.on_progress = {};  // its filters are no stages of their own
    context_.on_stage = {};
    context_.device = Device::Cpu;
  }

  void run() {
    result_.counts.resize(task_.angles.size());
    result_.image_count = sum_of(context_, image_);
    if (task_.maps) make_maps();
    constexpr std::int64_t usual_bytes = std::int64_t{512} << 20;
    const std::int64_t kept = task_.maps ? bytes_of_maps(image_) : 0;
    const std::int64_t most_bytes = context_.memory_bytes > 0 ? context_.memory_bytes - kept : usual_bytes;
    const int threads = thread_count(context_);
    const bool apart = threads * bytes_of_worker(image_) <= most_bytes;
    std::vector<Worker> workers(apart ? static_cast<std::size_t>(threads) : 1);
    Context inner = context_;
    if (apart) inner.threads = 1;
    run_angles(inner, workers);
    if (task_.maps) finish(workers);
  }

 private:
  /// Angles begin ... end - 1, of one half, so few that codes tell them.
  struct Round {
    std::size_t half = 0, begin = 0, end = 0;
    bool operator==(const Round&) const = default;
  };

  /// Makes openings, and takes them into its maps by two.
  struct Worker {
    std::vector<Image> openings;
    std::vector<AngleRun> waiting;  ///< of the first openings, that are to be taken
    StripMemory<Lane> strip_memory;
    Buffer<std::byte> memory;
    SweepMaps<Lane> maps;  ///< there
    Round round;
    bool has_best = false;  ///< of this round
  };

  [[nodiscard]] std::vector<Round> rounds() const {
    constexpr std::size_t most = std::size_t{std::numeric_limits<Code>::max()} + 1;
    std::vector<Round> rounds;
    const auto border = static_cast<std::size_t>(second_half_);
    const auto add = [&](std::size_t half, std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; at += most) rounds.push_back({half, at, std::min(at + most, end)});
    };
    add(0, 0, border);
    add(1, border, task_.angles.size());
    return rounds;
  }

  /// Samples of a map in memory that several share.
  [[nodiscard]] std::int64_t room() const {
    constexpr std::int64_t cache_line = 64;
    return (count_ + cache_line - 1) / cache_line * cache_line;
  }

  [[nodiscard]] Lane poorest() const { return task_.dark ? highest_lane<Sample>() : lowest_lane<Sample>(); }
  [[nodiscard]] Lane richest() const { return task_.dark ? lowest_lane<Sample>() : highest_lane<Sample>(); }

  void make_maps() {
    result_.best = Image(image_.type(), image_.shape(), image_.spacing);
    result_.worst = Image(image_.type(), image_.shape(), image_.spacing);
    result_.twice = Image(Type::U16, image_.shape(), image_.spacing);
    Carver carver(memory_, room() * static_cast<std::int64_t>(sizeof(Lane) + 3 * sizeof(std::uint16_t)));
    halves_[0] = {lanes(result_.best), result_.twice.row<std::uint16_t>(0, 0), carver.take<std::uint16_t>(room())};
    if (second_half_ < angles_) {
      halves_[1].best = carver.take<Lane>(room());
      halves_[1].first = carver.take<std::uint16_t>(room());
      halves_[1].last = carver.take<std::uint16_t>(room());
    }
    // In parts, for most of the time goes into memory that is touched for the first time.
    in_parts(context_, [&](std::int64_t from, std::int64_t count) {
      for (const SweepHalf<Lane>& half : halves_) {
        if (half.best == nullptr) continue;
        std::fill_n(half.best + from, count, poorest());
        std::fill_n(half.first + from, count, TiedAngles::none);
        std::fill_n(half.last + from, count, std::uint16_t{0});
      }
      std::fill_n(lanes(result_.worst) + from, count, richest());
    });
  }

  void start(Worker& worker) const {
    const std::size_t openings = task_.maps ? TakenOpenings<Sample>::most : 1;
    for (std::size_t i = 0; i < openings; ++i) worker.openings.emplace_back(image_.type(), image_.shape());
    if (!task_.maps) return;
    Carver carver(worker.memory, room() * static_cast<std::int64_t>(2 * (sizeof(Lane) + sizeof(Code))));
    worker.maps.best = carver.take<Lane>(room());
    worker.maps.worst = carver.take<Lane>(room());
    worker.maps.first = carver.take<Code>(room());
    worker.maps.last = carver.take<Code>(room());
    std::fill_n(worker.maps.worst, count_, richest());
  }

  /// A run of angles and its round.
  struct Angles {
    AngleRun run;
    Round round;
  };
  [[nodiscard]] std::vector<Angles> all_angles() const {
    std::vector<Angles> all;
    for (const Round& round : rounds()) {
      for (const AngleRun& run : runs_of_one_segment(task_, image_.shape(), round.begin, round.end)) {
        all.push_back({run, round});
      }
    }
    return all;
  }

  /// Whoever is free takes the next segment, so that each worker sees rising angles.
  void run_angles(const Context& inner, std::vector<Worker>& workers) {
    const std::vector<Angles> all = all_angles();
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::int64_t index) {
      Worker& worker = workers[static_cast<std::size_t>(index)];
      start(worker);
      for (std::size_t i = next++; i < all.size(); i = next++) {
        if (!(all[i].round == worker.round)) begin_round(inner, workers, worker, all[i].round);
        make_opening(inner, worker, task_.angles[all[i].run.first]);
        worker.waiting.push_back(all[i].run);
        if (worker.waiting.size() == worker.openings.size()) take(inner, worker);
      }
      end_round(inner, workers, worker);
    };
    if (workers.size() > 1) {
      parallel_for(context_, static_cast<std::int64_t>(workers.size()), work);
    } else {
      work(0);
    }
  }

  void begin_round(const Context& inner, const std::vector<Worker>& workers, Worker& worker, const Round& round) {
    end_round(inner, workers, worker);
    worker.round = round;
  }
  void end_round(const Context& inner, const std::vector<Worker>& workers, Worker& worker) {
    if (!worker.waiting.empty()) take(inner, worker);
    if (worker.has_best) join(inner, worker, &worker - workers.data(), static_cast<std::int64_t>(workers.size()));
    worker.has_best = false;
  }

  void take(const Context& context, Worker& worker) {
    const SweptSums sums =
        task_.maps ? take_into_maps(context, worker) : SweptSums{sum_of(context, worker.openings.front())};
    for (std::size_t k = 0; k < worker.waiting.size(); ++k) {
      const AngleRun& run = worker.waiting[k];
      for (std::size_t i = run.first; i <= run.last; ++i) result_.counts[i] = sums[k];
      stage_.advance(count_ * static_cast<std::int64_t>(run.last + 1 - run.first));
    }
    worker.waiting.clear();
  }

  /// Behind those that wait.
  void make_opening(const Context& context, Worker& worker, double angle) {
    Image& opening = worker.openings[worker.waiting.size()];
    const Along what = task_.dark ? Along::Close : Along::Open;
    const auto length = static_cast<std::int64_t>(task_.length);
    const TracedSegment segment{length, length / 2, angle, task_.fit};
    if (task_.lines == Lines::Invariant) {
      morphology(context, task_.dark ? Operation::Close : Operation::Open, image_, options_at(task_, angle), opening);
    } else if (context.threads != 1) {
      Stage quiet(context, "sweep");
      traced(context, what, segment, image_, opening, quiet);
    } else {
      // The thread's memory serves for all angles.
      const TracedFilter<Sample> filter(context.simd, 1, what, segment, image_.shape());
      for (std::int64_t z = 0; z < image_.shape().z; ++z) {
        for (std::int64_t strip = 0; strip < filter.strips(); ++strip) {
          filter.run_strip(image_, opening, z, strip, worker.strip_memory);
        }
      }
    }
  }

  [[nodiscard]] std::int64_t part_count() const { return (count_ + most_swept - 1) / most_swept; }

  /// Calls body(first sample, samples) for all of the image.
  template <class Body>
  void in_parts(const Context& context, Body body) const {
    parallel_for(context, part_count(), [&](std::int64_t part) {
      const std::int64_t from = part * most_swept;
      body(from, std::min(most_swept, count_ - from));
    });
  }

  std::int64_t sum_of(const Context& context, const Image& image) const {
    const auto* const samples = image.row<Sample>(0, 0);
    std::atomic<std::int64_t> sum{0};
    in_parts(context, [&](std::int64_t from, std::int64_t count) {
      sum.fetch_add(kernels_.sum(samples + from, count, result_.scale), std::memory_order_relaxed);
    });
    return sum;
  }

  SweptSums take_into_maps(const Context& context, Worker& worker) {
    TakenOpenings<Sample> all;
    for (const AngleRun& run : worker.waiting) {
      all.opening[all.count] = {worker.openings[all.count].template row<Sample>(0, 0),
                                static_cast<Code>(run.first - worker.round.begin),
                                static_cast<Code>(run.last - worker.round.begin)};
      ++all.count;
    }
    if (!worker.has_best) {
      // Where nothing is better than the poorest sample, this opening is the first that reaches it.
      std::fill_n(worker.maps.best, count_, poorest());
      std::fill_n(worker.maps.first, count_, all.opening[0].first);
      worker.has_best = true;
    }
    std::atomic<std::int64_t> sums[TakenOpenings<Sample>::most] = {};
    in_parts(context, [&](std::int64_t from, std::int64_t count) {
      TakenOpenings<Sample> part = all;
      for (std::size_t k = 0; k < part.count; ++k) part.opening[k].samples += from;
      const SweptSums own = kernels_.take(part, count, task_.dark, result_.scale, maps_of(worker, from));
      for (std::size_t k = 0; k < all.count; ++k) sums[k].fetch_add(own[k], std::memory_order_relaxed);
    });
    return {sums[0], sums[1]};
  }

  /// Joins what a worker has found in a round with what is known of that half. Others may do so at the same time: each
  /// begins at another part.
  void join(const Context& context, Worker& worker, std::int64_t index, std::int64_t workers) {
    const std::int64_t parts = part_count();
    parallel_for(context, parts, [&](std::int64_t i) {
      const std::int64_t part = (i + index * parts / workers) % parts;
      const std::int64_t from = part * most_swept;
      const std::lock_guard lock(joining_[static_cast<std::size_t>(part)]);
      kernels_.join(maps_of(worker, from), static_cast<std::uint16_t>(worker.round.begin),
                    std::min(most_swept, count_ - from), task_.dark, half_from(worker.round.half, from));
    });
  }

  void finish(const std::vector<Worker>& workers) {
    in_parts(context_, [&](std::int64_t from, std::int64_t count) {
      for (const Worker& worker : workers) join_worst(worker, from, count);
      join_halves(from, count);
      to_samples(lanes(result_.best) + from, count);
      to_samples(lanes(result_.worst) + from, count);
    });
  }

  void join_worst(const Worker& worker, std::int64_t from, std::int64_t count) {
    if (worker.openings.empty()) return;
    Lane* const worst = lanes(result_.worst);
    for (std::int64_t i = from; i < from + count; ++i) {
      worst[i] = task_.dark ? std::max(worst[i], worker.maps.worst[i]) : std::min(worst[i], worker.maps.worst[i]);
    }
  }

  void join_halves(std::int64_t from, std::int64_t count) {
    const SweepHalf<Lane> one = half_from(0, from);
    if (second_half_ < angles_) {
      return kernels_.join_halves(one, half_from(1, from), count, task_.dark, static_cast<std::uint16_t>(angles_));
    }
    for (std::int64_t i = 0; i < count; ++i) one.first[i] = static_cast<std::uint16_t>(one.first[i] + one.last[i]);
  }

  [[nodiscard]] SweepHalf<Lane> half_from(std::size_t which, std::int64_t from) const {
    const SweepHalf<Lane>& half = halves_[which];
    return {half.best + from, half.first + from, half.last + from};
  }
  static SweepMaps<Lane> maps_of(const Worker& worker, std::int64_t from) {
    const SweepMaps<Lane>& maps = worker.maps;
    return {maps.best + from, maps.worst + from, maps.first + from, maps.last + from};
  }

  /// The maps hold lanes until the end.
  static Lane* lanes(Image& image) { return image.row<Lane>(0, 0); }
  static void to_samples(Lane* lanes, std::int64_t count) {
    if constexpr (std::is_same_v<Sample, float>) {
      for (std::int64_t i = 0; i < count; ++i) lanes[i] = detail::ordered(lanes[i]);
    }
  }

  Context context_;
  const Image& image_;
  const SweepTask& task_;
  SweepResult& result_;
  Stage& stage_;
  SweepKernels<Sample> kernels_;
  std::int64_t count_;
  int angles_;
  int second_half_;
  SweepHalf<Lane> halves_[2];
  Buffer<std::byte> memory_;         ///< of the halves
  std::vector<std::mutex> joining_;  ///< one a part
};

}  // namespace

SweepResult sweep(const Context& context, const Image& image, const SweepTask& task, Stage& stage) {
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

}  // namespace tamis::line_detail::cpu
