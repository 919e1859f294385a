// What a caller says of a headerless file, from the first bytes of an input.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <tamis/io.hpp>

#include "fuzz/harness.hpp"

namespace tamis::fuzz {

/// One byte says the type, the next the byte order, the rank and how wide the three edges are that follow: 1 byte for
/// shapes that may fit the file, 8 for those that cannot. Returns what is left.
inline std::pair<ReadOptions, Bytes> raw_options(Bytes bytes) {
  constexpr std::size_t head = 2;
  constexpr int types = 11;
  if (bytes.size() < head) return {ReadOptions{}, bytes};
  const unsigned flags = bytes[1];
  const std::size_t width = (flags & 4U) != 0 ? 8 : 1;
  ReadOptions options;
  options.dtype = static_cast<Type>(bytes[0] % types);
  options.byte_order = (flags & 1U) != 0 ? ByteOrder::Big : ByteOrder::Little;
  bytes = bytes.subspan(head);
  std::array<std::int64_t, 3> edges{1, 1, 1};
  for (std::int64_t& edge : edges) {
    const std::size_t taken = std::min(width, bytes.size());
    edge = 0;
    std::memcpy(&edge, bytes.data(), taken);
    bytes = bytes.subspan(taken);
  }
  options.shape = Shape{edges[2], edges[1], edges[0], (flags & 2U) != 0 ? 3 : 2};
  if (options.shape->rank == 2) options.shape->z = 1;
  return {options, bytes};
}

}  // namespace tamis::fuzz
