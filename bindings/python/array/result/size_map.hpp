// Where a size map goes; its type is known only once the work has begun.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>

#include "python/array/result/output.hpp"

namespace tamis::python {

/// start and write come from the library, without the GIL; all else with it.
class SizeMapOutput {
 public:
  /// Throws InputError for widths of anisotropic voxels, and an `out` of another shape or no type for sizes.
  SizeMapOutput(const Shape& shape, const Spacing& spacing, Element element, bool widths, nb::handle out);

  void start(Type type);
  void write(const std::byte* slices, std::int64_t z0, std::int64_t count);
  [[nodiscard]] ArrayResult result(nb::handle image, const Spacing& spacing) const { return output_->result(image, spacing); }

 private:
  Shape shape_;
  double width_ = 0;  ///< edge of a voxel, 0 for a map of sizes
  std::unique_ptr<Output> output_;
  Type type_ = Type::U8;         ///< as it comes
  std::vector<std::byte> slab_;  ///< slices in the type of the output
};

// Where a map of balls goes: squares of radii come slice by slice, and become what is wanted of them.

/// start and write come from the library, without the GIL; all else with it.
class BallMapOutput {
 public:
  /// Throws InputError for an `out` of another shape, or that cannot hold the measure.
  BallMapOutput(const Shape& shape, BallMeasure measure, nb::handle out);

  /// Squares come.
  void start(const BallSizes& balls, Type squares);
  /// Samples of the measure come, of this type.
  void start_samples(Type type);
  void write(const std::byte* slices, std::int64_t z0, std::int64_t count);
  [[nodiscard]] ArrayResult result(nb::handle image, const Spacing& spacing) const;

 private:
  BallMeasure measure_;
  std::int64_t samples_of_slice_;
  std::unique_ptr<SizeMapOutput> sizes_;
  std::unique_ptr<Output> lengths_;
  BallSizes balls_;
  Type squares_ = Type::U16;
  bool samples_come_ = false;
  std::vector<std::byte> slice_;
};

}  // namespace tamis::python
