#include "core/gpu/callers/slab_pipeline.hpp"

#include <thread>

#include <tamis/error.hpp>

#include "core/operation/filter_image.hpp"

namespace tamis::cuda {
namespace {

bool is_pinned_image(const Image& image) {
  return is_pinned(image.data()) && is_pinned(image.data() + image.bytes() - 1);
}

/// A store of the largest slab, as one of this shape lies there.
DeviceImage lying_in(const DeviceStore& store, Type type, const Shape& shape) {
  DeviceImage image = DeviceStore::layout(type, shape);
  image.data = store.get().data;
  return image;
}

}  // namespace

SlabPipeline::SlabPipeline(const Context& context, const PipelineTask& task)
    : context_(context),
      task_(task),
      image_is_pinned_(is_pinned_image(task.image)),
      out_is_pinned_(is_pinned_image(task.out)),
      up_(context.gpu),
      kernels_(context.gpu),
      down_(context.gpu),
      uploaded_(context.gpu),
      uploader_(up_, task.copies.piece_bytes, task.copies.pieces),
      downloader_(down_, task.copies.piece_bytes, task.copies.pieces, task.copies.past_caches) {
  const Shape largest = task.slabs.largest(task.plan.thickness);
  for (int i = 0; i < task.plan.at_once; ++i) places_.emplace_back(kernels_, task.filter.type, largest);
}

/// Memory goes back by the stream of the kernels, which the other two do not wait for.
SlabPipeline::~SlabPipeline() {
  for (const Stream* stream : {&up_, &kernels_, &down_}) static_cast<void>(cudaStreamSynchronize(stream->get()));
}

void SlabPipeline::run(const Take& take, const Done& done) {
  for (;;) {
    if (context_.cancel.stop_requested()) throw Cancelled();
    if (!is_uploading()) {
      if (const std::optional<ImageSlab> slab = take(under_way_.empty())) {
        start_upload(*slab);
      } else if (under_way_.empty()) {
        return;
      }
    }
    bool moved = copy_pieces();
    for (; done_ < downloader_.finished(); ++done_) {
      done(under_way_.front());
      under_way_.pop_front();
    }
    if (can_filter()) {
      filter();
      moved = true;
    }
    if (!moved) std::this_thread::yield();
  }
}

/// One piece each way at most, both by the same threads at once: to wake them takes as long as a tenth of the copy.
/// False if no piece is ready.
bool SlabPipeline::copy_pieces() {
  const bool down = downloader_.can_go_on(), up = is_uploading() && uploader_.can_go_on();
  if (!down && !up) return false;
  const HostCopy copies[] = {down ? downloader_.next_copy() : HostCopy{}, up ? uploader_.next_copy() : HostCopy{}};
  copy_bytes(context_, copies);
  if (up) uploader_.queue_copied();
  if (down) downloader_.finish_copied();
  return true;
}

void SlabPipeline::start_upload(const ImageSlab& slab) {
  const Place& place = place_of(started_);
  place.filtered.hold(up_);
  uploader_.start(task_.slabs.seen(slab, task_.image), task_.slabs.seen(slab, place.image.get()), image_is_pinned_);
  under_way_.push_back(slab);
  ++started_;
}

/// The results of the slab that had this place before have to be on their way, or nobody knows when they have left.
bool SlabPipeline::can_filter() const {
  return is_uploading() && uploader_.is_queued() &&
         downloader_.queued() > filtered_ - static_cast<std::int64_t>(places_.size());
}

void SlabPipeline::filter() {
  const Place& place = place_of(filtered_);
  const ImageSlab& slab = under_way_.back();
  const Shape shape = task_.slabs.shape(slab);
  const DeviceImage to = lying_in(place.out, task_.filter.type, shape);
  uploaded_.record(up_);
  uploaded_.hold(kernels_);
  place.read.hold(kernels_);
  run_filter(shape, lying_in(place.image, task_.filter.type, shape), to);
  place.filtered.record(kernels_);
  ++filtered_;
  const DeviceRows results = task_.slabs.results(slab, to);
  std::byte* const out = task_.slabs.results(slab, task_.out);
  if (!out_is_pinned_) make_pages(context_, out, results.bytes());  // while the GPU filters
  downloader_.add(results, out, out_is_pinned_, place.filtered, place.read);
}

void SlabPipeline::run_filter(const Shape& shape, const DeviceImage& from, const DeviceImage& to) {
  if (task_.may_hold_nan) {
    if (!run_once(kernels_, task_.filter, shape, from, to)) refuse_nan_in(task_.filter, task_.image);
    return;
  }
  if (!made_ || !(made_for_ == shape)) {
    made_.reset();  // so that the next one can have its memory
    made_ = task_.filter.make(kernels_, shape, false);
    made_for_ = shape;
  }
  made_->run(from, to, nullptr);
}

void refuse_nan_in(const GpuFilter& filter, const Image& image) {
  refuse_nan(filter, "the image", " at " + first_nan(image));
}

}  // namespace tamis::cuda
