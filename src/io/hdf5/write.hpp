// HDF5 out.
#pragma once

#include <memory>

#include <tamis/io.hpp>

#include "io/output/temporary_file.hpp"

namespace tamis::io {

/// `file.h5:/path`, /data by default; chunked, shuffled, deflated; bool as 0 and 255. An existing file is replaced
/// whole, whatever else was in it.
[[nodiscard]] std::unique_ptr<SliceSink> create_hdf5(const Target& target, const Layout& layout);

}  // namespace tamis::io
