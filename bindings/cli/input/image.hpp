// An input file as the options want it: opened, cropped, with the region that counts.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include <tamis/image.hpp>
#include <tamis/threshold.hpp>

#include "cli/option/options.hpp"

namespace tamis::cli {

struct Input {
  std::string path;
  std::string description;              ///< what was understood of the file
  Layout file;                          ///< the file's layout, before the crop
  std::unique_ptr<SliceSource> source;  ///< after the crop
  std::unique_ptr<Image> disk;          ///< what `mask` reads, for the cylinder
  std::unique_ptr<SliceSource> mask;
  Region region;

  [[nodiscard]] const Layout& layout() const { return source->layout(); }
};

/// What counts for every file of a command, of what its options say; the rest describes the samples of the image alone.
[[nodiscard]] ReadOptions for_any_file(const ReadOptions& read, const std::stop_token& cancel);

/// Errors name the file. `cancel` ends opening and reading, also of the mask.
[[nodiscard]] Input open_input(const std::string& path, ReadOptions read, const RegionFlags& region,
                               const std::stop_token& cancel);

/// A mask for an opened image: of its shape, or one slice for all; cropped with it unless it was made for the crop.
[[nodiscard]] std::unique_ptr<SliceSource> open_mask(const std::string& path, ReadOptions read, const Input& input,
                                                     const RegionFlags& region, const std::stop_token& cancel);

/// Runs `work`; an InputError then starts with the name of the file.
template <class Work>
auto about_file(const std::string& path, Work work) {
  try {
    return work();
  } catch (const InputError& error) {
    const std::string_view text = error.what();
    if (text.starts_with(path)) throw;
    throw InputError(path + ": " + std::string(text));
  }
}

/// "1.5 x 1.5 x 3 um", "2.5 um", "not known".
[[nodiscard]] std::string spacing_text(const Spacing& spacing, int rank);
/// The unit as people write it: "µm" for "um".
[[nodiscard]] std::string unit_text(const std::string& unit);

}  // namespace tamis::cli
