#include <tamis/operations/one_line.hpp>

#include <cstdint>

namespace tamis {
namespace {

constexpr std::uint32_t no_letter = 0xffffffff;

/// Bytes of a letter by its first byte, as UTF-8 has it; 0 for what begins none.
std::size_t bytes_by_lead(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/// The code point of the `bytes` bytes at the start; no_letter where they are none.
std::uint32_t code_point(std::string_view text, std::size_t bytes) {
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (bytes == 0 || bytes > text.size()) return no_letter;
  const auto lead = static_cast<unsigned char>(text[0]);
  std::uint32_t code = bytes == 1 ? lead : lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if (next >> 6 != 2) return no_letter;
    code = code << 6 | (next & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < smallest[bytes] || surrogate || code > 0x10ffff ? no_letter : code;
}

/// Not a control character, a separator of lines, nor what XML has no place for.
bool is_shown(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool separator = code == 0x2028 || code == 0x2029;
  return code != no_letter && !control && !separator && code != 0xfffe && code != 0xffff;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = bytes_by_lead(static_cast<unsigned char>(text.front()));
    const std::uint32_t code = code_point(text, bytes);
    const std::size_t taken = code == no_letter ? 1 : bytes;
    if (is_shown(code)) {
      line += text.substr(0, taken);
    } else {
      line += '?';
    }
    text.remove_prefix(taken);
  }
  return line;
}

}  // namespace tamis
