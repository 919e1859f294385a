// tamis.erode, dilate, open, close, gradient, tophat and bothat.
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

#define TAMIS_MORPHOLOGY_DOC(own_parameters)                                                                       \
  "\n\nParameters\n----------\n" TAMIS_FILTER_IMAGE_DOC TAMIS_ELEMENT_DOC own_parameters TAMIS_BORDER_DOC          \
      TAMIS_LINES_DOC TAMIS_ITERATIONS_DOC TAMIS_NAN_DOC TAMIS_FILTER_PARAMETERS_DOC                               \
  "\nReturns\n-------\narray, type and shape of the image\n\nRaises\n------\nInputError\n"                         \
  "    For other types, NaN, colour without `channel_axis`, 3-D elements on images, a border that is no value of " \
  "the\n"                                                                                                          \
  "    type.\n"

#define TAMIS_REBUILD_DOC      \
  "by_reconstruction : bool\n" \
  "    Rebuild what survives, so that it keeps its shape.\n" TAMIS_CONNECTIVITY_DOC

const char* const erode_doc =
    "The minimum under an element: min f(x+b) over its offsets b." TAMIS_MORPHOLOGY_DOC("") R"(
Examples
--------
>>> import numpy, tamis
>>> image = numpy.array([[5, 9, 9, 9, 2, 9]], numpy.uint8)
>>> tamis.erode(image, "rect:3x1")
array([[5, 5, 9, 2, 2, 2]], dtype=uint8)
>>> tamis.erode(image, "rect:3x1", border="constant:0")
array([[0, 5, 9, 2, 2, 0]], dtype=uint8)
)";

const char* const dilate_doc =
    "The maximum under the mirrored element: max f(x-b) over its offsets b." TAMIS_MORPHOLOGY_DOC("") R"(
See Also
--------
erode : its adjoint: dilate(f, B) <= g exactly where f <= erode(g, B)

Notes
-----
OpenCV and scikit-image take f(x+b): for asymmetric elements reflect theirs.

Examples
--------
>>> import numpy, tamis
>>> point = numpy.zeros((3, 5), bool)
>>> point[1, 1] = True
>>> tamis.dilate(point, tamis.element([[1, 1, 1]], origin=(0, 0))).astype(int)
array([[0, 0, 0, 0, 0],
       [0, 1, 1, 1, 0],
       [0, 0, 0, 0, 0]])
)";

const char* const open_doc =
    "Removes what is bright and smaller than an element: an erosion, then a dilation, by the same "
    "element." TAMIS_MORPHOLOGY_DOC(TAMIS_REBUILD_DOC) R"(
Notes
-----
Never above the image, whatever the element; under a neutral border a second opening changes nothing.

References
----------
J. Serra, "Image Analysis and Mathematical Morphology", 1982. By reconstruction: L. Vincent, "Morphological grayscale
reconstruction in image analysis", IEEE Trans. Image Processing 2, 1993.

Examples
--------
>>> import numpy, tamis
>>> image = numpy.array([[1, 7, 1, 4, 5, 6, 1]], numpy.uint8)
>>> tamis.open(image, "rect:2x1")
array([[1, 1, 1, 4, 5, 5, 1]], dtype=uint8)
>>> tamis.open(image, "rect:2x1", by_reconstruction=True)
array([[1, 1, 1, 4, 5, 5, 1]], dtype=uint8)
)";

const char* const close_doc =
    "Removes what is dark and smaller than an element: a dilation, then an erosion, by the same "
    "element." TAMIS_MORPHOLOGY_DOC(TAMIS_REBUILD_DOC) R"(
Notes
-----
Never below the image, whatever the element; under a neutral border a second closing changes nothing.

Examples
--------
>>> import numpy, tamis
>>> tamis.close(numpy.array([[9, 1, 9, 2, 3, 9]], numpy.uint8), "rect:2x1")
array([[9, 9, 9, 3, 3, 9]], dtype=uint8)
)";

const char* const gradient_doc =
    "How much the image changes under an element: dilation - erosion." TAMIS_MORPHOLOGY_DOC(
        "kind : str\n"
        "    'full'; 'inner', image - erosion; 'outer', dilation - image.\n") R"(
Notes
-----
Of int16 differences saturate; of bool a - b is a and not b.

Examples
--------
>>> import numpy, tamis
>>> step = numpy.array([[1, 1, 1, 8, 8, 8]], numpy.uint8)
>>> tamis.gradient(step, "rect:3x1")
array([[0, 0, 7, 7, 0, 0]], dtype=uint8)
>>> tamis.gradient(step, "rect:3x1", kind="inner")
array([[0, 0, 0, 7, 0, 0]], dtype=uint8)
)";

const char* const tophat_doc =
    "What an opening removes, image - opening: bright things smaller than the element." TAMIS_MORPHOLOGY_DOC("") R"(
Examples
--------
>>> import numpy, tamis
>>> tamis.tophat(numpy.array([[1, 7, 1, 4, 5, 6, 1]], numpy.uint8), "rect:2x1")
array([[0, 6, 0, 0, 0, 1, 0]], dtype=uint8)
)";

const char* const bothat_doc =
    "What a closing fills, closing - image: dark things smaller than the element." TAMIS_MORPHOLOGY_DOC("") R"(
