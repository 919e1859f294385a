#include "morphology/bits_as_bytes.hpp"

#include <algorithm>
#include <vector>

namespace tamis::morphology_detail {
namespace {

/// Measured: up to here bytes take a third to two thirds of the time.
constexpr std::int64_t most_samples_of_boxes = std::int64_t{1} << 20;
constexpr std::int64_t most_samples = std::int64_t{1} << 14;

/// Extrema of 0 and 1 are 0 or 1. A difference of them is, too, but no faster.
bool is_extremum(Operation operation) {
  return operation == Operation::Erode || operation == Operation::Dilate || operation == Operation::Open ||
         operation == Operation::Close;
}

bool is_zero_or_one(const Border& border) {
  return border.kind != Border::Kind::Constant || border.value == 0 || border.value == 1;
}

}  // namespace

bool better_as_bytes(Operation operation, const MorphologyOptions& options, const Shape& shape) {
  const bool takes_images = shape.rank == 2 && shape.count() <= most_samples_of_boxes && options.element.rank() != 3;
  if (!takes_images || options.lines == Lines::Traced) return false;
  if (!is_extremum(operation) || !is_zero_or_one(options.border)) return false;
  const std::vector<OffsetSet> sets = options.element.sets(2);
  // A window that holds the origin sees the image wherever it lies, so that what is neutral, 255 for bytes, never comes
  // through.
  return std::all_of(sets.begin(), sets.end(), [&](const OffsetSet& set) {
    return set.contains({}) && (shape.count() <= most_samples || set.is_box());
  });
}

}  // namespace tamis::morphology_detail
