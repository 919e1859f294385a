// What people and front ends have to know of median, smooth and remove_outliers.
#include "operations.hpp"

#include <fmt/format.h>
#include <tamis/gpu/array.hpp>
#include <tamis/median.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/transposed.hpp"
#include "core/operation/operation.hpp"
#include "median/plan/steps.hpp"
#include "median/run.hpp"

namespace tamis::median_detail {
namespace {

/// A window is named by a size, which means an image's or a volume's, or is an element.
template <class Options>
struct WindowArguments : Options {
  std::string size = "3";
  std::optional<StructuringElement> element;

  [[nodiscard]] Options on(int rank) const {
    Options options = *this;
    options.window = element ? *element : window_of_size(size, rank);
    return options;
  }
};
using MedianArguments = WindowArguments<MedianOptions>;
using OutlierArguments = WindowArguments<OutlierOptions>;

constexpr Choice<OutlierOptions::Which> sides[] = {{"bright", OutlierOptions::Which::Bright},
                                                   {"dark", OutlierOptions::Which::Dark},
                                                   {"both", OutlierOptions::Which::Both}};

struct SmoothArguments : SmoothOptions {
  std::string size = "55";

  [[nodiscard]] SmoothOptions on(int rank) const {
    SmoothOptions options = *this;
    const auto [low, high] = window_of_size(size, rank).sum(rank).box();
    options.width = high.x - low.x + 1;
    options.height = high.y - low.y + 1;
    options.depth = high.z - low.z + 1;
    return options;
  }
};

template <class Options>
auto size_parameter(std::string Options::*member) {
  return parameter(member, "size")
      .kind(ParameterKind::Edges)
      .read_by(parse_edges)
      .placeholder("N|WxH|WxHxD")
      .positional();
}

/// The edges of a window of any kind.
template <class Options>
auto window_parameter(std::string Options::*member) {
  return size_parameter(member)
      .text(
          "edges of the window in samples, x first: 5 is a square, of volumes a cube; 7x3 is 7 wide and 3 high; 5x5x3")
      .details("Two edges act on volumes slice by slice. The origin of an even edge n is at index n // 2, as in SciPy.")
      .unit("samples")
      .example("5");
}

template <class Options>
auto element_parameter(std::optional<StructuringElement> Options::*member) {
  return parameter(member, "element").text("the window, instead of a size").example("disk:7").excludes({"size"});
}

template <class Options>
auto iterations_parameter(std::int64_t Options::*member) {
  return parameter(member, "iterations")
      .range(iteration_counts)
      .text("so many times, each on the result before")
      .example("2");
}

template <class Options>
auto border_parameter(Border Options::*member) {
  return parameter(member, "border")
      .words({"reflect", "mirror", "nearest", "wrap", "constant:V", "shrink", "neutral"})
      .wanted("reflect, mirror, nearest, wrap, constant:V or shrink")
      .text(
          "what lies outside of the image: its reflection, its edge, the image again, a value; shrink, or neutral: the "
          "window has only the samples inside")
      .details(
          "As in SciPy, reflect repeats the edge sample and mirror does not; wrap goes on at the other end. A value "
          "has "
          "to be one of the image's type.")
      .example("constant:0");
}

template <class Options>
void add_common(FilterReport& report, const Options& options) {
  report.parameters.emplace_back("border", options.border == Border::shrink() ? "shrink" : to_string(options.border));
  if constexpr (requires { options.iterations; }) {
    if (options.iterations > 1) report.parameters.emplace_back("iterations", fmt::format("{}", options.iterations));
  }
  if (options.nan == NanPolicy::Ignore) report.parameters.emplace_back("nan", "ignore");
}

FilterReport report_of(const MedianOptions& options, const Shape& shape) {
  FilterReport report;
  report.parameters = {{"window", offsets_text(options.window, shape.rank)},
                       {"percentile", fmt::format("{}", options.percentile)}};
  add_common(report, options);
  return report;
}

FilterReport report_of(const OutlierOptions& options, const Shape& shape) {
  FilterReport report;
  report.parameters = {{"window", offsets_text(options.window, shape.rank)},
                       {"threshold", fmt::format("{}", options.threshold)},
                       {"which", word_of(options.which, sides)}};
  add_common(report, options);
  return report;
}

FilterReport report_of(const SmoothOptions& options, const Shape& shape) {
  FilterReport report;
  std::string medians = fmt::format("of {} along y, of {} along x", options.height, options.width);
  if (shape.rank == 3) medians += fmt::format(", of {} along z", options.depth);
  report.parameters = {{"medians", medians}};
  add_common(report, options);
  return report;
}

/// The calls of a filter whose arguments know what they are on images of a rank. `run` takes images and arrays, `plan`
/// a type, a shape and the options, `between` the arguments: how many images there are between its steps.
template <class Own, class Run, class Plan, class Between>
FilterCalls calls_of(Run run, Plan plan, Between between) {
  FilterCalls calls;
  calls.reach = [plan](const Arguments& arguments, Type type, const Shape& shape) {
    return reach_of(plan(type, shape, arguments.as<Own>().on(shape.rank)));
  };
  calls.run = [run](const Context& context, std::span<const Image* const> images, const Arguments& arguments,
                    Image& out) {
    const MedianFacts done = run(context, *images.front(), arguments.as<Own>().on(images.front()->shape().rank), out);
    return FilterDone{done.device, done.engines};
  };
  calls.run_on_gpu = [run](const Context& context, std::span<const GpuArray> images, const Arguments& arguments,
                           const GpuOutput& out) {
    run(context, images.front(), out, arguments.as<Own>().on(images.front().shape.rank));
  };
  calls.report = [](const Context& context, const Arguments& arguments, Type type, const Shape& shape) {
    const auto options = arguments.as<Own>().on(shape.rank);
    FilterReport report = report_of(options, shape);
    if constexpr (std::is_same_v<decltype(options), const MedianOptions>) {
      report.device = choose_device(context, type, shape, options);
      if (report.device == Device::Cpu) report.plan = explain(context, type, shape, options);
    }
    return report;
  };
  calls.bytes_between = [plan, between](const Arguments& arguments, Type type, const Shape& shape) {
    const Own& own = arguments.as<Own>();
    return between(own) * image_bytes(type, shape) + bytes_laid_out(plan(type, shape, own.on(shape.rank)));
  };
  calls.keeps_to_samples = true;
  calls.better_as_bytes = [plan](const Arguments& arguments, const Shape& shape) {
    return better_transposed({}, Type::Bool, shape) &&
           keeps_to_bits(plan(Type::Bool, shape, arguments.as<Own>().on(shape.rank)));
  };
  return calls;
}

const Data image{"image", filter_types(), "the image or volume; colour is worked on channel by channel"};
const Data result{"out", filter_types(), "the result, of the same type"};
const char* const refuses =
    "samples that f32 cannot hold, NaN that is not ignored, colour without `channel_axis`, 3-D windows on images, a "
    "border that is no value "
    "of the type";
const char* const perrot =
    "G. Perrot, \"Implementing a fast median filter\", in R. Couturier (ed.), \"Designing Scientific Applications on "
    "GPUs\", CRC Press, 2013.";

OperationDescription describe_median() {
  OperationDescription median;
  median.name = "median";
  median.text = "the median, or another percentile, of a window, everywhere";
  median.details =
      "Of n samples sorted, the one with index min(n - 1, floor(n * percentile / 100)). Exact for every window and "
      "type.";
  median.takes = {image};
  median.gives = {result};
  median.reach = Reach::Window;
  median.examples = {"tamis median scan.tif clean.tif --size 5",
                     "tamis median volume.tif clean.tif --size 3 --iterations 2",
                     "tamis median photo.png dark.png --element disk:7 --percentile 10 --border nearest"};
  median.notes = "Where a window sees no sample at all the result is the sample itself.";
  median.refuses = refuses;
  median.references = {perrot};
  median.see_also = {"smooth"};
  median.python =
      ">>> import numpy, tamis\n"
      ">>> noisy = numpy.array([[2, 2, 9, 2, 3, 8, 8, 0, 8]], numpy.uint8)\n"
      ">>> tamis.median(noisy, (1, 3))\n"
      "array([[2, 2, 2, 3, 3, 8, 8, 8, 8]], dtype=uint8)\n"
      ">>> tamis.median(noisy, element=\"disk:1\", percentile=0, border=\"nearest\")\n"
      "array([[2, 2, 2, 2, 2, 3, 0, 0, 0]], dtype=uint8)\n";
  median.filter = calls_of<MedianArguments>([](auto&&... arguments) { return tamis::median(arguments...); },
                                            [](auto&&... given) { return plan_median(given...); },
                                            [](const MedianArguments& own) { return own.iterations > 1 ? 1 : 0; });
  return describe(
      std::move(median), MedianArguments(), "Window", window_parameter(&MedianArguments::size),
      element_parameter(&MedianArguments::element),
      parameter(&MedianArguments::percentile, "percentile")
          .range(percentiles)
          .placeholder("P")
          .unit("%")
          .text("0 is the minimum, 100 the maximum, 50 of an even number of samples the upper of the two in the middle")
          .example("10"),
      iterations_parameter(&MedianArguments::iterations), border_parameter(&MedianArguments::border),
      nan_parameter(&MedianArguments::nan));
}

OperationDescription describe_smooth() {
  OperationDescription smooth;
  smooth.name = "smooth";
  smooth.text = "medians along one axis after the other, nearly those of a box";
  smooth.details =
      "Perrot's smoother: medians along y, of these along x, of these along z. No median of the box, but near it where "
      "the window is large, and cheaper.";
  smooth.takes = {image};
  smooth.gives = {result};
  smooth.reach = Reach::Window;
  smooth.examples = {"tamis smooth scan.tif background.tif --size 55",
                     "tamis smooth volume.tif background.tif --size 31x31x15 --border nearest"};
  smooth.refuses = refuses;
  smooth.references = {perrot};
  smooth.see_also = {"median"};
  smooth.python =
      ">>> import numpy, tamis\n"
      ">>> image = numpy.array([[1, 9, 3], [8, 2, 7], [4, 6, 5]], numpy.uint8)\n"
      ">>> tamis.smooth(image, 3, border=\"shrink\")[1, 1], tamis.median(image, 3)[1, 1]\n"
      "(np.uint8(5), np.uint8(5))\n";
  smooth.filter = calls_of<SmoothArguments>([](auto&&... arguments) { return tamis::smooth(arguments...); },
                                            plan_smooth, [](const SmoothArguments&) { return 1; });
  return describe(
      std::move(smooth), SmoothArguments(), "Window",
      size_parameter(&SmoothArguments::size)
          .text("samples along each axis, x first: 55 along all, 31x55 not along z. Perrot's separable pseudo-median "
                "approximates the median of the box: at 55 with a mean difference of 0.2 to 1.6 % of the range of "
                "photographs and scans, at single samples up to 67 %")
          .unit("samples")
          .example("31x55"),
      iterations_parameter(&SmoothArguments::iterations), border_parameter(&SmoothArguments::border),
      nan_parameter(&SmoothArguments::nan));
}

OperationDescription describe_remove_outliers() {
  OperationDescription outliers;
  outliers.name = "remove_outliers";
  outliers.text = "the median of a window where a sample is too far from it";
  outliers.details = "\"Remove Outliers\" of ImageJ: hot and dead pixels, dust; all other samples stay as they are.";
  outliers.takes = {image};
  outliers.gives = {result};
  outliers.reach = Reach::Window;
  outliers.examples = {"tamis remove-outliers scan.tif clean.tif --threshold 2000",
                       "tamis remove-outliers photo.png clean.png --element disk:2 --threshold 30 --which both"};
  outliers.notes = "Differences do not wrap around. A NaN that is not refused stays.";
  outliers.refuses = refuses;
  outliers.see_also = {"median"};
  outliers.python =
      ">>> import numpy, tamis\n"
      ">>> dots = numpy.array([[2, 3, 90, 2, 3, 1, 60, 61, 2]], numpy.uint8)\n"
      ">>> tamis.remove_outliers(dots, (1, 3))\n"
      "array([[ 2,  3,  3,  2,  3,  1, 60, 61,  2]], dtype=uint8)\n";
  outliers.filter = calls_of<OutlierArguments>([](auto&&... arguments) { return tamis::remove_outliers(arguments...); },
                                               plan_outliers, [](const OutlierArguments&) { return 0; });
  return describe(std::move(outliers), OutlierArguments(), "Window", window_parameter(&OutlierArguments::size),
                  element_parameter(&OutlierArguments::element),
                  parameter(&OutlierArguments::threshold, "threshold")
                      .at_least(0)
                      .text("how far from the median a sample may be, in its own values")
                      .example("2000"),
                  parameter(&OutlierArguments::which, "which")
                      .choices(sides)
                      .text("samples above their median, below it, or either")
                      .example("both"),
                  border_parameter(&OutlierArguments::border), nan_parameter(&OutlierArguments::nan));
}

}  // namespace

std::vector<OperationDescription> describe_medians() {
  return {describe_median(), describe_smooth(), describe_remove_outliers()};
}

}  // namespace tamis::median_detail
