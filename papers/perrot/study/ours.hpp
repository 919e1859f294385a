// What tamis has against the paper's kernels, with the same three parts of a call.
#pragma once

#include <cstdint>
#include <memory>

#include <tamis/gpu/median.hpp>
#include <tamis/median.hpp>

#include "bench/gpu_timer.hpp"
#include "core/gpu/stream.hpp"
#include "papers/perrot/gpu/kernels.hpp"

namespace tamis::perrot {

/// The paper's borders: the texture repeats the edge.
inline MedianOptions median_of(int edge) {
  return {.window = StructuringElement::square(edge), .border = Border::nearest()};
}
inline SmoothOptions smooth_of(int edge) { return {.width = edge, .height = edge, .border = Border::nearest()}; }

/// What tamis computes on the CPU where the paper has this version. A median of 1x1 is the image.
inline Image answer(const Context& cpu, const Image& image, const gpu::Version& version) {
  if (version.kernel == gpu::Kernel::Smoother) return smooth(cpu, image, smooth_of(version.edge));
  return median(cpu, image, median_of(version.edge));
}

/// A U16 image in device memory, and its median or smoothed form.
class GpuOurs {
 public:
  GpuOurs(const cuda::Stream& stream, const Shape& shape)
      : stream_(stream), shape_(shape), image_(stream, shape.count()), out_(stream, shape.count()) {}

  void prepare(const gpu::Version& version) {
    const Context context = bench::on(Device::Cuda);
    filter_ = version.kernel == gpu::Kernel::Smoother
                  ? std::make_unique<GpuMedian>(context, Type::U16, shape_, smooth_of(version.edge), stream_.get())
                  : std::make_unique<GpuMedian>(
                        context, Type::U16, shape_,
                        GpuMedian::Options{.median = median_of(version.edge), .stream = stream_.get()});
    out_.clear();  // what is compared must not be there already
  }

  void upload(const void* samples) const { copy(image_.data(), samples); }
  void run() const { filter_->run(image_.data(), out_.data()); }
  void download(void* samples) const { copy(samples, out_.data()); }

 private:
  void copy(void* to, const void* from) const {
    cuda::check(cudaMemcpyAsync(to, from, image_.bytes(), cudaMemcpyDefault, stream_.get()), "copy an image");
  }

  const cuda::Stream& stream_;
  Shape shape_;
  cuda::DeviceBuffer<std::uint16_t> image_, out_;
  std::unique_ptr<GpuMedian> filter_;
};

}  // namespace tamis::perrot
