#include "python/array/result/size_map.hpp"

#include "python/array/host.hpp"

namespace tamis::python {

BallMapOutput::BallMapOutput(const Shape& shape, BallMeasure measure, nb::handle out)
    : measure_(measure), samples_of_slice_(shape.y * shape.x) {
  if (measure == BallMeasure::Size) {
    sizes_ = std::make_unique<SizeMapOutput>(shape, Spacing(), Element::Cross, false, out);
  } else {
    lengths_ = std::make_unique<Output>(Type::F32, shape, out);
  }
}

void BallMapOutput::start(const BallSizes& balls, Type squares) {
  balls_ = balls;
  squares_ = squares;
  const Type type = ball_map_type(balls, measure_);
  slice_.resize(static_cast<std::size_t>(samples_of_slice_ * sample_bytes(type)));
  if (sizes_) sizes_->start(type);
}

void BallMapOutput::start_samples(Type type) {
  samples_come_ = true;
  if (sizes_) sizes_->start(type);
}

void BallMapOutput::write(const std::byte* slices, std::int64_t z0, std::int64_t count) {
  if (samples_come_) {
    if (sizes_) return sizes_->write(slices, z0, count);
    return scatter(slices, lengths_->samples(), z0, count);
  }
  for (std::int64_t z = 0; z < count; ++z) {
    const std::byte* const from = slices + z * samples_of_slice_ * sample_bytes(squares_);
    measure_balls(balls_, measure_, squares_, from, samples_of_slice_, slice_.data());
    if (sizes_) {
      sizes_->write(slice_.data(), z0 + z, 1);
    } else {
      scatter(slice_.data(), lengths_->samples(), z0 + z, 1);
    }
  }
}

ArrayResult BallMapOutput::result(nb::handle image, const Spacing& spacing) const {
  return sizes_ ? sizes_->result(image, spacing) : lengths_->result(image, spacing);
}

}  // namespace tamis::python
