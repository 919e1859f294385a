// A step from image to image on the device: what its kernels are made for, and the engines, each of which makes it a
// DeviceFilter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/image.hpp>

#include "core/gpu/filter.hpp"
#include "core/gpu/stream.hpp"
#include "median/plan/gpu_tiles.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail::gpu {

// A window's runs of samples, and those at its edges along y, in device memory.

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

/// Device memory that the kernels of a plan use in turn.
class Workspace {
 public:
  /// While kernels are made: they get as much as the one that wants most.
  void want(std::int64_t bytes) { bytes_ = std::max(bytes_, bytes); }
  /// When all are made.
  void allocate(const cuda::Stream& stream) {
    if (bytes_ > 0) memory_ = cuda::DeviceBuffer<std::byte>(stream, bytes_);
  }
  /// At a multiple of 16.
  [[nodiscard]] std::byte* data() const { return memory_.data(); }

 private:
  std::int64_t bytes_ = 0;
  cuda::DeviceBuffer<std::byte> memory_;
};

struct Step {
  const RankStep& rank;  ///< read while kernels are made
  Workspace& workspace;
  Type type = Type::U8;
  Shape shape;
  Border border;  ///< kernels that know only whole windows are given Reflect in place of Neutral, and a frame follows
  /// F32 may hold NaN, which is left out.
  bool around_nan = false;
  /// Redo only tiles that touch the image's edge: all other results are there already.
  bool frame_only = false;

  /// Whether the number of samples may differ from result to result.
  [[nodiscard]] bool varies() const { return around_nan || border.kind == Border::Kind::Neutral; }
};

/// Four bytes that begin with the sample that the border shows outside, if it is a constant.
[[nodiscard]] std::uint32_t outside_bits(Type type, const Border& border);

// The engines.

/// Ranks in small squares and cubes on the GPU by networks in registers.
/// Any rank of squares of 2 ... 7 samples and of cubes of 3, medians of squares of 9 and of rows and columns of 3, 5
/// ... 15; all types but Bool. Null for everything else. The border is not Neutral. Of F32 it says whether there is
/// NaN, around which results are of no use.
[[nodiscard]] cuda::DeviceStep network_step(const cuda::Stream& stream, const Step& step);

/// Ranks of U8 images on the GPU by histograms that move along y (Huang, Yang and Tang 1979), one a lane.
/// Any window and any rank; the border is not Neutral. Workspace: a padded copy of the image.
/// Time: samples at the window's edges along y for each sample, and the distance between the results of two rows.
[[nodiscard]] cuda::DeviceStep histogram_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs);

/// Ranks on the GPU for every type: in each tile samples become their ordinals among all that the tile sees, and a
/// window that moves is a set of ordinals.
/// Nothing where a row of 32 results sees more samples than shared memory can put in order, some 15,000 (squares of
/// about 110).
[[nodiscard]] std::optional<OrdinalTile> ordinal_tile(const cuda::Stream& stream, const Step& step,
                                                      const DeviceRunList& runs);
/// Any window, rank and border, around NaN too; all types but Bool.
/// Time: samples at the window's edges along y for each sample, and order of log(samples seen) for each sample seen.
[[nodiscard]] cuda::DeviceStep ordinal_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs,
                                            const OrdinalTile& tile);

/// Ranks of large windows on the GPU: what a tile sees is sorted and shared out into 256 buckets, a histogram of buckets
/// moves with the window, and the bucket of the rank is searched by coordinates.
/// Any window, rank and border, around NaN too; all types but Bool. Does the whole image where a frame is asked for.
/// Workspace: some 24 bytes for each sample that tiles see, of up to 2^25 at once or one tile.
/// Time for a result: its share of the sorting, samples at the window's edges along y, and half a bucket.
[[nodiscard]] cuda::DeviceStep bucket_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs,
                                           const GpuBucketTile& tile);

/// Ranks of packed bits on the GPU: of the bits that a window sees, how many are set.
/// Any window, rank and border. Workspace: a padded copy; where windows shrink another one is kept.
/// Time: the runs of the window's edge along y for each sample, and a 32nd of their samples.
[[nodiscard]] cuda::DeviceStep majority_step(const cuda::Stream& stream, const Step& step, const DeviceRunList& runs);

}  // namespace tamis::median_detail::gpu
