// For tests of arrays on a GPU: arrays in every kind of memory layout, and a stream that is held up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/gpu/array.hpp>

#include "core/gpu/array/call.hpp"
#include "core/gpu/array/strided.hpp"
#include "core/test/gpu_test.hpp"

namespace tamis::testing {

/// How the samples of a view lie in the memory of its array.
enum class View { Dense, Shifted, Sliced, Stepped, Reversed, SlowX, FastY };
constexpr View all_views[] = {View::Dense,    View::Shifted, View::Sliced, View::Stepped,
                              View::Reversed, View::SlowX,   View::FastY};

inline std::string describe(View view) { return "view " + std::to_string(static_cast<int>(view)); }

/// Samples on the first GPU in a view of a larger array, whose other bytes nobody may touch.
class ViewedArray {
 public:
  ViewedArray(const cuda::Stream& stream, Type type, const Shape& shape, View view)
      : stream_(stream), sample_(sample_bytes(type)) {
    array.type = type;
    array.shape = shape;
    const cuda::Strides strides = strides_of(view);
    const auto reach = [](std::int64_t stride, std::int64_t extent) { return std::abs(stride) * (extent - 1); };
    const std::int64_t most = reach(strides.x, shape.x) + reach(strides.y, shape.y) + reach(strides.z, shape.z);
    array.stride_x = strides.x;
    array.stride_y = strides.y;
    array.stride_z = strides.z;
    first_ = (view == View::Shifted ? sample_ : 0) + (view == View::Reversed ? most : 0);
    host_.assign(static_cast<std::size_t>(most + 2 * sample_), untouched);
    device_ = cuda::DeviceBuffer<std::byte>(stream, static_cast<std::int64_t>(host_.size()));
    array.data = device_.data() + first_;
    send();
  }

  /// From dense samples, x fastest.
  void upload(const void* dense) {
    for_each([&](std::size_t at, std::size_t i) {
      std::memcpy(&host_[at], static_cast<const std::byte*>(dense) + i, static_cast<std::size_t>(sample_));
    });
    send();
  }

  /// To dense samples. Checks that nothing beside the view was written.
  [[nodiscard]] std::vector<std::byte> download() {
    std::vector<std::byte> dense(static_cast<std::size_t>(array.shape.count() * sample_));
    std::vector<std::byte> got(host_.size());
    cuda::check(cudaMemcpyAsync(got.data(), device_.data(), got.size(), cudaMemcpyDeviceToHost, stream_.get()), "copy");
    stream_.synchronize();
    for_each([&](std::size_t at, std::size_t i) {
      std::memcpy(&dense[i], &got[at], static_cast<std::size_t>(sample_));
      std::memset(&got[at], static_cast<int>(untouched), static_cast<std::size_t>(sample_));
    });
    EXPECT_TRUE(got == std::vector<std::byte>(got.size(), untouched)) << "written outside the view";
    return dense;
  }

  [[nodiscard]] GpuArray input() const { return cuda::as_input(array); }

  GpuOutput array;

 private:
  static constexpr std::byte untouched{0xa5};

  [[nodiscard]] cuda::Strides strides_of(View view) const {
    const std::int64_t s = sample_;
    const Shape& n = array.shape;
    switch (view) {
      case View::Dense:
      case View::Shifted:
        break;
      case View::Sliced:
        return {s * (n.x + 3) * (n.y + 2), s * (n.x + 3), s};
      case View::Stepped:
        return {s * 4 * n.x * n.y, s * 2 * n.x, s * 2};
      case View::Reversed:
        return {-s * n.x * n.y, -s * n.x, -s};
      case View::SlowX:
        return {s, s * n.z, s * n.z * n.y};
      case View::FastY:
        return {s * n.y * n.x, s, s * n.y};
    }
    return {s * n.x * n.y, s * n.x, s};
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    std::size_t i = 0;
    for (std::int64_t z = 0; z < array.shape.z; ++z)
      for (std::int64_t y = 0; y < array.shape.y; ++y)
        for (std::int64_t x = 0; x < array.shape.x; ++x, i += static_cast<std::size_t>(sample_)) {
          visit(static_cast<std::size_t>(first_ + z * array.stride_z + y * array.stride_y + x * array.stride_x), i);
        }
  }

  void send() {
    cuda::check(cudaMemcpyAsync(device_.data(), host_.data(), host_.size(), cudaMemcpyHostToDevice, stream_.get()),
                "copy");
    stream_.synchronize();
  }

  const cuda::Stream& stream_;
  std::int64_t sample_;
  std::int64_t first_ = 0;
  std::vector<std::byte> host_;
  cuda::DeviceBuffer<std::byte> device_;
};

/// Holds a stream up until it is let go, or for ten seconds: a call that waits for the stream takes longer than that.
class HeldStream {
 public:
  explicit HeldStream(const cuda::Stream& stream) : stream_(stream) {
    cuda::check(cudaLaunchHostFunc(stream.get(), wait, this), "hold a stream");
  }
  ~HeldStream() { let_go(); }
  HeldStream(const HeldStream&) = delete;
  HeldStream& operator=(const HeldStream&) = delete;

  /// Whether nobody has waited so far.
  [[nodiscard]] bool still_held() const { return !gave_up_; }
  void let_go() {
    released_ = true;
    static_cast<void>(cudaStreamSynchronize(stream_.get()));
  }

 private:
  static void wait(void* self) {
    auto& held = *static_cast<HeldStream*>(self);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!held.released_) {
      if (std::chrono::steady_clock::now() > end) {
        held.gave_up_ = true;
        return;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  const cuda::Stream& stream_;
  std::atomic<bool> released_{false};
  std::atomic<bool> gave_up_{false};
};

/// The context of a caller with this stream.
inline Context on_stream(const cuda::Stream& stream) {
  Context context;
  context.stream = stream.get();
  return context;
}

/// Images in device memory as a prepared filter takes them.
struct OnDevice {
  OnDevice(const cuda::Stream& its_stream, const Image& image) : stream(its_stream), memory(its_stream, image.bytes()) {
    upload(image);
  }
  void upload(const Image& image) const {
    cuda::check(cudaMemcpyAsync(memory.data(), image.data(), memory.bytes(), cudaMemcpyHostToDevice, stream.get()),
                "copy");
    stream.synchronize();
  }
  [[nodiscard]] std::byte* data() const { return memory.data(); }
  [[nodiscard]] Image download(Type type, const Shape& shape) const {
    Image image(type, shape);
    cuda::check(cudaMemcpyAsync(image.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost, stream.get()),
                "copy");
    stream.synchronize();
    return image;
  }
  void expect(const Image& wanted) const {
    const Image got = download(wanted.type(), wanted.shape());
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), memory.bytes()), 0) << name(wanted.type());
  }
  const cuda::Stream& stream;
  cuda::DeviceBuffer<std::byte> memory;
};

}  // namespace tamis::testing
