#include "distance/gpu/squares.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "distance/gpu/steps.hpp"

namespace tamis::distance_detail::gpu {
namespace {

bool fits_32_bits(const Plan& plan) { return largest_square(plan) < exact_below<std::uint32_t>; }

std::int64_t samples_of(const Shape& shape, std::int64_t slices) { return slices * shape.y * pitch_of(shape.x); }

/// Bytes in which results of some lines of columns wait until their columns have been read: an eighth of the squares, at
/// least a line. Envelopes take as long for few columns as for many, so that there are few rounds.
std::int64_t room_bytes(const Plan& plan, std::int64_t slices) {
  const std::int64_t lane = fits_32_bits(plan) ? 4 : 8;
  const std::int64_t line = pitch_of(plan.shape.x) * (plan.volume ? std::max(plan.shape.y, slices) : plan.shape.y);
  return lane * std::max(line, samples_of(plan.shape, slices) / 8);
}

class Run {
 public:
  Run(const cuda::Stream& stream, const Task& task)
      : stream_(stream),
        task_(task),
        samples_(samples_of(task.plan.shape, task.plan.shape.z)),
        found_(stream, 1),
        host_(stream, 1) {
    squares_.shape = task.plan.shape;
  }

  Squares run() {
    if (may_be_narrow(task_.plan) && narrow()) return std::move(squares_);
    fits_32_bits(task_.plan) ? wide<std::uint32_t>() : wide<std::uint64_t>();
    return std::move(squares_);
  }

 private:
  /// Returns whether all squares are exact.
  bool narrow() {
    squares_.buffer<std::uint16_t>() = cuda::DeviceBuffer<std::uint16_t>(stream_, samples_);
    const SquareRows<std::uint16_t> rows = squares_.rows<std::uint16_t>();
    unsigned* const largest = reinterpret_cast<unsigned*>(found_.data());
    found_.clear();
    const cuda::DeviceBuffer<Word> words(stream_, samples_ / 32);
    find_words(stream_, task_, narrow_steps, words.data());
    lower_narrow(stream_, task_.plan, Along::Y, words.data(), rows, task_.plan.volume || clears() ? nullptr : largest);
    if (task_.plan.volume) lower_narrow(stream_, task_.plan, Along::Z, nullptr, rows, clears() ? nullptr : largest);
    if (clears()) clear_outside(stream_, task_.object, rows, found_.data());
    read_found();
    squares_.largest = host_[0].largest;
    if (host_[0].unreached == 0 && host_[0].largest < narrow_reach * narrow_reach) return true;
    squares_.buffer<std::uint16_t>() = {};
    return false;
  }

  template <class Lane>
  void wide() {
    cuda::DeviceBuffer<Lane> squares(stream_, samples_);
    SquareRows<Lane> rows = squares_.rows<Lane>();
    rows.data = squares.data();
    {
      const cuda::DeviceBuffer<Word> words(stream_, samples_ / 32);
      find_words(stream_, task_, sizeof(Lane) == 4 ? wide_steps : most_steps, words.data());
      expand_wide(stream_, task_.plan, words.data(), rows);
    }
    const cuda::DeviceBuffer<Lane> room(stream_, room_bytes(task_.plan, task_.plan.shape.z) / sizeof(Lane));
    lower_wide(stream_, task_.plan, Along::Y, rows, room);
    if (task_.plan.volume) lower_wide(stream_, task_.plan, Along::Z, rows, room);
    found_.clear();
    clear_outside(stream_, task_.object, rows, found_.data());
    read_found();
    squares_.largest = host_[0].largest;
    squares_.unbounded = host_[0].unreached != 0;
    if (squares_.largest < exact_below<std::uint16_t>) return finish_as<std::uint16_t>(std::move(squares), room);
    if (sizeof(Lane) == 8 && squares_.largest < exact_below<std::uint32_t>) {
      return finish_as<std::uint32_t>(std::move(squares), room);
    }
    finish(stream_, rows, rows.data);
    squares_.buffer<Lane>() = std::move(squares);
  }

  /// Squares that fit a narrower type go into the first part of their buffer, a piece at a time: what is read lies
  /// behind what is written.
  template <class Lane, class Wide>
  void finish_as(cuda::DeviceBuffer<Wide>&& squares, const cuda::DeviceBuffer<Wide>& room) {
    Lane* const narrow = reinterpret_cast<Lane*>(squares.data());
    for (std::int64_t begin = 0, count = 0; begin < samples_; begin += count) {
      count = std::min(room.size(), samples_ - begin);
      Lane* const piece = reinterpret_cast<Lane*>(room.data());
      finish(stream_, SquareRows<Wide>{squares.data() + begin, 1, 1, count, count}, piece);
      cuda::check(cudaMemcpyAsync(narrow + begin, piece, static_cast<std::size_t>(count) * sizeof(Lane),
                                  cudaMemcpyDeviceToDevice, stream_.get()),
                  "finish distances");
    }
    squares_.buffer<Lane>() = std::move(squares).template as<Lane>();
  }

  /// A background counts only inside of the domain: what is outside has distances on the way.
  [[nodiscard]] bool clears() const { return task_.neutral && task_.domain.words != nullptr; }

  void read_found() {
    cuda::check(cudaMemcpyAsync(host_.data(), found_.data(), sizeof(Found), cudaMemcpyDeviceToHost, stream_.get()),
                "read the largest distance");
    stream_.synchronize();
  }

  const cuda::Stream& stream_;
  const Task& task_;
  std::int64_t samples_;
  cuda::DeviceBuffer<Found> found_;
  cuda::PinnedBuffer<Found> host_;
  Squares squares_;
};

}  // namespace

bool can_hold(const Plan& plan) {
  return fits_32_bits(plan) || (largest_square(plan) < exact_below<std::uint64_t> && plan.x.count < most_steps);
}

void tell_of_cpu(const Context& context, const char* why) {
  if (context.on_note) context.on_note(std::string(why) + ": the CPU does it without the GPU");
}

bool may_be_narrow(const Plan& plan) { return least_square(plan) < narrow_reach * narrow_reach; }

/// The squares, and a quarter of a byte for words.
std::int64_t narrow_bytes(const Shape& shape, std::int64_t slices) {
  const std::int64_t samples = samples_of(shape, slices);
  return 2 * samples + samples / 4;
}
std::int64_t wide_bytes(const Plan& plan, std::int64_t slices) {
  return narrow_bytes(plan.shape, slices) + (fits_32_bits(plan) ? 2 : 6) * samples_of(plan.shape, slices) +
         room_bytes(plan, slices);
}

Squares squares_of(const cuda::Stream& stream, const Task& task) { return Run(stream, task).run(); }

}  // namespace tamis::distance_detail::gpu
