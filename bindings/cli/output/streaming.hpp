// From a source to a file, slab by slab.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/io.hpp>

namespace tamis::cli {

/// Copies all slices; the sink is finished. Throws Cancelled.
void copy(const Context& context, SliceSource& source, SliceSink& sink);

/// A binary image in memory as a source of u8, 0 and 255. The image has to outlive it.
[[nodiscard]] std::unique_ptr<SliceSource> black_and_white(const Image& image);

}  // namespace tamis::cli
