// Chunks keep a true checksum, without which libpng looks at none of them, and rows change within their compression.
#include "fuzz/mutate.hpp"

namespace {

using tamis::fuzz::Buffer;

constexpr std::size_t signature = 8;
constexpr std::size_t frame = 12;  // length, kind and checksum of a chunk

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

void put_big_endian(std::uint8_t* bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

/// Calls `visit(start, length of the data)` for each chunk that lies inside.
template <class Visit>
void each_chunk(const std::uint8_t* data, std::size_t size, Visit visit) {
  for (std::size_t at = signature; at + frame <= size;) {
    const std::size_t length = big_endian(data + at);
    if (length > size - at - frame) return;
    if (!visit(at, length)) return;
    at += frame + length;
  }
}

void mend_checksums(std::uint8_t* data, std::size_t size) {
  each_chunk(data, size, [&](std::size_t at, std::size_t length) {
    const auto sum = crc32(0, data + at + 4, static_cast<uInt>(length + 4));
    put_big_endian(data + at + 8 + length, static_cast<std::uint32_t>(sum));
    return true;
  });
}

/// Changes the rows in the first IDAT. Returns the new size, 0 where there is none.
std::size_t mutate_rows(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  constexpr int zlib = 15;
  std::size_t result = 0;
  each_chunk(data, size, [&](std::size_t at, std::size_t length) {
    if (std::memcmp(data + at + 4, "IDAT", 4) != 0) return true;
    Buffer rows = tamis::fuzz::inflated(data + at + 8, length, zlib);
    tamis::fuzz::mutate(rows);
    const Buffer packed = tamis::fuzz::deflated(rows, zlib);
    const std::size_t behind = size - (at + 8 + length);
    if (at + 8 + packed.size() + behind > max_size) return false;
    std::memmove(data + at + 8 + packed.size(), data + at + 8 + length, behind);
    std::memcpy(data + at + 8, packed.data(), packed.size());
    put_big_endian(data + at, static_cast<std::uint32_t>(packed.size()));
    result = at + 8 + packed.size() + behind;
    return false;
  });
  return result;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::size_t changed = seed % 4 == 0 ? mutate_rows(data, size, max_size) : 0;
  if (changed == 0) changed = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 16 != 1) mend_checksums(data, changed);
  return changed;
}
