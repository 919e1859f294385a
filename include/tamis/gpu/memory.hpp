// Memory of a GPU for who has no library of arrays there, and copies between arrays (gpu/array.hpp).
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/gpu/array.hpp>

namespace TAMIS_PUBLIC tamis {

/// Memory of a GPU.
class GpuMemory {
 public:
  /// Usable by what is queued on Context::stream from now on, without a stream by everything. Throws ResourceError where
  /// there is too little.
  GpuMemory(const Context& context, int gpu, std::int64_t bytes);
  /// Waits for all work of the GPU, so that none of it uses the memory any more.
  ~GpuMemory();
  GpuMemory(GpuMemory&& other) noexcept;
  GpuMemory& operator=(GpuMemory&& other) noexcept;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] int gpu() const { return gpu_; }

 private:
  int gpu_ = 0;
  void* data_ = nullptr;
};

/// Copies samples to an array of the same type and shape that the image does not overlap. Queued.
void copy(const Context& context, const GpuArray& image, const GpuOutput& out);

}  // namespace tamis
