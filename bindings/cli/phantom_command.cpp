// tamis phantom: volumes with known answers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "commands.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "streaming.hpp"

namespace tamis::cli {
namespace {

struct FoamFlags {
  std::string out;
  FoamOptions foam;
  std::optional<Spacing> spacing;
  ComputeFlags compute;
};

struct OctahedraFlags {
  std::string out;
  std::string json;
  OctahedraOptions octahedra;
  std::optional<Spacing> spacing;
  ComputeFlags compute;
};

Layout layout_of(const Shape& shape, const std::optional<Spacing>& spacing) {
  return {Type::U8, shape, 1, spacing.value_or(Spacing{})};
}

/// What is painted is a bit a voxel, and written in slabs.
void require_room(const Context& context, const Layout& layout) {
  require_memory(context, "the phantom", image_bytes(Type::Bool, layout.shape) + bytes_of_copy(layout));
}

void save(const Context& context, const Image& image, const std::string& out, const Layout& layout, Outputs& outputs) {
  copy(context, *black_and_white(image), *outputs.create(out, layout));
}

void run_foam(FoamFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  const Layout layout = layout_of(flags.foam.shape, flags.spacing);
  Outputs outputs(session);
  outputs.declare("out", flags.out);
  outputs.check_format(flags.out, layout);
  require_room(context, layout);
  save(context, phantom_foam(context, flags.foam), flags.out, layout, outputs);
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) fmt::print("{}: {} u8, pores are 255\n", flags.out, to_string(layout.shape));
}

void run_octahedra(OctahedraFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  const Layout layout = layout_of(flags.octahedra.shape, flags.spacing);
  Outputs outputs(session);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  outputs.check_format(flags.out, layout);
  require_room(context, layout);
  const Octahedra made = phantom_octahedra(context, flags.octahedra);
  save(context, made.image, flags.out, layout, outputs);
  if (!flags.json.empty()) {
    nlohmann::ordered_json json;
    json["shape"] = to_string(layout.shape);
    json["max_radius"] = flags.octahedra.max_radius;
    json["seed"] = flags.octahedra.seed;
    json["spectrum"] = made.spectrum;
    json["version"] = TAMIS_VERSION;
    outputs.write_text(flags.json, json.dump(2) + "\n");
  }
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) fmt::print("{}: {} u8, octahedra are 255\n", flags.out, to_string(layout.shape));
}

/// The options that both phantoms have, under the names of their structs.
template <class Flags, class Options>
void add_common(CLI::App& app, Flags& flags, Options& options) {
  app.add_option("out", flags.out, "u8, 0 and 255; the ending chooses the format, .raw is written exactly as named")
      ->required()
      ->type_name("FILE");
  add_value(app, "--size", "N|WxHxD", options.shape, parse_size, "edge of a cube, or extent in voxels, x first")
      ->default_str(std::to_string(options.shape.x))
      ->group("Phantom");
  add_value(
      app, "--max-radius", "N", options.max_radius,
      [](const std::string& text) { return parse_integer(text, 0, 1 << 20); }, "largest radius in voxels")
      ->default_str(std::to_string(options.max_radius))
      ->group("Phantom");
  add_value(
      app, "--seed", "N", options.seed,
      [](const std::string& text) { return static_cast<std::uint64_t>(parse_integer(text, 0)); },
      "start of the random numbers; the same seed gives the same image everywhere")
      ->default_str(std::to_string(options.seed))
      ->group("Phantom");
  add_value(app, "--spacing", "LENGTH", flags.spacing, parse_spacing, "size of a voxel to store in the file, 2.5um")
      ->group("Phantom");
}

double parse_fraction(const std::string& text) {
  const double fraction = parse_number(text);
  if (!(fraction > 0 && fraction < 1)) throw InputError("wanted a number above 0 and below 1");
  return fraction;
}

}  // namespace

void add_phantom(CLI::App& program, Session& session) {
  CLI::App& phantom = *program.add_subcommand("phantom", "make a synthetic volume with a known answer");
  phantom.require_subcommand(1);

  const auto foam_flags = std::make_shared<FoamFlags>();
  CLI::App& foam = *phantom.add_subcommand("foam", "overlapping spheres: the pores of a foam");
  add_common(foam, *foam_flags, foam_flags->foam);
  add_value(
      foam, "--min-radius", "N", foam_flags->foam.min_radius,
      [](const std::string& text) { return parse_integer(text, 0, 1 << 20); }, "smallest radius in voxels")
      ->default_str(std::to_string(foam_flags->foam.min_radius))
      ->group("Phantom");
  add_value(foam, "--fraction", "F", foam_flags->foam.pore_fraction, parse_fraction, "share of the volume that is pore")
      ->default_str(fmt::format("{}", foam_flags->foam.pore_fraction))
      ->group("Phantom");
  foam_flags->compute.add_cpu_to(foam);
  foam.footer(
      "tamis phantom foam foam.tif --size 256 --max-radius 20\n"
      "tamis phantom foam foam_1024x1024x1024_u8.raw --size 1024 --max-radius 40 --seed 7");
  foam.callback([foam_flags, &session] { run_foam(*foam_flags, session); });

  const auto octahedra_flags = std::make_shared<OctahedraFlags>();
  CLI::App& octahedra = *phantom.add_subcommand("octahedra", "disjoint octahedra: their cross granulometry is exact");
  add_common(octahedra, *octahedra_flags, octahedra_flags->octahedra);
  add_output(octahedra, "--json", octahedra_flags->json, "the known spectrum, as JSON");
  octahedra_flags->compute.add_cpu_to(octahedra);
  octahedra.footer("tamis phantom octahedra known.tif --size 200x200x200 --max-radius 12 --json known.json");
  octahedra.callback([octahedra_flags, &session] { run_octahedra(*octahedra_flags, session); });
}

}  // namespace tamis::cli
