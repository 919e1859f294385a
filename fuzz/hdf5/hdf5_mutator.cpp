// Superblocks and object headers of HDF5's later versions keep a true checksum, without which HDF5 looks no further.
// Trees that have none are changed byte by byte.
#include <algorithm>
#include <string_view>

#include "fuzz/mutate.hpp"

namespace {

std::uint32_t rotated(std::uint32_t value, int bits) { return value << bits | value >> (32 - bits); }

/// Bob Jenkins' lookup3, hashlittle() with an initial value of 0, as HDF5 computes its checksums.
std::uint32_t lookup3(const std::uint8_t* key, std::size_t length) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(length);
  std::uint32_t b = a;
  std::uint32_t c = a;
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4 && at + i < length; ++i) value |= static_cast<std::uint32_t>(key[at + i]) << (8 * i);
    return value;
  };
  for (; length > 12; key += 12, length -= 12) {
    a += word(0);
    b += word(4);
    c += word(8);
    a = (a - c) ^ rotated(c, 4), c += b;
    b = (b - a) ^ rotated(a, 6), a += c;
    c = (c - b) ^ rotated(b, 8), b += a;
    a = (a - c) ^ rotated(c, 16), c += b;
    b = (b - a) ^ rotated(a, 19), a += c;
    c = (c - b) ^ rotated(b, 4), b += a;
  }
  if (length == 0) return c;
  a += word(0);
  b += word(4);
  c += word(8);
  c = (c ^ b) - rotated(b, 14);
  a = (a ^ c) - rotated(c, 11);
  b = (b ^ a) - rotated(a, 25);
  c = (c ^ b) - rotated(b, 16);
  a = (a ^ c) - rotated(c, 4);
  b = (b ^ a) - rotated(a, 14);
  return (c ^ b) - rotated(b, 24);
}

/// The bytes in front of the checksum of what begins at `block`, which has `left` bytes; 0 where none begins.
std::size_t summed_bytes(const std::uint8_t* block, std::size_t left) {
  using namespace std::string_view_literals;
  const std::string_view text(reinterpret_cast<const char*>(block), left);
  if (text.starts_with("\x89HDF\r\n\x1a\n"sv) && left > 8 && block[8] >= 2) return 44;
  if (text.starts_with("FAHD"sv)) return 24;
  if (text.starts_with("BTHD"sv)) return 34;
  if (!text.starts_with("OHDR"sv) || left < 6) return 0;
  const unsigned flags = block[5];
  const std::size_t at = 6 + ((flags & 0x20U) != 0 ? 16U : 0U) + ((flags & 0x10U) != 0 ? 4U : 0U);
  const std::size_t width = std::size_t{1} << (flags & 3U);
  if (at + width > left) return 0;
  std::size_t messages = 0;
  for (std::size_t i = 0; i < width; ++i) messages |= static_cast<std::size_t>(block[at + i]) << (8 * i);
  return messages > left ? 0 : at + width + messages;
}

void mend_checksums(std::uint8_t* data, std::size_t size) {
  for (std::size_t at = 0; at + 4 <= size; ++at) {
    const std::size_t bytes = summed_bytes(data + at, size - at);
    if (bytes == 0 || bytes + 4 > size - at) continue;
    const std::uint32_t sum = lookup3(data + at, bytes);
    for (std::size_t i = 0; i < 4; ++i) data[at + bytes + i] = static_cast<std::uint8_t>(sum >> (8 * i));
    at += bytes + 3;
  }
}

/// One byte of a node of a version 1 tree of chunks, which has no checksum; false where there is none.
bool change_tree(std::uint8_t* data, std::size_t size, unsigned seed) {
  using namespace std::string_view_literals;
  constexpr std::size_t most = 256;
  const std::size_t at = std::string_view(reinterpret_cast<const char*>(data), size).find("TREE\1"sv);
  if (at == std::string_view::npos) return false;
  data[at + seed / 16 % std::min(most, size - at)] ^= static_cast<std::uint8_t>(1U << seed / 4096 % 8);
  return true;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 16 < 4 && change_tree(data, size, seed)) return size;
  // Mostly no room to grow: what moves leaves every address behind it wrong.
  const std::size_t changed = LLVMFuzzerMutate(data, size, seed % 8 == 0 ? max_size : size);
  if (seed % 16 != 1) mend_checksums(data, changed);
  return changed;
}
