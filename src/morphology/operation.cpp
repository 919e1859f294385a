// What people and front ends have to know of erode, dilate, open, close and what is built from them.
#include "operations.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <tamis/gpu/array.hpp>
#include <tamis/memory.hpp>
#include <tamis/operations/words.hpp>
#include <tamis/morphology.hpp>

#include "core/operation/operation.hpp"
#include "morphology/plan/filter.hpp"
#include "morphology/run.hpp"

namespace tamis::morphology_detail {
namespace {

constexpr Choice<Operation> gradients[] = {
    {"full", Operation::Gradient}, {"inner", Operation::InnerGradient}, {"outer", Operation::OuterGradient}};
constexpr Choice<AsfOptions::Order> orders[] = {{"oc", AsfOptions::Order::OpenClose},
                                                {"co", AsfOptions::Order::CloseOpen}};
constexpr Choice<ReconstructOptions::By> ways[] = {{"dilation", ReconstructOptions::By::Dilation},
                                                   {"erosion", ReconstructOptions::By::Erosion}};

/// One operation by one element.
struct ElementArguments : MorphologyOptions {
  Operation operation = Operation::Erode;
  bool by_reconstruction = false;
  Connectivity connectivity = Connectivity::Full;
};

const char* const section = "Element";
const char* const element_details = "2-D elements act on volumes slice by slice.";

template <class Options>
auto element_parameter(StructuringElement Options::*member, const char* name, const char* text, const char* example) {
  return parameter(member, name).text(text).details(element_details).example(example).positional();
}

template <class Options>
auto border_parameter(Border Options::*member) {
  return parameter(member, "border")
      .words({"neutral", "reflect", "mirror", "nearest", "wrap", "constant:V"})
      .text("what lies outside of the image: nothing that counts, its reflection, its edge, the image again, or a value")
      .details(
          "At each elementary step. As in SciPy, reflect repeats the edge sample and mirror does not; wrap goes on at "
          "the other end. A value has to be one of the image's type.")
      .example("reflect");
}

template <class Options>
auto connectivity_parameter(Connectivity Options::*member) {
  return parameter(member, "connectivity")
      .choices(connectivities)
      .text("which samples are neighbours: across faces, or corners and edges too")
      .details("4 in an image and 6 in a volume, or 8 and 26.")
      .example("face");
}

std::string element_text(const MorphologyOptions& options, int rank) {
  const std::optional<StructuringElement::Segment> segment = options.element.segment();
  if (options.lines == Lines::Invariant || !segment) return offsets_text(options.element, rank);
  return fmt::format("{} ({:g} samples of each line)", options.element.spec(), segment->length);
}

FilterReport report_of(const ElementArguments& arguments, const Shape& shape) {
  FilterReport report;
  report.parameters = {{"element", element_text(arguments, shape.rank)}, {"border", to_string(arguments.border)}};
  if (arguments.element.segment()) report.parameters.emplace_back("lines", name(arguments.lines));
  if (arguments.iterations > 1) report.parameters.emplace_back("iterations", fmt::format("{}", arguments.iterations));
  if (arguments.by_reconstruction) report.parameters.emplace_back("rebuilt by", "reconstruction");
  report.name = name(arguments.operation);
  Operation computed = arguments.operation;
  if (arguments.by_reconstruction) computed = computed == Operation::Open ? Operation::Erode : Operation::Dilate;
  report.plan = explain(computed, shape, arguments);
  return report;
}

void filter(const Context& context, const Image& image, const ElementArguments& arguments, Image& out) {
  if (!arguments.by_reconstruction) return morphology(context, arguments.operation, image, arguments, out);
  out = arguments.operation == Operation::Open
            ? open_by_reconstruction(context, image, arguments, arguments.connectivity)
            : close_by_reconstruction(context, image, arguments, arguments.connectivity);
}

void filter(const Context& context, const GpuArray& image, const ElementArguments& arguments, const GpuOutput& out) {
  if (!arguments.by_reconstruction) return morphology(context, arguments.operation, image, out, arguments);
  if (arguments.operation == Operation::Open) {
    open_by_reconstruction(context, image, out, arguments, arguments.connectivity);
  } else {
    close_by_reconstruction(context, image, out, arguments, arguments.connectivity);
  }
}

constexpr Offset whole_image{whole_axis, whole_axis, whole_axis};

FilterCalls element_calls() {
  FilterCalls calls;
  calls.reach = [](const Arguments& arguments, Type type, const Shape& shape) {
    const auto& own = arguments.as<ElementArguments>();
    const Offset reach = reach_of(plan_filter(own.operation, type, shape, own));
    return own.by_reconstruction ? whole_image : reach;
  };
  calls.run = [](const Context& context, std::span<const Image* const> images, const Arguments& arguments, Image& out) {
    filter(context, *images.front(), arguments.as<ElementArguments>(), out);
    return FilterDone();
  };
  calls.run_on_gpu = [](const Context& context, std::span<const GpuArray> images, const Arguments& arguments,
                        const GpuOutput& out) {
    filter(context, images.front(), arguments.as<ElementArguments>(), out);
  };
  calls.bytes_between = [](const Arguments& arguments, Type type, const Shape& shape) {
    const auto& own = arguments.as<ElementArguments>();
    const std::int64_t rebuilding = image_bytes(type, shape) + bytes_of_reconstruct(type, shape);
    return (own.by_reconstruction ? rebuilding : 0) +
           bytes_laid_out(plan_filter(own.operation, type, shape, own), type, shape);
  };
  calls.report = [](const Context&, const Arguments& arguments, Type, const Shape& shape) {
    return report_of(arguments.as<ElementArguments>(), shape);
  };
  calls.keeps_to_samples = true;
  calls.better_as_bytes = [](const Arguments& arguments, const Shape& shape) {
    const auto& own = arguments.as<ElementArguments>();
    return !own.by_reconstruction && better_as_bytes(own.operation, own, shape);
  };
  return calls;
}

/// What the operations by one element differ in.
struct Words {
  std::string text;
  std::string details;
  std::vector<std::string> examples;
  std::string python;
  std::string notes = {};
  std::vector<std::string> references = {};
  std::vector<std::string> see_also = {};
};

OperationDescription filter_description(std::string_view name, Words words) {
  OperationDescription description;
  description.name = name;
  description.text = std::move(words.text);
  description.details = std::move(words.details);
  description.takes = {{"image", filter_types(), "the image or volume; colour is worked on channel by channel"}};
  description.gives = {{"out", filter_types(), "the result, of the same type"}};
  description.refuses =
      "samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D elements on images, a border that is no "
      "value of the type";
  description.reach = Reach::Window;
  description.examples = std::move(words.examples);
  description.python = std::move(words.python);
  description.notes = std::move(words.notes);
  description.references = std::move(words.references);
  description.see_also = std::move(words.see_also);
  return description;
}

/// `more`: the parameters that only this operation has.
template <class... First, class... Last>
OperationDescription by_element(Operation operation, Words words, const std::tuple<First...>& first,
                                const std::tuple<Last...>& last) {
  OperationDescription description = filter_description(name(operation), std::move(words));
  description.filter = element_calls();
  description.gives_new_values =
      operation == Operation::Gradient || operation == Operation::TopHat || operation == Operation::BotHat;
  ElementArguments defaults;
  defaults.operation = operation;
  const auto all = std::tuple_cat(
      std::tuple(element_parameter(&ElementArguments::element, "element", "the structuring element", "disk:5")), first,
      std::tuple(
          border_parameter(&ElementArguments::border)
              .words({"neutral", "reflect", "mirror", "nearest", "wrap", "constant:V", "fit"})
              .wanted("neutral, reflect, mirror, nearest, wrap or constant:V; along traced lines neutral or fit")
              .text(
                  "what lies outside of the image: nothing that counts, its reflection, its edge, the image again, a "
                  "value; fit, along traced lines: only segments inside count"),
          parameter(&ElementArguments::lines, "lines")
              .choices(line_kinds)
              .text("what line:L@A is: one digital segment, the same everywhere, or L samples of Bresenham lines that "
                    "tile the image, as fast at any length")
              .details("Traced lines (Soille 1996) have the borders neutral and fit (Karas 2015).")
              .example("traced"),
          parameter(&ElementArguments::iterations, "iterations")
              .range(iteration_counts)
              .text("so many erosions, or dilations, in a row")
              .example("2"),
          nan_parameter(&ElementArguments::nan)),
      last);
  return std::apply(
      [&](const auto&... parameters) { return describe(std::move(description), defaults, section, parameters...); },
      all);
}

OperationDescription by_element(Operation operation, Words words) {
  return by_element(operation, std::move(words), std::tuple(), std::tuple());
}

OperationDescription or_rebuilt(Operation operation, Words words) {
  return by_element(
      operation, std::move(words), std::tuple(),
      std::tuple(parameter(&ElementArguments::by_reconstruction, "by_reconstruction")
                     .text("rebuild what survives, so that it keeps its shape")
                     .early(),
                 connectivity_parameter(&ElementArguments::connectivity).early()));
}

OperationDescription describe_gradient() {
  return by_element(
      Operation::Gradient,
      {"how much the image changes under an element",
       "Dilation - erosion.",
       {"tamis gradient photo.png edges.png --element square:3",
        "tamis gradient volume.tif edges.tif --element cross:1 --kind inner"},
       R"(>>> import numpy, tamis
>>> step = numpy.array([[1, 1, 1, 8, 8, 8]], numpy.uint8)
>>> tamis.gradient(step, "rect:3x1")
array([[0, 0, 7, 7, 0, 0]], dtype=uint8)
>>> tamis.gradient(step, "rect:3x1", kind="inner")
array([[0, 0, 0, 7, 0, 0]], dtype=uint8)
)",
       "Of int16 differences saturate; of bool a - b is a and not b."},
      std::tuple(parameter(&ElementArguments::operation, "kind")
                     .choices(gradients)
                     .text("dilation - erosion, image - erosion, or dilation - image")
                     .example("inner")),
      std::tuple());
}

OperationDescription describe_hitmiss() {
  OperationDescription description = filter_description(
      "hitmiss",
      {"find where one element fits the bright and another the dark",
       "The hit-or-miss: max(0, min f(x+h) over h in `hit` - max f(x+m) over m in `miss`); of bool both have to fit.",
       {"tamis hitmiss cells.tif dots.tif",
        "tamis hitmiss page.pbm ends.pbm --hit rect:1x2 --miss 'shift(rect:3x1,0,1)'"},
       R"(>>> import numpy, tamis
>>> line = numpy.array([[0, 1, 1, 1, 0, 1, 0]], bool)
>>> tamis.hitmiss(line, "rect:1x1", tamis.element([[1]], origin=(0, -1))).astype(int)  # right ends
array([[0, 0, 0, 1, 0, 1, 0]])
)",
       "",
       {"P. Soille, \"Morphological Image Analysis\", 2nd ed. 2004, section 5.1 (unconstrained hit-or-miss)."}});
  description.gives_new_values = true;
  FilterCalls& calls = description.filter;
  calls.run = [](const Context& context, std::span<const Image* const> images, const Arguments& arguments, Image& out) {
    out = hitmiss(context, *images.front(), arguments.as<HitMissOptions>());
    return FilterDone();
  };
  calls.run_on_gpu = [](const Context& context, std::span<const GpuArray> images, const Arguments& arguments,
                        const GpuOutput& out) {
    hitmiss(context, images.front(), out, arguments.as<HitMissOptions>());
  };
  calls.reach = [](const Arguments& arguments, Type type, const Shape& shape) {
    return reach_of(plan_hitmiss(type, shape, arguments.as<HitMissOptions>()));
  };
  calls.bytes_between = [](const Arguments& arguments, Type type, const Shape& shape) {
    return bytes_laid_out(plan_hitmiss(type, shape, arguments.as<HitMissOptions>()), type, shape);
  };
  calls.report = [](const Context&, const Arguments& arguments, Type, const Shape& shape) {
    const auto& options = arguments.as<HitMissOptions>();
    FilterReport report;
    report.parameters = {{"hit", offsets_text(options.hit, shape.rank)},
                         {"miss", offsets_text(options.miss, shape.rank)},
                         {"border", to_string(options.border)}};
    return report;
  };
  return describe(std::move(description), HitMissOptions(), section,
                  element_parameter(&HitMissOptions::hit, "hit", "what has to be bright", "rect:1x2"),
                  element_parameter(&HitMissOptions::miss, "miss", "what has to be dark", "circle:2"),
                  border_parameter(&HitMissOptions::border), nan_parameter(&HitMissOptions::nan));
}

