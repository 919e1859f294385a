#include "morphology/bits_as_bytes.hpp"

#include <algorithm>
#include <vector>

#include "core/cpu/transposed.hpp"

namespace tamis::morphology_detail {
namespace {

/// The longest rows, measured: NOTES.md.
constexpr std::int64_t longest_row_of_boxes = 1024;
constexpr std::int64_t longest_row = 128;

/// Extrema of 0 and 1 are 0 or 1. A difference of them is, too, but no faster, unless rows are so short that packing them
/// takes longest.
bool is_extremum(Operation operation) {
  return operation == Operation::Erode || operation == Operation::Dilate || operation == Operation::Open ||
         operation == Operation::Close;
}

bool is_zero_or_one(const Border& border) {
  return border.kind != Border::Kind::Constant || border.value == 0 || border.value == 1;
}

}  // namespace

bool better_as_bytes(Operation operation, const MorphologyOptions& options, const Shape& shape) {
  if (shape.x > longest_row_of_boxes || options.lines == Lines::Traced || options.element.rank() > shape.rank) return false;
  if (!is_zero_or_one(options.border)) return false;
  if (!is_extremum(operation) && !better_transposed({}, Type::Bool, shape)) return false;
  const std::vector<OffsetSet> sets = options.element.sets(shape.rank);
  const bool short_rows = shape.rank == 2 && shape.x <= longest_row;
  // A window that holds the origin sees the image wherever it lies, so that what is neutral, 255 for bytes, never comes
  // through.
  return std::all_of(sets.begin(), sets.end(),
                     [&](const OffsetSet& set) { return set.contains({}) && (short_rows || set.is_box()); });
}

}  // namespace tamis::morphology_detail
