// The scheme of Boulos et al. 2012 on the GPU: for every size one more unit erosion, then n unit dilations, one pass of
// device memory each. The honest baseline: nothing is fused, nothing skipped.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/granulometry.hpp>

#include "core/gpu/stream.hpp"
#include "core/stage.hpp"
#include "granulometry/request.hpp"
#include "papers/boulos/gpu/pass.hpp"

namespace tamis::boulos::gpu {

/// As granulometry_detail::cpu::run() with algorithm paper, on the context's GPU. Throws ResourceError if its memory
/// is short.
Sizes run(const Context& context, const granulometry_detail::Request& request,
          const granulometry_detail::MapOutput& map);

struct SchemeTask {
  granulometry_detail::Grid grid;
  bool chessboard = false;
  bool neutral = false;
  std::int64_t max_size = -1;    ///< last n; negative: none
  std::int64_t domain_rows = 0;  ///< rows of the domain, which repeat over the grid's; 0: everything counts
  bool map = false;
};

/// The algorithm with its workspace. It works on device memory that the caller owns, and runs again and again without
/// allocating.
class Scheme {
 public:
  /// Queues the preparation on the stream, which has to outlive this. `device_domain`: rows as in an Image.
  Scheme(const cuda::Stream& stream, const SchemeTask& task, const std::uint64_t* device_domain = nullptr);

  /// Bytes of device memory it allocates.
  [[nodiscard]] static std::int64_t bytes(const SchemeTask& task);

  /// Volumes after the openings 0, 1, 2 ... until nothing is left or nothing changes. `device_bits`: rows as in an
  /// Image. Waits for the device only to see whether a size is the last, while it works on the size before.
  std::vector<std::int64_t> run(const std::uint64_t* device_bits, Stage* stage = nullptr);

  /// The size map of the last run: counters in rows of quads_of(x) * quad_bits.
  [[nodiscard]] const std::uint16_t* counters() const { return counters_.data(); }

 private:
  [[nodiscard]] Pass pass(PassStep step, const uint4* in, uint4* out, unsigned long long* ones);
  [[nodiscard]] uint4* eroded(std::int64_t n) const { return eroded_[n % 2].data(); }
  void load(const std::uint64_t* device_bits);
  void erode(std::int64_t n);
  void open(std::int64_t n);
  void look(std::int64_t n);
  [[nodiscard]] std::vector<std::int64_t> volumes(std::int64_t rows);

  const cuda::Stream& stream_;
  SchemeTask task_;
  std::int64_t quads_;  ///< of the grid
  std::int64_t most_;   ///< rows that there can be
  Tiles tiles_;
  bool descending_ = false;
  cuda::DeviceBuffer<uint4> eroded_[2];  ///< X_n and X_(n+1)
  cuda::DeviceBuffer<uint4> opened_[2];
  cuda::DeviceBuffer<uint4> domain_;
  cuda::DeviceBuffer<std::uint16_t> counters_;
  cuda::DeviceBuffer<unsigned long long> counts_;  ///< |X_n|, then the volumes
  cuda::PinnedBuffer<unsigned long long> left_;    ///< |X_n| as they arrive, then the volumes
  cuda::Stream side_;                              ///< so that looking at a count does not hold up the passes
  cuda::Event counted_, arrived_;
};

}  // namespace tamis::boulos::gpu
