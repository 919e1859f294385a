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
#include "io/header_text.hpp"
#include "io/itk/wire.hpp"

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
  bool spaced = false;      ///< the header has voxel sizes, all of them above 0 and finite (ITK says which)
  std::string unit = "mm";  ///< of the voxel sizes
  Layout layout;            ///< of the samples in the file
  std::string description;
  ReadOptions options;  ///< as they were given: what may be followed, what is confined, who may stop it

  [[nodiscard]] bool rescaled() const { return slope != 1 || intercept != 0; }
};

/// Checks the file against its header, then the header against ITK's reading of it, and serves the samples:
/// uncompressed ones mapped, compressed ones in order.
[[nodiscard]] std::unique_ptr<Source> open_place(ItkPlace place);

/// The edges of an image, x first as headers have them. Trailing ones beyond the third are dropped; throws InputError
/// for more dimensions, fewer than 2, and edges that are not 1 .. 2^31-1.
[[nodiscard]] Shape shape_of_sizes(const std::string& path, std::string_view format, std::vector<std::int64_t> sizes);
/// "data" of a header: a file beside it, unless it is an absolute path. Throws InputError where it may not be followed.
[[nodiscard]] std::string beside(const std::string& path, std::string_view name, bool follow);
/// Where `bytes` of samples start that end with a file of this length, at `first` or behind: what "-1" as a skip says.
/// Throws InputError where the file has fewer.
[[nodiscard]] std::int64_t start_from_end(const ItkPlace& place, std::int64_t length, std::int64_t first);
/// Samples of 2 bytes and more in `little` order: are they in the other order than this machine's?
[[nodiscard]] bool is_swapped(Type type, bool little);

/// How samples are written after a header: voxel sizes in mm, x first; nothing where the unit is not known.
[[nodiscard]] std::vector<double> spacing_in_mm(const Layout& layout);

}  // namespace tamis::io
