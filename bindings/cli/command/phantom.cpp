// tamis phantom: volumes with known answers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/option/options.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"
#include "cli/output/report.hpp"

namespace tamis::cli {
namespace {

struct PhantomFlags {
  std::string out;
  std::string json;
  Arguments arguments;
  std::optional<Spacing> spacing;
  ComputeFlags compute;
};

/// `paint(context)` is given when there is room for it; `what` is what is white.
template <class Paint>
void run(const PhantomFlags& flags, Session& session, const Shape& shape, const char* what, const Paint& paint) {
  const Context context = flags.compute.context(session);
  const Layout layout{Type::U8, shape, 1, spacing_of_rank(flags.spacing.value_or(Spacing{}), shape.rank)};
  Outputs outputs(session);
  outputs.declare("out", flags.out);
  if (!flags.json.empty()) outputs.declare("--json", flags.json);
  outputs.check_format(flags.out, layout);
  // What is painted is a bit a voxel, and written in slabs.
  require_memory(context, "the phantom", image_bytes(Type::Bool, shape) + bytes_of_copy(layout));
  const auto [image, json] = paint(context);
  outputs.write_image(context, flags.out, *convert(source_of(image), Type::U8, Window{0, 1}), layout);
  if (!flags.json.empty()) outputs.write_text(flags.json, json_file(json));
  outputs.commit();
  session.progress.clear();
  if (!flags.compute.quiet) fmt::print("{}: {} u8, {} are 255\n", flags.out, to_string(shape), what);
}

using Painted = std::pair<Image, nlohmann::ordered_json>;

void run_foam(const PhantomFlags& flags, Session& session) {
  const auto& options = flags.arguments.as<FoamOptions>();
  run(flags, session, options.shape, "pores", [&](const Context& context) {
    return Painted{phantom_foam(context, options), nullptr};
  });
}

void run_octahedra(const PhantomFlags& flags, Session& session) {
  const auto& options = flags.arguments.as<OctahedraOptions>();
  run(flags, session, options.shape, "octahedra", [&](const Context& context) {
    Octahedra made = phantom_octahedra(context, options);
    nlohmann::ordered_json json;
    json["shape"] = to_string(options.shape);
    json["max_radius"] = options.max_radius;
    json["seed"] = options.seed;
    json["spectrum"] = made.spectrum;
    json["version"] = TAMIS_VERSION;
    return Painted{std::move(made.image), json};
  });
}

/// `json`: what a file of --json holds; empty where there is none.
void add_one(const Command& phantom, Session& session, const char* name, const char* json,
             void (*run)(const PhantomFlags&, Session&)) {
  const OperationDescription& described = operation(std::string("phantom ") + name);
  const auto flags = std::make_shared<PhantomFlags>();
  flags->arguments = described.defaults;
  const Command command = phantom.add_command(name, described.text);
  command.add_argument(
      {"out", "FILE",
       described.gives.front().text + "; .raw is written exactly as named, and the ending chooses the format"},
      flags->out);
  add_parameters(command, described, flags->arguments);
  add_value(command, {"--spacing", "LENGTH", "size of a voxel to store in the file, 2.5um", "Phantom"}, flags->spacing,
            [](const std::string& text) {
              const Spacing spacing = parse_spacing(text);
              return spacing.known() ? spacing
                                     : throw InputError("wanted a unit too, as in 2.5um: no file stores a ratio");
            });
  command.show_examples(examples_text(described));
  if (*json) add_output(command, "--json", flags->json, json);
  flags->compute.add_cpu_to(command);
  add_writing(command, session);
  command.run([flags, run, &session] { run(*flags, session); });
}

}  // namespace

void add_phantom(const Command& program, Session& session) {
  const Command phantom = program.add_command("phantom", "make a synthetic volume with a known answer");
  phantom.require_command();
  add_one(phantom, session, "foam", "", run_foam);
  add_one(phantom, session, "octahedra", "the known spectrum, as JSON", run_octahedra);
}

}  // namespace tamis::cli