Examples
--------
>>> import numpy, tamis
>>> tamis.bothat(numpy.array([[9, 1, 9, 2, 3, 9]], numpy.uint8), "rect:2x1")
array([[0, 8, 0, 1, 0, 0]], dtype=uint8)
)";

/// The keywords of all operations by one element.
struct Arguments {
  nb::handle image;
  nb::handle element;
  std::string_view border;
  std::string_view lines;
  std::int64_t iterations;
  std::string_view nan;
  bool batch;
  std::optional<int> channel_axis;
  nb::handle out;
};

MorphologyOptions options_of(const Arguments& arguments) {
  MorphologyOptions options;
  options.element = structuring_element_of(arguments.element, "element");
  options.border = outside_of(arguments.border);
  options.lines = lines_of(arguments.lines);
  options.iterations = arguments.iterations;
  options.nan = nan_policy_of(arguments.nan);
  return options;
}

FilterArguments filter_arguments(const Arguments& arguments) {
  return {{{arguments.image, "image"}}, arguments.batch, arguments.channel_axis, arguments.out};
}

ArrayResult run(const Keywords& keywords, Operation operation, const Arguments& arguments) {
  Call call(keywords);
  const MorphologyOptions options = options_of(arguments);
  return filter_arrays(
      call, filter_arguments(arguments),
      [&](const Context& context, const std::vector<Image>& images) {
        return morphology(context, operation, images.front(), options);
      },
      [&](const Context& context, const std::vector<GpuArray>& images, const GpuOutput& out) {
        morphology(context, operation, images.front(), out, options);
      });
}

template <Operation operation>
ArrayResult by_element(const Keywords& keywords, ImageArgument image, FlatElementArgument element,
                       std::string_view border, std::string_view lines, std::int64_t iterations, std::string_view nan,
                       bool batch, std::optional<int> channel_axis, OutArgument out) {
  return run(keywords, operation,
             {image.value, element.value, border, lines, iterations, nan, batch, channel_axis, out.value});
}

template <Operation operation, Image (*rebuild)(const Context&, const Image&, const MorphologyOptions&, Connectivity),
          void (*rebuild_on_gpu)(const Context&, const GpuArray&, const GpuOutput&, const MorphologyOptions&,
                                 Connectivity)>
ArrayResult or_rebuilt(const Keywords& keywords, ImageArgument image, FlatElementArgument element,
                       bool by_reconstruction, std::string_view connectivity, std::string_view border,
                       std::string_view lines, std::int64_t iterations, std::string_view nan, bool batch,
                       std::optional<int> channel_axis, OutArgument out) {
  const Arguments arguments{image.value, element.value, border, lines, iterations, nan, batch, channel_axis, out.value};
  const Connectivity neighbours = connectivity_of(connectivity);
  if (!by_reconstruction) return run(keywords, operation, arguments);
  Call call(keywords);
  const MorphologyOptions options = options_of(arguments);
  return filter_arrays(
      call, filter_arguments(arguments),
      [&](const Context& context, const std::vector<Image>& images) {
        return rebuild(context, images.front(), options, neighbours);
      },
      [&](const Context& context, const std::vector<GpuArray>& images, const GpuOutput& to) {
        rebuild_on_gpu(context, images.front(), to, options, neighbours);
      });
}

ArrayResult gradient_of(const Keywords& keywords, ImageArgument image, FlatElementArgument element,
                        std::string_view kind, std::string_view border, std::string_view lines, std::int64_t iterations,
                        std::string_view nan, bool batch, std::optional<int> channel_axis, OutArgument out) {
  static constexpr cli::Choice<Operation> kinds[] = {
      {"full", Operation::Gradient}, {"inner", Operation::InnerGradient}, {"outer", Operation::OuterGradient}};
  const Operation operation =
      about_keyword("kind='" + std::string(kind) + "'", [&] { return cli::parse_choice(kind, kinds); });
  return run(keywords, operation,
             {image.value, element.value, border, lines, iterations, nan, batch, channel_axis, out.value});
}

}  // namespace

void add_morphology(nb::module_& module) {
  const auto add = [&module](const char* name, auto function, const char* doc, const auto&... own) {
    add_operation(module, name, function, doc, "image"_a, "element"_a = "square:3", nb::kw_only(), own...,
                  "border"_a = "neutral", "lines"_a = "invariant", "iterations"_a = 1, "nan"_a = "refuse",
                  "batch"_a = false, "channel_axis"_a = nb::none(), "out"_a = nb::none());
  };
  add("erode", by_element<Operation::Erode>, erode_doc);
  add("dilate", by_element<Operation::Dilate>, dilate_doc);
  add("open", or_rebuilt<Operation::Open, open_by_reconstruction, open_by_reconstruction>, open_doc,
      "by_reconstruction"_a = false, "connectivity"_a = "full");
  add("close", or_rebuilt<Operation::Close, close_by_reconstruction, close_by_reconstruction>, close_doc,
      "by_reconstruction"_a = false, "connectivity"_a = "full");
  add("gradient", gradient_of, gradient_doc, "kind"_a = "full");
  add("tophat", by_element<Operation::TopHat>, tophat_doc);
  add("bothat", by_element<Operation::BotHat>, bothat_doc);
}

}  // namespace tamis::python
