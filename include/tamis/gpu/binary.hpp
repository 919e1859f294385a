// A binary image whose bits stay on the GPU that made them. For a threshold and a granulometry of samples of the host:
// each sample crosses the bus once, and of the bits none.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <tamis/balls.hpp>
#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>
#include <tamis/threshold.hpp>

namespace tamis::granulometry_detail {
class GpuSlices;
}

namespace TAMIS_PUBLIC tamis {

/// A value that does not change; copies share the bits.
class GpuBinary {
 public:
  /// As binarise() on the GPU context.gpu, and waits. Throws as binarise() does, and ResourceError without a GPU and
  /// where its memory is short. Device memory: a bit a sample, for the domain another; an automatic method keeps the
  /// samples there until it has packed them, if they take no more than half of the memory.
  GpuBinary(const Context& context, SliceSource& source, const ThresholdOptions& options, const Region& region = {});

  /// Whether the bits of such an image take little of the device's memory, so that there is room to work on them.
  [[nodiscard]] static bool fits(const Context& context, const Shape& shape);

  /// What binarise() says; its object is empty, its domain on the host.
  [[nodiscard]] const Binary& facts() const;
  [[nodiscard]] const Layout& layout() const;  ///< of the source; its spacing is that of the object
  [[nodiscard]] int gpu() const;

  /// Device memory: rows as in an Image of type Bool.
  [[nodiscard]] const std::uint64_t* object() const;
  /// The same of facts().domain, which may be one slice for all; nullptr: everything.
  [[nodiscard]] const std::uint64_t* domain() const;

  /// The object on the host. Waits.
  [[nodiscard]] Image download(const Context& context) const;

 private:
  struct Work;
  friend class granulometry_detail::GpuSlices;  // has bits that are there already
  explicit GpuBinary(std::shared_ptr<const Work> work) : work_(std::move(work)) {}
  std::shared_ptr<const Work> work_;
};

/// As granulometry() and size_map() of the same bits on the host, on the GPU where they lie; in slabs where the memory
/// of the device asks for that. Waits.
[[nodiscard]] Sizes granulometry(const Context& context, const GpuBinary& object,
                                 const GranulometryOptions& options = {});
[[nodiscard]] Sizes size_map(const Context& context, const GpuBinary& object, const GranulometryOptions& options,
                             const std::function<void(Type)>& start, const MapSink& sink);

/// As ball_granulometry() and ball_map() of the same bits on the host.
[[nodiscard]] BallSizes ball_granulometry(const Context& context, const GpuBinary& object,
                                          const BallOptions& options = {});
[[nodiscard]] BallSizes ball_map(const Context& context, const GpuBinary& object, const BallOptions& options,
                                 const BallStart& start, const MapSink& sink);
BallSizes ball_map(const Context& context, const GpuBinary& object, BallMeasure measure, const BallOptions& options,
                   const BallStart& start, const MapSink& sink);

}  // namespace tamis