OperationDescription describe_asf() {
  OperationDescription description = filter_description(
      "asf",
      {"alternating sequential filter: openings and closings that grow",
       "",
       {"tamis asf scan.tif smooth.tif --element disk:4", "tamis asf volume.tif smooth.tif --element ball:3 --order co"},
       R"(>>> import numpy, tamis
>>> noisy = numpy.array([[2, 9, 2, 2, 2, 8, 8, 8, 0, 8, 8, 8]], numpy.uint8)
>>> tamis.asf(noisy, "disk:1")
array([[2, 2, 2, 2, 2, 8, 8, 8, 8, 8, 8, 8]], dtype=uint8)
)",
       "",
       {"S. R. Sternberg, \"Grayscale morphology\", Computer Vision, Graphics, and Image Processing 35, 1986."}});
  description.refuses += ", an element that is none of a family";
  FilterCalls& calls = description.filter;
  calls.run = [](const Context& context, std::span<const Image* const> images, const Arguments& arguments, Image& out) {
    out = asf(context, *images.front(), arguments.as<AsfOptions>());
    return FilterDone();
  };
  calls.run_on_gpu = [](const Context& context, std::span<const GpuArray> images, const Arguments& arguments,
                        const GpuOutput& out) { asf(context, images.front(), out, arguments.as<AsfOptions>()); };
  calls.reach = [](const Arguments& arguments, Type type, const Shape& shape) {
    return reach_of(plan_asf(type, shape, arguments.as<AsfOptions>()));
  };
  calls.bytes_between = [](const Arguments& arguments, Type type, const Shape& shape) {
    std::int64_t most = 0;
    for (const FilterPlan& plan : plan_asf(type, shape, arguments.as<AsfOptions>())) {
      most = std::max(most, bytes_laid_out(plan, type, shape));
    }
    return image_bytes(type, shape) + most;
  };
  calls.report = [](const Context&, const Arguments& arguments, Type, const Shape&) {
    FilterReport report;
    report.parameters = {{"element", arguments.text("element")},
                         {"order", arguments.text("order")},
                         {"border", arguments.text("border")}};
    return report;
  };
  return describe(std::move(description), AsfOptions(), section,
                  parameter(&AsfOptions::element, "element")
                      .kind(ParameterKind::Family)
                      .text("the last element of a family: disk:5 for radii 1 to 5, square:7 for edges 3, 5, 7; square, "
                            "cube, cross, disk, ball, octagon or hexagon")
                      .placeholder("SPEC")
                      .example("disk:5")
                      .positional(),
                  parameter(&AsfOptions::order, "order")
                      .choices(orders)
                      .text("open, then close, or the other way round")
                      .details("At each size.")
                      .example("co"),
                  border_parameter(&AsfOptions::border), nan_parameter(&AsfOptions::nan));
}

