// What the parts of the study on a GPU share: bits in device memory, and both kernels at work on them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "bench/gpu_timer.hpp"
#include "core/gpu/stream.hpp"
#include "granulometry/gpu/window_run.hpp"
#include "papers/boulos/gpu/scheme.hpp"
#include "papers/boulos/study/measure.hpp"

namespace tamis::gpu_bench {

using bench::Json;
using bench::seconds_of;
using bench::Times;
using bench::times_of;

/// Volumes after the openings 0, 1, 2 ...
using Curve = std::vector<std::int64_t>;

/// Volumes until nothing is left, at most max_size openings, from the voxels of each value of the size map.
Curve curve_of(const std::vector<std::int64_t>& counts, std::optional<std::int64_t> max_size);

/// Of seconds.
Json to_json(const Times& times);

/// A failed comparison: nothing is timed after it.
void require_same(const std::string& what, const Curve& got, const Curve& wanted);

/// `device`: between events; `host`: by the clock of the host, from the call to the curve in its hands.
struct Timed {
  Times device, host;
};
Json to_json(const Timed& times);

/// A granulometry in two parts: what queues it, and what waits for its curve.
struct Job {
  std::string name;
  std::function<void()> queue;
  std::function<Curve()> curve;
};
/// Compares the curve first, which warms up, then times; the curve of every repetition is compared.
Timed time_job(const cuda::Stream& stream, const Job& job, const Curve& wanted, int repetitions);

/// The bits of an image in device memory.
class DeviceBits {
 public:
  DeviceBits(const cuda::Stream& stream, const Image& object);
  /// Not filled yet.
  DeviceBits(const cuda::Stream& stream, const Shape& shape);

  /// Queues the copy of dense rows as in an Image.
  void upload(const cuda::Stream& stream, const void* host) const;
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t* words() const { return words_.data(); }
  [[nodiscard]] std::int64_t words_of_row() const { return (shape_.x + 63) / 64; }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(words_.bytes()); }

 private:
  Shape shape_;
  cuda::DeviceBuffer<std::uint64_t> words_;
};

/// Ours, with the workspace that a prepared operation keeps. Cross, background outside.
class Ours {
 public:
  Ours(const cuda::Stream& stream, const DeviceBits& bits, std::optional<std::int64_t> max_size, bool map = false);

  void queue();
  Curve curve();
  Job job() {
    return {"ours", [this] { queue(); }, [this] { return curve(); }};
  }
  [[nodiscard]] const granulometry_detail::gpu::WindowRun& run() const { return run_; }

 private:
  const cuda::Stream& stream_;
  const DeviceBits& bits_;
  std::optional<std::int64_t> max_size_;
  granulometry_detail::gpu::WindowRun run_;
};

/// The paper's scheme. It waits as it goes, so that its curve is there when queue() returns.
class Papers {
 public:
  Papers(const cuda::Stream& stream, const DeviceBits& bits, std::optional<std::int64_t> max_size);

  Job job() {
    return {"the paper's kernel", [this] { curve_ = paper_.run(bits_.words()); }, [this] { return curve_; }};
  }

 private:
  const DeviceBits& bits_;
  boulos::gpu::Scheme paper_;
  Curve curve_;
};

}  // namespace tamis::gpu_bench
