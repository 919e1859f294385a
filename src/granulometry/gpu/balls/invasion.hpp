// Porosimetry on a GPU: distances, how far in the fluid gets, and balls of that, all where the squares lie.
#pragma once

#include <cstdint>
#include <optional>

#include <tamis/porosimetry.hpp>

#include "core/gpu/stream.hpp"
#include "distance/gpu/squares.hpp"
#include "granulometry/balls/tally.hpp"

namespace tamis::granulometry_detail::gpu::balls {

struct InvasionTask {
  const Image* object = nullptr;
  const Image* domain = nullptr;  ///< nullptr: everything counts
  const Image* inlet = nullptr;   ///< bits of the object's shape: where the fluid comes from
  PorosimetryOptions options;
  WholeSides sides;
  std::optional<Faces> outlet = {};  ///< one face
  /// Voxels that lists of 32-bit indices serve, rows filled up to 64; more are painted as squares of 32 bits.
  std::int64_t most_listed = std::int64_t{1} << 31;
};

/// What a GPU does not do, objects without background and squares that are too large, throws TooWide.
class Invasion {
 public:
  Invasion(const Context& context, const InvasionTask& task);

  [[nodiscard]] const BallTally& invaded() const { return invaded_; }
  /// Of all that is there, where it was asked for.
  [[nodiscard]] const std::optional<BallTally>& pores() const { return pores_; }
  /// The largest square of the outlet.
  [[nodiscard]] std::uint64_t widest() const { return widest_; }
  /// Of the squares.
  [[nodiscard]] Type type() const { return type_; }
  /// Squares of the invasion radii.
  void deliver(const MapSink& sink) const;

 private:
  void make_squares(const InvasionTask& task);
  /// All that follows distances, of squares of this many bits.
  template <class Lane>
  void invade(const InvasionTask& task, cuda::DeviceBuffer<Lane>& squares);
  template <class Lane>
  void into_convention(const cuda::DeviceBuffer<Lane>& squares, BallConvention convention);
  /// `bits`: what is painted, which is all that is not 0.
  template <class Lane>
  BallTally paint(const cuda::DeviceBuffer<Lane>& squares, const std::uint64_t* bits, const InvasionTask& task);
  template <class Lane>
  BallTally paint_reached(const cuda::DeviceBuffer<Lane>& squares, const InvasionTask& task);
  template <class Lane>
  void reach(cuda::DeviceBuffer<Lane>& squares, const Image& inlet);
  template <class Lane>
  void find_widest(const cuda::DeviceBuffer<Lane>& squares, const Faces& outlet);
  template <class Lane>
  [[nodiscard]] distance_detail::gpu::SquareRows<Lane> rows_of(const cuda::DeviceBuffer<Lane>& squares) const;

  const Context& context_;
  Shape shape_;
  cuda::DeviceScope scope_;
  cuda::Stream stream_;
  cuda::DeviceBuffer<std::uint64_t> object_;
  distance_detail::gpu::Squares squares_;
  Type type_ = Type::U16;
  std::uint64_t largest_ = 0;
  BallTally invaded_;
  std::optional<BallTally> pores_;
  std::uint64_t widest_ = 0;
};

}  // namespace tamis::granulometry_detail::gpu::balls
