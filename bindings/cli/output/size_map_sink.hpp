// A file of a size map, which viewers then show in the colours of our own pictures.
#pragma once

#include <memory>

#include <tamis/io.hpp>

namespace tamis::cli {

/// Hands slices on to `sink` and tells it at the end how to show them: black is the background, 0, and the largest sample
/// is the last colour. Samples are u8, u16, u32 or f32. Without that a map whose sizes end at 40 opens nearly black.
[[nodiscard]] std::unique_ptr<SliceSink> shown_as_sizes(std::unique_ptr<SliceSink> sink, const Layout& layout);

}  // namespace tamis::cli
