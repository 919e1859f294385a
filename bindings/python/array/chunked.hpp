// Arrays that lie in chunks, on a disk or in a graph of tasks (Dask, Zarr, HDF5), read as they are needed.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string_view>

#include <tamis/image.hpp>

namespace tamis::python {

/// `reader` is a tamis._chunks.Reader. Reading takes the GIL, from whatever thread; errors of Python pass through.
[[nodiscard]] std::unique_ptr<SliceSource> chunked_source(nanobind::object reader, std::string_view what);

}  // namespace tamis::python
