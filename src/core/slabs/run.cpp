// The three kinds of work on slabs, side by side: one thread reads, one writes, and the caller's filters.
#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/image/channels.hpp>
#include <tamis/error.hpp>
#include <tamis/convert.hpp>
#include <tamis/memory.hpp>
#include <tamis/operations/slabs.hpp>
#include <tamis/operations/types.hpp>

#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"

namespace tamis {
namespace {

using Clock = std::chrono::steady_clock;

/// Results for the slices [begin, end), from those of [from, to).
struct Slab {
  std::int64_t from = 0, begin = 0, end = 0, to = 0;
};

Slab slab_at(const SlabPlan& plan, std::int64_t begin) {
  const std::int64_t end = std::min(plan.slices, begin + plan.thickness);
  return {std::max<std::int64_t>(begin - plan.halo, 0), begin, end, std::min(plan.slices, end + plan.halo)};
}

/// Some slices of a source, as a source.
class SomeSlices final : public SliceSource {
 public:
  SomeSlices(SliceSource& source, std::int64_t from, std::int64_t to)
      : source_(source), from_(from), layout_(source.layout()) {
    layout_.shape.z = to - from;
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override { source_.read(from_ + z0, count, out); }

 private:
  SliceSource& source_;
  std::int64_t from_;
  Layout layout_;
};

/// For each source its channels.
using Images = std::vector<std::vector<Image>>;

class SlabRun {
 public:
  SlabRun(const Context& context, const OperationDescription& operation, const Arguments& arguments,
          std::span<SliceSource* const> sources, SliceSink& sink, const SlabOptions& options)
      : context_(context),
        operation_(operation),
        arguments_(arguments),
        sink_(sink),
        options_(options) {
    std::vector<Type> types;
    for (SliceSource* const source : sources) {
      types.push_back(source->layout().type);
      sources_.push_back(as_f32(std::make_unique<SomeSlices>(*source, 0, source->layout().shape.z)));
    }
    result_ = sample_types(operation, arguments, types).result;
    layout_ = sources_.back()->layout();
    report_.plan = plan_slabs(context, operation, arguments, layout_, sources.size(), options);
    // Slabs are smaller than the volume, and alone might not pay for the start of CUDA; together they may, and then it
    // has started.
    static_cast<void>(choose_device(context, layout_.shape.count()));
    beside_images_ = quiet();
    if (context.memory_bytes > 0) beside_images_ = beside(beside_images_, report_.plan.bytes - between());
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
  /// Readers and writers do not report: one thread does.
  [[nodiscard]] Context quiet() const {
    Context quiet = context_;
    quiet.on_progress = nullptr;
    quiet.on_stage = nullptr;
    return quiet;
  }

  void run_whole() {
    const Slab all{0, 0, layout_.shape.z, layout_.shape.z};
    Images images = read(context_, all);
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
    Slab slab = slab_at(plan, options_.begin);
    // Both end before this function does: a future of std::async waits.
    std::future<Images> next = start_reading(slab);
    std::future<void> written;
    while (true) {
      Images images = next.get();
      const bool last = slab.end == plan.slices;
      const Slab following = last ? Slab{} : slab_at(plan, slab.end);
      if (!last) next = start_reading(following);
      std::vector<Image> results = filtered(beside_images_, slab, std::move(images));
      if (written.valid()) written.get();
      written = std::async(std::launch::async, [this, slab, results = std::move(results)] {
        write(quiet(), slab, results);
        checkpoint();
      });
      stage.advance(slab.end - slab.begin);
      if (last) break;
      slab = following;
    }
    written.get();
  }

  std::future<Images> start_reading(const Slab& slab) {
    return std::async(std::launch::async, [this, slab] { return read(quiet(), slab); });
  }

  Images read(const Context& context, const Slab& slab) {
    const Clock::time_point start = Clock::now();
    Context unlimited = context;  // the plan has counted these
    unlimited.memory_bytes = 0;
    Images images;
    for (const std::unique_ptr<SliceSource>& source : sources_) {
      SomeSlices slices(*source, slab.from, slab.to);
      images.push_back(read_channels(unlimited, slices, options_.batch));
    }
    report_.reading += seconds_since(start);
    return images;
  }

  /// The images go one after the other as their results come.
  std::vector<Image> filtered(const Context& context, const Slab& slab, Images images) {
    const Clock::time_point start = Clock::now();
    std::vector<Image> results(images.back().size());
    for (std::size_t c = 0; c < results.size(); ++c) {
      std::vector<const Image*> channel;
      for (const std::vector<Image>& image : images) channel.push_back(&image[c]);
      try {
        report_.done = operation_.filter.run(context, channel, arguments_, results[c]);
      } catch (const InputError& error) {
        refuse(error, *channel.back(), slab.from);
      }
      for (std::vector<Image>& image : images) image[c] = Image();
    }
    report_.filtering += seconds_since(start);
    return results;
  }

  /// A filter that refuses NaN says where it is in the slab; what is thrown says where it is in the volume.
  [[noreturn]] static void refuse(const InputError& error, const Image& image, std::int64_t from) {
    const std::string in_slab = image.type() == Type::F32 && from > 0 ? first_nan(image) : "";
    std::string message = error.what();
    const std::size_t found = in_slab.empty() ? std::string::npos : message.find(in_slab);
    if (found == std::string::npos) throw InputError(message);
    throw InputError(message.replace(found, in_slab.size(), first_nan(image, from)));
  }

  void write(const Context& context, const Slab& slab, const std::vector<Image>& results) {
    const Clock::time_point start = Clock::now();
    Layout layout = layout_;
    layout.shape.z = slab.to - slab.from;
    const std::unique_ptr<SliceSource> all = from_f32(joined(results, layout), result_);
    SomeSlices kept(*all, slab.begin - slab.from, slab.end - slab.from);
    copy_slices(context, kept, sink_);
    report_.writing += seconds_since(start);
  }

  /// After the first slab, then every other second: each waits for the disk.
  void checkpoint() {
    constexpr std::chrono::seconds pause{2};
    if (last_checkpoint_ && Clock::now() - *last_checkpoint_ < pause) return;
    sink_.checkpoint();
    last_checkpoint_ = Clock::now();
  }

  /// What the filter takes beside the images of the largest slab.
  [[nodiscard]] std::int64_t between() const {
    Shape shape = layout_.shape;
    if (options_.batch) shape.rank = 2;
    shape.z = std::min(shape.z, report_.plan.thickness + 2 * report_.plan.halo);
    return operation_.filter.bytes_between(arguments_, layout_.type, shape);
  }
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  const Context& context_;
  const OperationDescription& operation_;
  const Arguments& arguments_;
  std::vector<std::unique_ptr<SliceSource>> sources_;  ///< of types that filters compute with
  SliceSink& sink_;
  SlabOptions options_;
  Layout layout_;
  Type result_ = Type::U8;
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
