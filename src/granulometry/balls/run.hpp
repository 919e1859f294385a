// Granulometry by balls, whole or in slabs, on whatever device.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/context.hpp>

#include "granulometry/balls/tally.hpp"

namespace tamis::granulometry_detail {

struct BallRequest {
  Shape shape;
  BallOptions options;
  WholeSides sides;
  bool flat = false;                   ///< disks
  std::vector<std::uint64_t> listed = {};  ///< squares of BallOptions::radii
  TallyRule rule = {};
};

[[nodiscard]] BallRequest ball_request(const Shape& shape, const Spacing& spacing, const BallOptions& options);
/// The same of options that are looked at: throws InputError for those that make no sense.
[[nodiscard]] BallRequest checked_request(const Shape& shape, const Spacing& spacing, const BallOptions& options);

/// Sizes and thickness of what was counted; all but border_voxels, spacing and the device.
[[nodiscard]] BallSizes sizes_of(const BallRequest& request, const BallTally& tally);
/// The same of an object that fills its domain under a neutral border: every opening leaves it as it is.
[[nodiscard]] BallSizes sizes_of_full(const BallRequest& request, std::int64_t voxels);

/// What the squares of distances in some slices come to.
struct BallSquares {
  Type type = Type::U16;
  std::uint64_t largest = 0;
  bool unbounded = false;
};

/// What a map is delivered as.
struct BallDelivery {
  const BallSizes* sizes = nullptr;
  std::optional<BallMeasure> measure;  ///< nothing: squares
  Type type = Type::U16;
};

/// Memory does not suffice for a slab after all: lists may be longer than mostly.
class SlabTooLarge {};

/// A device's way with the slices that it works on at a time, one slab after the other.
class BallEngine {
 public:
  BallEngine() = default;
  BallEngine(const BallEngine&) = delete;
  BallEngine& operator=(const BallEngine&) = delete;
  virtual ~BallEngine() = default;

  /// Bytes that slabs may take, and those of one with squares of so many bytes.
  [[nodiscard]] virtual std::int64_t budget() const = 0;
  [[nodiscard]] virtual std::int64_t slab_bytes(std::int64_t slices, std::int64_t lane_bytes) const = 0;
  /// The slices that a slab may have whatever the memory.
  [[nodiscard]] virtual std::int64_t most_slices() const { return std::numeric_limits<std::int64_t>::max(); }
  /// Throws where a ball needs more slices than that, which another device may do.
  virtual void refuse_slices() const {}
  /// How errors call the memory.
  [[nodiscard]] virtual const char* memory() const = 0;

  /// Held while a thread works with the engine that has not made it.
  [[nodiscard]] virtual std::shared_ptr<void> on_this_thread() { return {}; }

  /// Squares of the distances of slices [from, to), a new slab. Beyond open faces nothing is. May throw SlabTooLarge,
  /// as paint() may.
  virtual BallSquares distances(std::int64_t from, std::int64_t to, const Faces& open) = 0;
  /// The largest finite square of slices [begin, end) of the slab.
  virtual std::uint64_t largest(std::int64_t begin, std::int64_t end) = 0;
  /// Squares of the largest balls of slices [begin, end) of the slab, in place. Other slices are as if they were not.
  virtual BallTally paint(std::int64_t begin, std::int64_t end, std::uint64_t largest) = 0;
  /// Counts of slices [begin, end) of what was painted.
  virtual BallTally tally(std::int64_t begin, std::int64_t end) = 0;
  /// Delivers slices [begin, end) of the slab as slices z0 and on.
  virtual void deliver(std::int64_t begin, std::int64_t end, std::int64_t z0, const BallDelivery& delivery) = 0;
};

/// The map that is asked for, if there is one.
struct BallMapRequest {
  bool wanted = false;
  std::optional<BallMeasure> measure = {};  ///< nothing: squares
  BallStart start = {};  ///< called once, before the first slice is delivered, with the samples' type
};

/// Fills all but border_voxels of the sizes and the device.
BallSizes run_balls(const BallRequest& request, BallEngine& engine, const BallMapRequest& map);

/// The engine of one GPU; the context outlives it.
using BallEngineMaker = std::function<std::unique_ptr<BallEngine>(const Context& one)>;
/// The same by all GPUs of the context.
BallSizes run_balls(const Context& context, const BallRequest& request, const BallEngineMaker& make,
                    const BallMapRequest& map);

}  // namespace tamis::granulometry_detail
