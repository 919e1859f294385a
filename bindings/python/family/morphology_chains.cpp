// tamis.hitmiss, asf and reconstruct: what takes more than one element, or none.
#include <tamis/morphology.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include "cli/option/parse.hpp"
#include "python/family/families.hpp"
#include "python/family/filter.hpp"
#include "python/family/morphology_arguments.hpp"
#include "python/object/element.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

const char* const hitmiss_doc = R"(Where one element fits the bright and another the dark (hit-or-miss).

max(0, min f(x+h) over h in `hit` - max f(x+m) over m in `miss`); of bool both have to fit.

Parameters
----------
)" TAMIS_FILTER_IMAGE_DOC R"(hit, miss : str, Element or array
    What has to be bright, and what has to be dark: 'disk:5', `disk(5)`, or a mask with its origin at index n // 2.
)" TAMIS_BORDER_DOC TAMIS_NAN_DOC TAMIS_FILTER_PARAMETERS_DOC R"(
Returns
-------
array, type and shape of the image

Raises
------
InputError
    As `erode`.

References
----------
P. Soille, "Morphological Image Analysis", 2nd ed. 2004, section 5.1 (unconstrained hit-or-miss).

Examples
--------
>>> import numpy, tamis
>>> line = numpy.array([[0, 1, 1, 1, 0, 1, 0]], bool)
>>> tamis.hitmiss(line, "rect:1x1", tamis.element([[1]], origin=(0, -1))).astype(int)  # right ends
array([[0, 0, 0, 1, 0, 1, 0]])
)";

const char* const asf_doc = R"(Alternating sequential filter: openings and closings by elements that grow.

Parameters
----------
)" TAMIS_FILTER_IMAGE_DOC R"(element : str or Element
    The last of a family: 'disk:5' for radii 1 to 5; squares and cubes take edges 3, 5 ... n. One of square, cube,
    cross, disk, ball, octagon, hexagon.
order : str
    'oc', open and then close at each size, or 'co'.
)" TAMIS_BORDER_DOC TAMIS_NAN_DOC TAMIS_FILTER_PARAMETERS_DOC R"(
Returns
-------
array, type and shape of the image

Raises
------
InputError
    As `erode`; for an element that is none of a family.

References
----------
S. R. Sternberg, "Grayscale morphology", Computer Vision, Graphics, and Image Processing 35, 1986.

Examples
--------
>>> import numpy, tamis
>>> noisy = numpy.array([[2, 9, 2, 2, 2, 8, 8, 8, 0, 8, 8, 8]], numpy.uint8)
>>> tamis.asf(noisy, "disk:1")
array([[2, 2, 2, 2, 2, 8, 8, 8, 8, 8, 8, 8]], dtype=uint8)
)";

const char* const reconstruct_doc = R"(A marker grows inside a mask until it fills what it touches.

Unit dilations of the marker, each held below the mask, until nothing changes.

Parameters
----------
marker, mask : array, shape (y, x) or (z, y, x)
    Of one shape and type: bool, uint8, uint16, int16 or float32. The marker is nowhere above the mask.
by : str
    'dilation', or 'erosion': the marker shrinks onto the mask, which it is nowhere below.
)" TAMIS_CONNECTIVITY_DOC TAMIS_FILTER_PARAMETERS_DOC R"(
Returns
-------
array, type and shape of the mask

Raises
------
InputError
    For other types, NaN, different shapes, a marker that is above the mask, which says where.

Notes
-----
On arrays of a GPU the call waits until it is done.

References
----------
L. Vincent, "Morphological grayscale reconstruction in image analysis", IEEE Trans. Image Processing 2, 1993.

Examples
--------
>>> import numpy, tamis
>>> mask = numpy.array([[3, 5, 5, 0, 7, 7]], numpy.uint8)
>>> marker = numpy.array([[0, 4, 0, 0, 0, 0]], numpy.uint8)
>>> tamis.reconstruct(marker, mask)
array([[3, 4, 4, 0, 0, 0]], dtype=uint8)
)";

