#include "cli/output/names.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "cli/option/options.hpp"
#include "cli/output/table.hpp"
#include "cli/plot/gnuplot.hpp"

namespace tamis::cli {
namespace {

/// "foam" of data/foam.tif, "scan" of scan.raw.gz, "a_data" of a.h5:/data.
std::string plain_name(const std::string& input) {
  // What stands behind a colon is inside a file.
  const std::size_t inside = input.find(":/");
  const std::filesystem::path path(input.substr(0, inside));
  const std::filesystem::path last = path.has_filename() ? path.filename() : path.parent_path().filename();
  std::string name = last.stem().string();
  if (last.extension() == ".gz") name = std::filesystem::path(name).stem().string();
  if (inside != std::string::npos) {
    std::string dataset = input.substr(inside + 2);
    std::replace(dataset.begin(), dataset.end(), '/', '_');
    name += '_' + dataset;
  }
  return name;
}

bool has(const std::string& path, const char* placeholder) { return path.find(placeholder) != std::string::npos; }

void replace(std::string& path, std::string_view placeholder, const std::string& text) {
  for (std::size_t at = path.find(placeholder); at != std::string::npos; at = path.find(placeholder, at)) {
    path.replace(at, placeholder.size(), text);
    at += text.size();  // a name may have braces of its own
  }
}

}  // namespace

void add_outputs(const Command& command, std::span<const NamedOutput> named) {
  for (const NamedOutput& output : named) add_output(command, output.option, *output.path, output.text);
}

void require_names(const NamedOutputs& named, std::size_t files, bool both) {
  for (const NamedOutput& output : named) {
    const std::string& path = *output.path;
    for (const char* const placeholder : {"{name}", "{phase}"}) {
      if (output.own || !has(path, placeholder)) continue;
      throw InputError(
          fmt::format("{} {}: holds all files and phases; wanted a name without {}", output.option, path, placeholder));
    }
    if (!output.own || path.empty()) continue;
    if (files > 1 && !has(path, "{name}")) {
      throw InputError(fmt::format("{} {}: holds one file, got {}; wanted {{name}} in it, as in {{name}}_map.tif",
                                   output.option, path, files));
    }
    if (both && !has(path, "{phase}")) {
      throw InputError(fmt::format("{} {}: holds one phase, got both; wanted {{phase}} in it, as in map_{{phase}}.tif",
                                   output.option, path));
    }
  }
}

void fill_in(const NamedOutputs& named, const std::string& input, const std::string& phase) {
  for (const NamedOutput& output : named) {
    if (!output.own) continue;
    replace(*output.path, "{name}", plain_name(input));
    replace(*output.path, "{phase}", phase);
  }
}

void declare(Outputs& outputs, const NamedOutputs& named, bool own) {
  for (const NamedOutput& output : named) {
    if (output.own != own || output.path->empty()) continue;
    if (output.kind == FileKind::Table) {
      declare_table(outputs, output.option, *output.path);
    } else {
      const bool png = output.kind == FileKind::Png || output.kind == FileKind::Picture;
      outputs.declare(output.option, *output.path, png ? ".png" : output.kind == FileKind::Plot ? ".svg" : "");
    }
  }
}

void require_gnuplot(const NamedOutputs& named, const std::stop_token& cancel) {
  const auto drawn = [](const NamedOutput& output) {
    return !output.path->empty() && (output.kind == FileKind::Plot || output.kind == FileKind::Picture);
  };
  if (std::any_of(named.begin(), named.end(), drawn)) require_gnuplot(cancel);
}

void discard_own(Outputs& outputs, const NamedOutputs& named) {
  for (const NamedOutput& output : named) {
    if (output.own && !output.path->empty()) outputs.discard(*output.path);
  }
}

}  // namespace tamis::cli