OperationDescription describe_reconstruct() {
  OperationDescription description = filter_description(
      "reconstruct",
      {"grow a marker inside a mask until it fills what it touches",
       "Unit dilations of the marker, each held below the mask, until nothing changes.",
       {"tamis reconstruct seeds.tif cells.tif touched.tif",
        "tamis reconstruct filled.tif ground.tif lakes.tif --by erosion --connectivity face"},
       R"(>>> import numpy, tamis
>>> mask = numpy.array([[3, 5, 5, 0, 7, 7]], numpy.uint8)
>>> marker = numpy.array([[0, 4, 0, 0, 0, 0]], numpy.uint8)
>>> tamis.reconstruct(marker, mask)
array([[3, 4, 4, 0, 0, 0]], dtype=uint8)
)",
       "On arrays of a GPU the call waits until it is done.",
       {"L. Vincent, \"Morphological grayscale reconstruction in image analysis\", IEEE Trans. Image Processing 2, "
        "1993."}});
  description.takes = {{"marker", filter_types(), "where to start: below the mask everywhere, above it by erosion"},
                       {"mask", filter_types(), "what is not passed, an image of the same type and size"}};
  description.refuses = "samples that f32 cannot hold, NaN, different shapes, a marker that is above the mask, which says where";
  description.reach = Reach::Image;
  FilterCalls& calls = description.filter;
  calls.run = [](const Context& context, std::span<const Image* const> images, const Arguments& arguments, Image& out) {
    out = reconstruct(context, *images[0], *images[1], arguments.as<ReconstructOptions>());
    return FilterDone();
  };
  calls.run_on_gpu = [](const Context& context, std::span<const GpuArray> images, const Arguments& arguments,
                        const GpuOutput& out) {
    reconstruct(context, images[0], images[1], out, arguments.as<ReconstructOptions>());
  };
  calls.reach = [](const Arguments&, Type, const Shape&) { return whole_image; };
  calls.bytes_between = [](const Arguments&, Type type, const Shape& shape) {
    return bytes_of_reconstruct(type, shape);
  };
  calls.report = [](const Context&, const Arguments& arguments, Type, const Shape&) {
    FilterReport report;
    report.parameters = {{"by", arguments.text("by")}, {"connectivity", arguments.text("connectivity")}};
    return report;
  };
  return describe(std::move(description), ReconstructOptions(), section,
                  parameter(&ReconstructOptions::by, "by")
                      .choices(ways)
                      .text("dilations of the marker below the mask, or erosions above it")
                      .example("erosion"),
                  connectivity_parameter(&ReconstructOptions::connectivity));
}

}  // namespace

