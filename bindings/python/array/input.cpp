#include "python/array/input.hpp"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include <tamis/error.hpp>

#include "python/arguments.hpp"
#include "python/array/array.hpp"

namespace tamis::python {
namespace {

/// A mask of the whole image is cropped with it; one that was made for the crop is taken as it is.
std::unique_ptr<SliceSource> cropped_mask(std::unique_ptr<SliceSource> mask, const Shape& whole, const Box& box) {
  const Shape& shape = mask->layout().shape;
  if (shape.x != whole.x || shape.y != whole.y || (shape.z != whole.z && shape.z != 1)) return mask;
  Box part = box;
  if (shape.z == 1) {
    part.z0 = 0;
    part.z1 = 1;
  }
  return crop(std::move(mask), part);
}

}  // namespace

Input take_input(nb::handle image, nb::handle roi, nb::handle crop, std::int64_t memory_bytes) {
  Input input;
  input.source = source_of_array(image, "image", memory_bytes);
  const Shape whole = input.layout().shape;
  const std::optional<Box> box = box_of_crop(crop, whole);
  if (box) about_argument("crop", crop, [&] { input.source = tamis::crop(std::move(input.source), *box); });
  if (roi.is_none()) return input;
  if (PyUnicode_Check(roi.ptr())) {
    const auto word = nb::cast<std::string>(roi);
    if (word != "cylinder") throw InputError("roi='" + word + "': wanted 'cylinder' or an array");
    if (!box) {
      input.region.kind = Region::Kind::Cylinder;
      return input;
    }
    // The field of view is that of the whole slice, wherever the crop lies in it.
    input.disk = std::make_unique<Image>(inscribed_disk(whole.y, whole.x));
    input.mask = tamis::crop(source_of(*input.disk), Box{0, 1, box->y0, box->y1, box->x0, box->x1});
  } else {
    input.mask = source_of_array(roi, "roi", memory_bytes);
    if (box) input.mask = cropped_mask(std::move(input.mask), whole, *box);
  }
  input.region.kind = Region::Kind::Mask;
  input.region.mask = input.mask.get();
  return input;
}

}  // namespace tamis::python
