// The volume is filtered in rounds, from its first slice to its last. In a round every rank filters one slab; its
// slices lie beside those of its neighbours, so that results come in the order in which they are written:
//
//   slices     |--------|--------|--------|--------|--------|--------|-- ...
//   rank            0        1        2        0        1        2
//   round      \__________ 0 ____________/ \__________ 1 ____________/
//
// A rank needs some slices (the halo) on either side of its slab. What a round needs and no earlier one has read is
// shared out for reading; what lies before its first slab the last rank of the round before still has. While a round is
// filtered, the slices of the next one are read and the results of the one before are written.
#include "mpi/filter.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/slabs/filter.hpp"
#include "core/slabs/free_memory.hpp"
#include "core/stage.hpp"
#include "mpi/own_slices.hpp"

namespace tamis::mpi {
namespace {

using Range = Ranks::Range;
using Clock = std::chrono::steady_clock;

bool is_empty(const Range& range) { return range.begin >= range.end; }

/// A source that has the slices of a range in memory, and is asked for no others.
class HeldSlices final : public SliceSource {
 public:
  explicit HeldSlices(const Layout& layout) : HeldSlices(layout, {}) {}
  HeldSlices(const Layout& layout, const Range& range)
      : layout_(layout),
        range_(range),
        bytes_(layout.shape.y * layout.shape.x * layout.channels * sample_bytes(layout.type)),
        samples_(static_cast<std::size_t>((range.end - range.begin) * words())) {}

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  [[nodiscard]] const Range& range() const { return range_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    for (std::int64_t z = z0; z < z0 + count; ++z, out += bytes_)
      std::memcpy(out, slice(z), static_cast<std::size_t>(bytes_));
  }
  void read_from(SliceSource& file) {
    if (range_.begin == range_.end) return;
    if (bytes_ % 8 == 0) {
      file.read(range_.begin, range_.end - range_.begin, reinterpret_cast<std::byte*>(slice(range_.begin)));
      return;
    }
    for (std::int64_t z = range_.begin; z < range_.end; ++z) file.read(z, 1, reinterpret_cast<std::byte*>(slice(z)));
  }
  [[nodiscard]] std::uint64_t* slice(std::int64_t z) { return samples_.data() + (z - range_.begin) * words(); }
  [[nodiscard]] std::int64_t words() const { return (bytes_ + 7) / 8; }

 private:
  Layout layout_;
  Range range_;
  std::int64_t bytes_;  ///< of a slice, which begins at a word
  std::vector<std::uint64_t> samples_;
};

/// Keeps what is written.
class Kept final : public SliceSink {
 public:
  Kept(std::int64_t slice_bytes, std::int64_t slices) : slice_bytes_(slice_bytes) {
    bytes_.reserve(static_cast<std::size_t>(slice_bytes * slices));
  }
  void write(const std::byte* slices, std::int64_t count) override {
    bytes_.insert(bytes_.end(), slices, slices + count * slice_bytes_);
  }
  void finish() override {}
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::int64_t slice_bytes_;
  std::vector<std::byte> bytes_;
};

void require_shareable(const cli::FilterCall& call, const Layout& layout) {
  if (layout.shape.rank == 2) {
    throw InputError("an image of one slice, which processes do not share; wanted a volume, or tamis");
  }
  if (call.batch || call.operation.filter.reach(call.arguments, layout.type, layout.shape).z != whole_axis) return;
  throw InputError("a result may depend on the whole volume, which processes do not share; wanted tamis");
}

class FilterRun {
 public:
  FilterRun(const Ranks& ranks, const Context& context, const cli::FilterCall& call, SliceSink* sink)
      : ranks_(ranks), context_(context), call_(call), sink_(sink), done_(call.begin) {}

