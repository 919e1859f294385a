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
  std::optional<Faces> outlet;  ///< one face
};

/// Radii of 255 sides and more throw TooWide, as volumes of more than 2^31 voxels do.
class Invasion {
 public:
  Invasion(const Context& context, const InvasionTask& task);

  [[nodiscard]] const BallTally& invaded() const { return invaded_; }
  /// Of all that is there, where it was asked for.
  [[nodiscard]] const std::optional<BallTally>& pores() const { return pores_; }
  /// The largest square of the outlet.
  [[nodiscard]] std::uint64_t widest() const { return widest_; }
  /// Squares of the invasion radii, U16.
  void deliver(const MapSink& sink) const;

 private:
  [[nodiscard]] distance_detail::gpu::SquareRows<std::uint16_t> rows() const;
  void make_squares(const InvasionTask& task);
  void into_convention(BallConvention convention);
  BallTally paint(const distance_detail::gpu::SquareRows<std::uint16_t>& squares, const std::uint64_t* object,
                  const InvasionTask& task);
  void reach(const Image& inlet);
  void find_widest(const Faces& outlet);

  const Context& context_;
  Shape shape_;
  cuda::DeviceScope scope_;
  cuda::Stream stream_;
  cuda::DeviceBuffer<std::uint64_t> object_;
  distance_detail::gpu::Squares squares_;
  std::uint64_t largest_ = 0;
  BallTally invaded_;
  std::optional<BallTally> pores_;
  std::uint64_t widest_ = 0;
};

}  // namespace tamis::granulometry_detail::gpu::balls
