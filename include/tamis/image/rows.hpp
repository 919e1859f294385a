// Memory of the caller that results are written to.
#pragma once

#include <tamis/compiler.hpp>

#include <cstddef>
#include <cstdint>

namespace TAMIS_PUBLIC tamis {

/// Where the rows of a result are: address of the first sample and strides in bytes; samples of a row are contiguous.
struct ImageRows {
  std::byte* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t slice_stride = 0;
};

}  // namespace tamis
