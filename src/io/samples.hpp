// Sizes that cannot overflow, byte order, packed bits: what several formats do to samples.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::io {

inline constexpr bool native_little = std::endian::native == std::endian::little;

/// What a file has for samples.
struct FileType {
  Type type = Type::U8;
  bool halves = false;  ///< u16 that are half floats, read as f32
};
/// What NumPy, Zarr 2 and .npy call types, without the order of bytes: "u2", "b1".
[[nodiscard]] std::string numpy_name(Type type);
[[nodiscard]] std::optional<FileType> numpy_type(std::string_view name);
/// What Zarr 3 calls them: "uint16", "bool".
[[nodiscard]] std::string zarr_name(Type type);
[[nodiscard]] std::optional<FileType> zarr_type(std::string_view name);
/// Whole numbers without ('u') or with a sign ('i'), or floats ('f'), of so many bytes.
[[nodiscard]] std::optional<Type> type_of_kind(char kind, std::uint64_t bytes);

/// Bytes of all samples of a layout. Throws InputError where an edge is not positive or the product overflows.
[[nodiscard]] std::int64_t checked_bytes(const std::string& path, const Layout& layout);

/// Refuses `bytes` of samples out of a file of `file_bytes` where the compression cannot reach such a ratio: a header
/// that lies must not make us allocate.
void check_expansion(const std::string& path, const Layout& layout, std::int64_t file_bytes, std::int64_t ratio);

/// Copies `count` samples of `width` bytes that lie `from_stride` bytes apart to places `stride` bytes apart.
void copy_row(std::int64_t width, const std::byte* from, std::int64_t from_stride, std::byte* out, std::int64_t stride,
              std::int64_t count);

/// A number that lies anywhere in memory, in the byte order of this machine or the other.
template <class T>
[[nodiscard]] T number_at(const void* place, bool swapped) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), place, sizeof(T));
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Reverses the bytes of each of `count` samples of `width` bytes, in place.
void swap_bytes(std::byte* samples, std::int64_t count, std::int64_t width);

/// Anything that is not 0 becomes 1.
void normalise_bool(std::byte* samples, std::int64_t count);

/// Unpacks `count` samples of 1, 2 or 4 bits, most significant first, to one byte each.
void unpack_bits(const std::byte* packed, std::int64_t count, int bits, std::byte* out);

/// Unpacks `count` samples of 9 to 15 bits, most significant first, to words of 16 bits.
void unpack_words(const std::byte* packed, std::int64_t count, int bits, std::byte* out);

/// Packs `count` bytes, 0 or 1, eight to a byte, most significant first.
void pack_bits(const std::byte* samples, std::int64_t count, std::byte* out);

/// Packs one row of bytes, 0 or 1, into the words of a Bool image.
void pack_row(const std::byte* samples, std::int64_t count, std::uint64_t* words);

/// z, y and x, or y and x, of an array of these edges, the slowest first. Of four axes and more those of one sample say
/// nothing and are left out, as long as two stay. None where the array is no image.
template <class Edge>
[[nodiscard]] std::vector<std::size_t> axes_of_image(std::span<const Edge> edges) {
  std::vector<std::size_t> axes;
  const bool all = edges.size() <= 3;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (all || edges[i] != 1) axes.push_back(i);
  }
  for (std::size_t i = edges.size(); i-- > 0 && axes.size() < 2;) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) axes.push_back(i);
  }
  std::sort(axes.begin(), axes.end());
  return axes.size() == 2 || axes.size() == 3 ? axes : std::vector<std::size_t>();
}

}  // namespace tamis::io
