// Mercury porosimetry in a binary image: a fluid that does not wet is pressed in from an inlet, and goes where balls
// can.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/context.hpp>
#include <tamis/distance.hpp>
#include <tamis/image.hpp>
#include <tamis/threshold.hpp>

namespace TAMIS_PUBLIC tamis {

struct PorosimetryOptions {
  /// The faces that the fluid comes from. They are open: nothing is beyond them, so that balls may reach out. None,
  /// without a mask: the first, z- of a volume and y- of an image. All six of an image: the four that it has.
  Faces inlet = {};
  /// Of the other faces, and of what is outside of the domain.
  DomainBorder border = DomainBorder::Background;
  /// Tamis or Porespy.
  BallConvention convention = BallConvention::Tamis;
  /// Also the sizes of all that is there (Porosimetry::pores); takes a granulometry longer.
  bool pores = false;
};

struct Porosimetry {
  /// As of a granulometry: volume(n) is what has been invaded by balls of R > n. volume(0) is the whole object, also
  /// what is never reached.
  BallSizes balls;
  std::int64_t volume = 0;   ///< of the object
  std::int64_t invaded = 0;  ///< of it, at the highest pressure
  /// The radius of the largest ball that comes from the inlet and touches the opposite face, in units of the spacing.
  /// Nothing where none does, or inlets are several.
  std::optional<double> breakthrough;
  /// Of all pores by the same distances, whether something gets there or not: what is wider here than in `balls` are ink
  /// bottles.
  std::optional<BallSizes> pores;

  /// Row n of the table: what balls of R > n shortest sides of a voxel have invaded. InputError for other rows.
  [[nodiscard]] std::int64_t rows() const { return balls.sizes.rows(); }
  [[nodiscard]] double radius(std::int64_t n) const;  ///< in units of the spacing
  [[nodiscard]] std::int64_t invaded_at(std::int64_t n) const;
  /// Share of the whole object; 0 where that is empty.
  [[nodiscard]] double saturation(std::int64_t n) const;
  [[nodiscard]] double never_reached() const { return 1 - saturation(0); }
};

/// The faces that an inlet is on images of that rank: none is the first, all are those that there are. Throws InputError
/// for some along z of an image.
[[nodiscard]] Faces inlet_faces(const Faces& inlet, int rank);
/// "z-", "x-,x+", "all", and "first" of none, as parameters have them.
[[nodiscard]] std::string to_string(const Faces& faces);

/// Drainage of a Bool image. With D2(y) the square of the distance to the background: a(y) is the greatest, over all
/// face-connected paths from the inlet to y, of the least D2 on the path, and the square of the invasion radius of x is
/// max { a(y) : |x - y|^2 < a(y) }. Exact, the same on every device.
/// `domain` (Bool, same shape, or one slice for all) bounds what counts; empty: all. `inlet` (the same): the fluid comes
/// from its object voxels too; then no face is none.
/// Memory about ten bytes a voxel, on a GPU of its own: paths may wind through all of it, so there are no slabs.
/// Throws InputError for an image that is not Bool, for faces that it has not, and as whole_sides(); ResourceError if
/// memory is short.
[[nodiscard]] Porosimetry porosimetry(const Context& context, const Image& object,
                                      const PorosimetryOptions& options = {}, const Image& domain = {},
                                      const Image& inlet = {});

/// The same with the squares of the invasion radii, as ball_map() delivers them; 0 where the fluid never comes.
/// Throws InputError where `start` or `sink` is empty.
[[nodiscard]] Porosimetry invasion_map(const Context& context, const Image& object, const PorosimetryOptions& options,
                                       const Image& domain, const Image& inlet, const BallStart& start,
                                       const MapSink& sink);

/// What is not 0 in a mask of the layout's shape, or of one slice for all, as bits. Throws InputError as binarise() for
/// the mask of a region.
[[nodiscard]] Image inlet_of_mask(const Context& context, const Layout& layout, SliceSource& mask);

/// The faces of an inlet, or the name of what holds a mask, which front ends read.
struct Inlet {
  Faces faces = PorosimetryOptions().inlet;
  std::string mask = {};
};

/// What front ends ask: the options, and how they are said in one line.
struct PorosimetryArguments {
  std::optional<ThresholdOptions> threshold;  ///< all but the phase
  Phase phase = Phase::Bright;
  Inlet inlet;
  DomainBorder border = DomainBorder::Background;
  double sigma = 0.48;  ///< N/m
  double theta = 140;   ///< degrees
  BallConvention convention = BallConvention::Tamis;

  [[nodiscard]] ThresholdOptions threshold_options() const;
  [[nodiscard]] PorosimetryOptions options() const { return {inlet.faces, border, convention}; }
};

/// The pressure that presses a fluid into a pore of this radius (m): 2 sigma |cos theta| / r, in Pa for sigma in N/m
/// and theta in degrees (Washburn 1921). Mercury in air: 0.48 N/m, 140 degrees.
[[nodiscard]] double washburn_pressure(double radius, double sigma, double theta);
/// The same of a radius in units of a spacing; nothing where no unit of length is known, or for a radius of 0.
[[nodiscard]] std::optional<double> pressure_at(double radius, const Spacing& spacing, double sigma, double theta);

}  // namespace tamis
