// Where the samples of NRRD, MetaImage and NIfTI lie, as their headers say, and how many bytes they have to be.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

#include "io/checked.hpp"
#include "io/format.hpp"
#include "io/header_text.hpp"
#include "io/inflater.hpp"

namespace tamis::io {

struct SamplePlace {
  std::string path;          ///< the file that was named
  std::string data;          ///< the file with the samples, often the same
  std::int64_t offset = 0;   ///< in `data`: of the samples, or of the compressed stream
  std::int64_t skipped = 0;  ///< bytes in front of the samples within the decompressed stream
  Packing packing = Packing::None;
  bool swapped = false;  ///< bytes are in the other order than this machine's
  double slope = 1;      ///< values are slope * sample + intercept
  double intercept = 0;
  std::int64_t times = 1;  ///< volumes that follow each other, all of `layout`
  std::int64_t time = 0;   ///< the one that is read
  Layout layout;           ///< of the samples in the file
  std::string description;
  ReadOptions options;  ///< as they were given: what may be followed, who may stop it

  [[nodiscard]] bool rescaled() const { return slope != 1 || intercept != 0; }
};

/// Checks the file against its header and serves the samples: uncompressed ones mapped, compressed ones in order.
[[nodiscard]] std::unique_ptr<Source> open_place(SamplePlace place);

/// The edges of an image, x first as headers have them. Trailing ones beyond the third are dropped; throws InputError
/// for more dimensions, fewer than 2, and edges that are not 1 .. 2^31-1.
[[nodiscard]] Shape shape_of_sizes(const std::string& path, std::string_view format, std::vector<std::int64_t> sizes);
/// The same of fields of a header: the number of dimensions, and as many sizes.
[[nodiscard]] Shape shape_of_fields(const std::string& path, std::string_view format, const HeaderFields& fields,
                                    std::string_view dimension, std::string_view sizes);
/// Voxel sizes, x first; not known where one is no length or the unit is none.
[[nodiscard]] Spacing spacing_of_lengths(const std::optional<std::array<double, 3>>& lengths, int rank,
                                         const std::string& unit);
/// "data" of a header: a file beside it, unless it is an absolute path. Throws InputError where it may not be followed.
[[nodiscard]] std::string beside(const std::string& path, std::string_view name, bool follow);
/// Where `bytes` of samples start that end with a file of this length, at `first` or behind: what "-1" as a skip says.
/// Throws InputError where the file has fewer.
[[nodiscard]] std::int64_t start_from_end(const SamplePlace& place, std::int64_t length, std::int64_t first);
/// Samples of 2 bytes and more in `little` order: are they in the other order than this machine's?
[[nodiscard]] bool is_swapped(Type type, bool little);
/// Refuses samples that are not as long as the header says.
[[noreturn]] void wrong_length(const SamplePlace& place, std::int64_t got, std::int64_t wanted);

/// How samples are written after a header: voxel sizes in mm, x first; nothing where the unit is not known.
[[nodiscard]] std::vector<double> spacing_in_mm(const Layout& layout);

}  // namespace tamis::io
