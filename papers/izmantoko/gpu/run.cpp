#include "papers/izmantoko/gpu/run.hpp"

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::izmantoko::gpu {

DeviceImage::DeviceImage(const cuda::Stream& stream, const Image& image)
    : stream_(stream),
      shape_(image.shape()),
      pitch_((shape_.x + 15) / 16 * 16),
      input_(stream, pitch_ * shape_.y * shape_.z),
      between_(stream, input_.size()),
      output_(stream, input_.size()) {
  copy(input_.data(), pitch_, image.data(), shape_.x);
  stream.synchronize();
}

void DeviceImage::copy(void* to, std::int64_t to_pitch, const void* from, std::int64_t from_pitch) const {
  cuda::check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                                static_cast<std::size_t>(shape_.x), static_cast<std::size_t>(shape_.y * shape_.z),
                                cudaMemcpyDefault, stream_.get()),
              "copy an image");
}

void DeviceImage::filter(Operation operation, const Step& step) const {
  const bool erodes_first = operation == Operation::Erode || operation == Operation::Open;
  const bool twice = operation == Operation::Open || operation == Operation::Close;
  step(erodes_first, input_, twice ? between_ : output_);
  if (twice) step(!erodes_first, between_, output_);
}

DeviceImage::Step DeviceImage::by(Kernel kernel, int radius) const {
  return [this, kernel, radius](bool erodes, const Memory& from, const Memory& to) {
    const auto pixels = [&](const Memory& memory) {
      return BinaryPixels{memory.data(), static_cast<int>(pitch_), static_cast<int>(shape_.x),
                          static_cast<int>(shape_.y)};
    };
    (erodes ? erode : dilate)(stream_, kernel, pixels(from), pixels(to), radius);
  };
}

Image DeviceImage::result() const {
  Image out(Type::U8, shape_);
  copy(out.data(), shape_.x, output_.data(), pitch_);
  stream_.synchronize();
  return out;
}

Kernel kernel_of(std::string_view word, int radius) {
  for (const Kernel kernel : {Kernel::Naive, Kernel::Global, Kernel::Shared}) {
    if (name(kernel) != word) continue;
    if (!has_radius(kernel, radius)) {
      throw InputError(fmt::format("kernel {} of edge {}; wanted 3 to 15, or another kernel", word, 2 * radius + 1));
    }
    return kernel;
  }
  throw InputError(fmt::format("kernel {}; wanted naive, global or shared", word));
}

}  // namespace tamis::izmantoko::gpu