std::vector<OperationDescription> describe_morphology() {
  return {by_element(Operation::Erode,
                     {"the minimum under an element, everywhere",
                      "min f(x+b) over the element's offsets b.",
                      {"tamis erode scan.tif out.tif --element disk:3",
                       "tamis erode photo.png out.png --element rect:15x3 --border reflect"},
                      R"(>>> import numpy, tamis
>>> image = numpy.array([[5, 9, 9, 9, 2, 9]], numpy.uint8)
>>> tamis.erode(image, "rect:3x1")
array([[5, 5, 9, 2, 2, 2]], dtype=uint8)
>>> tamis.erode(image, "rect:3x1", border="constant:0")
array([[0, 5, 9, 2, 2, 0]], dtype=uint8)
)"}),
          by_element(Operation::Dilate,
                     {"the maximum under an element, everywhere",
                      "The element is mirrored: max f(x-b) over its offsets b.",
                      {"tamis dilate mask.pbm out.pbm --element square:5",
                       "tamis dilate volume.tif out.tif --element ball:4"},
                      R"(>>> import numpy, tamis
>>> point = numpy.zeros((3, 5), bool)
>>> point[1, 1] = True
>>> tamis.dilate(point, tamis.element([[1, 1, 1]], origin=(0, 0))).astype(int)
array([[0, 0, 0, 0, 0],
       [0, 1, 1, 1, 0],
       [0, 0, 0, 0, 0]])
)",
                      "The adjoint of `erode`: dilate(f, B) <= g exactly where f <= erode(g, B). OpenCV and scikit-image "
                      "take f(x+b): for asymmetric elements reflect theirs.",
                      {},
                      {"erode"}}),
          or_rebuilt(Operation::Open,
                     {"remove what is bright and smaller than an element",
                      "An erosion, then a dilation, by the same element.",
                      {"tamis open scan.tif out.tif --element octagon:6",
                       "tamis open page.png lines.png --element line:61@0",
                       "tamis open roads.tif north.tif --element line:301@93.5 --lines traced",
                       "tamis open cells.tif large.tif --element disk:9 --by-reconstruction"},
                      R"(>>> import numpy, tamis
>>> image = numpy.array([[1, 7, 1, 4, 5, 6, 1]], numpy.uint8)
>>> tamis.open(image, "rect:2x1")
array([[1, 1, 1, 4, 5, 5, 1]], dtype=uint8)
>>> tamis.open(image, "rect:2x1", by_reconstruction=True)
array([[1, 1, 1, 4, 5, 5, 1]], dtype=uint8)
)",
                      "Never above the image, whatever the element; under a neutral border a second opening changes "
                      "nothing.",
                      {"J. Serra, \"Image Analysis and Mathematical Morphology\", 1982.",
                       "By reconstruction: L. Vincent, \"Morphological grayscale reconstruction in image analysis\", IEEE "
                       "Trans. Image Processing 2, 1993."}}),
          or_rebuilt(Operation::Close,
                     {"remove what is dark and smaller than an element",
                      "A dilation, then an erosion, by the same element.",
                      {"tamis close scan.tif out.tif --element disk:4.5",
                       "tamis close volume.tif out.tif --element cube:5 --device cpu"},
                      R"(>>> import numpy, tamis
>>> tamis.close(numpy.array([[9, 1, 9, 2, 3, 9]], numpy.uint8), "rect:2x1")
array([[9, 9, 9, 3, 3, 9]], dtype=uint8)
)",
                      "Never below the image, whatever the element; under a neutral border a second closing changes "
                      "nothing."}),
          describe_gradient(),
          by_element(Operation::TopHat,
                     {"what an opening removes: small bright things",
                      "Image - opening: bright things smaller than the element.",
                      {"tamis tophat gel.tif spots.tif --element disk:12"},
                      R"(>>> import numpy, tamis
>>> tamis.tophat(numpy.array([[1, 7, 1, 4, 5, 6, 1]], numpy.uint8), "rect:2x1")
array([[0, 6, 0, 0, 0, 1, 0]], dtype=uint8)
)"}),
          by_element(Operation::BotHat,
                     {"what a closing fills: small dark things",
                      "Closing - image: dark things smaller than the element.",
                      {"tamis bothat page.jpg ink.tif --element square:41"},
                      R"(>>> import numpy, tamis
>>> tamis.bothat(numpy.array([[9, 1, 9, 2, 3, 9]], numpy.uint8), "rect:2x1")
array([[0, 8, 0, 1, 0, 0]], dtype=uint8)
)"}),
          describe_hitmiss(), describe_asf(), describe_reconstruct()};
}

}  // namespace tamis::morphology_detail
