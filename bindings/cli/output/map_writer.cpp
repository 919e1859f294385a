#include "cli/output/map_writer.hpp"

#include <algorithm>
#include <cstring>

#include "cli/plot/palette.hpp"

namespace tamis::cli {
namespace {

double sample_at(const std::byte* samples, Type type, std::int64_t index) {
  const auto as = [&]<class Sample>(Sample value) {
    std::memcpy(&value, samples + static_cast<std::int64_t>(sizeof value) * index, sizeof value);
    return static_cast<double>(value);
  };
  if (type == Type::U8) return as(std::uint8_t{});
  if (type == Type::U16) return as(std::uint16_t{});
  return type == Type::U32 ? as(std::uint32_t{}) : as(float{});
}

template <class Sample>
double largest(const std::byte* samples, std::int64_t count) {
  const auto* const first = reinterpret_cast<const Sample*>(samples);
  // Side by side, so that none waits for the one before, of floats neither.
  constexpr std::int64_t lanes = 32;
  Sample most[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t k = 0; k < lanes; ++k) most[k] = most[k] < first[i + k] ? first[i + k] : most[k];
  }
  for (; i < count; ++i) most[0] = std::max(most[0], first[i]);
  return static_cast<double>(*std::max_element(most, most + lanes));
}

double largest(Type type, const std::byte* samples, std::int64_t count) {
  if (type == Type::U8) return largest<std::uint8_t>(samples, count);
  if (type == Type::U16) return largest<std::uint16_t>(samples, count);
  if (type == Type::U32) return largest<std::uint32_t>(samples, count);
  return largest<float>(samples, count);
}

/// Hands slices on and tells at the end how to show them: black is the background, 0, and the largest sample is the
/// last colour. Samples are u8, u16, u32 or f32. Without that a map whose sizes end at 40 opens nearly black.
class SizeMapSink final : public SliceSink {
 public:
  SizeMapSink(std::unique_ptr<SliceSink> sink, const Layout& layout) : sink_(std::move(sink)), layout_(layout) {}

  void write(const std::byte* slices, std::int64_t count) override {
    display_.high = std::max(display_.high, largest(layout_.type, slices, count * layout_.shape.y * layout_.shape.x));
    sink_->write(slices, count);
  }
  void show(const Display& display) override { sink_->show(display); }
  void finish() override {
    const std::size_t last = display_.colours.size() - 1;
    for (std::size_t i = 1; i <= last; ++i) {
      display_.colours[i] = viridis(static_cast<double>(i) / static_cast<double>(last));
    }
    sink_->show(display_);
    sink_->finish();
  }

 private:
  std::unique_ptr<SliceSink> sink_;
  Layout layout_;
  Display display_{0, 0, {}};
};

}  // namespace

MapWriter::MapWriter(Outputs& outputs, const Layout& layout,
                     const std::vector<std::pair<BallMeasure, std::string>>& maps, const Plane& keep)
    : outputs_(outputs), layout_(layout), keep_(keep) {
  layout_.channels = 1;
  for (const auto& [measure, path] : maps) {
    if (!path.empty()) maps_.push_back({measure, path, false, nullptr});
  }
}

std::optional<BallMeasure> MapWriter::only_measure() const {
  if (keep_.wanted() || maps_.size() != 1) return std::nullopt;
  return maps_.front().measure;
}

void MapWriter::start(Type type) {
  convert_ = [this, type](BallMeasure measure, const std::byte* from, std::int64_t count, std::byte* to) {
    if (measure == BallMeasure::Size)
      return static_cast<void>(std::memcpy(to, from, static_cast<std::size_t>(count * sample_bytes(type))));
    for (std::int64_t i = 0; i < count; ++i) {
      const double removed_by = sample_at(from, type, i);
      // The opening that removes a voxel is one past the largest element that holds it.
      const auto width = static_cast<float>(removed_by == 0 ? 0 : (2.0 * (removed_by - 1.0) + 1.0) * layout_.spacing.x);
      std::memcpy(to + i * static_cast<std::int64_t>(sizeof width), &width, sizeof width);
    }
  };
  start(type, BallMeasure::Size,
        [type](BallMeasure measure) { return measure == BallMeasure::Size ? type : Type::F32; });
}

void MapWriter::start(const BallSizes& sizes, Type type, bool samples_come) {
  convert_ = [sizes, type](BallMeasure measure, const std::byte* from, std::int64_t count, std::byte* to) {
    measure_balls(sizes, measure, type, from, count, to);
  };
  for (const BallMeasure measure : {BallMeasure::Width, BallMeasure::Radius, BallMeasure::Diameter}) {
    if (std::any_of(maps_.begin(), maps_.end(), [&](const Map& map) { return map.measure == measure; }))
      plane_measure_ = measure;
  }
  start(type, samples_come ? only_measure() : std::nullopt,
        [&](BallMeasure measure) { return ball_map_type(sizes, measure); });
}

void MapWriter::start(Type type, std::optional<BallMeasure> comes, const std::function<Type(BallMeasure)>& type_of) {
  for (Map& map : maps_) {
    map.as_it_comes = comes == map.measure;
    layout_.type = type_of(map.measure);
    map.sink = std::make_unique<SizeMapSink>(outputs_.create(map.path, layout_), layout_);
  }
  plane_type_ = type_of(plane_measure_);
  layout_.type = type;
  samples_.resize(static_cast<std::size_t>(layout_.shape.y * layout_.shape.x) * 4);  // the widest has four bytes
}

void MapWriter::write(const std::byte* slices, std::int64_t z0, std::int64_t count) {
  const std::int64_t samples = layout_.shape.y * layout_.shape.x;
  const auto slice = [&](std::int64_t z) { return slices + z * samples * sample_bytes(layout_.type); };
  for (Map& map : maps_) {
    if (map.as_it_comes) {
      map.sink->write(slices, count);
      continue;
    }
    for (std::int64_t z = 0; z < count; ++z) {
      convert_(map.measure, slice(z), samples, samples_.data());
      map.sink->write(samples_.data(), 1);
    }
  }
  for (std::int64_t z = 0; z < count; ++z) {
    if (keep_.cuts(z0 + z)) keep_plane(z0 + z, slice(z));
  }
}

void MapWriter::keep_plane(std::int64_t z, const std::byte* slice) {
  const Shape& shape = layout_.shape;
  const std::int64_t count = keep_.samples(shape);
  const std::int64_t bytes = sample_bytes(layout_.type);
  std::vector<std::byte> plane(static_cast<std::size_t>(count * bytes));
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(plane.data() + i * bytes, slice + keep_.index_of(shape, i) * bytes, static_cast<std::size_t>(bytes));
  }
  convert_(plane_measure_, plane.data(), count, samples_.data());
  kept_.resize(static_cast<std::size_t>(keep_.width(shape) * keep_.height(shape)));
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = sample_at(samples_.data(), plane_type_, i);
    // Numbers of openings are one past the size; a length of 0 is background.
    kept_[static_cast<std::size_t>(keep_.first_of(shape, z) + i)] =
        static_cast<float>(plane_measure_ == BallMeasure::Size ? value - 1
                           : value > 0                         ? value
                                                               : -1);
  }
}

void MapWriter::finish() {
  for (Map& map : maps_) {
    if (map.sink) map.sink->finish();
  }
}

}  // namespace tamis::cli
