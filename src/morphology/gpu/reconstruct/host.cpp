#include "core/gpu/callers/host.hpp"
#include "morphology/gpu/reconstruct/run.hpp"

namespace tamis::morphology_detail::gpu {
namespace {

/// A copy of an image's rows on the device.
class OnDevice {
 public:
  OnDevice(const cuda::Stream& stream, const Image& like)
      : memory_(stream, like.bytes()), image_{memory_.data(), like.row_bytes(), like.row_bytes() * like.shape().y} {}
  OnDevice(const cuda::Stream& stream, const Image& from, const char* what) : OnDevice(stream, from) {
    cuda::check(cudaMemcpyAsync(image_.data, from.data(), memory_.bytes(), cudaMemcpyHostToDevice, stream.get()), what);
  }
  [[nodiscard]] const DeviceImage& get() const { return image_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }

 private:
  cuda::DeviceBuffer<std::byte> memory_;
  DeviceImage image_;
};

ReconstructFaults run(const Context& context, const Image& marker, const Image& mask, const ReconstructForm& form,
                      Image& out, Stage& stage) {
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  const OnDevice device_marker(stream, marker, "copy a marker");
  const OnDevice device_mask(stream, mask, "copy a mask");
  const ReconstructArrays arrays{marker.type(), marker.shape(), device_marker.get(), device_mask.get(),
                                 device_marker.get()};
  const ReconstructFaults faults = reconstruct_arrays(stream, arrays, form, stage);
  if (faults.any()) return faults;
  cuda::check(cudaMemcpyAsync(out.data(), arrays.out.data, device_marker.bytes(), cudaMemcpyDeviceToHost, stream.get()),
              "copy a reconstruction");
  stream.synchronize();
  return faults;
}

}  // namespace

ReconstructFaults reconstruct(const Context& context, const Image& marker, const Image& mask,
                              const ReconstructForm& form, Image& out, Stage& stage) {
  const std::int64_t bytes = 2 * mask.bytes() + bytes_of_cells(mask.type(), mask.shape());
  return cuda::run_whole(context, "reconstruct", mask.shape(), bytes,
                         [&] { return run(context, marker, mask, form, out, stage); });
}

}  // namespace tamis::morphology_detail::gpu
