#include "distance/gpu/squares.hpp"

#include <algorithm>
#include <utility>

#include "distance/gpu/steps.hpp"

namespace tamis::distance_detail::gpu {
namespace {

class Run {
 public:
  Run(const cuda::Stream& stream, const Task& task)
      : stream_(stream),
        task_(task),
        samples_(task.plan.shape.z * task.plan.shape.y * pitch_of(task.plan.shape.x)),
        found_(stream, 1),
        host_(stream, 1) {
    squares_.shape = task.plan.shape;
  }

  Squares run() {
    if (!narrow()) wide();
    return std::move(squares_);
  }

 private:
  /// Returns whether all squares are exact.
  bool narrow() {
    squares_.narrow = cuda::DeviceBuffer<std::uint16_t>(stream_, samples_);
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
    squares_.narrow = {};
    return false;
  }

  void wide() {
    squares_.wide = cuda::DeviceBuffer<std::uint32_t>(stream_, samples_);
    cuda::DeviceBuffer<std::uint32_t> other(stream_, samples_);
    {
      const cuda::DeviceBuffer<Word> words(stream_, samples_ / 32);
      find_words(stream_, task_, wide_steps, words.data());
      expand_wide(stream_, task_.plan, words.data(), squares_.rows<std::uint32_t>());
    }
    lower_wide(stream_, task_.plan, Along::Y, squares_.rows<std::uint32_t>(), other.data());
    std::swap(squares_.wide, other);
    if (task_.plan.volume) {
      lower_wide(stream_, task_.plan, Along::Z, squares_.rows<std::uint32_t>(), other.data());
      std::swap(squares_.wide, other);
    }
    other = {};
    found_.clear();
    clear_outside(stream_, task_.object, squares_.rows<std::uint32_t>(), found_.data());
    read_found();
    squares_.largest = host_[0].largest;
    squares_.unbounded = host_[0].unreached != 0;
    const SquareRows<std::uint32_t> rows = squares_.rows<std::uint32_t>();
    if (squares_.largest >= exact_below<std::uint16_t>) return finish(stream_, rows, rows.data);
    squares_.narrow = cuda::DeviceBuffer<std::uint16_t>(stream_, samples_);
    finish(stream_, rows, squares_.narrow.data());
    squares_.wide = {};
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

bool can_hold(const Plan& plan) { return largest_square(plan) < std::uint64_t{wide_unreached}; }

/// The squares, and a quarter of a byte for words.
std::int64_t narrow_bytes(const Shape& shape, std::int64_t slices) {
  const std::int64_t samples = slices * shape.y * pitch_of(shape.x);
  return 2 * samples + samples / 4;
}
std::int64_t wide_bytes(const Shape& shape, std::int64_t slices) { return 4 * narrow_bytes(shape, slices); }

Squares squares_of(const cuda::Stream& stream, const Task& task) { return Run(stream, task).run(); }

}  // namespace tamis::distance_detail::gpu
