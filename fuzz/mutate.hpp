// What mutators share: libFuzzer's own changes, made where a format hides its bytes behind a checksum or a compression.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <zlib.h>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace tamis::fuzz {

using Buffer = std::vector<std::uint8_t>;

/// libFuzzer's change of a buffer of its own; it may grow by a few bytes.
inline void mutate(Buffer& buffer) {
  constexpr std::size_t growth = 64;
  const std::size_t size = buffer.size();
  buffer.resize(size + growth);
  buffer.resize(LLVMFuzzerMutate(buffer.data(), size, buffer.size()));
}

/// At most 64 KiB of a deflated stream; 15 window bits: zlib, 31: gzip.
inline Buffer inflated(const std::uint8_t* data, std::size_t size, int window_bits) {
  Buffer out(std::size_t{1} << 16);
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) return {};
  stream.next_in = const_cast<std::uint8_t*>(data);
  stream.avail_in = static_cast<uInt>(size);
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_SYNC_FLUSH);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

inline Buffer deflated(const Buffer& data, int window_bits) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  Buffer out(deflateBound(&stream, static_cast<uLong>(data.size())) + 32);
  stream.next_in = const_cast<std::uint8_t*>(data.data());
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

/// Changes what lies within the gzip stream behind `head` bytes. Returns the new size, 0 where it does not fit.
inline std::size_t mutate_gzip(std::uint8_t* data, std::size_t size, std::size_t max_size, std::size_t head) {
  constexpr int gzip = 31;
  if (size <= head) return 0;
  Buffer inside = inflated(data + head, size - head, gzip);
  mutate(inside);
  const Buffer packed = deflated(inside, gzip);
  if (head + packed.size() > max_size) return 0;
  std::memcpy(data + head, packed.data(), packed.size());
  return head + packed.size();
}

}  // namespace tamis::fuzz
