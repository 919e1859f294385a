// Our own reading of the headers of NRRD, MetaImage and NIfTI: where the samples lie and how many bytes they have to
// be. It stands in front of ITK, which takes what a file has too little for whatever was in memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

#include "io/format.hpp"
#include "io/itk_wire.hpp"

namespace tamis::io {

struct ItkPlace {
  ItkFormat format{};
  std::string path;          ///< the file that was named
  std::string data;          ///< the file with the samples, often the same
  std::int64_t offset = 0;   ///< in `data`: of the samples, or of the compressed stream
  std::int64_t skipped = 0;  ///< bytes in front of the samples within the decompressed stream
  bool deflated = false;     ///< gzip or zlib
  bool swapped = false;      ///< bytes are in the other order than this machine's
  double slope = 1;          ///< values are slope * sample + intercept
  double intercept = 0;
  bool spaced = false;      ///< the header has voxel sizes (ITK says which)
  std::string unit = "mm";  ///< of the voxel sizes
  Layout layout;            ///< of the samples in the file
  std::string description;

  [[nodiscard]] bool rescaled() const { return slope != 1 || intercept != 0; }
};

/// Checks the file against its header, then the header against ITK's reading of it, and serves the samples:
/// uncompressed ones mapped, compressed ones in order.
[[nodiscard]] std::unique_ptr<Source> open_place(ItkPlace place);

/// The edges of an image, x first as headers have them. Trailing ones beyond the third are dropped; throws InputError
/// for more dimensions, fewer than 2, and edges that are not 1 .. 2^31-1.
[[nodiscard]] Shape shape_of_sizes(const std::string& path, std::string_view format, std::vector<std::int64_t> sizes);
/// Numbers between blanks; throws InputError, naming the key, for anything else.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(const std::string& path, std::string_view key,
                                                      std::string_view text);
[[nodiscard]] std::int64_t whole_number(const std::string& path, std::string_view key, std::string_view text);
/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);
/// "data" of a header: a file beside it, unless it is an absolute path.
[[nodiscard]] std::string beside(const std::string& path, std::string_view name);
/// Samples of 2 bytes and more in `little` order: are they in the other order than this machine's?
[[nodiscard]] bool is_swapped(Type type, bool little);
/// Printable ASCII of a word of a header, shortened, for messages.
[[nodiscard]] std::string shown(std::string_view word);

/// How samples are written after a header: voxel sizes in mm, x first; nothing where the unit is not known.
[[nodiscard]] std::vector<double> spacing_in_mm(const Layout& layout);

}  // namespace tamis::io
