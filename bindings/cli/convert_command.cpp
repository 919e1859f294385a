// tamis convert: another format, sample type, part or channel.
#include <fmt/format.h>

#include <tamis/tamis.hpp>

#include "commands.hpp"
#include "input.hpp"
#include "outputs.hpp"
#include "streaming.hpp"

namespace tamis::cli {
namespace {

constexpr Choice<Type> targets[] = {{"u8", Type::U8}, {"u16", Type::U16}, {"i16", Type::I16}, {"f32", Type::F32}};

struct ConvertFlags {
  std::string in;
  std::string out;
  std::optional<Type> as;
  std::optional<Window> window;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;
};

void run(ConvertFlags& flags, Session& session) {
  if (flags.window && !flags.as) throw InputError("--window: wanted --as u8, u16, i16 or f32 with it");
  const Context context = flags.compute.context(session);
  Input input = open_input(flags.in, flags.input.read, flags.region, session.cancel);
  if (flags.as) {
    input.source = about_file(flags.in, [&] { return convert(std::move(input.source), *flags.as, flags.window); });
  }
  Outputs outputs(session);
  outputs.protect(flags.in);
  outputs.declare("out", flags.out);
  const std::unique_ptr<SliceSink> sink = outputs.create(flags.out, input.layout());
  about_file(flags.in, [&] { copy(context, *input.source, *sink); });
  outputs.commit();
  session.progress.clear();
  if (flags.compute.quiet) return;
  fmt::print("{}: {} {}, {}\n", flags.out, to_string(input.layout().shape), name(input.layout().type),
             input.layout().spacing.known() ? spacing_text(input.layout().spacing, input.layout().shape.rank)
                                            : "voxel size not known");
}

}  // namespace

void add_convert(CLI::App& program, Session& session) {
  const auto flags = std::make_shared<ConvertFlags>();
  CLI::App& app = *program.add_subcommand("convert", "write an image in another format or sample type");
  app.add_option("in", flags->in, "the image or volume")->required()->type_name("FILE");
  app.add_option("out", flags->out, "the ending chooses the format")->required()->type_name("FILE");
  add_value(
      app, "--as", "u8|u16|i16|f32", flags->as, [](const std::string& text) { return parse_choice(text, targets); },
      "sample type; values are kept, rounded and clamped, unless there is a window; otherwise the type stays")
      ->group("Conversion");
  add_value(app, "--window", "LO:HI", flags->window, parse_range,
            "map these values onto the whole range of the type (0 to 1 for f32)")
      ->group("Conversion");
  flags->region.add_crop_to(app);
  flags->input.add_to(app);
  flags->compute.add_quiet_to(app);
  app.footer(
      "tamis convert scan.tif scan.h5:/volume --spacing 2.5um\n"
      "tamis convert scan_f32.tif scan_u8.tif --as u8 --window -0.2:1.4\n"
      "tamis convert scan.tif corner.npy --crop 0:100,0:100,0:100");
  app.callback([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
