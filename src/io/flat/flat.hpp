// Samples at a fixed place of a file or of a stream in it: raw, .npy, binary PNM, most TIFF stacks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "core/system/mapped_file.hpp"
#include "io/format.hpp"
#include "io/inflater.hpp"

namespace tamis::io {

// Uncompressed samples at a fixed place of a file: raw, .npy, binary PNM, most TIFF stacks.

/// Where the samples lie. Slices are dense; between them there may be a gap.
struct FlatPlace {
  std::int64_t offset = 0;
  std::int64_t slice_stride = 0;
  bool swapped = false;  ///< bytes are in the other order than this machine's
};

/// Serves samples out of a mapped file, with no copy where they are aligned and in native order.
/// Throws InputError where a slice does not lie inside the file. `cancel` ends reading.
[[nodiscard]] std::unique_ptr<Source> open_flat(MappedFile file, const FlatPlace& place, const Layout& layout,
                                                std::string description, std::stop_token cancel);

/// Where samples lie within a compressed stream, which goes on to the end of its file.
struct StreamPlace {
  std::int64_t offset = 0;   ///< of the stream in the file
  std::int64_t skipped = 0;  ///< bytes in front of the samples
  std::int64_t length = 0;   ///< of all that is in the stream
  Packing packing = Packing::Deflate;
  bool swapped = false;         ///< bytes are in the other order than this machine's
  bool trusts_trailer = false;  ///< of a gzip file that says the length: the rest is checked while it is read
};

/// Serves the samples of a stream in order; going back starts again. Unless the trailer is trusted, the stream is
/// decoded to its end before, so that its length and checksums are known to be right before anything is allocated.
/// Throws InputError where they are not.
[[nodiscard]] std::unique_ptr<Source> open_stream(MappedFile file, const StreamPlace& place, const Layout& layout,
                                                  std::string description, const std::stop_token& cancel);

/// How samples are put into a file that is a head, the samples in order, and a tail, which knows how they are shown.
struct FlatRecipe {
  enum class Bool : std::uint8_t { ZeroOne, Zero255, PackedBlackIsOne };
  std::string head;
  std::function<std::string(const std::optional<Display>& display)> tail{};
  Bool bool_as = Bool::Zero255;
  bool big_endian = false;
  bool bottom_up = false;  ///< of the one slice the last row comes first
};

[[nodiscard]] std::unique_ptr<SliceSink> create_flat(const Target& target, const Layout& layout, FlatRecipe recipe);
/// A head and the samples within gzip; without a head little endian, otherwise as this machine has them.
[[nodiscard]] std::unique_ptr<SliceSink> create_gzip(const Target& target, const Layout& layout, std::string_view head);

// Uncompressed samples of which the first axis is the fastest, as Fortran and MATLAB have them.

/// Serves samples of a mapped file, all of which lie inside it from `offset` on: z fastest, then y, then x. `swapped`:
/// bytes are in the other order than this machine's. Slices are read 128 at a time. `cancel` ends reading.
[[nodiscard]] std::unique_ptr<Source> open_columns(MappedFile file, std::int64_t offset, bool swapped,
                                                   const Layout& layout, std::string description,
                                                   std::stop_token cancel);

// Shape and type of headerless files: from the options, else from the name.

/// Reads foam_600x600x250_u8.raw; throws InputError where neither options nor name say both.
[[nodiscard]] Layout raw_layout(const std::string& path, const ReadOptions& options);

/// Throws InputError where the name of a file to be written would tell its readers another shape or type.
void require_true_name(const std::string& path, const Layout& layout);

}  // namespace tamis::io
