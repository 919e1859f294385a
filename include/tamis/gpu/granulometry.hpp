// Granulometry of bits that lie on a GPU: prepared once, queued again and again. For cameras, beamlines and whoever
// keeps images on the device. Everything else goes through granulometry() on a context.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <memory>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// A plan with its workspace. run() allocates nothing and waits for nothing, so it can be captured into a CUDA graph.
/// Memory: about 4 bytes a voxel for the cross with a background border, 10 otherwise. Not to be used from two threads
/// at once.
class GpuGranulometry {
 public:
  struct Options {
    GranulometryOptions granulometry;  ///< max_size is needed: it bounds the work that is queued. Recursion only
    bool map = false;                  ///< keep the size map on the device
    void* stream = nullptr;            ///< the caller's cudaStream_t; nullptr: one of its own
  };

  /// Throws InputError for options that cannot be prepared, ResourceError without a GPU (context.gpu) or memory.
  GpuGranulometry(const Context& context, const Shape& shape, const Options& options);
  ~GpuGranulometry();
  GpuGranulometry(GpuGranulometry&&) noexcept;
  GpuGranulometry& operator=(GpuGranulometry&&) noexcept;

  /// Queues the granulometry of `object`: device memory, rows as in an Image of type Bool, unused bits 0. `domain`, of
  /// the same form, bounds what counts where the border is neutral; nullptr: everything. Both have to stay until then.
  void run(const std::uint64_t* object, const std::uint64_t* domain = nullptr);

  /// The stream (cudaStream_t) on which run() queues.
  [[nodiscard]] void* stream() const;
  /// Device memory: voxels whose size map is T, index T = 1 to max_size + 1; the last counts what is left.
  [[nodiscard]] const unsigned long long* removed_by() const;
  /// Device memory: the size map (with Options::map), max_size + 1 where something is left; U8, or U16 from
  /// max_size = 255 on. Rows are map_pitch() bytes apart, slices shape.y rows.
  [[nodiscard]] const void* map() const;
  [[nodiscard]] std::int64_t map_pitch() const;
  /// Waits for the last run: its curve, up to max_size. border_voxels stays 0.
  [[nodiscard]] Sizes wait() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tamis
