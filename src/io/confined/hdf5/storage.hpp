// How an HDF5 dataset lies in its file, so that tamis can read it without HDF5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tamis::io {

/// What HDF5 did to a chunk on its way into the file, in this order.
enum class Hdf5Filter : std::uint8_t { Deflate, Lzf, Shuffle, Fletcher32 };

struct Hdf5Storage {
  /// Library: only HDF5 can read it (other filters, other kinds of numbers, several files).
  enum class Kind : std::uint8_t { Library, Contiguous, Chunked };
  static constexpr std::size_t most_filters = 8;
  /// Chunks that are asked for at once; datasets that have more side by side are read by HDF5.
  static constexpr std::int64_t most_at_once = std::int64_t{1} << 20;

  Kind kind = Kind::Library;
  /// Not 0: bytes are in the other order than this machine's. No bool, for a process that lies could send one that is
  /// neither true nor false.
  std::uint8_t swapped = 0;
  std::int64_t offset = 0;  ///< Contiguous: of the samples
  std::array<std::int64_t, 3> chunk{1, 1, 1};
  std::int32_t filter_count = 0;
  std::array<Hdf5Filter, most_filters> filters{};
  std::array<std::byte, 8> fill{};  ///< the sample of chunks that are not stored, in this machine's byte order
  std::int64_t sample_bytes = 1;

  /// Rows and columns of chunks in a plane of `y` by `x` samples.
  [[nodiscard]] std::array<std::int64_t, 2> chunks_across(std::int64_t y, std::int64_t x) const {
    return {(y - 1) / chunk[1] + 1, (x - 1) / chunk[2] + 1};
  }
  [[nodiscard]] std::int64_t chunk_bytes() const { return chunk[0] * chunk[1] * chunk[2] * sample_bytes; }
};

struct Hdf5Chunk {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;         ///< as stored; 0: not stored
  std::uint32_t filter_mask = 0;  ///< bit i: filter i was left out
};

/// Unpacks what h5py's filter LZF has packed; false unless that gives exactly `out`'s length.
[[nodiscard]] bool unpack_lzf(std::span<const std::byte> in, std::span<std::byte> out);

/// Undoes the filters of one chunk. `out` becomes chunk_bytes() long; `scratch` is for the steps in between. Neither grows
/// for fewer stored bytes than any compression needs. Returns what is wrong, empty if the chunk gives exactly its bytes:
/// HDF5 itself reads past the end of one that inflates short.
[[nodiscard]] std::string unfilter(const Hdf5Storage& storage, std::uint32_t filter_mask,
                                   std::span<const std::byte> stored, std::vector<std::byte>& scratch,
                                   std::vector<std::byte>& out);

}  // namespace tamis::io