  SlabReport run() {
    ranks_.together([&] { start(); });
    agree_on_thickness();
    std::future<void> written;  // ends before this function does: a future of std::async waits
    try {
      if (done_ < report_.plan.slices) run_rounds(written);
      ranks_.together([&] {
        if (written.valid()) written.get();
      });
    } catch (const InputError&) {
      if (written.valid()) written.wait();
      if (sink_ != nullptr) sink_->drop_checkpoint();  // another run would come to the same end
      throw;
    }
    ranks_.together([&] {
      if (sink_ != nullptr) sink_->finish();
    });
    return report_;
  }

 private:
  [[nodiscard]] SlabPlan& plan() { return report_.plan; }
  [[nodiscard]] int last_rank() const { return ranks_.count() - 1; }

  void start() {
    for (SliceSource* const source : call_.sources) {
      held_.push_back(std::make_unique<HeldSlices>(source->layout()));
      if (held_.back()->words() > std::numeric_limits<int>::max()) throw InputError("slices of 16 GiB and more");
    }
    std::vector<SliceSource*> sources;
    for (const auto& held : held_) sources.push_back(held.get());
    filter_.emplace(context_, call_.operation, call_.arguments, sources, call_.batch);
    require_shareable(call_, filter_->layout());
    Layout made = filter_->layout();
    result_bytes_ = made.shape.y * made.shape.x * made.channels * sample_bytes(filter_->result());
    report_.plan = fitting_plan();
  }

  /// As thick as memory allows, up to a size from which on thicker slabs only make the ranks wait for reading; but
  /// halos are at most a fifth of what is filtered.
  [[nodiscard]] SlabPlan fitting_plan() const {
    constexpr std::int64_t comfortable = std::int64_t{1} << 28;
    constexpr std::int64_t least_of_halo = 10;
    constexpr std::int64_t never_refused = std::int64_t{4} << 20;
    const Layout& layout = filter_->layout();
    const std::int64_t share = std::max<std::int64_t>(1, (layout.shape.z - done_ + last_rank()) / ranks_.count());
    const auto planned = [&](std::int64_t most) {
      return plan_slabs(context_, call_.operation, call_.arguments, layout, call_.sources.size(),
                        {call_.batch, done_, most});
    };
    const std::int64_t slice = layout.shape.y * layout.shape.x * layout.channels * sample_bytes(layout.type);
    const std::int64_t wide = std::max({comfortable / slice, least_of_halo * planned(1).halo, std::int64_t{1}});
    const std::int64_t limit =
        context_.memory_bytes > 0 ? context_.memory_bytes : free_memory() / 5 * 4 / std::max(1, ranks_.on_this_host());
    for (std::int64_t most = std::min(share, wide);; most /= 2) {
      SlabPlan plan = planned(most);
      plan.thickness = std::min(plan.thickness, most);
      const std::int64_t bytes = plan.bytes + beside_slabs(plan);
      if (bytes <= std::max(limit, never_refused)) return plan;
      if (most > 1) continue;
      throw ResourceError(fmt::format(
          "{} of {} {} by slabs of one slice and {} on either side takes {} MiB of memory of a process, "
          "got {} MiB; wanted more memory or fewer processes",
          call_.operation.name, to_string(layout.shape), name(layout.type), plan.halo, (bytes >> 20) + 1, limit >> 20));
    }
  }

  /// Bytes beside those of a plan: slices that come and go between ranks, on the first one results of all of them.
  [[nodiscard]] std::int64_t beside_slabs(const SlabPlan& plan) const {
    std::int64_t bytes = sink_ != nullptr ? 2 * ranks_.count() * plan.thickness * result_bytes_ : 0;
    for (const auto& held : held_) bytes += 2 * (plan.thickness + 2 * plan.halo) * 8 * held->words();
    return bytes;
  }

  /// The least of all ranks' is that of all.
  void agree_on_thickness() {
    plan().thickness = -ranks_.largest(-plan().thickness);
    plan().bytes += beside_slabs(plan());
  }

