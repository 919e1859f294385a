// What an object on a GPU has.
#pragma once

#include <tamis/gpu/binary.hpp>

#include "core/gpu/array/copy.hpp"
#include "core/gpu/staging/transfer.hpp"

namespace tamis {

/// Its functions are in here so that the library does not export them.
struct GpuBinary::Work {
  /// No object anywhere, everything counts.
  Work(int gpu, const Layout& source) : layout(source), stream(gpu), object(stream, source.shape) {
    object.words.clear();  // what no sample decides is no object
    stream.synchronize();  // other streams write there
  }

  /// Copies the domain of the facts to the GPU. Waits.
  void take_domain(const Context& context) {
    const Image& image = facts.domain;
    if (image.empty()) return;
    domain = cuda::DeviceBits(stream, image.shape());
    cuda::Uploader(stream).copy(context, domain.words.data(), image.data(), domain.words.bytes());
    stream.synchronize();
  }

  Layout layout;
  cuda::Stream stream;
  cuda::DeviceBits object, domain;
  Binary facts;
};

}  // namespace tamis
