// What tamis has against the paper's versions: the same openings along traced lines, from device memory to device
// memory.
#pragma once

#include <vector>

#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "line/traced/gpu/run.hpp"
#include "papers/karas/gpu/run.hpp"

namespace tamis::karas {

/// A U8 image on the device, and openings of it, one slice an angle.
class GpuOurs {
 public:
  GpuOurs(const cuda::Stream& stream, const Image& image)
      : stream_(stream), shape_(image.shape()), pitch_((shape_.x + 15) / 16 * 16), from_(stream, pitch_ * shape_.y) {
    copy(from_.data(), pitch_, image.data(), shape_.x);
    stream.synchronize();
  }

  void prepare(const gpu::Task& task) {
    task_ = task;
    const std::int64_t bytes = pitch_ * shape_.y * static_cast<std::int64_t>(task.angles.size());
    if (to_.size() < bytes) to_ = cuda::DeviceBuffer<std::byte>(stream_, bytes);
    to_.clear();  // what is compared must not be there already
    counts_ = cuda::DeviceBuffer<unsigned long long>(stream_, static_cast<std::int64_t>(task.angles.size()));
    stream_.synchronize();
  }

  /// Queues the openings; several angles at once, as far as a launch takes them.
  void run() const {
    if (task_.angles.size() > 1) return static_cast<void>(line_detail::gpu::traced_angles(stream_, all_angles(true)));
    line_detail::gpu::TracedTask task;
    task.what = task_.dark ? line_detail::Along::Close : line_detail::Along::Open;
    task.segment = {task_.length, task_.length / 2, task_.angles.front(), task_.fit};
    task.shape = {1, shape_.y, shape_.x, 2};
    task.from = {from_.data(), pitch_, pitch_ * shape_.y};
    task.to = {to_.data(), pitch_, pitch_ * shape_.y};
    line_detail::gpu::traced(stream_, task);
  }
  /// Queues the sums of the openings, which are all that an angular spectrum wants.
  void run_sums() const {
    counts_.clear();
    static_cast<void>(line_detail::gpu::traced_angles(stream_, all_angles(false)));
  }

  [[nodiscard]] Image result(std::size_t angle) const {
    Image image(Type::U8, shape_);
    copy(image.data(), shape_.x, to_.data() + static_cast<std::int64_t>(angle) * pitch_ * shape_.y, pitch_);
    stream_.synchronize();
    return image;
  }

 private:
  [[nodiscard]] line_detail::gpu::TracedAngles all_angles(bool stores) const {
    line_detail::gpu::TracedAngles angles;
    angles.dark = task_.dark;
    angles.length = task_.length;
    angles.fit = task_.fit;
    angles.angles = task_.angles;
    angles.nx = shape_.x;
    angles.ny = shape_.y;
    angles.from = {from_.data(), pitch_, pitch_ * shape_.y};
    if (stores) {
      angles.to = {to_.data(), pitch_, pitch_ * shape_.y};
    } else {
      angles.counts = counts_.data();
    }
    return angles;
  }
  void copy(void* to, std::int64_t to_pitch, const void* from, std::int64_t from_pitch) const {
    cuda::check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                                  static_cast<std::size_t>(shape_.x), static_cast<std::size_t>(shape_.y),
                                  cudaMemcpyDefault, stream_.get()),
                "copy an image");
  }

  const cuda::Stream& stream_;
  Shape shape_;
  std::int64_t pitch_;
  cuda::DeviceBuffer<std::byte> from_, to_;
  cuda::DeviceBuffer<unsigned long long> counts_;
  gpu::Task task_;
};

}  // namespace tamis::karas