  /// The slices of which a rank filters those of a round that begins at `begin`.
  [[nodiscard]] Range slab_of(int rank, std::int64_t begin) {
    const std::int64_t first = std::min(begin + rank * plan().thickness, plan().slices);
    return {first, std::min(first + plan().thickness, plan().slices)};
  }
  [[nodiscard]] std::int64_t end_of_round(std::int64_t begin) { return slab_of(last_rank(), begin).end; }
  [[nodiscard]] Range with_halo(const Range& range) {
    if (is_empty(range)) return range;
    return {std::max<std::int64_t>(range.begin - plan().halo, 0), std::min(range.end + plan().halo, plan().slices)};
  }
  /// What a round reads of the file: what it needs beyond the slices that the round before has had.
  [[nodiscard]] Range fresh_in(std::int64_t begin) {
    const Range all = with_halo({begin, end_of_round(begin)});
    if (begin == call_.begin) return all;
    return {std::min(begin + plan().halo, plan().slices), all.end};
  }
  [[nodiscard]] Range share_of(int rank, const Range& range) {
    const Range share = shares(range.end - range.begin, ranks_.count())[static_cast<std::size_t>(rank)];
    return {range.begin + share.begin, range.begin + share.end};
  }

  using Slices = std::vector<HeldSlices>;  ///< for each source

  Slices read(const Range& range) {
    const Clock::time_point start = Clock::now();
    Slices fresh;
    for (SliceSource* const source : call_.sources) {
      fresh.emplace_back(source->layout(), range);
      fresh.back().read_from(*source);
    }
    report_.reading += std::chrono::duration<double>(Clock::now() - start).count();
    return fresh;
  }

  std::future<Slices> start_reading(std::int64_t begin) {
    const Range range = share_of(ranks_.own(), fresh_in(begin));
    return std::async(std::launch::async, [this, range] { return read(range); });
  }

  void run_rounds(std::future<void>& written) {
    Context telling = context_;
    telling.cancel = {};  // a stop is heard by all together, never by one of them alone
    Stage stage(telling, call_.operation.name, plan().slices);
    const auto advance = [&](std::int64_t slices) {
      if (context_.cancel.stop_requested()) throw Cancelled();
      stage.advance(slices);
    };
    std::future<Slices> next;
    ranks_.together([&] {
      advance(done_);
      next = start_reading(done_);
    });
    while (done_ < plan().slices) {
      const std::int64_t begin = done_, end = end_of_round(begin);
      Slices fresh;
      ranks_.together([&] { fresh = next.get(); });
      take_slices(begin, fresh);
      fresh.clear();
      ranks_.together([&] {
        if (end < plan().slices) next = start_reading(end);
      });
      std::vector<std::vector<std::byte>> results(static_cast<std::size_t>(ranks_.count()));
      ranks_.together(
          [&] { results[static_cast<std::size_t>(ranks_.own())] = filtered(slab_of(ranks_.own(), begin)); });
      gather(begin, results);
      ranks_.together([&] {
        if (written.valid()) written.get();
        if (sink_ != nullptr) {
          written = std::async(std::launch::async, [this, results = std::move(results)] { write(results); });
        }
        advance(end - begin);
      });
      done_ = end;
    }
  }

  /// The slices that this rank needs for its slab, from those that ranks have read and those that the last one has
  /// still.
  void take_slices(std::int64_t begin, Slices& fresh) {
    std::vector<Range> wanted, read, kept(static_cast<std::size_t>(ranks_.count()));
    for (int rank = 0; rank < ranks_.count(); ++rank) {
      wanted.push_back(with_halo(slab_of(rank, begin)));
      read.push_back(share_of(rank, fresh_in(begin)));
    }
    if (begin > call_.begin) kept.back() = {std::max<std::int64_t>(begin - plan().halo, 0), fresh_in(begin).begin};
    for (std::size_t i = 0; i < held_.size(); ++i) {
      HeldSlices taken(held_[i]->layout(), {});
      ranks_.together([&] { taken = HeldSlices(held_[i]->layout(), wanted[static_cast<std::size_t>(ranks_.own())]); });
      exchange(kept, wanted, *held_[i], taken);
      exchange(read, wanted, fresh[i], taken);
      *held_[i] = std::move(taken);
    }
  }

