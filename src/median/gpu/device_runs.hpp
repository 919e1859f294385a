// A window's runs of samples, and those at its edges along y, in device memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/gpu/stream.hpp"
#include "median/plan/window_edges.hpp"

namespace tamis::median_detail::gpu {

/// Samples side by side, from the origin on.
struct DeviceRun {
  int z = 0, y = 0, x = 0;
  int length = 1;

#ifdef __CUDACC__
  /// From the origin's row to theirs, where rows are `pitch` and slices `slice` apart.
  template <class Distance>
  [[nodiscard]] __device__ Distance row(Distance pitch, Distance slice) const {
    return z * slice + y * pitch;
  }
#endif
};

/// As kernels see them.
struct DeviceRuns {
  const DeviceRun* first = nullptr;
  int whole_count = 0, entering_count = 0, leaving_count = 0;
  int entering_single = 0, leaving_single = 0;  ///< of these the last ones, of one sample each
  std::int64_t samples = 0;                     ///< of the window

  struct Span {
    const DeviceRun* first;
    int count;
#ifdef __CUDACC__
    [[nodiscard]] __device__ const DeviceRun* begin() const { return first; }
    [[nodiscard]] __device__ const DeviceRun* end() const { return first + count; }
#endif
  };
#ifdef __CUDACC__
  [[nodiscard]] __device__ Span whole() const { return {first, whole_count}; }
  [[nodiscard]] __device__ Span entering() const { return {first + whole_count, entering_count}; }
  [[nodiscard]] __device__ Span leaving() const { return {first + whole_count + entering_count, leaving_count}; }

  /// move(run) for those of several samples, then move_one(run) for the others.
  template <class Move, class MoveOne>
  static __device__ __forceinline__ void visit(Span runs, int single, const Move& move, const MoveOne& move_one) {
    const int several = runs.count - single;
    for (int i = 0; i < several; ++i) move(runs.first[i]);
#pragma unroll 4
    for (int i = several; i < runs.count; ++i) move_one(runs.first[i]);
  }
  template <class Move, class MoveOne>
  __device__ __forceinline__ void visit_entering(const Move& move, const MoveOne& move_one) const {
    visit(entering(), entering_single, move, move_one);
  }
  template <class Move, class MoveOne>
  __device__ __forceinline__ void visit_leaving(const Move& move, const MoveOne& move_one) const {
    visit(leaving(), leaving_single, move, move_one);
  }
#endif
};

class DeviceRunList {
 public:
  DeviceRunList(const cuda::Stream& stream, const OffsetSet& window) {
    WindowEdges edges = edges_of(window);
    changes_ = edges.changes();
    runs_.entering_single = single_last(edges.entering);
    runs_.leaving_single = single_last(edges.leaving);
    const std::size_t count = edges.whole.size() + edges.entering.size() + edges.leaving.size();
    host_ = cuda::PinnedBuffer<DeviceRun>(stream, static_cast<std::int64_t>(count));
    DeviceRun* next = host_.data();
    for (const auto* runs : {&edges.whole, &edges.entering, &edges.leaving}) {
      for (const OffsetSet::Run& run : *runs) {
        *next++ = {static_cast<int>(run.start.z), static_cast<int>(run.start.y), static_cast<int>(run.start.x),
                   static_cast<int>(run.length)};
      }
    }
    memory_ = cuda::DeviceBuffer<DeviceRun>(stream, static_cast<std::int64_t>(count));
    cuda::check(cudaMemcpyAsync(memory_.data(), host_.data(), memory_.bytes(), cudaMemcpyHostToDevice, stream.get()),
                "copy a window");
    runs_.first = memory_.data();
    runs_.whole_count = static_cast<int>(edges.whole.size());
    runs_.entering_count = static_cast<int>(edges.entering.size());
    runs_.leaving_count = static_cast<int>(edges.leaving.size());
    runs_.samples = window.count();
  }

  [[nodiscard]] const DeviceRuns& get() const { return runs_; }
  [[nodiscard]] std::int64_t samples() const { return runs_.samples; }
  /// Samples that enter and leave with a row.
  [[nodiscard]] std::int64_t changes() const { return changes_; }

 private:
  /// Runs of one sample come last. Their number.
  static int single_last(std::vector<OffsetSet::Run>& runs) {
    const auto single =
        std::stable_partition(runs.begin(), runs.end(), [](const OffsetSet::Run& run) { return run.length > 1; });
    return static_cast<int>(runs.end() - single);
  }

  cuda::PinnedBuffer<DeviceRun> host_;
  cuda::DeviceBuffer<DeviceRun> memory_;
  DeviceRuns runs_;
  std::int64_t changes_ = 0;
};

/// launch(first, count) for slices in portions that one launch takes.
template <class Launch>
void for_slices(std::int64_t slices, const Launch& launch) {
  constexpr std::int64_t most = 65535;
  for (std::int64_t first = 0; first < slices; first += most) {
    launch(first, static_cast<unsigned>(std::min(most, slices - first)));
  }
}

}  // namespace tamis::median_detail::gpu
