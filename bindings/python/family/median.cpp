// tamis.median and smooth.
#include <tamis/median.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <string>

#include "cli/option/parse.hpp"
#include "python/family/families.hpp"
#include "python/family/filter.hpp"
#include "python/family/morphology_arguments.hpp"
#include "python/object/element.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

#define TAMIS_MEDIAN_KEYWORDS_DOC                                                                                    \
  "iterations : int\n"                                                                                               \
  "    So many times, each on the result before.\n"                                                                  \
  "border : str\n"                                                                                                   \
  "    What lies outside: 'reflect', the image mirrored with the edge sample repeated (SciPy's default); 'nearest'," \
  "\n"                                                                                                               \
  "    the edge sample; 'constant:V', a value that the type has; 'shrink', or 'neutral': windows have only the\n"    \
  "    samples inside.\n" TAMIS_NAN_DOC TAMIS_FILTER_PARAMETERS_DOC

const char* const median_doc = R"(The median, or another percentile, of the samples in a window, everywhere.

Of n samples sorted, the one with index min(n - 1, floor(n * percentile / 100)). Exact for every window and type.

Parameters
----------
)" TAMIS_FILTER_IMAGE_DOC R"(size : int, str or (int, int, int) or (int, int), optional
    Edges of the window: 5 is a square, of volumes a cube; (z, y, x) or (y, x), in the order of the axes; '7x3' and
    '7x3x5', x first. Two edges act on volumes slice by slice. The origin of an even edge n is at index n // 2, as in
    SciPy. None: 3, or `element`.
element : str, Element or array, optional
    The window instead of a size: 'disk:5', `disk(5)`, or a mask with its origin at index n // 2. 2-D windows act on
    volumes slice by slice.
percentile : float
    0 is the minimum, 100 the maximum. 50 of an even number of samples is the upper of the two in the middle.
)" TAMIS_MEDIAN_KEYWORDS_DOC R"(
Returns
-------
array, type and shape of the image

Raises
------
InputError
    For other types, NaN, colour without `channel_axis`, both `size` and `element`, 3-D windows on images, a border that
    is no value of the type.

See Also
--------
smooth : for large windows: near the median, and cheaper

Notes
-----
Where a window sees no sample at all the result is the sample itself.

References
----------
G. Perrot, "Implementing a fast median filter", in R. Couturier (ed.), "Designing Scientific Applications on GPUs", CRC
Press, 2013.

Examples
--------
>>> import numpy, tamis
>>> noisy = numpy.array([[2, 2, 9, 2, 3, 8, 8, 0, 8]], numpy.uint8)
>>> tamis.median(noisy, (1, 3))
array([[2, 2, 2, 3, 3, 8, 8, 8, 8]], dtype=uint8)
>>> tamis.median(noisy, element="disk:1", percentile=0, border="nearest")
array([[2, 2, 2, 2, 2, 3, 0, 0, 0]], dtype=uint8)
)";

const char* const smooth_doc = R"(Perrot's smoother: medians along y, of these along x, of these along z.

No median of the box, but near it where the window is large, and cheaper.

Parameters
----------
)" TAMIS_FILTER_IMAGE_DOC R"(size : int, str or (int, int, int) or (int, int)
    Samples along each axis: 55 along all; (z, y, x) or (y, x), in the order of the axes; '31x55' and '31x55x9', x
    first. Two numbers: not along z.
)" TAMIS_MEDIAN_KEYWORDS_DOC R"(
Returns
-------
array, type and shape of the image

Raises
------
InputError
    As `median`.

See Also
--------
median : the exact one

References
----------
G. Perrot, "Implementing a fast median filter", in R. Couturier (ed.), "Designing Scientific Applications on GPUs", CRC
Press, 2013.

Examples
--------
>>> import numpy, tamis
>>> image = numpy.array([[1, 9, 3], [8, 2, 7], [4, 6, 5]], numpy.uint8)
>>> tamis.smooth(image, 3, border="shrink")[1, 1], tamis.median(image, 3)[1, 1]
(np.uint8(5), np.uint8(5))
)";

/// The keywords of both.
struct Arguments {
  std::int64_t iterations;
  std::string_view border;
  std::string_view nan;
};

template <class Options>
Options options_of(const Arguments& arguments) {
  Options options;
  options.iterations = arguments.iterations;
  options.border = about_keyword("border='" + std::string(arguments.border) + "'",
                                 [&] { return cli::parse_median_border(arguments.border); });
  options.nan = nan_policy_of(arguments.nan);
  return options;
}

/// The window, which may have to know the rank of the image.
struct WindowOfImage {
  std::string edges = "3";
  std::optional<StructuringElement> element;

  WindowOfImage(nb::handle size, nb::handle given) {
    if (!size.is_none() && !given.is_none()) throw InputError("size and element; wanted one of them");
    if (!size.is_none()) edges = edges_of(size);
    if (!given.is_none()) element = structuring_element_of(given, "element");
  }
  [[nodiscard]] StructuringElement on(int rank) const { return element ? *element : window_of_size(edges, rank); }
};

ArrayResult median_of(const Keywords& keywords, ImageArgument image, SizeArgument size, FlatElementArgument element,
                      double percentile, std::int64_t iterations, std::string_view border, std::string_view nan,
                      bool batch, std::optional<int> channel_axis, OutArgument out) {
  Call call(keywords);
  const WindowOfImage window(size.value, element.value);
  auto options = options_of<MedianOptions>({iterations, border, nan});
  options.percentile = percentile;
  return filter_arrays(
      call, {{{image.value, "image"}}, batch, channel_axis, out.value},
      [&](const Context& context, const Image& from, Image& to) {
        options.window = window.on(from.shape().rank);
        median(context, from, options, to);
      },
      [&](const Context& context, const std::vector<GpuArray>& images, const GpuOutput& to) {
        options.window = window.on(images.front().shape.rank);
        median(context, images.front(), to, options);
      });
}

ArrayResult smooth_of(const Keywords& keywords, ImageArgument image, SizeArgument size, std::int64_t iterations,
                      std::string_view border, std::string_view nan, bool batch, std::optional<int> channel_axis,
                      OutArgument out) {
  Call call(keywords);
  const std::string edges = edges_of(size.value);
  auto options = options_of<SmoothOptions>({iterations, border, nan});
  return filter_arrays(
      call, {{{image.value, "image"}}, batch, channel_axis, out.value},
      [&](const Context& context, const Image& from, Image& to) {
        cli::set_edges(options, edges, from.shape().rank);
        smooth(context, from, options, to);
      },
      [&](const Context& context, const std::vector<GpuArray>& images, const GpuOutput& to) {
        cli::set_edges(options, edges, images.front().shape.rank);
        smooth(context, images.front(), to, options);
      });
}

}  // namespace

void add_medians(nb::module_& module) {
  const auto add = [&module](const char* name, auto function, const char* doc, const auto&... own) {
    add_operation(module, name, function, doc, "image"_a, own..., "iterations"_a = 1, "border"_a = "reflect",
                  "nan"_a = "refuse", "batch"_a = false, "channel_axis"_a = nb::none(), "out"_a = nb::none());
  };
  add("median", median_of, median_doc, "size"_a = nb::none(), nb::kw_only(), "element"_a = nb::none(),
      "percentile"_a = 50.0);
  add("smooth", smooth_of, smooth_doc, "size"_a = 55, nb::kw_only());
}

}  // namespace tamis::python