  void exchange(const std::vector<Range>& own, const std::vector<Range>& wanted, HeldSlices& from, HeldSlices& to) {
    const auto here = static_cast<std::size_t>(ranks_.own());
    for (std::int64_t z = std::max(own[here].begin, wanted[here].begin); z < std::min(own[here].end, wanted[here].end);
         ++z) {
      std::memcpy(to.slice(z), from.slice(z), static_cast<std::size_t>(from.words()) * sizeof(std::uint64_t));
    }
    ranks_.exchange(
        own, wanted, from.words(), [&](std::int64_t z) { return from.slice(z); },
        [&](std::int64_t z) { return to.slice(z); });
  }

  std::vector<std::byte> filtered(const Range& own) {
    if (is_empty(own)) return {};
    const Clock::time_point start = Clock::now();
    const FilterSlab slab = slab_between(plan(), own.begin, own.end);
    SlabImages images = filter_->read(filter_->quiet(), slab);
    const std::vector<Image> results =
        filter_->filtered(filter_->beside_images(plan()), slab, std::move(images), report_.done);
    Kept kept(result_bytes_, own.end - own.begin);
    filter_->write(filter_->quiet(), slab, results, kept);
    report_.filtering += std::chrono::duration<double>(Clock::now() - start).count();
    return kept.take();
  }

  /// The first rank gets the results of all.
  void gather(std::int64_t begin, std::vector<std::vector<std::byte>>& results) {
    ranks_.together([&] {
      for (int rank = 1; ranks_.is_first() && rank < ranks_.count(); ++rank) {
        const Range slab = slab_of(rank, begin);
        results[static_cast<std::size_t>(rank)].resize(
            static_cast<std::size_t>((slab.end - slab.begin) * result_bytes_));
      }
    });
    for (int rank = 1; rank < ranks_.count(); ++rank) {
      std::vector<std::byte>& slices = results[static_cast<std::size_t>(rank)];
      if (ranks_.is_first()) ranks_.receive(rank, slices);
      if (rank == ranks_.own()) ranks_.send_to_first(slices);
    }
  }

  void write(const std::vector<std::vector<std::byte>>& results) {
    const Clock::time_point start = Clock::now();
    for (const std::vector<std::byte>& slices : results) {
      if (!slices.empty()) sink_->write(slices.data(), static_cast<std::int64_t>(slices.size()) / result_bytes_);
    }
    // Each waits for the disk: after the first round, then every other second.
    constexpr std::chrono::seconds pause{2};
    if (!last_checkpoint_ || Clock::now() - *last_checkpoint_ >= pause) {
      sink_->checkpoint();
      last_checkpoint_ = Clock::now();
    }
    report_.writing += std::chrono::duration<double>(Clock::now() - start).count();
  }

  const Ranks& ranks_;
  const Context& context_;
  const cli::FilterCall& call_;
  SliceSink* sink_;
  std::vector<std::unique_ptr<HeldSlices>> held_;  ///< what the filter reads of, for each source
  std::optional<SlabFilter> filter_;
  std::int64_t result_bytes_ = 0;  ///< of a slice
  SlabReport report_;
  std::int64_t done_;  ///< slices whose results are on their way to the sink
  std::optional<Clock::time_point> last_checkpoint_;
};

}  // namespace

SlabReport filter(const Ranks& ranks, const Context& context, const cli::FilterCall& call, SliceSink* sink) {
  return FilterRun(ranks, context, call, sink).run();
}

}  // namespace tamis::mpi
