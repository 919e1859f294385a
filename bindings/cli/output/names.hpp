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

}  // namespace tamis::cli
