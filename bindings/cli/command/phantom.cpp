// tamis phantom: volumes with known answers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/option/options.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"

namespace tamis::cli {
namespace {

struct FoamFlags {
  std::string out;
  Arguments arguments = operation("phantom foam").defaults;
  std::optional<Spacing> spacing;
  ComputeFlags compute;
};

struct OctahedraFlags {
  std::string out;
  std::string json;
  Arguments arguments = operation("phantom octahedra").defaults;
  std::optional<Spacing> spacing;
  ComputeFlags compute;
};

Layout layout_of(const Shape& shape, const std::optional<Spacing>& spacing) {
  return {Type::U8, shape, 1, spacing_of_rank(spacing.value_or(Spacing{}), shape.rank)};
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
  const auto& options = flags.arguments.as<FoamOptions>();
  const Layout layout = layout_of(options.shape, flags.spacing);
  Outputs outputs(session);
  outputs.declare("out", flags.out);
  outputs.check_format(flags.out, layout);
  require_room(context, layout);
  save(context, phantom_foam(context, options), flags.out, layout, outputs);
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) fmt::print("{}: {} u8, pores are 255\n", flags.out, to_string(layout.shape));
}

void run_octahedra(OctahedraFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  const auto& options = flags.arguments.as<OctahedraOptions>();
  const Layout layout = layout_of(options.shape, flags.spacing);
  Outputs outputs(session);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  outputs.check_format(flags.out, layout);
  require_room(context, layout);
  const Octahedra made = phantom_octahedra(context, options);
  save(context, made.image, flags.out, layout, outputs);
  if (!flags.json.empty()) {
    nlohmann::ordered_json json;
    json["shape"] = to_string(layout.shape);
    json["max_radius"] = options.max_radius;
    json["seed"] = options.seed;
    json["spectrum"] = made.spectrum;
    json["version"] = TAMIS_VERSION;
    outputs.write_text(flags.json, json.dump(2) + "\n");
  }
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) fmt::print("{}: {} u8, octahedra are 255\n", flags.out, to_string(layout.shape));
}

template <class Flags>
void add_options(const Command& command, Flags& flags, const OperationDescription& operation) {
  command.add_argument(
      {"out", "FILE",
       operation.gives.front().text + "; .raw is written exactly as named, and the ending chooses the format"},
      flags.out);
  add_parameters(command, operation, flags.arguments);
  add_value(command, {"--spacing", "LENGTH", "size of a voxel to store in the file, 2.5um", "Phantom"}, flags.spacing,
            [](const std::string& text) {
              const Spacing spacing = parse_spacing(text);
              return spacing.known() ? spacing
                                     : throw InputError("wanted a unit too, as in 2.5um: no file stores a ratio");
            });
  command.show_examples(examples_text(operation));
}

}  // namespace

void add_phantom(const Command& program, Session& session) {
  const Command phantom = program.add_command("phantom", "make a synthetic volume with a known answer");
  phantom.require_command();

  const OperationDescription& foam_operation = operation("phantom foam");
  const auto foam_flags = std::make_shared<FoamFlags>();
  const Command foam = phantom.add_command("foam", foam_operation.text);
  add_options(foam, *foam_flags, foam_operation);
  foam_flags->compute.add_cpu_to(foam);
  add_writing(foam, session);
  foam.run([foam_flags, &session] { run_foam(*foam_flags, session); });

  const OperationDescription& octahedra_operation = operation("phantom octahedra");
  const auto octahedra_flags = std::make_shared<OctahedraFlags>();
  const Command octahedra = phantom.add_command("octahedra", octahedra_operation.text);
  add_options(octahedra, *octahedra_flags, octahedra_operation);
  add_output(octahedra, "--json", octahedra_flags->json, "the known spectrum, as JSON");
  octahedra_flags->compute.add_cpu_to(octahedra);
  add_writing(octahedra, session);
  octahedra.run([octahedra_flags, &session] { run_octahedra(*octahedra_flags, session); });
}

}  // namespace tamis::cli
