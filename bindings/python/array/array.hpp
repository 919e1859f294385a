// Arrays of the caller as the library takes them. Where an array lives decides its kind, and each kind has a file:
// host memory (host.cpp), chunks that are read as they are needed (chunked.cpp), a GPU.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include <tamis/image.hpp>

namespace tamis::python {

/// Whether the samples lie on a GPU: CuPy, PyTorch and whatever else says so through DLPack or the CUDA array
/// interface. The operations ask this first; what they do then has no source and copies nothing to the host.
[[nodiscard]] bool lives_on_gpu(nanobind::handle array);

/// An array in host memory or in chunks, as a source. `what` is its name in errors, `memory_bytes` bounds what a
/// chunked one keeps at a time (0: a default).
/// Takes anything with the buffer protocol as it lies: any strides, read-only, of either byte order. Rows whose samples
/// lie one after the other are used in place; others are gathered slab by slab while the work goes on.
/// Throws InputError, which names the cure, for masked, complex, object and colour arrays, and for other ranks than 2
/// and 3. The source keeps the array, and has to be destroyed with the GIL held.
[[nodiscard]] std::unique_ptr<SliceSource> source_of_array(nanobind::handle array, std::string_view what,
                                                           std::int64_t memory_bytes = 0);

// Arrays that lie in chunks, on a disk or in a graph of tasks (Dask, Zarr, HDF5), read as they are needed.

/// `reader` is a tamis._chunks.Reader. Reading takes the GIL, from whatever thread; errors of Python pass through.
[[nodiscard]] std::unique_ptr<SliceSource> chunked_source(nanobind::object reader, std::string_view what);

}  // namespace tamis::python
