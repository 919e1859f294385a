#include "morphology/gpu/kernels.hpp"

#include <memory>
#include <optional>

#include "distance/gpu/squares.hpp"
#include "distance/gpu/steps.hpp"
#include "morphology/gpu/ball/bits.hpp"
#include "morphology/plan/symmetric_rows.hpp"

namespace tamis::morphology_detail::gpu {
namespace {

namespace distances = distance_detail::gpu;

/// From this square of a radius on distances are faster than the rows of a ball (NOTES.md of this family).
constexpr std::int64_t least_square = 121;
/// Squares of 16 bits are exact below this, and larger ones are not below it.
constexpr std::int64_t exact_square = distances::narrow_reach * distances::narrow_reach;

/// A dilation leaves out what is farther from the object than the radius, so it is the erosion of what is not object.
/// Nothing waits, so that it can be part of a graph.
class Ball : public cuda::DeviceFilter {
 public:
  Ball(const cuda::Stream& stream, const BallTask& task)
      : stream_(stream),
        task_(task),
        inverted_(task.order == Order::Max),
        plan_(distance_detail::make_plan(task.shape, WholeSides{}, {DomainBorder::Neutral})),
        bits_(stream, samples() / 64),
        words_(stream, samples() / 32),
        squares_(stream, samples()) {}

  void run(const DeviceImage& image, const DeviceImage& out, unsigned*) const override {
    copy_rows(stream_, image, task_.shape, inverted_, bits_.data());
    const distances::Task task{plan_, {bits_.data(), task_.shape.z}, {}, true};
    distances::find_words(stream_, task, distances::narrow_steps, words_.data());
    distances::lower_narrow(stream_, plan_, distances::Along::Y, words_.data(), rows(), nullptr);
    distances::lower_narrow(stream_, plan_, distances::Along::Z, nullptr, rows(), nullptr);
    bits_above(stream_, rows(), static_cast<unsigned>(task_.square), inverted_, out);
  }

 private:
  [[nodiscard]] std::int64_t samples() const {
    return task_.shape.z * task_.shape.y * distances::pitch_of(task_.shape.x);
  }
  [[nodiscard]] distances::SquareRows<std::uint16_t> rows() const {
    const Shape& shape = task_.shape;
    return {squares_.data(), shape.z, shape.y, shape.x, distances::pitch_of(shape.x)};
  }

  const cuda::Stream& stream_;
  BallTask task_;
  bool inverted_;
  distance_detail::Plan plan_;
  cuda::DeviceBuffer<std::uint64_t> bits_;
  cuda::DeviceBuffer<distances::Word> words_;
  cuda::DeviceBuffer<std::uint16_t> squares_;
};

}  // namespace

bool goes_by_distance(const Step& step, Type type, int rank, const Border& border) {
  if (type != Type::Bool || rank != 3 || border.kind != Border::Kind::Neutral || step.traced) return false;
  const std::optional<std::int64_t> square = square_of_ball(step.set);
  return square && *square >= least_square && *square < exact_square;
}

cuda::DeviceStep by_distance(const cuda::Stream& stream, const BallTask& task) {
  return std::make_unique<Ball>(stream, task);
}

}  // namespace tamis::morphology_detail::gpu
