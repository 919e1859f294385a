// tamis convert: another format, sample type, part or channel, voxels of other sides.
#include <fmt/format.h>

#include <tamis/operations/arguments.hpp>
#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/input/image.hpp"
#include "cli/option/parameters.hpp"
#include "cli/output/files.hpp"

namespace tamis::cli {
namespace {

struct ConvertFlags {
  std::string in;
  std::string out;
  Arguments arguments = operation("convert").defaults;
  InputFlags input;
  RegionFlags region;
  ComputeFlags compute;
  std::optional<Spacing> resample;
  Arguments resampling = operation("resample").defaults;
};

/// Images of 0 ... 1, as many programs write them, would become 0 and 1.
void refuse_fractions(const Context& context, SliceSource& source, Type type) {
  if (type == Type::F32 || !becomes_zeros_and_ones(context, source)) return;
  throw InputError(
      fmt::format("--as {0}: all samples would become 0 or 1, and some lie between; wanted --window 0:1 for the whole "
                  "range of {0}, or tamis threshold for two values",
                  name(type)));
}

void run(ConvertFlags& flags, Session& session) {
  const auto& [type, window] = flags.arguments.as<ConvertArguments>();
  if (window && !type) throw InputError("--window: wanted --as u8, u16, i16 or f32 with it");
  const auto& resampling = flags.resampling.as<ResampleArguments>();
  if (resampling.interpolation && !flags.resample) throw InputError("--interpolation: wanted --resample with it");
  const Context context = flags.compute.context(session);
  Input input = open_input(flags.in, flags.input.read(), flags.region, session.cancel);
  if (type && !window) about_file(flags.in, [&] { refuse_fractions(context, *input.source, *type); });
  if (flags.resample) {
    input.source = about_file(flags.in, [&] {
      const Interpolation interpolation = resampling.of(input.layout().type);
      return resample(context, std::move(input.source), *flags.resample, interpolation);
    });
  }
  if (type) {
    input.source = about_file(
        flags.in, [&, wanted = *type, range = window] { return convert(std::move(input.source), wanted, range); });
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

void add_convert(const Command& program, Session& session) {
  const auto flags = std::make_shared<ConvertFlags>();
  const Command command = program.add_command("convert", operation("convert").text);
  command.add_argument({"in", "FILE", "the image or volume"}, flags->in);
  command.add_argument({"out", "FILE", "the ending chooses the format"}, flags->out);
  add_parameters(command, operation("convert"), flags->arguments);
  add_value(
      command,
      {"--resample", "N|WxHxD",
       "make voxels of these sides, with their unit, x first: 2um or 1x1x2um; the image keeps its length. (--spacing "
       "says how large voxels are and leaves the samples as they are)",
       "Resampling"},
      flags->resample, [](const std::string& text) { return std::optional(parse_spacing(text)); });
  add_parameters(command, operation("resample"), flags->resampling);
  flags->region.add_crop_to(command);
  flags->input.add_to(command);
  flags->compute.add_quiet_to(command);
  add_writing(command, session);
  command.show_examples(examples_text(operation("convert")));
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
