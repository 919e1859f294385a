#include "core/cpu/transposed.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/cpu/parallel.hpp"

namespace tamis {
namespace {

using Word = std::uint64_t;

/// Cells of a word, and so the rows and columns of a tile that is turned in registers.
template <class Cell>
constexpr std::int64_t edge = sizeof(Word) / sizeof(Cell);

/// Exchanges cells (row, column) and (column, row) of a tile: its quarters of n cells, then theirs, down to single
/// cells.
template <int bits_of_cell, int n = 32 / bits_of_cell>
void turn_tile(Word* rows) {
  constexpr int bits = bits_of_cell * n;
  constexpr Word lower_halves = ~Word{0} / ((Word{1} << bits) + 1);
  for (int i = 0; i < 64 / bits_of_cell; ++i) {
    if ((i & n) != 0) continue;
    const Word other = (rows[i] >> bits ^ rows[i + n]) & lower_halves;
    rows[i + n] ^= other;
    rows[i] ^= other << bits;
  }
  if constexpr (n > 1) turn_tile<bits_of_cell, n / 2>(rows);
}

/// Rows of samples, `stride` bytes apart.
struct Rows {
  std::byte* first;
  std::int64_t stride;
  template <class Cell>
  [[nodiscard]] std::byte* at(std::int64_t row, std::int64_t x) const {
    return first + row * stride + x * static_cast<std::int64_t>(sizeof(Cell));
  }
};

/// `columns` of tall rows and as many wide rows, at most a tile's: rows y0 to y1 of the tall ones.
template <class Cell, bool widens, int columns>
void turn_strip(const Rows& tall, std::int64_t x, const Rows& wide, std::int64_t y0, std::int64_t y1) {
  constexpr std::size_t bytes = columns * sizeof(Cell);
  std::int64_t y = y0;
  for (; y + edge<Cell> <= y1; y += edge<Cell>) {
    Word rows[edge<Cell>] = {};
    if constexpr (widens) {
      for (int i = 0; i < edge<Cell>; ++i) std::memcpy(&rows[i], tall.at<Cell>(y + i, x), bytes);
      turn_tile<8 * sizeof(Cell)>(rows);
      for (int i = 0; i < columns; ++i) std::memcpy(wide.at<Cell>(x + i, y), &rows[i], sizeof(Word));
    } else {
      for (int i = 0; i < columns; ++i) std::memcpy(&rows[i], wide.at<Cell>(x + i, y), sizeof(Word));
      turn_tile<8 * sizeof(Cell)>(rows);
      for (int i = 0; i < edge<Cell>; ++i) std::memcpy(tall.at<Cell>(y + i, x), &rows[i], bytes);
    }
  }
  for (; y < y1; ++y) {
    for (int i = 0; i < columns; ++i) {
      std::byte* const ends[] = {wide.at<Cell>(x + i, y), tall.at<Cell>(y, x + i)};
      std::memcpy(ends[widens ? 0 : 1], ends[widens ? 1 : 0], sizeof(Cell));
    }
  }
}

template <class Cell, bool widens, int columns = edge<Cell>>
void turn_columns(const Rows& tall, std::int64_t x, std::int64_t end, const Rows& wide, std::int64_t y0,
                  std::int64_t y1) {
  for (; x + columns <= end; x += columns) turn_strip<Cell, widens, columns>(tall, x, wide, y0, y1);
  if constexpr (columns > 1) turn_columns<Cell, widens, columns - 1>(tall, x, end, wide, y0, y1);
}

/// Packed bits: words of 64 rows become those of as many columns of the other image. What lies behind the last bit of a
/// row becomes 0.
void turn_bits(const Rows& from, std::int64_t x0, std::int64_t x1, const Rows& to, std::int64_t y0, std::int64_t y1) {
  for (std::int64_t y = y0; y < y1; y += 64) {
    for (std::int64_t x = x0; x < x1; x += 64) {
      Word words[64] = {};
      for (std::int64_t i = 0; i < std::min<std::int64_t>(64, y1 - y); ++i) {
        std::memcpy(&words[i], from.at<std::byte>(y + i, x / 8), sizeof(Word));
      }
      turn_tile<1>(words);
      for (std::int64_t i = 0; i < std::min<std::int64_t>(64, x1 - x); ++i) {
        std::memcpy(to.at<std::byte>(x + i, y / 8), &words[i], sizeof(Word));
      }
    }
  }
}

/// All columns of a slice, tall rows y0 to y1.
template <bool widens>
void turn_rows(Type type, const Rows& tall, std::int64_t columns, const Rows& wide, std::int64_t y0, std::int64_t y1) {
  const std::int64_t bytes = sample_bytes(type);
  if (type == Type::Bool)
    return widens ? turn_bits(tall, 0, columns, wide, y0, y1) : turn_bits(wide, y0, y1, tall, 0, columns);
  if (bytes == 1) return turn_columns<std::uint8_t, widens>(tall, 0, columns, wide, y0, y1);
  if (bytes == 2) return turn_columns<std::uint16_t, widens>(tall, 0, columns, wide, y0, y1);
  turn_columns<std::uint32_t, widens>(tall, 0, columns, wide, y0, y1);
}

}  // namespace

bool is_easily_transposed(const OffsetSet& set) {
  constexpr std::int64_t most = 1 << 16;
  return set.is_box() || set.count() <= most;
}

OffsetSet transposed(const OffsetSet& set) {
  const auto& [low, high] = set.box();
  if (set.is_box()) return OffsetSet(OffsetBox{{low.z, low.x, low.y}, {high.z, high.x, high.y}});
  std::vector<OffsetSet::Run> runs;
  for (const Offset& offset : set.offsets()) runs.push_back({{offset.z, offset.x, offset.y}, 1});
  return OffsetSet(std::move(runs));
}

void transpose(const Context& context, const Image& from, Image& to) {
  const bool widens = from.shape().y > from.shape().x;
  const Shape& tall = widens ? from.shape() : to.shape();
  constexpr std::int64_t length = 4096;
  const std::int64_t parts = (tall.y + length - 1) / length;
  parallel_for(context, tall.z * parts, [&](std::int64_t index) {
    const std::int64_t z = index / parts, y0 = index % parts * length, y1 = std::min(y0 + length, tall.y);
    const Rows in{const_cast<std::byte*>(from.row<std::byte>(z, 0)), from.row_bytes()};  // which is only read
    const Rows out{to.row<std::byte>(z, 0), to.row_bytes()};
    if (widens) return turn_rows<true>(from.type(), in, tall.x, out, y0, y1);
    turn_rows<false>(from.type(), out, tall.x, in, y0, y1);
  });
}

bool better_transposed(const Context& context, Type type, const Shape& shape) {
  constexpr std::int64_t short_row = 64, many = 1 << 14;
  const std::int64_t bytes = shape.x * sample_bytes(type);
  if (bytes >= short_row || shape.y < 16 * shape.x || shape.count() < many) return false;
  return context.memory_bytes == 0 || 6 * shape.count() * sample_bytes(type) <= context.memory_bytes;
}

}  // namespace tamis
