// One operation on one GPU, from device memory to device memory: by the paper's kernels and by tamis.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace tamis::izmantoko {

/// Erode, Dilate, Open or Close by a square of odd edge.
struct Case {
  Operation operation = Operation::Erode;
  std::int64_t edge = 7;
};

/// An image in device memory and room for its results; slices are images of their own.
class GpuStudy {
 public:
  GpuStudy(int gpu, const Image& image);
  ~GpuStudy();
  GpuStudy(const GpuStudy&) = delete;
  GpuStudy& operator=(const GpuStudy&) = delete;

  /// Whether this version exists for this case: "naive", "global", "shared" (one image of bytes 0 and 1), "tamis_gpu"
  /// (any of U8).
  [[nodiscard]] bool has(const std::string& version, const Case& what) const;
  /// Queues it.
  void queue(const std::string& version, const Case& what);
  /// The result of what was queued last.
  [[nodiscard]] Image result() const;
  /// Seconds between two events around what `work` queues.
  [[nodiscard]] double seconds_of(const std::function<void()>& work) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tamis::izmantoko
