// A granulometry of bits that lie on a GPU: what is allocated once and run again and again.
#pragma once

#include <cstdint>
#include <vector>

#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/distance/erosions.hpp"
#include "granulometry/gpu/recursion/recursion.hpp"
#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu {

/// What stays the same from run to run.
struct WindowTask {
  Windows windows;
  Neighbours neighbours = Neighbours::Cross3;
  bool neutral = false;  ///< the border; the domain comes with every run
  bool map = false;
  std::int64_t budget = 0;  ///< device bytes it may take; 0: what there is
};

/// What a run is asked for.
struct WindowQuery {
  std::int64_t cap = 0;                         ///< distances above count as this; 0: none
  bool ragged = false;                          ///< the domain may be less than the whole image
  bool open_below = false, open_above = false;  ///< the slices are a part of a volume that goes on there
  std::int64_t begin = 0, end = 0;              ///< slices of the result
  std::int64_t inner_begin = 0, inner_end = 0;  ///< slices whose largest distance is wanted
};

/// Which voxels an element joins in an image of this shape.
[[nodiscard]] Neighbours neighbours_of(const Shape& shape, Element element);
/// The domain of a neutral border where none is given: all of the image, as one slice for all.
[[nodiscard]] Image whole_slice(const Shape& shape);

class WindowRun {
 public:
  /// Of the largest numbers: sizes up to 65534.
  static constexpr int most_planes = 16;

  /// Allocates everything but the planes, whose number the first run finds.
  WindowRun(const cuda::Stream& stream, const WindowTask& task);

  /// Device bytes of one slice (the windows have one), the planes included.
  [[nodiscard]] static std::int64_t bytes_of_slice(const WindowTask& task, int planes);

  /// Packs, erodes, measures. Waits for the device to learn how far erosion went.
  /// Returns a bound of the distances; largest() is exact once the stream was waited for.
  std::int64_t measure(const BitImage& object, const BitImage* domain, const WindowQuery& query);
  /// Queues the openings of what measure() left; counts() and the map are there once the stream was waited for.
  void open(const WindowQuery& query);

  /// Takes the memory for numbers up to `largest`, which otherwise the first run does.
  void prepare(std::int64_t largest);
  /// measure() and open() queued together, without waiting: the query has a cap, which bounds the distances.
  void run(const BitImage& object, const BitImage* domain, const WindowQuery& query);

  /// The largest distance among the slices that were asked for.
  [[nodiscard]] std::int64_t largest() const { return host_flags_[0].largest; }
  /// Voxels that never erode.
  [[nodiscard]] std::int64_t never() const { return static_cast<std::int64_t>(host_flags_[0].never); }
  /// Voxels of each value of the size map.
  [[nodiscard]] std::vector<std::int64_t> counts() const {
    return {host_counts_.data(), host_counts_.data() + bound_ + 1};
  }

  /// The same in device memory, of run().
  [[nodiscard]] const unsigned long long* device_counts() const { return device_counts_.data(); }

  [[nodiscard]] const std::uint8_t* map() const { return map_.data(); }
  [[nodiscard]] std::int64_t map_pitch() const {
    return task_.windows.columns * std::int64_t{Windows::own_x} * sample();
  }
  [[nodiscard]] int sample() const { return planes_ <= 8 ? 1 : 2; }
  /// Of the numbers of the whole volume.
  [[nodiscard]] int planes() const { return planes_; }

 private:
  // Memory, and openings.
  [[nodiscard]] static bool by_sweeps(const WindowTask& task);
  void require_budget(int planes) const;
  void use_planes(int planes);
  void use_erosions();
  [[nodiscard]] Schedule schedule_of(int passes, bool ragged, int planes) const;

  // Distances (window_distances.cpp).
  struct Round;
  void queue_distances(const BitImage& object, const BitImage* domain, const WindowQuery& query);
  void read_flags();
  void start(const BitImage& object, const BitImage* domain);
  void erode(const WindowQuery& query, int passes);
  void assemble(const WindowQuery& query, int passes, std::int64_t base, bool end);
  Round read_round(int passes);
  void next_round();
  bool measure_with(const BitImage& object, const BitImage* domain, const WindowQuery& query, int least_planes);
  void sweep(const BitImage& object, const WindowQuery& query);
  bool measure_by_sweeps(const BitImage& object, const WindowQuery& query);
  [[nodiscard]] int first_planes(const WindowQuery& query) const;

  const cuda::Stream& stream_;
  WindowTask task_;
  int planes_ = 0;
  int chunk_erosion_ = 0;
  int chunk_ = 0;
  std::int64_t bound_ = 0;  ///< of the distances

  cuda::DeviceBuffer<BitRow> rows_;  ///< after 0, 1, 2 ... passes of this round
  cuda::DeviceBuffer<CountRow> counts_;
  cuda::DeviceBuffer<std::uint8_t> depth_;
  cuda::DeviceBuffer<BitRow> domain_;
  cuda::DeviceBuffer<std::uint32_t> work_;  ///< of the sweeps
  cuda::DeviceBuffer<std::uint32_t> planes_memory_;
  PlaneRows numbers_[2];
  cuda::DeviceBuffer<std::uint16_t> peaks_, band_peaks_;
  cuda::DeviceBuffer<int> schedule_;
  cuda::DeviceBuffer<std::uint8_t> map_;

  struct Flags {
    unsigned left[Assembly::most_passes + 1];
    unsigned changed[Assembly::most_passes];
    unsigned largest;
    unsigned bound;  ///< the same over all slices, where sweeps find it
    unsigned long long never;
  };
  cuda::DeviceBuffer<Flags> flags_;
  cuda::PinnedBuffer<Flags> host_flags_;
  cuda::DeviceBuffer<unsigned long long> device_counts_;
  cuda::PinnedBuffer<unsigned long long> host_counts_;
};

}  // namespace tamis::granulometry_detail::gpu
