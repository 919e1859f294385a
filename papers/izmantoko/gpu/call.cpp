#include "papers/izmantoko/gpu/call.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/gpu/stream.hpp"
#include "papers/izmantoko/gpu/kernels.hpp"

namespace tamis::izmantoko::gpu {
namespace {

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

}  // namespace

Image run(const Context& context, Operation operation, const Image& image, int radius, std::string_view word) {
  const Kernel kernel = kernel_of(word, radius);
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  const auto bytes = static_cast<std::size_t>(image.bytes());
  cuda::DeviceBuffer<std::uint8_t> from(stream, image.bytes()), to(stream, image.bytes());
  const auto pixels = [&](const cuda::DeviceBuffer<std::uint8_t>& memory) {
    const int nx = static_cast<int>(image.shape().x);
    return BinaryPixels{memory.data(), nx, nx, static_cast<int>(image.shape().y)};
  };
  cuda::check(cudaMemcpyAsync(from.data(), image.data(), bytes, cudaMemcpyHostToDevice, stream.get()), "copy an image");
  const bool erodes_first = operation == Operation::Erode || operation == Operation::Open;
  const bool twice = operation == Operation::Open || operation == Operation::Close;
  (erodes_first ? erode : dilate)(stream, kernel, pixels(from), pixels(to), radius);
  if (twice) {
    std::swap(from, to);
    (erodes_first ? dilate : erode)(stream, kernel, pixels(from), pixels(to), radius);
  }
  Image out(Type::U8, image.shape(), image.spacing);
  cuda::check(cudaMemcpyAsync(out.data(), to.data(), bytes, cudaMemcpyDeviceToHost, stream.get()), "copy an image");
  stream.synchronize();
  return out;
}

}  // namespace tamis::izmantoko::gpu
