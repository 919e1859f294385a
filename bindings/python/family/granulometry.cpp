// tamis.granulometry and tamis.size_map.
#include <tamis/granulometry.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <string>

#include <tamis/error.hpp>

#include "python/array/array.hpp"
#include "python/array/binary.hpp"
#include "python/array/size_map.hpp"
#include "python/family/families.hpp"
#include "python/family/gpu_operations.hpp"
#include "python/family/grey_granulometry.hpp"
#include "python/family/line_granulometry.hpp"
#include "python/object/sizes.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

#define TAMIS_OBJECT_PARAMETERS_DOC                                                                                    \
  "image : array, shape (y, x) or (z, y, x)\n"                                                                         \
  "    Bool: True is the object. Of two values the larger is the object. Anything else needs `threshold`. Views are\n" \
  "    taken as they are. Dask, Zarr and HDF5 arrays, and OME-Zarr groups, are read chunk by chunk into bits.\n"       \
  "threshold : float, str or (float, float), optional\n"                                                               \
  "    Bright is above this value; above LO and not above HI; or above the value that a method chooses: 'otsu',\n"     \
  "    'li', 'kapur', 'minimum', 'triangle', 'isodata' or 'mean'.\n"                                                   \
  "element : str or array\n"                                                                                           \
  "    The unit element that grows: 'cross' (octahedron, diamond in 2-D), 'cube' (3-D) or 'square' (slice by slice\n"  \
  "    in 3-D); `cross(1)`, `cube(3)`, `square(3)`; or an array that equals one of them.\n"                            \
  "border : str\n"                                                                                                     \
  "    What lies outside the region: 'background', which cuts sizes short, or 'neutral', which never erodes.\n"        \
  "phase : str\n"                                                                                                      \
  "    'bright', or 'dark': the object is the rest of the region. Pores of a scan are mostly dark.\n"                  \
  "roi : str or array, optional\n"                                                                                     \
  "    'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one\n"  \
  "    slice for all.\n"                                                                                               \
  "crop : str\n"                                                                                                       \
  "    'x0:x1,y0:y1,z0:z1', half open, x first. Slicing does the same, but the cylinder stays that of the whole\n"     \
  "    slice.\n"                                                                                                       \
  "max_size : int, optional\n"                                                                                         \
  "    The last size, 0 to 65534; otherwise until nothing is left.\n"                                                  \
  "algorithm : str\n"                                                                                                  \
  "    'recursion', the fast one, or 'paper', that of Boulos et al. 2012. The result is the same.\n"                   \
  "spacing : str, float or sequence, optional\n"                                                                       \
  "    Edges of a voxel: '2.5um', '1x1x2um' (x first); or numbers in the order of the axes (z, y, x), with `unit`.\n"  \
  "unit : str\n"                                                                                                       \
  "    'nm', 'um', 'mm', 'cm' or 'm', where `spacing` is a number.\n"

const char* const granulometry_doc =
    R"(The size distribution of an object: what openings by growing elements leave of it.

Opening n is n unit erosions, then n unit dilations, inside the region. Exact; the same with any number of threads, on
any device. With grey=True grey values are sieved instead of an object. element='line@A': by segments of n pixels
along traced lines at A degrees, all sizes in one pass, on the CPU.

Parameters
----------
)" TAMIS_OBJECT_PARAMETERS_DOC R"(grey : bool
    No object: the curve is the sum of grey values above the lowest one after grey openings, of the dark phase below
    the highest one after closings. Of uint8, uint16, int16 and float32 (without NaN), on the whole image or `crop`.
    Elements of size n are also 'disk' and 'octagon' (slice by slice in 3-D) and 'ball' (3-D).
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
Sizes

Raises
------
InputError
    For arrays, types and parameters that cannot be used. EnvironmentError if memory is short or a GPU is missing.

References
----------
V. Boulos, V. Fristot, D. Houzet, L. Salvo, P. Lhuissier, "Investigating performance variations of an optimized
GPU-ported granulometry algorithm", DASIP 2012. P. Maragos, "Pattern spectrum and multiscale shape representation",
IEEE Trans. PAMI 11, 1989.

Examples
--------
>>> import numpy, tamis
>>> image = numpy.zeros((9, 9), bool)
>>> image[1:4, 1:4] = True
>>> image[5, 5] = True
>>> sizes = tamis.granulometry(image, element="square", spacing="2um")
>>> sizes.curve
array([10,  9,  0])
>>> sizes.spectrum
array([1, 9, 0])
>>> sizes.predominant, sizes.width[sizes.predominant]
(1, np.float64(6.0))

Grey values, as they are:

>>> photo = numpy.full((9, 9), 20, numpy.uint8)
>>> photo[1:4, 1:4] = 120
>>> photo[5, 5] = 220
>>> tamis.granulometry(photo, grey=True, element="square").curve
array([1100,  900,    0])
)";

const char* const size_map_doc = R"(At every voxel the size of what it belongs to.

The value is the number of the opening that removes the voxel, so n+1 for a voxel of size n, 0 on the background, and
max_size + 1 for what is left then. Opening n is `size_map > n`.

