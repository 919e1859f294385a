#include "core/gpu/callers/host.hpp"

#include <mutex>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/cpu/copy.hpp"
#include "core/gpu/callers/slab_pipeline.hpp"
#include "core/gpu/staging/transfer.hpp"
#include "core/image_over.hpp"
#include "core/operation/filter_image.hpp"
#include "core/shared/pieces.hpp"
#include "core/stage.hpp"

namespace tamis::cuda {
namespace {

/// A filter of one image, by the GPUs of a context.
class HostRun {
 public:
  HostRun(const Context& context, const GpuFilter& filter, const Image& image, Image& out, const HostTuning& tuning)
      : context_(context),
        filter_(filter),
        image_(image),
        out_(out),
        tuning_(tuning),
        slabs_(filter.type, filter.shape, filter.reach),
        stage_(context, std::string(filter.what), filter.shape.z * filter.shape.y) {}

  void run() {
    shared::run_shared(of_one_gpu(), slabs_.length(),
                       [&](const Context& one, shared::Hand& hand, std::size_t) { work(one, hand); });
  }

 private:
  /// The context for run_shared(): a filter that cannot be cut into slabs runs on one GPU.
  [[nodiscard]] Context of_one_gpu() const {
    Context context = context_;
    if (slabs_.least() == slabs_.length()) context.more_gpus.clear();
    return context;
  }

  void work(const Context& one, shared::Hand& hand) {
    const DeviceScope scope(one.gpu);
    const std::int64_t budget = device_memory_budget(one, one.gpu);
    SlabPlan plan = plan_slabs(slabs_, filter_.images, budget, shared::worker_count(context_), tuning_);
    if (filter_.images * slabs_.bytes(plan.thickness) > budget) refuse(one);
    while (!is_done_by(plan, one, hand)) {
    }
  }

  /// False where memory was short: the plan takes less then, and what was not done is for anybody.
  bool is_done_by(SlabPlan& plan, const Context& one, shared::Hand& hand) {
    if (plan.thickness < slabs_.length()) look_for_nan();
    try {
      plan.staged ? run_side_by_side(plan, one, hand) : run_one_by_one(plan, one, hand);
      return true;
    } catch (const OutOfMemory&) {
      hand.give_back();
      if (!take_less(slabs_, plan)) refuse(one);
    } catch (const OutOfPinnedMemory&) {
      hand.give_back();
      plan.staged = false;
    }
    return false;
  }

  /// Looks at the whole image once: if only the last slab held NaN, the first would be written by then.
  void look_for_nan() {
    std::call_once(looked_, [&] {
      holds_nan_ = filter_.type == Type::F32 && holds_nan(context_, image_);
      if (holds_nan_ && filter_.refuses_nan()) refuse_nan_in(filter_, image_);
    });
  }

  void run_side_by_side(const SlabPlan& plan, const Context& one, shared::Hand& hand) {
    PipelineTask task{filter_, slabs_, image_, out_, plan};
    task.copies = plan_copies(image_.bytes(), one.memory_bytes, tuning_);
    task.may_hold_nan = filter_.type == Type::F32 && (plan.thickness == slabs_.length() || holds_nan_);
    const auto take = [&](bool nothing_under_way) -> std::optional<ImageSlab> {
      const auto piece = nothing_under_way ? hand.take(plan.thickness) : hand.take_another(plan.thickness);
      if (!piece) return {};
      return slabs_.at(piece->begin, piece->end - piece->begin);
    };
    SlabPipeline(one, task).run(take, [&](const ImageSlab& slab) {
      hand.finish(slab.begin);
      stage_.advance(slabs_.rows(slab));
    });
  }

  /// Small images take no threads and no page-locked memory.
  void run_one_by_one(const SlabPlan& plan, const Context& one, shared::Hand& hand) {
    const Stream stream(one.gpu);
    while (const auto piece = hand.take(plan.thickness)) {
      const ImageSlab slab = slabs_.at(piece->begin, piece->end - piece->begin);
      if (!run_slab(stream, slab)) refuse_nan_in(filter_, image_);
      stage_.advance(slabs_.rows(slab));
    }
  }

  /// False if the slab holds NaN that is refused; nothing was written then.
  bool run_slab(const Stream& stream, const ImageSlab& slab) {
    const Shape shape = slabs_.shape(slab);
    const DeviceStore from(stream, filter_.type, shape);
    const DeviceStore to(stream, filter_.type, shape);
    slabs_.fill(stream, slab, image_, from);
    if (!run_once(stream, filter_, shape, from.get(), to.get())) return false;
    slabs_.read(stream, slab, to, out_);
    stream.synchronize();
    return true;
  }

  [[noreturn]] void refuse(const Context& one) const {
    refuse_device_memory(one, filter_.what, filter_.shape, filter_.images * slabs_.bytes(slabs_.least()));
  }

  const Context& context_;
  const GpuFilter& filter_;
  const Image& image_;
  Image& out_;
  const HostTuning& tuning_;
  ImageSlabs slabs_;
  Stage stage_;
  std::once_flag looked_;
  bool holds_nan_ = false;
};

}  // namespace

void filter_image(const Context& context, const GpuFilter& filter, const Image& image, Image& out,
                  const HostTuning& tuning) {
  if (has_no_gaps(image) && has_no_gaps(out)) return HostRun(context, filter, image, out, tuning).run();
  // Staging takes what lies in one range.
  Image dense = image_between(context, image), result = image_between(context, image);
  copy_samples(context, image, dense);
  HostRun(context, filter, dense, result, tuning).run();
  copy_samples(context, result, out);
}

void refuse_device_memory(const Context& context, std::string_view what, const Shape& shape, std::int64_t bytes) {
  throw ResourceError(fmt::format(
      "GPU memory: {} of {} takes about {} MiB at least, got {} MiB; wanted more free memory, or `device cpu`", what,
      to_string(shape), (bytes >> 20U) + 1, device_memory_budget(context, context.gpu) >> 20U));
}

}  // namespace tamis::cuda
