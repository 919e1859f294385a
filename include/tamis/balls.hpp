// Granulometry by balls: at every voxel the largest ball inside the object that covers it (Hildebrand, Ruegsegger 1997).
#pragma once

#include <tamis/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/distance.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// What counts as a ball around y, whose nearest background is sqrt(D2) away:
///   Tamis    |x - y|^2 < D2
///   Porespy  |x - y| < floor(sqrt(D2)): integer radii, as PoreSpy's local_thickness
///   Fiji     |x - y|^2 <= D2: the ball reaches the middle of the nearest background voxel
enum class BallConvention : std::uint8_t { Tamis, Porespy, Fiji };
[[nodiscard]] std::string_view name(BallConvention convention);

struct BallOptions {
  DomainBorder border = DomainBorder::Background;
  BallConvention convention = BallConvention::Tamis;
  /// Disks in each slice of a volume instead of balls. Images have disks anyway.
  bool by_slices = false;
  std::optional<std::int64_t> max_size = {};  ///< last size n, 0 to 65534; without it until nothing is left
  /// Only balls of these radii, whole numbers of shortest sides from 1 to 65534 that increase: others are rounded down to
  /// one of them. What none covers has a radius of 0. Rows are 0 and these. Empty: all radii.
  std::vector<std::int64_t> radii = {};
};

/// The radius of the largest ball that covers a voxel, over all voxels of the object; in shortest sides of a voxel.
/// A diameter is 2 R, as Fiji and BoneJ have it; a width 2 R - 1, exact for slabs of odd width.
struct Thickness {
  double mean_radius = 0;
  double standard_deviation = 0;  ///< of the radius; that of diameter and width is twice as much
  double largest_radius = 0;
};

struct BallSizes {
  Sizes sizes;  ///< G_n = {x : R(x) > n}
  std::optional<Thickness> thickness;  ///< not for objects without a finite radius
  WholeSides sides;
  std::uint64_t largest_square = 0;  ///< of the finite radii, in whole sides
  std::int64_t unbounded = 0;        ///< voxels of what has no background: their radius is infinite
  double shortest_side = 1;          ///< in units of the spacing
  std::uint64_t least_square = 0;    ///< of BallOptions::radii: voxels of less are covered by none
};

/// What a square T2 of a map becomes: the number of the opening that removes the voxel, ceil(R), in the narrowest of U8,
/// U16 and U32; or F32 lengths in units of the spacing: R, 2 R - 1 shortest sides, 2 R.
enum class BallMeasure : std::uint8_t { Size, Radius, Width, Diameter };

/// The sample type of a map of `measure`.
[[nodiscard]] Type ball_map_type(const BallSizes& sizes, BallMeasure measure);
/// Turns `count` squares of a type into samples of ball_map_type(). Background stays 0.
void measure_balls(const BallSizes& sizes, BallMeasure measure, Type squares, const std::byte* from, std::int64_t count,
                   std::byte* to);

/// Called once, before the first slice, with the result and the type of the squares: U16, U32 or U64.
using BallStart = std::function<void(const BallSizes& sizes, Type squares)>;

/// Granulometry of a Bool image by all radii at once. Exact; the same for any number of threads, instruction set and
/// slab size, on every device. Voxels may be anisotropic (whole_sides); the convention of PoreSpy wants equal sides.
/// Memory two bytes a voxel beside the image (more past a radius of 254) and lists of what is being painted, on a GPU
/// about six, and thirteen past a radius of 254; in slabs with the halo they need when Context::memory_bytes
/// (device_memory_bytes), or the machine, has less.
/// Throws InputError as granulometry() and squared_distance(), ResourceError if memory is short.
[[nodiscard]] BallSizes ball_granulometry(const Context& context, const Image& object, const BallOptions& options = {},
                                          const Image& domain = {});

/// The same with the squares of the radii, T2, in whole sides, delivered slice by slice in increasing z; 0 on the
/// background, the largest value of the type where the radius is infinite, less than BallSizes::least_square where no
/// listed ball covers the voxel. measure_balls() makes maps of them. Throws InputError where `start` or `sink` is empty.
[[nodiscard]] BallSizes ball_map(const Context& context, const Image& object, const BallOptions& options,
                                 const Image& domain, const BallStart& start, const MapSink& sink);

/// The same with samples of a measure; `start` gets their type, ball_map_type().
BallSizes ball_map(const Context& context, const Image& object, BallMeasure measure, const BallOptions& options,
                   const Image& domain, const BallStart& start, const MapSink& sink);

/// A map in memory.
[[nodiscard]] Image ball_map(const Context& context, const Image& object, BallMeasure measure,
                             const BallOptions& options = {}, const Image& domain = {});

}  // namespace tamis
