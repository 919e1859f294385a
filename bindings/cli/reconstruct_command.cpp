// tamis reconstruct: a marker grows inside a mask.
#include <fmt/format.h>

#include <chrono>

#include <tamis/tamis.hpp>

#include "commands.hpp"
#include "filter.hpp"

namespace tamis::cli {
namespace {

constexpr Choice<ReconstructOptions::By> ways[] = {{"dilation", ReconstructOptions::By::Dilation},
                                                   {"erosion", ReconstructOptions::By::Erosion}};

struct ReconstructFlags {
  FilterFlags files;  ///< `in` is the mask
  std::string marker;
  ReconstructOptions options;
};

void run(const ReconstructFlags& flags, Session& session) {
  using Clock = std::chrono::steady_clock;
  const Context context = flags.files.compute.context(session);
  require_device(context);
  const Clock::time_point start = Clock::now();
  Input marker = open_input(flags.marker, flags.files.input.read, flags.files.region, session.cancel);
  Input mask = open_input(flags.files.in, flags.files.input.read, flags.files.region, session.cancel);
  if (marker.layout().channels != mask.layout().channels) {
    throw InputError(fmt::format("{}: {} channels, the mask {} has {}; wanted as many, or --channel", flags.marker,
                                 marker.layout().channels, flags.files.in, mask.layout().channels));
  }
  Outputs outputs(session);
  outputs.protect(flags.marker);
  outputs.protect(flags.files.in);
  outputs.declare("out", flags.files.out);
  if (!flags.files.json.empty()) outputs.declare("--json", flags.files.json);
  const Layout layout = mask.layout();
  outputs.check_format(flags.files.out, layout);
  const Context work = about_file(flags.files.in, [&] {
    return beside_images(context, {marker.layout(), layout}, bytes_of_reconstruct(layout.type, layout.shape));
  });
  const std::vector<Image> markers = read_for_filter(context, marker, false);
  std::vector<Image> images = read_for_filter(context, mask, false);
  const double reading = std::chrono::duration<double>(Clock::now() - start).count();
  for (std::size_t c = 0; c < images.size(); ++c) {
    images[c] = about_file(flags.marker, [&] { return reconstruct(work, markers[c], images[c], flags.options); });
  }
  FilterFacts facts;
  facts.command = "reconstruct";
  facts.parameters = {{"marker", flags.marker},
                      {"by", word_of(flags.options.by, ways)},
                      {"connectivity", flags.options.connectivity == Connectivity::Face ? "face" : "full"}};
  finish_filter(flags.files, session, context, outputs, {images, layout, reading}, facts);
}

}  // namespace

void add_reconstruct(CLI::App& program, Session& session) {
  const auto flags = std::make_shared<ReconstructFlags>();
  CLI::App& app = *program.add_subcommand("reconstruct", "grow a marker inside a mask until it fills what it touches");
  app.add_option("marker", flags->marker, "where to start: below the mask everywhere, above it by erosion")
      ->required()
      ->type_name("FILE");
  app.add_option("mask", flags->files.in, "what is not passed, an image of the same type and size")
      ->required()
      ->type_name("FILE");
  app.add_option("out", flags->files.out, "the result, of the same type; the ending chooses the format")
      ->required()
      ->type_name("FILE");
  add_value(
      app, "--by", "dilation|erosion", flags->options.by,
      [](const std::string& text) { return parse_choice(text, ways); },
      "dilations of the marker below the mask, or erosions above it")
      ->default_str("dilation")
      ->group("Element");
  add_connectivity(app, flags->options.connectivity);
  flags->files.region.add_crop_to(app);
  add_output(app, "--json", flags->files.json, "the parameters and the times, as JSON");
  flags->files.input.add_to(app);
  flags->files.compute.add_to(app);
  app.footer(
      "tamis reconstruct seeds.tif cells.tif touched.tif\n"
      "tamis reconstruct filled.tif ground.tif lakes.tif --by erosion --connectivity face");
  app.callback([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
