#include "granulometry/balls/measure.hpp"

#include <numeric>

namespace tamis::granulometry_detail {
namespace {

template <class Sample>
void look_up(const std::byte* squares, std::int64_t count, const std::byte* table, std::byte* samples) {
  const auto* const from = reinterpret_cast<const std::uint16_t*>(squares);
  const auto* const by = reinterpret_cast<const Sample*>(table);
  auto* const to = reinterpret_cast<Sample*>(samples);
  for (std::int64_t i = 0; i < count; ++i) to[i] = by[from[i]];
}

}  // namespace

std::int64_t largest_size(const BallSizes& sizes) {
  return sizes.sizes.size(sizes.sizes.rows() - 1) + (sizes.sizes.volume.back() > 0 ? 1 : 0);
}

std::vector<std::byte> measure_table(const BallSizes& sizes, BallMeasure measure) {
  std::vector<std::uint16_t> squares(65536);
  std::iota(squares.begin(), squares.end(), std::uint16_t{0});
  const std::int64_t bytes = sample_bytes(ball_map_type(sizes, measure));
  std::vector<std::byte> table(squares.size() * static_cast<std::size_t>(bytes));
  measure_balls(sizes, measure, Type::U16, reinterpret_cast<const std::byte*>(squares.data()),
                static_cast<std::int64_t>(squares.size()), table.data());
  return table;
}

Measuring::Measuring(const BallSizes& sizes, BallMeasure measure, Type squares)
    : sizes_(sizes), measure_(measure), squares_(squares) {
  if (squares == Type::U16) table_ = measure_table(sizes, measure);
}

void Measuring::run(const std::byte* squares, std::int64_t count, std::byte* samples) const {
  if (table_.empty()) return measure_balls(sizes_, measure_, squares_, squares, count, samples);
  switch (sample_bytes(ball_map_type(sizes_, measure_))) {
    case 1:
      return look_up<std::uint8_t>(squares, count, table_.data(), samples);
    case 2:
      return look_up<std::uint16_t>(squares, count, table_.data(), samples);
    default:
      look_up<std::uint32_t>(squares, count, table_.data(), samples);
  }
}

}  // namespace tamis::granulometry_detail
