// The three kinds of work on slabs, side by side: one thread reads, one writes, and the caller's filters.
#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/operations/slabs.hpp>

#include "core/door.hpp"
#include "core/slabs/filter.hpp"
#include "core/stage.hpp"

namespace tamis {
namespace {

using Clock = std::chrono::steady_clock;

FilterSlab slab_at(const SlabPlan& plan, std::int64_t begin) {
  return slab_between(plan, begin, std::min(plan.slices, begin + plan.thickness));
}

class SlabRun {
 public:
  SlabRun(const Context& context, const OperationDescription& operation, const Arguments& arguments,
          std::span<SliceSource* const> sources, SliceSink& sink, const SlabOptions& options)
      : context_(context),
        operation_(operation),
        sink_(sink),
        options_(options),
        filter_(context, operation, arguments, sources, options.batch) {
    report_.plan = plan_slabs(context, operation, arguments, filter_.layout(), sources.size(), options);
    beside_images_ = filter_.beside_images(report_.plan);
  }

  SlabReport run() {
    const SlabPlan& plan = report_.plan;
    try {
      if (plan.whole() && options_.begin == 0) {
        run_whole();
      } else {
        run_slabs();
      }
    } catch (const InputError&) {
      sink_.drop_checkpoint();  // another run would come to the same end
      throw;
    }
    sink_.finish();
    return std::move(report_);
  }

 private:
  void run_whole() {
    const std::int64_t slices = report_.plan.slices;
    const FilterSlab all{0, 0, slices, slices};
    SlabImages images = read(context_, all);
    Context work = beside_images_;
    work.on_progress = context_.on_progress;
    work.on_stage = context_.on_stage;
    const std::vector<Image> results = filtered(work, all, std::move(images));
    write(context_, all, results);
  }

  void run_slabs() {
    const SlabPlan& plan = report_.plan;
    Stage stage(context_, operation_.name, plan.slices);
    stage.advance(options_.begin);
    if (options_.begin >= plan.slices) return;
    FilterSlab slab = slab_at(plan, options_.begin);
    // Both end before this function does: a future of std::async waits.
    std::future<SlabImages> next = start_reading(slab);
    std::future<void> written;
    while (true) {
      SlabImages images = next.get();
      const bool last = slab.end == plan.slices;
      const FilterSlab following = last ? FilterSlab{} : slab_at(plan, slab.end);
      if (!last) next = start_reading(following);
      std::vector<Image> results = filtered(beside_images_, slab, std::move(images));
      if (written.valid()) written.get();
      written = std::async(std::launch::async, [this, slab, results = std::move(results)] {
        write(filter_.quiet(), slab, results);
        checkpoint();
      });
      stage.advance(slab.end - slab.begin);
      if (last) break;
      slab = following;
    }
    written.get();
  }

  std::future<SlabImages> start_reading(const FilterSlab& slab) {
    return std::async(std::launch::async, [this, slab] { return read(filter_.quiet(), slab); });
  }

  SlabImages read(const Context& context, const FilterSlab& slab) {
    const Clock::time_point start = Clock::now();
    SlabImages images = filter_.read(context, slab);
    report_.reading += seconds_since(start);
    return images;
  }

  std::vector<Image> filtered(const Context& context, const FilterSlab& slab, SlabImages images) {
    const Clock::time_point start = Clock::now();
    std::vector<Image> results = filter_.filtered(context, slab, std::move(images), report_.done);
    report_.filtering += seconds_since(start);
    return results;
  }

  void write(const Context& context, const FilterSlab& slab, const std::vector<Image>& results) {
    const Clock::time_point start = Clock::now();
    filter_.write(context, slab, results, sink_);
    report_.writing += seconds_since(start);
  }

  /// After the first slab, then every other second: each waits for the disk.
  void checkpoint() {
    constexpr std::chrono::seconds pause{2};
    if (last_checkpoint_ && Clock::now() - *last_checkpoint_ < pause) return;
    sink_.checkpoint();
    last_checkpoint_ = Clock::now();
  }

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  const Context& context_;
  const OperationDescription& operation_;
  SliceSink& sink_;
  SlabOptions options_;
  SlabFilter filter_;
  Context beside_images_;  ///< reports nothing, and has the memory that the images leave
  SlabReport report_;
  std::optional<Clock::time_point> last_checkpoint_;
};

}  // namespace

SlabReport filter_slabs(const Context& context, const OperationDescription& operation, const Arguments& arguments,
                        std::span<SliceSource* const> sources, SliceSink& sink, const SlabOptions& options) {
  if (sources.empty() || sources.size() != operation.takes.size()) {
    throw InputError(fmt::format("{}: {} sources; wanted {}", operation.name, sources.size(), operation.takes.size()));
  }
  for (const SliceSource* const source : sources) {
    door::require_source(source, operation.name);
    const Layout& first = sources.front()->layout();
    const Layout& own = source->layout();
    if (own.shape == first.shape && own.channels == first.channels) continue;
    throw InputError(fmt::format("{}: sources of {} and {}; wanted one shape and number of channels", operation.name,
                                 to_string(first.shape), to_string(own.shape)));
  }
  return door::enter(context, operation.name,
                     [&] { return SlabRun(context, operation, arguments, sources, sink, options).run(); });
}

}  // namespace tamis
