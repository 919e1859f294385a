#include "cli/output/map_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tamis::cli {

BallMapWriter::BallMapWriter(Outputs& outputs, const Layout& layout,
                             std::vector<std::pair<BallMeasure, std::string>> maps, const Plane& keep)
    : outputs_(outputs), layout_(layout), keep_(keep) {
  layout_.channels = 1;
  for (auto& [measure, path] : maps) {
    if (!path.empty()) maps_.push_back({measure, std::move(path), nullptr});
  }
}

std::optional<BallMeasure> BallMapWriter::only_measure() const {
  if (keep_.wanted() || maps_.size() != 1) return std::nullopt;
  return maps_.front().measure;
}

BallMeasure BallMapWriter::measure_of_plane() const {
  for (const BallMeasure measure : {BallMeasure::Diameter, BallMeasure::Radius, BallMeasure::Width}) {
    if (std::any_of(maps_.begin(), maps_.end(), [&](const Map& map) { return map.measure == measure; })) return measure;
  }
  return BallMeasure::Size;
}

void BallMapWriter::start(const BallSizes& sizes, Type type, bool samples_come) {
  sizes_ = sizes;
  samples_come_ = samples_come;
  squares_ = type;
  for (Map& map : maps_) {
    layout_.type = ball_map_type(sizes, map.measure);
    map.sink = shown_as_sizes(outputs_.create(map.path, layout_), layout_);
  }
  samples_.resize(static_cast<std::size_t>(layout_.shape.y * layout_.shape.x) * 4);  // the widest has four bytes
}

void BallMapWriter::write(const std::byte* slices, std::int64_t z0, std::int64_t count) {
  if (samples_come_) return maps_.front().sink->write(slices, count);
  const std::int64_t samples = layout_.shape.y * layout_.shape.x;
  for (std::int64_t z = 0; z < count; ++z) {
    const std::byte* const slice = slices + z * samples * sample_bytes(squares_);
    for (Map& map : maps_) {
      measure_balls(sizes_, map.measure, squares_, slice, samples, samples_.data());
      map.sink->write(samples_.data(), 1);
    }
    if (keep_.cuts(z0 + z)) keep_plane(z0 + z, slice);
  }
}

void BallMapWriter::keep_plane(std::int64_t z, const std::byte* slice) {
  const Shape& shape = layout_.shape;
  const std::int64_t samples = keep_.samples(shape);
  const std::int64_t of_square = sample_bytes(squares_);
  std::vector<std::byte> squares(static_cast<std::size_t>(samples * of_square));
  for (std::int64_t i = 0; i < samples; ++i) {
    std::memcpy(squares.data() + i * of_square, slice + keep_.index_of(shape, i) * of_square,
                static_cast<std::size_t>(of_square));
  }
  const BallMeasure measure = measure_of_plane();
  measure_balls(sizes_, measure, squares_, squares.data(), samples, samples_.data());
  const std::int64_t bytes = sample_bytes(ball_map_type(sizes_, measure));
  kept_.resize(static_cast<std::size_t>(keep_.width(shape) * keep_.height(shape)));
  for (std::int64_t i = 0; i < samples; ++i) {
    std::uint32_t bits = 0;  // little-endian: the low bytes come first
    std::memcpy(&bits, samples_.data() + i * bytes, static_cast<std::size_t>(bytes));
    const float length = std::bit_cast<float>(bits);
    kept_[static_cast<std::size_t>(keep_.first_of(shape, z) + i)] = measure == BallMeasure::Size
                                                                        ? static_cast<float>(bits) - 1
                                                                    : length > 0 ? length
                                                                                 : -1;
  }
}

void BallMapWriter::finish() {
  for (Map& map : maps_) map.sink->finish();
}

}  // namespace tamis::cli
