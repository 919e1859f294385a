#include "python/array/host.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"

namespace tamis::python {
namespace {

std::uint8_t swapped(std::uint8_t v) { return v; }
std::uint16_t swapped(std::uint16_t v) { return __builtin_bswap16(v); }
std::uint32_t swapped(std::uint32_t v) { return __builtin_bswap32(v); }
std::uint64_t swapped(std::uint64_t v) { return __builtin_bswap64(v); }

/// Calls visit with the unsigned integer as wide as a sample: a copy need not know more.
template <class Visit>
void visit_width(Type type, Visit visit) {
  switch (sample_bytes(type)) {
    case 1:
      return visit(std::uint8_t{});
    case 2:
      return visit(std::uint16_t{});
    case 4:
      return visit(std::uint32_t{});
    default:
      return visit(std::uint64_t{});
  }
}

/// Calls move(sample of the array, index of the dense sample). Tiles of a few columns through all the slices, so that
/// an array that runs fastest along z (Fortran's order) still uses every cache line that it loads.
template <class Move>
void for_each_sample(const Samples& samples, std::int64_t z0, std::int64_t count, Move move) {
  constexpr std::int64_t tile = 64;
  const Shape& shape = samples.shape;
  for (std::int64_t y = 0; y < shape.y; ++y) {
    for (std::int64_t begin = 0; begin < shape.x; begin += tile) {
      const std::int64_t end = std::min(begin + tile, shape.x);
      for (std::int64_t z = 0; z < count; ++z) {
        std::byte* const row = samples.data + (z0 + z) * samples.strides[0] + y * samples.strides[1];
        const std::int64_t first = (z * shape.y + y) * shape.x;
        for (std::int64_t x = begin; x < end; ++x) move(row + x * samples.strides[2], first + x);
      }
    }
  }
}

bool dense_row(const Samples& samples) {
  return !samples.swapped && (samples.strides[2] == sample_bytes(samples.type) || samples.shape.x == 1);
}

}  // namespace

void gather(const Samples& samples, std::int64_t z0, std::int64_t count, std::byte* out) {
  const Shape& shape = samples.shape;
  if (dense_row(samples)) {
    const auto row = static_cast<std::size_t>(shape.x * sample_bytes(samples.type));
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      for (std::int64_t y = 0; y < shape.y; ++y, out += row) {
        std::memcpy(out, samples.data + z * samples.strides[0] + y * samples.strides[1], row);
      }
    }
    return;
  }
  visit_width(samples.type, [&](auto width) {
    using Word = decltype(width);
    for_each_sample(samples, z0, count, [&](const std::byte* sample, std::int64_t index) {
      Word word{};
      std::memcpy(&word, sample, sizeof word);
      if (samples.swapped) word = swapped(word);
      std::memcpy(out + index * static_cast<std::int64_t>(sizeof word), &word, sizeof word);
    });
  });
}

void scatter(const std::byte* slices, const Samples& samples, std::int64_t z0, std::int64_t count) {
  const Shape& shape = samples.shape;
  if (dense_row(samples)) {
    const auto row = static_cast<std::size_t>(shape.x * sample_bytes(samples.type));
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      for (std::int64_t y = 0; y < shape.y; ++y, slices += row) {
        std::memcpy(samples.data + z * samples.strides[0] + y * samples.strides[1], slices, row);
      }
    }
    return;
  }
  visit_width(samples.type, [&](auto width) {
    using Word = decltype(width);
    for_each_sample(samples, z0, count, [&](std::byte* sample, std::int64_t index) {
      Word word{};
      std::memcpy(&word, slices + index * static_cast<std::int64_t>(sizeof word), sizeof word);
      if (samples.swapped) word = swapped(word);
      std::memcpy(sample, &word, sizeof word);
    });
  });
}

void unpack(const Context& context, const Image& bits, const Samples& samples) {
  const Shape& shape = bits.shape();
  // Enough for a thread to be worth waking, and the pages of a fresh array are shared out.
  constexpr std::int64_t block_bytes = std::int64_t{1} << 19;
  const std::int64_t rows = shape.z * shape.y;
  const std::int64_t block = std::clamp<std::int64_t>(block_bytes / shape.x, 1, rows);
  parallel_for(context, (rows + block - 1) / block, [&](std::int64_t b) {
    for (std::int64_t row = b * block; row < std::min(rows, (b + 1) * block); ++row) {
      const std::uint64_t* const words = bits.row<std::uint64_t>(row / shape.y, row % shape.y);
      std::byte* const out = samples.data + row / shape.y * samples.strides[0] + row % shape.y * samples.strides[1];
      if (samples.strides[2] == 1 || shape.x == 1) {
        unpack_bits(context.simd, words, shape.x, 1, out);
        continue;
      }
      for (std::int64_t x = 0; x < shape.x; ++x) {
        out[x * samples.strides[2]] = static_cast<std::byte>(words[x / 64] >> (x % 64) & 1U);
      }
    }
  });
}

bool may_share_places(const Shape& shape, std::array<std::int64_t, 3> strides, std::int64_t bytes) {
  std::array<std::pair<std::int64_t, std::int64_t>, 3> axes{
      {{std::abs(strides[0]), shape.z}, {std::abs(strides[1]), shape.y}, {std::abs(strides[2]), shape.x}}};
  std::sort(axes.begin(), axes.end());
  std::int64_t taken = bytes;  // by all samples along the axes so far
  for (const auto& [stride, edge] : axes) {
    if (edge == 1) continue;
    if (stride < taken) return true;
    taken += stride * (edge - 1);
  }
  return false;
}

}  // namespace tamis::python
