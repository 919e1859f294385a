// tamis.threshold and tamis.threshold_value.
#include <tamis/threshold.hpp>

#include <nanobind/stl/string_view.h>

#include <tamis/error.hpp>

#include "python/array/array.hpp"
#include "python/array/binary.hpp"
#include "python/array/output.hpp"
#include "python/array/strided.hpp"
#include "python/family/families.hpp"
#include "python/family/gpu_operations.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

const char* const threshold_doc = R"(Grey values to True and False.

Parameters
----------
image : array, shape (y, x) or (z, y, x)
    Any real type. Views are taken as they are; Dask, Zarr and HDF5 arrays are read chunk by chunk.
threshold : float, str or (float, float)
    True is above this value; above LO and not above HI; or above the value that a method chooses: 'otsu', 'li',
    'kapur', 'minimum', 'triangle', 'isodata' or 'mean'. None: the larger of the image's two values.
phase : str
    'bright', or 'dark' for the rest of the region.
roi : str or array, optional
    'cylinder', the disk inscribed in each slice, or an array that is not 0 inside, of the image's shape or one slice
    for all. Only what is inside counts, also for the choice of the value; outside is False.
crop : str
    'x0:x1,y0:y1,z0:z1', half open, x first. Slicing does the same, but the cylinder stays that of the whole slice.
out : array of bool, optional
    Where to write; any strides.
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
array of bool, shape of the image

Raises
------
InputError
    For NaN, colour, masked arrays, a constant image with a method, an `out` of another shape.

See Also
--------
threshold_value : the value alone

Examples
--------
>>> import numpy, tamis
>>> image = numpy.array([[10, 20, 200], [15, 210, 220]], numpy.uint8)
>>> tamis.threshold(image, "otsu").astype(int)
array([[0, 0, 1],
       [0, 1, 1]])
>>> int(tamis.threshold(image, (12, 200), phase="dark").sum())
3
)";

const char* const threshold_value_doc = R"(The value that a method chooses; bright is image > value.

Parameters
----------
image : array, shape (y, x) or (z, y, x)
    Any real type. Integers of up to 16 bits have a bin a value, others 256 equal bins from minimum to maximum.
method : str
    'otsu', 'li', 'kapur', 'minimum', 'triangle', 'isodata' or 'mean'.
roi, crop
    What counts, as for `threshold`.
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
float

Raises
------
InputError
    For NaN, a constant image, and where a method has no answer.

References
----------
N. Otsu 1979; C. H. Li, C. K. Lee 1993; J. N. Kapur, P. K. Sahoo, A. K. C. Wong 1985; J. M. S. Prewitt,
M. L. Mendelsohn 1966 (minimum); G. W. Zack, W. E. Rogers, S. A. Latt 1977 (triangle); T. W. Ridler, S. Calvard 1978
(isodata).

Examples
--------
>>> import numpy, tamis
>>> tamis.threshold_value(numpy.array([[10, 20, 200], [15, 210, 220]], numpy.uint8), "mean")
112.5
)";

ArrayResult threshold(const Keywords& keywords, ImageArgument image, ThresholdArgument threshold,
                      std::string_view phase, RoiArgument roi, std::string_view crop, OutArgument out) {
  Call call(keywords);
  if (lives_on_gpu(image.value)) {
    return gpu_threshold(call, image.value, threshold.value, phase, roi.value, crop, out.value);
  }
  Input input = take_input(image.value, roi.value, crop, call.context().memory_bytes);
  const Output output(Type::Bool, input.layout().shape, out.value);
  const Binary binary = binary_of(call, input, threshold.value, phase);
  call.run([&](const Context& context) { unpack(context, binary.object, output.samples()); });
  return output.result(image.value);
}

double value(const Keywords& keywords, ImageArgument image, std::string_view method, RoiArgument roi,
             std::string_view crop) {
  Call call(keywords);
  const std::optional<ThresholdMethod> known = threshold_method(method);
  if (!known) {
    throw InputError("method='" + std::string(method) + "': wanted one of " + threshold_method_names());
  }
  if (lives_on_gpu(image.value)) return gpu_threshold_value(call, image.value, *known, roi.value, crop);
  Input input = take_input(image.value, roi.value, crop, call.context().memory_bytes);
  return call.run(
      [&](const Context& context) { return threshold_value(histogram(context, *input.source, input.region), *known); });
}

}  // namespace

void add_threshold(nb::module_& module) {
  add_operation(module, "threshold", threshold, threshold_doc, "image"_a, "threshold"_a.none() = "otsu", nb::kw_only(),
                "phase"_a = "bright", "roi"_a = nb::none(), "crop"_a = "", "out"_a = nb::none());
  add_operation(module, "threshold_value", value, threshold_value_doc, "image"_a, "method"_a = "otsu", nb::kw_only(),
                "roi"_a = nb::none(), "crop"_a = "");
}

}  // namespace tamis::python
