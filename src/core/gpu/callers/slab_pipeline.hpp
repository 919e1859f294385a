// Slabs of an image of the host through a GPU: one is copied there while the one before it is filtered and the results
// of the one before that come back.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/gpu/callers/image_slabs.hpp"
#include "core/gpu/callers/slab_plan.hpp"
#include "core/gpu/filter.hpp"
#include "core/gpu/staging/transfer.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

struct PipelineTask {
  const GpuFilter& filter;
  const ImageSlabs& slabs;
  const Image& image;
  Image& out;
  SlabPlan plan;
  CopyPlan copies = {};
  /// Every slab is searched for NaN on the device, which the host waits for. Otherwise it is known that there is none.
  bool may_hold_nan = false;
};

/// One host thread moves everything on: it never waits for one direction while the other could go on. A stream for each
/// direction of the bus and one for the kernels.
class SlabPipeline {
 public:
  /// The next slab. Nothing: there is none, at the moment or, if `nothing_under_way`, for good.
  using Take = std::function<std::optional<ImageSlab>(bool nothing_under_way)>;
  /// The results of a slab lie in the image.
  using Done = std::function<void(const ImageSlab&)>;

  /// `context`: of one GPU; its threads copy. Throws OutOfMemory.
  SlabPipeline(const Context& context, const PipelineTask& task);
  /// Waits for all that is queued, which may read and write the images.
  ~SlabPipeline();
  SlabPipeline(const SlabPipeline&) = delete;
  SlabPipeline& operator=(const SlabPipeline&) = delete;

  /// Throws InputError if a slab holds NaN that is refused, before anything of it is written; OutOfMemory; Cancelled.
  void run(const Take& take, const Done& done);

 private:
  /// Room for a slab and its results. Slabs take turns.
  struct Place {
    Place(const Stream& kernels, Type type, const Shape& largest)
        : image(kernels, type, largest),
          out(kernels, type, largest),
          filtered(kernels.device()),
          read(kernels.device()) {
      filtered.record(kernels);  // the memory can be used by other streams
    }
    DeviceStore image, out;
    Event filtered;  ///< what is in `image` is of no use any more, and `out` holds results
    Event read;      ///< all of `out` was copied
  };

  [[nodiscard]] Place& place_of(std::int64_t slab) { return places_[static_cast<std::size_t>(slab) % places_.size()]; }
  [[nodiscard]] bool is_uploading() const { return started_ > filtered_; }
  [[nodiscard]] bool can_filter() const;
  void start_upload(const ImageSlab& slab);
  bool copy_pieces();
  void filter();
  void run_filter(const Shape& shape, const DeviceImage& from, const DeviceImage& to);

  const Context& context_;
  PipelineTask task_;
  bool image_is_pinned_, out_is_pinned_;
  Stream up_, kernels_, down_;
  Event uploaded_;
  std::deque<Place> places_;
  std::unique_ptr<DeviceFilter> made_;
  Shape made_for_;
  Uploader uploader_;
  Downloader downloader_;
  std::deque<ImageSlab> under_way_;
  std::int64_t started_ = 0, filtered_ = 0, done_ = 0;  ///< slabs so far
};

/// Throws InputError: the image holds NaN, and where.
[[noreturn]] void refuse_nan_in(const GpuFilter& filter, const Image& image);

}  // namespace tamis::cuda
