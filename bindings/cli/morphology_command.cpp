// tamis erode, dilate, open, close, gradient, tophat, bothat, hitmiss, asf.
#include <fmt/format.h>

#include <tamis/tamis.hpp>

#include "commands.hpp"
#include "filter.hpp"

namespace tamis::cli {
namespace {

struct MorphologyFlags {
  FilterFlags files;
  Operation operation = Operation::Erode;
  MorphologyOptions options;
  bool by_reconstruction = false;
  Connectivity connectivity = Connectivity::Full;
};

std::string element_text(const MorphologyOptions& options, int rank) {
  const std::optional<StructuringElement::Segment> segment = options.element.segment();
  if (options.lines == Lines::Invariant || !segment) return offsets_text(options.element, rank);
  return fmt::format("{} ({:g} samples of each line)", options.element.spec(), segment->length);
}

FilterFacts facts_of(const MorphologyFlags& flags, const Shape& shape) {
  const MorphologyOptions& options = flags.options;
  FilterFacts facts;
  facts.command = name(flags.operation);
  facts.parameters = {{"element", element_text(options, shape.rank)}, {"border", to_string(options.border)}};
  if (options.element.segment()) facts.parameters.emplace_back("lines", name(options.lines));
  if (options.iterations > 1) facts.parameters.emplace_back("iterations", fmt::format("{}", options.iterations));
  if (flags.by_reconstruction) facts.parameters.emplace_back("rebuilt by", "reconstruction");
  Operation computed = flags.operation;
  if (flags.by_reconstruction) computed = computed == Operation::Open ? Operation::Erode : Operation::Dilate;
  facts.plan = explain(computed, shape, options);
  return facts;
}

Image filter(const Context& context, const Image& image, const MorphologyFlags& flags) {
  if (!flags.by_reconstruction) return morphology(context, flags.operation, image, flags.options);
  return flags.operation == Operation::Open
             ? open_by_reconstruction(context, image, flags.options, flags.connectivity)
             : close_by_reconstruction(context, image, flags.options, flags.connectivity);
}

void add_kind(CLI::App& app, MorphologyFlags& flags) {
  static constexpr Choice<Operation> kinds[] = {
      {"full", Operation::Gradient}, {"inner", Operation::InnerGradient}, {"outer", Operation::OuterGradient}};
  add_value(
      app, "--kind", "full|inner|outer", flags.operation,
      [](const std::string& text) { return parse_choice(text, kinds); },
      "dilation - erosion, image - erosion, or dilation - image")
      ->default_str("full")
      ->group("Element");
}

void add_operation(CLI::App& program, Session& session, Operation operation, const std::string& description,
                   const std::string& examples) {
  const auto flags = std::make_shared<MorphologyFlags>();
  flags->operation = operation;
  CLI::App& app = *program.add_subcommand(std::string(name(operation)), description);
  flags->files.add_files_to(app);
  add_element(app, session, "--element", flags->options.element, "the structuring element");
  if (operation == Operation::Gradient) add_kind(app, *flags);
  add_border_and_lines(app, flags->options.border, flags->options.lines);
  add_value(
      app, "--iterations", "N", flags->options.iterations,
      [](const std::string& text) { return parse_integer(text, 1, 1'000'000); },
      "so many erosions, or dilations, in a row")
      ->default_str("1")
      ->group("Element");
  add_nan(app, flags->options.nan);
  if (operation == Operation::Open || operation == Operation::Close) {
    app.add_flag("--by-reconstruction", flags->by_reconstruction, "rebuild what survives, so that it keeps its shape")
        ->group("Element");
    add_connectivity(app, flags->connectivity);
  }
  flags->files.add_to(app);
  app.footer(examples);
  app.callback([flags, &session] {
    run_filter(
        flags->files, session,
        [&](const Context& context, const Image& image) { return filter(context, image, *flags); },
        [&](const Context&, const Image& result) { return facts_of(*flags, result.shape()); },
        [&](const Layout& layout) {
          return flags->by_reconstruction
                     ? image_bytes(layout.type, layout.shape) + bytes_of_reconstruct(layout.type, layout.shape)
                     : std::int64_t{0};
        });
  });
}

struct HitMissFlags {
  FilterFlags files;
  HitMissOptions options;
};

void add_hitmiss(CLI::App& program, Session& session) {
  const auto flags = std::make_shared<HitMissFlags>();
  CLI::App& app = *program.add_subcommand("hitmiss", "find where one element fits the bright and another the dark");
  flags->files.add_files_to(app);
  add_element(app, session, "--hit", flags->options.hit, "what has to be bright");
  add_element(app, session, "--miss", flags->options.miss, "what has to be dark");
  add_border(app, flags->options.border);
  add_nan(app, flags->options.nan);
  flags->files.add_to(app);
  app.footer(
      "tamis hitmiss cells.tif dots.tif\n"
      "tamis hitmiss page.pbm ends.pbm --hit rect:1x2 --miss 'shift(rect:3x1,0,1)'");
  app.callback([flags, &session] {
    run_filter(
        flags->files, session,
        [&](const Context& context, const Image& image) { return hitmiss(context, image, flags->options); },
        [&](const Context&, const Image& result) {
          const int rank = result.shape().rank;
          FilterFacts facts;
          facts.command = "hitmiss";
          facts.parameters = {{"hit", offsets_text(flags->options.hit, rank)},
                              {"miss", offsets_text(flags->options.miss, rank)},
                              {"border", to_string(flags->options.border)}};
          return facts;
        });
  });
}

struct AsfFlags {
  FilterFlags files;
  AsfOptions options;
};

void add_asf(CLI::App& program, Session& session) {
  static constexpr Choice<AsfOptions::Order> orders[] = {{"oc", AsfOptions::Order::OpenClose},
                                                         {"co", AsfOptions::Order::CloseOpen}};
  const auto flags = std::make_shared<AsfFlags>();
  CLI::App& app = *program.add_subcommand("asf", "alternating sequential filter: openings and closings that grow");
  flags->files.add_files_to(app);
  add_value(
      app, "--element", "SPEC", flags->options.element, [](const std::string& text) { return text; },
      "the last element of a family: disk:5 for radii 1 to 5, square:7 for edges 3, 5, 7; square, cube, cross, disk, "
      "ball, octagon or hexagon")
      ->default_str(flags->options.element)
      ->group("Element");
  add_value(
      app, "--order", "oc|co", flags->options.order, [](const std::string& text) { return parse_choice(text, orders); },
      "open, then close, or the other way round")
      ->default_str("oc")
      ->group("Element");
  add_border(app, flags->options.border);
  add_nan(app, flags->options.nan);
  flags->files.add_to(app);
  app.footer(
      "tamis asf scan.tif smooth.tif --element disk:4\n"
      "tamis asf volume.tif smooth.tif --element ball:3 --order co");
  app.callback([flags, &session] {
    run_filter(
        flags->files, session,
        [&](const Context& context, const Image& image) { return asf(context, image, flags->options); },
        [&](const Context&, const Image&) {
          FilterFacts facts;
          facts.command = "asf";
          facts.parameters = {{"element", flags->options.element},
                              {"order", word_of(flags->options.order, orders)},
                              {"border", to_string(flags->options.border)}};
          return facts;
        },
        [](const Layout& layout) { return image_bytes(layout.type, layout.shape); });
  });
}

}  // namespace

void add_morphology(CLI::App& program, Session& session) {
  add_operation(program, session, Operation::Erode, "the minimum under an element, everywhere",
                "tamis erode scan.tif out.tif --element disk:3\n"
                "tamis erode photo.png out.png --element rect:15x3 --border reflect");
  add_operation(program, session, Operation::Dilate, "the maximum under an element, everywhere",
                "tamis dilate mask.pbm out.pbm --element square:5\n"
                "tamis dilate volume.tif out.tif --element ball:4");
  add_operation(program, session, Operation::Open, "remove what is bright and smaller than an element",
                "tamis open scan.tif out.tif --element octagon:6\n"
                "tamis open page.png lines.png --element line:61@0\n"
                "tamis open roads.tif north.tif --element line:301@93.5 --lines traced\n"
                "tamis open cells.tif large.tif --element disk:9 --by-reconstruction");
  add_operation(program, session, Operation::Close, "remove what is dark and smaller than an element",
                "tamis close scan.tif out.tif --element disk:4.5\n"
                "tamis close volume.tif out.tif --element cube:5 --device cpu");
  add_operation(program, session, Operation::Gradient, "how much the image changes under an element",
                "tamis gradient photo.png edges.png --element square:3\n"
                "tamis gradient volume.tif edges.tif --element cross:1 --kind inner");
  add_operation(program, session, Operation::TopHat, "what an opening removes: small bright things",
                "tamis tophat gel.tif spots.tif --element disk:12");
  add_operation(program, session, Operation::BotHat, "what a closing fills: small dark things",
                "tamis bothat page.jpg ink.tif --element square:41");
  add_hitmiss(program, session);
  add_asf(program, session);
}

}  // namespace tamis::cli
