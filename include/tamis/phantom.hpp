// Synthetic volumes with known answers, for tests and benchmarks. Deterministic on every machine.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

struct FoamOptions {
  Shape shape{256, 256, 256, 3};
  std::int64_t max_radius = 40;   ///< radii are uniform in min_radius .. max_radius
  std::int64_t min_radius = 4;
  double pore_fraction = 0.6;     ///< spheres are added until this share of the volume is pore
  std::uint64_t seed = 7;
};

/// Foam: overlapping spheres (x^2+y^2+z^2 <= r^2; disks in 2-D) with integer centres anywhere in the volume;
/// at least one has the largest radius. Bool: pores are true.
[[nodiscard]] Image phantom_foam(const Context& context, const FoamOptions& options);

struct OctahedraOptions {
  Shape shape{256, 256, 256, 3};
  std::int64_t max_radius = 20;
  std::uint64_t seed = 7;
  std::int64_t min_radius = 0;  ///< radii are uniform in min_radius .. max_radius
};

/// Disjoint octahedra |x|+|y|+|z| <= r (diamonds in 2-D) on a regular grid, radii uniform in min_radius .. max_radius,
/// none cut by the border. Their cross granulometry is known: spectrum(r) = octahedra of radius r times their volume.
struct Octahedra {
  Image image;                           ///< Bool
  std::vector<std::int64_t> spectrum;    ///< the closed-form answer, index = size
};
[[nodiscard]] Octahedra phantom_octahedra(const Context& context, const OctahedraOptions& options);

}  // namespace tamis
