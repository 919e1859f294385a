// Names of outputs that several results share: "{name}" and "{phase}" stand for what tells them apart.
#pragma once

#include <string>
#include <string_view>

namespace tamis::cli {

/// What the placeholders of one result stand for.
struct ResultName {
  std::string name;   ///< of the input, without folder and ending: "foam" of data/foam.tif
  std::string phase;  ///< "bright" or "dark"
};

/// "foam" of data/foam.tif, "scan" of scan.raw.gz, "a_data" of a.h5:/data.
[[nodiscard]] std::string plain_name(const std::string& input);

/// The path with its placeholders filled in.
[[nodiscard]] std::string filled_in(std::string path, const ResultName& result);

[[nodiscard]] bool has_placeholder(std::string_view path, std::string_view placeholder);

/// An output that all results stand in together: throws InputError where its name has a placeholder.
void require_shared_name(const char* option, const std::string& path);
/// An output that each result has for itself, an empty name where it is not wanted: throws InputError where those of
/// `files` files, or of both phases, would have the same name.
void require_own_name(const char* option, const std::string& path, std::size_t files, bool both);

}  // namespace tamis::cli