template <class Value, std::size_t count>
Value choose(const char* keyword, std::string_view word, const cli::Choice<Value> (&choices)[count]) {
  return about_keyword(std::string(keyword) + "='" + std::string(word) + "'",
                       [&] { return cli::parse_choice(word, choices); });
}

ArrayResult hitmiss_of(const Keywords& keywords, ImageArgument image, FlatElementArgument hit, FlatElementArgument miss,
                       std::string_view border, std::string_view nan, bool batch, std::optional<int> channel_axis,
                       OutArgument out) {
  Call call(keywords);
  HitMissOptions options;
  options.hit = structuring_element_of(hit.value, "hit");
  options.miss = structuring_element_of(miss.value, "miss");
  options.border = outside_of(border);
  options.nan = nan_policy_of(nan);
  return filter_arrays(
      call, {{{image.value, "image"}}, batch, channel_axis, out.value},
      [&](const Context& context, const std::vector<Image>& images) {
        return hitmiss(context, images.front(), options);
      },
      [&](const Context& context, const std::vector<GpuArray>& images, const GpuOutput& to) {
        hitmiss(context, images.front(), to, options);
      });
}

ArrayResult asf_of(const Keywords& keywords, ImageArgument image, FamilyArgument element, std::string_view order,
                   std::string_view border, std::string_view nan, bool batch, std::optional<int> channel_axis,
                   OutArgument out) {
  static constexpr cli::Choice<AsfOptions::Order> orders[] = {{"oc", AsfOptions::Order::OpenClose},
                                                              {"co", AsfOptions::Order::CloseOpen}};
  Call call(keywords);
  AsfOptions options;
  options.element = element_spec_of(element.value, "element");
  options.order = choose("order", order, orders);
  options.border = outside_of(border);
  options.nan = nan_policy_of(nan);
  return filter_arrays(
      call, {{{image.value, "image"}}, batch, channel_axis, out.value},
      [&](const Context& context, const std::vector<Image>& images) { return asf(context, images.front(), options); },
      [&](const Context& context, const std::vector<GpuArray>& images, const GpuOutput& to) {
        asf(context, images.front(), to, options);
      });
}

ArrayResult reconstruct_of(const Keywords& keywords, ImageArgument marker, ImageArgument mask, std::string_view by,
                           std::string_view connectivity, bool batch, std::optional<int> channel_axis,
                           OutArgument out) {
  static constexpr cli::Choice<ReconstructOptions::By> ways[] = {{"dilation", ReconstructOptions::By::Dilation},
                                                                 {"erosion", ReconstructOptions::By::Erosion}};
  Call call(keywords);
  ReconstructOptions options;
  options.by = choose("by", by, ways);
  options.connectivity = connectivity_of(connectivity);
  return filter_arrays(
      call, {{{marker.value, "marker"}, {mask.value, "mask"}}, batch, channel_axis, out.value},
      [&](const Context& context, const std::vector<Image>& images) {
        return reconstruct(context, images[0], images[1], options);
      },
      [&](const Context& context, const std::vector<GpuArray>& images, const GpuOutput& to) {
        reconstruct(context, images[0], images[1], to, options);
      });
}

}  // namespace

void add_morphology_chains(nb::module_& module) {
  const auto add = [&module](const char* name, auto function, const char* doc, const auto&... own) {
    add_operation(module, name, function, doc, own..., "batch"_a = false, "channel_axis"_a = nb::none(),
                  "out"_a = nb::none());
  };
  add("hitmiss", hitmiss_of, hitmiss_doc, "image"_a, "hit"_a = "square:1", "miss"_a = "circle:1", nb::kw_only(),
      "border"_a = "neutral", "nan"_a = "refuse");
  add("asf", asf_of, asf_doc, "image"_a, "element"_a = "square:3", nb::kw_only(), "order"_a = "oc",
      "border"_a = "neutral", "nan"_a = "refuse");
  add("reconstruct", reconstruct_of, reconstruct_doc, "marker"_a, "mask"_a, nb::kw_only(), "by"_a = "dilation",
      "connectivity"_a = "full");
}

}  // namespace tamis::python