Parameters
----------
)" TAMIS_OBJECT_PARAMETERS_DOC R"(widths : bool
    The width of the largest element that holds the voxel, float32, in `unit` or voxels, instead.
out : array, optional
    Where to write, any strides: of an unsigned type wide enough for the sizes, or float32 with `widths`.
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
array, shape of the image
    Of uint8; uint16 or uint32 where there are more sizes.

Raises
------
InputError
    As `granulometry`; also for `widths` of anisotropic voxels and an `out` that cannot hold the sizes.

Examples
--------
>>> import numpy, tamis
>>> image = numpy.zeros((5, 6), bool)
>>> image[1:4, 1:4] = True
>>> image[2, 5] = True
>>> tamis.size_map(image, element="square")
array([[0, 0, 0, 0, 0, 0],
       [0, 2, 2, 2, 0, 0],
       [0, 2, 2, 2, 0, 1],
       [0, 2, 2, 2, 0, 0],
       [0, 0, 0, 0, 0, 0]], dtype=uint8)
)";

/// The object, its bits on the host or where a GPU has made them, with the options of its granulometry.
struct Prepared {
  Binary binary;
  std::optional<GpuBinary> on_gpu;
  Shape shape;
  Spacing spacing;
  GranulometryOptions options;
};

Prepared prepare(Call& call, const ObjectArguments& arguments) {
  Prepared prepared;
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  const Layout& layout = input.layout();
  prepared.options.element = element_of(arguments.element, layout.shape.rank);
  prepared.options.border = border_of(arguments.border);
  prepared.options.algorithm = algorithm_of(arguments.algorithm);
  prepared.options.max_size = arguments.max_size;
  const std::optional<Spacing> spacing = spacing_of(arguments.spacing, arguments.unit, layout.shape.rank);
  prepared.shape = layout.shape;
  prepared.spacing = spacing.value_or(layout.spacing);
  prepared.on_gpu = gpu_binary_of(call, input, arguments.threshold, arguments.phase);
  if (!prepared.on_gpu) prepared.binary = binary_of(call, input, arguments.threshold, arguments.phase);
  return prepared;
}

/// An image of grey values has another way to go than the one that the library names.
[[noreturn]] void teach_grey(const InputError& error) {
  const std::string text = error.what();
  const bool grey = text.find("more than two values") != std::string::npos;
  throw InputError(grey ? text + "; or grey=True for sums of grey values" : text);
}

SizesResult granulometry_of_array(const Keywords& keywords, ImageArgument image, ThresholdArgument threshold,
                                  ElementArgument element, std::string_view border, std::string_view phase,
                                  RoiArgument roi, std::string_view crop, std::optional<std::int64_t> max_size,
                                  std::string_view algorithm, SpacingArgument spacing, std::string_view unit,
                                  bool grey) {
  Call call(keywords);
  const ObjectArguments arguments{image.value, threshold.value, element.value, border,        phase, roi.value,
                                  crop,        max_size,        algorithm,     spacing.value, unit};
  if (grey) return grey_granulometry_of_array(call, arguments);
  const std::optional<double> angle = line_angle_of(arguments.element);
  if (lives_on_gpu(image.value) && !angle) return gpu_granulometry(call, arguments);
  if (angle) return line_granulometry_of_array(call, arguments);
  Prepared prepared;
  try {
    prepared = prepare(call, arguments);
  } catch (const InputError& error) {
    teach_grey(error);
  }
  const GranulometryOptions& options = prepared.options;
  SizesResult result;
  result.sizes = call.run([&](const Context& context) {
    const Binary& binary = prepared.binary;
    return prepared.on_gpu ? granulometry(context, *prepared.on_gpu, options)
                           : granulometry(context, binary.object, options, binary.domain);
  });
  result.sizes.spacing = prepared.spacing;
  result.element = name(options.element);
  result.border = name(options.border);
  return result;
}

ArrayResult size_map_of_array(const Keywords& keywords, ImageArgument image, ThresholdArgument threshold,
                              ElementArgument element, std::string_view border, std::string_view phase, RoiArgument roi,
                              std::string_view crop, std::optional<std::int64_t> max_size, std::string_view algorithm,
                              SpacingArgument spacing, std::string_view unit, bool widths, OutArgument out) {
  Call call(keywords);
  const ObjectArguments arguments{image.value, threshold.value, element.value, border,        phase, roi.value,
                                  crop,        max_size,        algorithm,     spacing.value, unit};
  if (lives_on_gpu(image.value)) return gpu_size_map(call, arguments, widths, out.value);
  const Prepared prepared = prepare(call, arguments);
  const GranulometryOptions& options = prepared.options;
  SizeMapOutput output(prepared.shape, prepared.spacing, options.element, widths, out.value);
  const auto start = [&](Type type) { output.start(type); };
  const auto write = [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
    output.write(slices, z0, count);
  };
  call.run([&](const Context& context) {
    const Binary& binary = prepared.binary;
    static_cast<void>(prepared.on_gpu ? size_map(context, *prepared.on_gpu, options, start, write)
                                      : size_map(context, binary.object, options, binary.domain, start, write));
  });
  return output.result(image.value);
}

}  // namespace

void add_granulometry(nb::module_& module) {
  const auto add = [&module](const char* name, auto function, const char* doc, const auto&... own) {
    add_operation(module, name, function, doc, "image"_a, "threshold"_a = nb::none(), nb::kw_only(),
                  "element"_a = "cross", "border"_a = "background", "phase"_a = "bright", "roi"_a = nb::none(),
                  "crop"_a = "", "max_size"_a = nb::none(), "algorithm"_a = "recursion", "spacing"_a = nb::none(),
                  "unit"_a = "", own...);
  };
  add("granulometry", granulometry_of_array, granulometry_doc, "grey"_a = false);
  add("size_map", size_map_of_array, size_map_doc, "widths"_a = false, "out"_a = nb::none());
}

}  // namespace tamis::python
