// What an object on a GPU has.
#pragma once

#include <tamis/gpu/binary.hpp>

#include "core/gpu/array/bits.hpp"

namespace tamis {

struct GpuBinary::Work {
  /// No object anywhere, everything counts.
  Work(int gpu, const Layout& source);
  /// Copies the domain of the facts to the GPU. Waits.
  void take_domain(const Context& context);

  Layout layout;
  cuda::Stream stream;
  cuda::DeviceBits object, domain;
  Binary facts;
};

}  // namespace tamis
