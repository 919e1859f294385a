// The exact Euclidean distance of every object voxel to the background.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>

#include <tamis/context.hpp>
#include <tamis/image/domain.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// Sides of a voxel as whole numbers without a common divisor, and the length that one of them stands for:
/// 2.5 x 2.5 x 10 um is x = 1, y = 1, z = 4 with a unit of 2.5.
struct WholeSides {
  std::int64_t z = 1;
  std::int64_t y = 1;
  std::int64_t x = 1;
  double unit = 1;

  [[nodiscard]] std::int64_t least(int rank) const {
    const std::int64_t plane = y < x ? y : x;
    return rank == 3 && z < plane ? z : plane;
  }
  bool operator==(const WholeSides&) const = default;
};

/// The whole numbers round(d * s / least s), s being the shortest decimals that give the sides of a voxel, for the
/// least d from 1 on for which the ratio of every two of them is within 1e-6, relative, of that of the sides: 1, 1, 1
/// of cubes, 103, 103, 250 of 0.206 x 0.206 x 0.5. Of rank 2, y and x only. Throws InputError for sides that are not
/// above 0 or that would take more than 2^31 - 1.
[[nodiscard]] WholeSides whole_sides(const Spacing& spacing, int rank);

/// Faces of the image.
struct Faces {
  bool z_low = false;
  bool z_high = false;
  bool y_low = false;
  bool y_high = false;
  bool x_low = false;
  bool x_high = false;
  bool operator==(const Faces&) const = default;
};

struct DistanceOptions {
  /// Background: everything outside the domain is background. Neutral: nothing is there.
  DomainBorder border = DomainBorder::Background;
  /// Beyond these faces of the image nothing is, whatever the border.
  Faces open = {};
  /// Each slice of a volume for itself.
  bool by_slices = false;
};

/// Squares of distances, in whole sides of a voxel.
struct SquaredDistances {
  /// U16 where all finite squares are below 65025, otherwise U32 below 2^31 - 1, otherwise U64; 0 on the background.
  /// Where a volume, or a slice of `by_slices`, has no background at all, its voxels hold the largest value of the
  /// type.
  Image squares;
  std::uint64_t largest = 0;  ///< of the finite squares
  bool unbounded = false;     ///< some of the object has no background: in its slice, or in all of the volume
  WholeSides sides;
  Device device = Device::Cpu;  ///< what made them: Cpu or Cuda
};

/// The least square of the distance from each voxel of a Bool image to a background voxel of the domain (Bool, same
/// shape, or one slice for all; empty: all). Exact: whole numbers, the same for any number of threads and instruction
/// set, and every device. Voxels are as long as Image::spacing says. A GPU works in slabs with the halo they need where
/// its memory is short, and leaves to the CPU what may need squares of more than 62 bits, and those of more than 31 in
/// rows of 65535 voxels and more. Time O(N * distance) at the worst, mostly bound by memory; memory two bytes a voxel
/// (four and eight for larger squares), and some hundred kilobytes a thread. Throws InputError for an object that is
/// not Bool or has voxels outside the domain, and as whole_sides(); ResourceError if memory is short, or 62 bits do not
/// hold a square.
[[nodiscard]] SquaredDistances squared_distance(const Context& context, const Image& object,
                                                const DistanceOptions& options = {}, const Image& domain = {});

/// One of those squares as a distance in units of the spacing; infinite where there is no background.
[[nodiscard]] float distance_of(std::uint64_t square, const SquaredDistances& squares);

/// The distances themselves: F32, in units of the spacing, which are voxels where it is not known. Infinite where there
/// is no background. Memory six bytes a voxel.
[[nodiscard]] Image distance(const Context& context, const Image& object, const DistanceOptions& options = {},
                             const Image& domain = {});
/// The same into `out`, whose memory is used again if type and shape fit.
void distance(const Context& context, const Image& object, const DistanceOptions& options, const Image& domain,
              Image& out);

/// Slices of distances for a writer: F32 from z0 on, as distance() has them. Throws InputError for slices that are not there.
void read_distances(const SquaredDistances& squares, std::int64_t z0, std::int64_t count, float* out);

}  // namespace tamis
