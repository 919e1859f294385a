// Where a size map goes; its type is known only once the work has begun.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

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

}  // namespace tamis::python
