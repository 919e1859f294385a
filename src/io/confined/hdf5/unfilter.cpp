#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "io/confined/hdf5/storage.hpp"
#include "io/inflater.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// Bytes of a Fletcher32 checksum, behind what it is of.
constexpr std::size_t checksum_bytes = 4;

struct Free {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

/// Exactly `out`'s length, neither less nor more.
bool inflate_exactly(std::span<const std::byte> in, std::span<std::byte> out) {
  thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) return false;
  // Without a place for the actual length, less is an error too.
  return libdeflate_zlib_decompress(decompressor.get(), in.data(), in.size(), out.data(), out.size(), nullptr) ==
         LIBDEFLATE_SUCCESS;
}

template <std::size_t width>
void unshuffle_words(const std::byte* in, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t b = 0; b < width; ++b) out[i * width + b] = in[b * count + i];
  }
}

/// First bytes of all samples, then second bytes, ... back to samples. What is left over at the end was not moved.
void unshuffle(std::span<const std::byte> in, std::size_t width, std::span<std::byte> out) {
  const std::size_t count = width == 1 ? 0 : in.size() / width;
  if (width == 2) unshuffle_words<2>(in.data(), count, out.data());
  if (width == 4) unshuffle_words<4>(in.data(), count, out.data());
  if (width == 8) unshuffle_words<8>(in.data(), count, out.data());
  const std::size_t done = count * width;
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(done), in.end(), out.begin() + static_cast<std::ptrdiff_t>(done));
}

/// HDF5's variant of Fletcher's sum: words of two bytes, the high one first.
std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::size_t words = bytes.size() / 2;
  const std::byte* next = bytes.data();
  while (words > 0) {
    constexpr std::size_t before_overflow = 360;
    std::size_t block = std::min(words, before_overflow);
    words -= block;
    for (; block > 0; --block, next += 2) {
      low += std::to_integer<std::uint32_t>(next[0]) << 8 | std::to_integer<std::uint32_t>(next[1]);
      high += low;
    }
    low = (low & 0xffff) + (low >> 16);
    high = (high & 0xffff) + (high >> 16);
  }
  if (bytes.size() % 2 != 0) {
    low += std::to_integer<std::uint32_t>(*next) << 8;
    high += low;
    low = (low & 0xffff) + (low >> 16);
    high = (high & 0xffff) + (high >> 16);
  }
  low = (low & 0xffff) + (low >> 16);
  high = (high & 0xffff) + (high >> 16);
  return high << 16 | low;
}

}  // namespace

bool unpack_lzf(std::span<const std::byte> in, std::span<std::byte> out) {
  std::size_t read = 0;
  std::size_t done = 0;
  const auto next = [&] { return std::to_integer<std::size_t>(in[read++]); };
  while (read < in.size()) {
    const std::size_t control = next();
    if (control < 32) {  // so many bytes more one as they are
      const std::size_t count = control + 1;
      if (count > in.size() - read || count > out.size() - done) return false;
      std::memcpy(out.data() + done, in.data() + read, count);
      read += count;
      done += count;
      continue;
    }
    // A copy of what came before: its length in three bits and where they are full a byte, its distance in 13.
    const std::size_t length_bytes = control >= 7U << 5U ? 1 : 0;
    if (in.size() - read < 1 + length_bytes) return false;
    const std::size_t length = (control >> 5U) + 2 + (length_bytes > 0 ? next() : 0);
    const std::size_t distance = ((control & 31U) << 8U) + next() + 1;
    if (distance > done || length > out.size() - done) return false;
    for (const std::size_t end = done + length; done < end; ++done) out[done] = out[done - distance];
  }
  return done == out.size();
}

std::string unfilter(const Hdf5Storage& storage, std::uint32_t filter_mask, std::span<const std::byte> stored,
                     std::vector<std::byte>& scratch, std::vector<std::byte>& samples) {
  // A chunk may be larger than the image, but no compression reaches this.
  constexpr std::int64_t allowance = 1 << 20;
  if ((storage.chunk_bytes() - allowance) / deflate_ratio > static_cast<std::int64_t>(stored.size())) {
    return fmt::format("got {} bytes, wanted {} of it", stored.size(), storage.chunk_bytes());
  }
  samples.resize(static_cast<std::size_t>(storage.chunk_bytes()));
  const std::span<std::byte> out(samples);
  const auto size = out.size();
  // The filters of this chunk, and how many bytes each was given: behind deflate nobody knows.
  std::vector<std::pair<Hdf5Filter, std::optional<std::size_t>>> steps;
  std::optional<std::size_t> given = size;
  for (std::int32_t i = 0; i < storage.filter_count; ++i) {
    if (filter_mask >> i & 1U) continue;
    const Hdf5Filter filter = storage.filters[static_cast<std::size_t>(i)];
    steps.emplace_back(filter, given);
    if (filter == Hdf5Filter::Deflate || filter == Hdf5Filter::Lzf) given.reset();
    if (filter == Hdf5Filter::Fletcher32 && given) *given += checksum_bytes;
  }
  std::span<const std::byte> now = stored;
  scratch.resize(2 * (size + storage.filters.size() * checksum_bytes));
  std::byte* const halves[] = {scratch.data(), scratch.data() + scratch.size() / 2};
  int half = 0;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const auto [filter, given_bytes] = *step;
    if (filter == Hdf5Filter::Fletcher32) {
      const std::size_t bytes = given_bytes.value_or(now.size() - std::min(now.size(), checksum_bytes));
      if (now.size() != bytes + checksum_bytes) {
        return fmt::format("got {} bytes with their checksum, wanted {}", now.size(), bytes + checksum_bytes);
      }
      const std::uint32_t sum = fletcher32(now.first(bytes));
      if (sum != number_at<std::uint32_t>(now.data() + bytes, !native_little)) return "its checksum is wrong";
      now = now.first(bytes);
      continue;
    }
    if (!given_bytes) return "its filters are in an order that has no length";
    const std::size_t bytes = *given_bytes;
    // The last step writes where the chunk is wanted.
    const std::span<std::byte> target = std::next(step) == steps.rend() ? out : std::span(halves[half ^= 1], bytes);
    if (filter != Hdf5Filter::Shuffle) {
      const bool whole = filter == Hdf5Filter::Lzf ? unpack_lzf(now, target) : inflate_exactly(now, target);
      if (!whole) return fmt::format("its {} bytes do not inflate to {}", now.size(), bytes);
    } else {
      if (now.size() != bytes) return fmt::format("got {} bytes, wanted {}", now.size(), bytes);
      unshuffle(now, static_cast<std::size_t>(storage.sample_bytes), target);
    }
    now = target;
  }
  if (now.size() != size) return fmt::format("got {} bytes, wanted {}", now.size(), size);
  if (now.data() != out.data()) std::memcpy(out.data(), now.data(), size);
  return {};
}

}  // namespace tamis::io
