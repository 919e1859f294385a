#include "core/cpu/copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/cpu/parallel.hpp"
#include "core/image_over.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tamis {
namespace {

// Small enough that all threads of a large machine share a piece of page-locked memory, large enough to wake one.
constexpr std::int64_t share = std::int64_t{128} << 10;

std::int64_t shares_of(const HostCopy& copy) { return (copy.bytes + share - 1) / share; }

void stream_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef __SSE2__
  constexpr std::size_t vector = sizeof(__m128i);
  const std::size_t head = std::min(bytes, (vector - reinterpret_cast<std::uintptr_t>(to) % vector) % vector);
  std::memcpy(to, from, head);
  std::size_t i = head;
  for (; i + vector <= bytes; i += vector) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
  _mm_sfence();  // whoever hears that the share is copied sees it
  std::memcpy(to + i, from + i, bytes - i);
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace

void copy_bytes(const Context& context, std::span<const HostCopy> copies) {
  std::int64_t shares = 0;
  for (const HostCopy& copy : copies) shares += shares_of(copy);
  parallel_for(context, shares, [&](std::int64_t i) {
    const HostCopy* copy = copies.data();
    for (; i >= shares_of(*copy); ++copy) i -= shares_of(*copy);
    const std::int64_t begin = i * share;
    auto* const to = static_cast<std::byte*>(copy->to) + begin;
    const auto* const from = static_cast<const std::byte*>(copy->from) + begin;
    const auto bytes = static_cast<std::size_t>(std::min(share, copy->bytes - begin));
    if (copy->past_caches) {
      stream_bytes(to, from, bytes);
    } else {
      std::memcpy(to, from, bytes);
    }
  });
}

void copy_samples(const Context& context, const Image& from, Image& to) {
  const auto bytes = static_cast<std::size_t>(bytes_of_row(from));
  for_each_row(context, from.shape(), [&](std::int64_t z, std::int64_t y) {
    std::memcpy(to.row<std::byte>(z, y), from.row<std::byte>(z, y), bytes);
  });
}

void make_pages(const Context& context, void* memory, std::int64_t bytes) {
  constexpr std::uintptr_t huge = std::uintptr_t{2} << 20, small = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + static_cast<std::uintptr_t>(bytes);
  const std::uintptr_t first = begin / huge;
  parallel_for(context, static_cast<std::int64_t>((end + huge - 1) / huge - first), [&](std::int64_t i) {
    const std::uintptr_t page = (first + static_cast<std::uintptr_t>(i)) * huge;
    for (std::uintptr_t at = std::max(page, begin); at < std::min(page + huge, end); at = (at / small + 1) * small) {
      volatile std::byte* const byte = static_cast<std::byte*>(memory) + (at - begin);
      *byte = *byte;
    }
  });
}

}  // namespace tamis
