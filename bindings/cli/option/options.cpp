#include "cli/option/options.hpp"

#include "cli/option/parameters.hpp"

namespace tamis::cli {

void InputFlags::add_to(CLI::App& app, const Session& session) {
  add_parameters(app, reading(), arguments, session);
}

void RegionFlags::add_crop_to(CLI::App& app) {
  const auto remember = [this](const std::string& text) {
    crop_text = text;
    return parse_crop(text);
  };
  add_value(app, "--crop", "X0:X1,Y0:Y1,Z0:Z1", crop, remember, "only this box of the image, ends excluded, x first")
      ->group("Region");
}

void RegionFlags::add_to(CLI::App& app) {
  add_value(
      app, "--roi", "cylinder|FILE", roi, [](const std::string& text) { return text; },
      "only what lies in the inscribed cylinder of the slices (the field of view of a tomograph), or where this "
      "mask is not 0; counts for the threshold too")
      ->group("Region");
  add_crop_to(app);
}

void ComputeFlags::add_to(CLI::App& app, const Session& session) {
  add_parameters(app, running(), arguments, session);
  add_quiet_to(app);
}

void ComputeFlags::add_cpu_to(CLI::App& app, const Session& session) {
  for (const char* const name : {"threads", "memory", "simd"}) add(app, session, name);
  add_quiet_to(app);
}

void ComputeFlags::add_memory_to(CLI::App& app, const Session& session) { add(app, session, "memory"); }

void ComputeFlags::add(CLI::App& app, const Session& session, std::string_view name) {
  for (const Parameter& parameter : running().parameters) {
    if (parameter.name == name) add_parameter(app, parameter, arguments, session);
  }
}

void ComputeFlags::add_quiet_to(CLI::App& app) {
  app.add_flag("-q,--quiet", quiet, "say nothing but errors")->group("Running");
}

Context ComputeFlags::context(Session& session) const {
  Context context = Context::best();
  asked().put_into(context);
  context.cancel = session.cancel;
  if (!quiet) context.on_progress = [&session](const Progress& progress) { session.progress.report(progress); };
  context.on_stage = [&session](std::string_view stage, double seconds) { session.times.add(stage, seconds); };
  return context;
}

CLI::Option* add_output(CLI::App& app, const std::string& flag, std::string& target, const std::string& description) {
  const auto read = [](const std::string& text) {
    if (text.empty()) throw InputError("wanted the name of a file");
    return text;
  };
  return add_value(app, flag, "FILE", target, read, description)->group("Output");
}

}  // namespace tamis::cli
