// The image of a call as its keywords want it: cropped, with the region that counts.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include <tamis/image.hpp>
#include <tamis/image/crop.hpp>
#include <tamis/threshold.hpp>

namespace tamis::python {

// What part of an image a call is about.

/// "x0:x1,y0:y1,z0:z1", or slices in the order of the axes as an array takes them; nothing for None and "". The box
/// need not lie in an image of this shape where a text says so. Throws InputError, which names `crop`.
[[nodiscard]] std::optional<Box> box_of_crop(nanobind::handle crop, const Shape& shape);

struct Input {
  std::unique_ptr<SliceSource> source;  ///< after the crop
  std::unique_ptr<Image> disk;          ///< what `mask` reads, for a cropped cylinder
  std::unique_ptr<SliceSource> mask;
  Region region;

  [[nodiscard]] const Layout& layout() const { return source->layout(); }
};

/// `roi`: None, "cylinder", or an array that is not 0 inside, of the image's shape or one slice for all; `crop`:
/// box_of_crop().
[[nodiscard]] Input take_input(nanobind::handle image, nanobind::handle roi, nanobind::handle crop,
                               std::int64_t memory_bytes);

}  // namespace tamis::python
