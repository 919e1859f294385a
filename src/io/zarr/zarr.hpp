// Zarr 2 and 3, and OME-Zarr images in them.
#pragma once

#include <memory>
#include <string>

#include <tamis/io.hpp>

#include "io/format.hpp"

namespace tamis::io {

/// A folder that holds_zarr(), or has such a name (store.hpp): an array, or a level of an image.
[[nodiscard]] std::unique_ptr<Source> open_zarr(const std::string& path, const ReadOptions& options);

/// An OME-Zarr image of version 0.4, which lies on Zarr 2, or of 0.5 on Zarr 3: one level, chunks of 16x256x256 or 1024x1024,
/// gzip.
[[nodiscard]] std::unique_ptr<SliceSink> create_zarr(const Target& target, const Layout& layout);

}  // namespace tamis::io
