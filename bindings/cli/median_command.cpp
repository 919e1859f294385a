// tamis median, smooth.
#include <fmt/format.h>

#include <tamis/tamis.hpp>

#include "commands.hpp"
#include "filter.hpp"

namespace tamis::cli {
namespace {

constexpr const char* group = "Window";

CLI::Option* add_size(CLI::App& app, std::string& target, const std::string& description) {
  return add_value(app, "--size", "N|WxH|WxHxD", target, parse_edges, description)->default_str(target)->group(group);
}

void add_median_border(CLI::App& app, Border& target) {
  add_value(app, "--border", "reflect|nearest|constant:V|shrink|neutral", target, parse_median_border,
            "what lies outside of the image: its reflection, its edge, a value; shrink, or neutral: the window has "
            "only the samples inside")
      ->default_str(to_string(target))
      ->group(group);
}

void add_median_iterations(CLI::App& app, std::int64_t& target) {
  add_value(
      app, "--iterations", "N", target, [](const std::string& text) { return parse_integer(text, 1, 1'000'000); },
      "so many times, each on the result before")
      ->default_str("1")
      ->group(group);
}

void add_facts(FilterFacts& facts, const Border& border, std::int64_t iterations, NanPolicy nan) {
  facts.parameters.emplace_back("border", border == Border::shrink() ? "shrink" : to_string(border));
  if (iterations > 1) facts.parameters.emplace_back("iterations", fmt::format("{}", iterations));
  if (nan == NanPolicy::Ignore) facts.parameters.emplace_back("nan", "ignore");
}

struct MedianFlags {
  FilterFlags files;
  std::string size = "3";
  bool by_element = false;
  MedianOptions options;  ///< the window only of an element

  [[nodiscard]] MedianOptions options_for(const Shape& shape) const {
    MedianOptions own = options;
    if (!by_element) own.window = window_of_size(size, shape.rank);
    return own;
  }
};

FilterFacts facts_of(const MedianFlags& flags, const Context& context, const Image& result) {
  const MedianOptions options = flags.options_for(result.shape());
  FilterFacts facts;
  facts.command = "median";
  facts.parameters = {{"window", offsets_text(options.window, result.shape().rank)},
                      {"percentile", fmt::format("{}", options.percentile)}};
  add_facts(facts, options.border, options.iterations, options.nan);
  facts.device = choose_device(context, result.type(), result.shape(), options);
  if (facts.device == Device::Cpu) facts.plan = explain(context, result.type(), result.shape(), options);
  return facts;
}

void add_median(CLI::App& program, Session& session) {
  const auto flags = std::make_shared<MedianFlags>();
  CLI::App& app = *program.add_subcommand("median", "the median, or another percentile, of a window, everywhere");
  flags->files.add_files_to(app);
  CLI::Option* const size = add_size(app, flags->size,
                                     "edges of the window in samples, x first: 5 is a square, of volumes a cube; 7x3 "
                                     "is 7 wide and 3 high; 5x5x3");
  CLI::Option* const element =
      add_element(app, session, "--element", flags->options.window, "the window, instead of a size")
          ->default_str("")
          ->group(group)
          ->excludes(size);
  add_value(app, "--percentile", "P", flags->options.percentile, parse_percentile,
            "0 is the minimum, 100 the maximum, 50 of an even number of samples the upper of the two in the middle")
      ->default_str("50")
      ->group(group);
  add_median_iterations(app, flags->options.iterations);
  add_median_border(app, flags->options.border);
  add_nan(app, flags->options.nan)->group(group);
  flags->files.add_to(app);
  app.footer(
      "tamis median scan.tif clean.tif --size 5\n"
      "tamis median volume.tif clean.tif --size 3 --iterations 2\n"
      "tamis median photo.png dark.png --element disk:7 --percentile 10 --border nearest");
  app.callback([flags, element, &session] {
    flags->by_element = !element->empty();
    run_filter(
        flags->files, session,
        [&](const Context& context, const Image& image) {
          return median(context, image, flags->options_for(image.shape()));
        },
        [&](const Context& context, const Image& result) { return facts_of(*flags, context, result); },
        [&](const Layout& layout) {
          return flags->options.iterations > 1 ? image_bytes(layout.type, layout.shape) : std::int64_t{0};
        });
  });
}

struct SmoothFlags {
  FilterFlags files;
  std::string size = "55";
  SmoothOptions options;  ///< all but the edges

  [[nodiscard]] SmoothOptions options_for(const Shape& shape) const {
    SmoothOptions own = options;
    set_edges(own, size, shape.rank);
    return own;
  }
};

FilterFacts facts_of(const SmoothFlags& flags, const Context& context, const Image& result) {
  const SmoothOptions options = flags.options_for(result.shape());
  FilterFacts facts;
  facts.command = "smooth";
  facts.device = choose_device(context, result.type(), result.shape(), options);
  std::string medians = fmt::format("of {} along y, of {} along x", options.height, options.width);
  if (result.shape().rank == 3) medians += fmt::format(", of {} along z", options.depth);
  facts.parameters = {{"medians", medians}};
  add_facts(facts, options.border, options.iterations, options.nan);
  return facts;
}

void add_smooth(CLI::App& program, Session& session) {
  const auto flags = std::make_shared<SmoothFlags>();
  CLI::App& app = *program.add_subcommand("smooth", "medians along one axis after the other, nearly those of a box");
  flags->files.add_files_to(app);
  add_size(app, flags->size,
           "samples along each axis, x first: 55 along all, 31x55 not along z. Perrot's separable pseudo-median "
           "approximates the median of the box: at 55 with a mean difference of 0.2 to 1.6 % of the range of "
           "photographs and scans, at single samples up to 67 %");
  add_median_iterations(app, flags->options.iterations);
  add_median_border(app, flags->options.border);
  add_nan(app, flags->options.nan)->group(group);
  flags->files.add_to(app);
  app.footer(
      "tamis smooth scan.tif background.tif --size 55\n"
      "tamis smooth volume.tif background.tif --size 31x31x15 --border nearest");
  app.callback([flags, &session] {
    run_filter(
        flags->files, session,
        [&](const Context& context, const Image& image) {
          return smooth(context, image, flags->options_for(image.shape()));
        },
        [&](const Context& context, const Image& result) { return facts_of(*flags, context, result); },
        [](const Layout& layout) { return image_bytes(layout.type, layout.shape); });
  });
}

}  // namespace

void add_medians(CLI::App& program, Session& session) {
  add_median(program, session);
  add_smooth(program, session);
}

}  // namespace tamis::cli
