// Bits of some slices of a volume, on the host or on a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <tamis/balls.hpp>
#include <tamis/gpu/binary.hpp>
#include <tamis/granulometry.hpp>

#include "granulometry/census.hpp"
#include "granulometry/gpu/slices.hpp"
#include "mpi/ranks.hpp"

namespace tamis::mpi {

/// An object and its domain, cut out of a volume. What asks for sizes need not know where they lie.
class Slab {
 public:
  Slab(Image object, Image domain) : object_(std::move(object)), domain_(std::move(domain)) {}
  explicit Slab(GpuBinary binary) : binary_(std::move(binary)) {}

  [[nodiscard]] const Shape& shape() const { return binary_ ? binary_->layout().shape : object_.shape(); }
  [[nodiscard]] const Spacing& spacing() const { return binary_ ? binary_->layout().spacing : object_.spacing; }
  Sizes size_map(const Context& context, const GranulometryOptions& options, const std::function<void(Type)>& start,
                 const MapSink& sink) const;
  /// What openings remove of slices [begin, end), counted from the slab's first, where that comes without a map.
  [[nodiscard]] std::optional<granulometry_detail::SlicesTally> tally(const Context& context,
                                                                      const GranulometryOptions& options,
                                                                      std::int64_t begin, std::int64_t end) const;
  BallSizes ball_map(const Context& context, const BallOptions& options, const BallStart& start,
                     const MapSink& sink) const;

 private:
  Image object_, domain_;
  std::optional<GpuBinary> binary_;
};

class Bits {
 public:
  using Range = Ranks::Range;

  /// None.
  Bits() = default;
  /// All 0. `layout`: of the volume.
  Bits(const Context& context, const Layout& layout, const Range& range, bool on_gpu);

  [[nodiscard]] bool empty() const { return !gpu_ && host_.empty(); }
  [[nodiscard]] const Range& range() const { return range_; }
  /// Where a slice lies, in whichever memory.
  [[nodiscard]] std::uint64_t* slice(std::int64_t z);
  /// Slices from z on, on the host or on the same GPU.
  void put(std::int64_t z, std::int64_t count, const std::uint64_t* from);
  /// The slices that both have.
  void put(Bits& other);

  /// From a GPU to the host, where they stay.
  void come_to_host();

  // Of an object. `domain` has the same slices or one for all; it may be empty: everything counts.

  [[nodiscard]] Slab cut_out(const Context& context, const Range& range, Bits& domain);
  [[nodiscard]] granulometry_detail::Census census(const Context& context, const Range& range, Bits& domain,
                                                   bool z_is_axis);

 private:
  [[nodiscard]] Image copy_of(const Range& range);
  /// Of a domain: the slices that count for such of the object.
  [[nodiscard]] Image copy_for(const Range& range) {
    return empty() ? Image() : copy_of(is_for_all() ? range_ : range);
  }
  [[nodiscard]] bool is_for_all() const { return range_.end - range_.begin == 1; }
  [[nodiscard]] const granulometry_detail::GpuSlices* on_gpu() const { return gpu_ ? &*gpu_ : nullptr; }

  Range range_;
  Layout layout_;           ///< of these slices
  std::int64_t words_ = 0;  ///< of a slice
  Image host_;
  std::optional<granulometry_detail::GpuSlices> gpu_;
};

}  // namespace tamis::mpi
