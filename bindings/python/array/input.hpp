// The image of a call as its keywords want it: cropped, with the region that counts.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string_view>

#include <tamis/image.hpp>
#include <tamis/threshold.hpp>

namespace tamis::python {

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
