// Filters: an array becomes an array of its type and shape.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <tamis/gpu_array.hpp>

#include "python/arguments.hpp"
#include "python/context.hpp"

/// The paragraphs on what every filter takes, for docstrings.
#define TAMIS_FILTER_IMAGE_DOC                 \
  "image : array, shape (y, x) or (z, y, x)\n" \
  "    Of bool, uint8, uint16, int16 or float32; `convert` makes them of others. Any view, read-only too.\n"
#define TAMIS_FILTER_PARAMETERS_DOC                                                                                   \
  "batch : bool\n"                                                                                                    \
  "    The first of three axes counts images; otherwise it is the z of a volume.\n"                                   \
  "channel_axis : int, optional\n"                                                                                    \
  "    The axis of the channels, beside (y, x) or (z, y, x); each channel is filtered alone. -1 for colour images.\n" \
  "out : array, optional\n"                                                                                           \
  "    Where to write, of the type and shape of the image, any strides; the image itself is allowed.\n"               \
  "device : str\n"                                                                                                    \
  "    'auto' and 'cpu'; 'cuda' or 'cuda:N' for a GPU, with a copy there and back.\n"                                 \
  "    CuPy arrays and PyTorch tensors on a GPU are filtered there.\n"                                                \
  "threads : int\n"                                                                                                   \
  "    Threads to use; 0: all cores.\n"                                                                               \
  "memory, device_memory : int or str\n"                                                                              \
  "    What is kept at a time of an array that is read chunk by chunk, and limit on the GPU; bytes or '4G'. 0: as\n"  \
  "    much as is there. The image and the result are in memory as a whole.\n"                                        \
  "simd : str\n"                                                                                                      \
  "    'best', 'avx512', 'avx2' or 'portable'. Results do not depend on it.\n"                                        \
  "progress : bool or callable, optional\n"                                                                           \
  "    True draws a bar with tqdm; a function is called with (stage, done, total), total 0 where not known.\n"

namespace tamis::python {

/// An array and the name of its parameter.
struct NamedArray {
  nb::handle array;
  std::string_view name;
};

struct FilterArguments {
  std::vector<NamedArray> images;  ///< of one shape; the result is of the kind of the last
  bool batch = false;
  std::optional<int> channel_axis;
  nb::handle out;
};

/// A filter of one image (or of as many as it takes) as the library has it.
using Filter = std::function<Image(const Context&, const std::vector<Image>&)>;

/// One of an image that reads and writes nothing behind the last sample, into one that is there already or is made:
/// arrays that lie as images do are filtered where they lie.
using FilterInto = std::function<void(const Context&, const Image&, Image& out)>;

/// The same filter of arrays that lie on a GPU.
using GpuFilter = std::function<void(const Context&, const std::vector<GpuArray>&, const GpuOutput&)>;

/// Reads the arrays, filters channel by channel, and writes when all went well. Arrays on a GPU stay there.
[[nodiscard]] ArrayResult filter_arrays(Call& call, const FilterArguments& arguments, const Filter& filter,
                                        const GpuFilter& gpu_filter);
[[nodiscard]] ArrayResult filter_arrays(Call& call, const FilterArguments& arguments, const FilterInto& filter,
                                        const GpuFilter& gpu_filter);

}  // namespace tamis::python
