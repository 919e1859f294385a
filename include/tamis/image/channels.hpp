// Images in memory out of a source of slices and back, one for each channel of a colour image.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// Of what read_channels() makes.
[[nodiscard]] std::int64_t bytes_of_channels(const Layout& layout);

/// All slices, in memory: one image for each channel, of the source's shape; bits are packed. `stack`: of rank 2,
/// slices that have nothing to do with each other. Throws Cancelled, and ResourceError where the memory limit is less.
[[nodiscard]] std::vector<Image> read_channels(const Context& context, SliceSource& source, bool stack);

/// The same the other way round; `layout` is the one of the file. The images have to outlive it.
[[nodiscard]] std::unique_ptr<SliceSource> joined(const std::vector<Image>& channels, const Layout& layout);

/// Bytes that copy_slices() takes of a layout.
[[nodiscard]] std::int64_t bytes_of_copy(const Layout& layout);

/// Copies all slices, some at a time; the sink is not finished. Throws Cancelled.
void copy_slices(const Context& context, SliceSource& source, SliceSink& sink);

}  // namespace tamis
