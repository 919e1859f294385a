// What a reconstruction computes with on every device: a cell for each sample, an unsigned number in the order of the
// samples, upside down by erosion. So there is one reconstruction, by dilation, and 0 is what nothing rises from.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tamis/morphology.hpp>

#include "core/bits/ordered_bits.hpp"

#ifdef __CUDACC__
#define TAMIS_CELL __device__ __forceinline__
#define TAMIS_UNROLL _Pragma("unroll 4")
#else
#define TAMIS_CELL inline
#define TAMIS_UNROLL
#endif

namespace tamis::morphology_detail {

/// Sample: bool, or what lies in the image. A bit takes a whole cell.
template <class Sample>
using CellOf = std::conditional_t<sizeof(Sample) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(Sample) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(Sample) == 4, std::uint32_t, Sample>>>;

TAMIS_CELL std::uint32_t bits_of_float(float sample) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &sample, sizeof(bits));
  return bits;
}

template <class Sample>
TAMIS_CELL bool is_nan(Sample sample) {
  if constexpr (std::is_same_v<Sample, float>) return (bits_of_float(sample) & 0x7fffffffU) > 0x7f800000U;
  return false;
}

template <class Sample>
TAMIS_CELL CellOf<Sample> cell_of(Sample sample, bool turned) {
  using Cell = CellOf<Sample>;
  if constexpr (std::is_same_v<Sample, bool>) {
    return static_cast<Cell>(sample != turned);
  } else {
    Cell cell{};
    if constexpr (std::is_same_v<Sample, float>) {
      cell = detail::ordered_key(sample);
    } else if constexpr (std::is_signed_v<Sample>) {
      cell = static_cast<Cell>(static_cast<Cell>(sample) ^ Cell{1} << (8 * sizeof(Cell) - 1));
    } else {
      cell = sample;
    }
    return turned ? static_cast<Cell>(~cell) : cell;
  }
}

template <class Sample>
TAMIS_CELL Sample sample_of(CellOf<Sample> cell, bool turned) {
  using Cell = CellOf<Sample>;
  if constexpr (std::is_same_v<Sample, bool>) {
    return (cell != 0) != turned;
  } else {
    if (turned) cell = static_cast<Cell>(~cell);
    if constexpr (std::is_same_v<Sample, float>) {
      return detail::float_of_key(cell);
    } else if constexpr (std::is_signed_v<Sample>) {
      return static_cast<Sample>(cell ^ Cell{1} << (8 * sizeof(Cell) - 1));
    } else {
      return cell;
    }
  }
}

/// How a reconstruction is done, beside the images.
struct ReconstructForm {
  bool turned = false;       ///< by erosion
  bool full = true;          ///< neighbours across corners and edges too
  bool clip_marker = false;  ///< a marker above the mask is cut to it, not a fault
};

/// Images that have none: samples in order of address, from 0 on.
struct ReconstructFaults {
  static constexpr std::int64_t none = INT64_MAX;
  std::int64_t nan = none;    ///< the first NaN of either image
  std::int64_t above = none;  ///< the first sample where the marker is above the mask (by erosion: below)

  [[nodiscard]] bool any() const { return nan != none || above != none; }
};

// What marker and mask of a reconstruction have to be, wherever they lie.

/// Throws InputError unless both have one shape and one type, which filters take.
void require_pair(Type marker, const Shape& marker_shape, Type mask, const Shape& mask_shape);

/// What the options say, for the engines. Throws InputError for enumerators that are none.
[[nodiscard]] ReconstructForm form_of(const ReconstructOptions& options, bool clip_marker);

/// Throws InputError with the first place if there are faults.
void refuse_faults(const ReconstructFaults& faults, const Shape& shape, const ReconstructForm& form);

}  // namespace tamis::morphology_detail
