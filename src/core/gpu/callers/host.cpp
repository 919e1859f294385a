#include "core/gpu/callers/host.hpp"

#include <algorithm>
#include <mutex>
#include <string>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/operation/filter_image.hpp"
#include "core/gpu/callers/image_slabs.hpp"
#include "core/shared/pieces.hpp"
#include "core/stage.hpp"

namespace tamis::cuda {
namespace {

[[noreturn]] void refuse_nan_of(const GpuFilter& filter, const Image& image) {
  refuse_nan(filter, "the image", " at " + first_nan(image));
}

/// A filter of one image, by the GPUs of a context.
class HostRun {
 public:
  HostRun(const Context& context, const GpuFilter& filter, const Image& image, Image& out)
      : context_(context),
        filter_(filter),
        image_(image),
        out_(out),
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
    const Stream stream(one.gpu);
    const std::int64_t budget = device_memory_budget(one, one.gpu);
    std::int64_t thickness = slabs_.thickness(budget, filter_.images);
    if (filter_.images * slabs_.bytes(thickness) > budget) refuse(one);
    const std::size_t workers = shared::worker_count(context_);
    thickness = std::min(thickness, std::max(slabs_.least(), shared::fair_piece(slabs_.length(), workers, slabs_.reach())));
    while (const auto piece = hand.take(thickness)) {
      if (filter_.refuses_nan() && thickness < slabs_.length()) look_for_nan();
      const ImageSlab slab = slabs_.at(piece->begin, piece->end - piece->begin);
      try {
        if (!run_slab(stream, slab)) refuse_nan_of(filter_, image_);
        stage_.advance(slabs_.rows(slab));
      } catch (const OutOfMemory&) {
        if (thickness == slabs_.least()) refuse(one);
        thickness = (thickness + 1) / 2;
        hand.give_back();
      }
    }
  }

  /// Looks at the whole image once: if only the last slab held NaN, the first would be written by then.
  void look_for_nan() {
    std::call_once(looked_, [&] {
      if (holds_nan(context_, image_)) refuse_nan_of(filter_, image_);
    });
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
  ImageSlabs slabs_;
  Stage stage_;
  std::once_flag looked_;
};

}  // namespace

void filter_image(const Context& context, const GpuFilter& filter, const Image& image, Image& out) {
  HostRun(context, filter, image, out).run();
}

void refuse_device_memory(const Context& context, std::string_view what, const Shape& shape, std::int64_t bytes) {
  throw ResourceError(fmt::format(
      "GPU memory: {} of {} takes about {} MiB at least, got {} MiB; wanted more free memory, or device cpu", what,
      to_string(shape), (bytes >> 20U) + 1, device_memory_budget(context, context.gpu) >> 20U));
}

}  // namespace tamis::cuda
