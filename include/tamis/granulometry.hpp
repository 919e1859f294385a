// Granulometry of binary images and volumes (Boulos et al., DASIP 2012), and of grey ones (Maragos 1989).
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image/domain.hpp>
#include <tamis/image.hpp>
#include <tamis/threshold.hpp>

namespace TAMIS_PUBLIC tamis {

/// The unit structuring element. Cross: 6 neighbours in a volume, 4 in an image. Cube: 26 neighbours, volumes only.
/// Square: 8 neighbours; on a volume it acts slice by slice.
enum class Element : std::uint8_t { Cross, Cube, Square };

[[nodiscard]] std::string_view name(Element element);

struct GranulometryOptions {
  Element element = Element::Cross;
  DomainBorder border = DomainBorder::Background;
  std::optional<std::int64_t> max_size;  ///< last size n, 0 to 65534; without it until nothing is left
};

/// What `volume` counts where grey values are sieved: sum(n) = volume[n] * step.
struct GreyScale {
  double base = 0;    ///< grey values are counted from here: the lowest of the image, of the dark phase the highest
  double step = 1;    ///< one count; 1 for images of whole numbers, a power of two for F32
  bool whole = true;  ///< the image is one of whole numbers, so all sums are exact
  bool operator==(const GreyScale&) const = default;
};

/// The size distribution. Index n of `volume` is the opening by n unit elements; volume[0] is the object.
struct Sizes {
  std::vector<std::int64_t> volume;
  std::int64_t border_voxels = 0;  ///< object voxels in the outermost layer of the domain
  bool limited = false;            ///< max_size ended the rows: the last one is all that is left
  bool never_empties = false;      ///< neutral border: what is in the last row never erodes
  Spacing spacing;
  int rank = 3;                   ///< rank of the element's action: 2 for images and slice by slice
  std::optional<GreyScale> grey;  ///< there for grey images: volumes are sums of grey values, not voxels
  bool along_lines = false;       ///< of line_granulometry(): size n is n samples wide, not 2n+1
  /// The size n of each row, where only some are there (BallOptions::radii); otherwise rows are sizes 0, 1, 2 ...
  std::vector<std::int64_t> listed = {};
  Device device = Device::Cpu;    ///< what the openings ran on: Cpu or Cuda
  int gpu = 0;                    ///< which GPU, where it was one

  /// Where a function takes one of these rows it throws InputError for any other.
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(volume.size()); }
  /// The n of a row.
  [[nodiscard]] std::int64_t size(std::int64_t row) const;
  /// The volume of a row over that of row 0; 0 for an empty object.
  [[nodiscard]] double fraction(std::int64_t row) const;
  /// The volume of a row less that of the next; what is left, in the last row. Sums to that of row 0.
  [[nodiscard]] std::int64_t spectrum(std::int64_t row) const;
  /// Volume and spectrum of a row as what they stand for: voxels, or a sum of grey values.
  [[nodiscard]] double sum(std::int64_t row) const;
  [[nodiscard]] double spectrum_sum(std::int64_t row) const;
  /// Extent of the element, 2n+1 voxels (n along lines), times the voxel size; nothing where voxels are anisotropic.
  [[nodiscard]] std::optional<double> width(std::int64_t n) const;
  /// The same along each axis, for anisotropic voxels too; of what acts slice by slice z is the side of a voxel. Nothing
  /// along lines, whose direction need not be an axis. (Balls are round: 2n+1 times BallSizes::shortest_side.)
  [[nodiscard]] std::optional<Spacing> extent(std::int64_t n) const;
  /// Share of the object that has no size, for max_size ended before it or because it never erodes. It is in the last
  /// row; the figures below are those of the rest.
  [[nodiscard]] double unsieved_share() const;
  /// The n of the largest spectrum, the smallest such n; nothing for an object of which nothing was sieved.
  [[nodiscard]] std::optional<std::int64_t> predominant() const;
  /// Mean and standard deviation of n weighted by the spectrum.
  [[nodiscard]] std::optional<double> mean() const;
  [[nodiscard]] std::optional<double> standard_deviation() const;
  /// The smallest n such that at least `percent` % of what was sieved has a size <= n (D10, D50, D90).
  [[nodiscard]] std::optional<std::int64_t> percentile(double percent) const;
  /// Share of the object's voxels that lie in the outermost layer of the domain.
  [[nodiscard]] double border_share() const;
};

/// Receives the size map slice by slice, in increasing z: `count` dense slices of `type` (U8, U16 or U32).
/// Voxel value T = number of the opening that removes the voxel, 0 on the background.
using MapSink = std::function<void(const std::byte* slices, std::int64_t z0, std::int64_t count)>;

/// Granulometry of a Bool image. `domain` (Bool, same shape, or one slice for all) bounds what counts; empty: all.
/// Exact; the same on every backend, thread count and slab size.
/// Time O(N * sizes) byte operations; memory one byte a voxel beyond the image (two past size 254), in slabs with the
/// halo they need when Context::memory_bytes, or the machine, has less. Paper: five bits a voxel, O(N * sizes^2).
/// Throws InputError for an object that is not Bool, that has voxels outside the domain, or a cube on a 2-D image,
/// ResourceError if memory is short.
[[nodiscard]] Sizes granulometry(const Context& context, const Image& object, const GranulometryOptions& options = {},
                                 const Image& domain = {});

/// Granulometry with its size map, delivered to `sink`. `start` is called once, before the first slice, with the
/// sample type of the map (the narrowest of U8, U16, U32 that holds it). Throws InputError where one of the two is empty.
[[nodiscard]] Sizes size_map(const Context& context, const Image& object, const GranulometryOptions& options,
                             const Image& domain, const std::function<void(Type)>& start, const MapSink& sink);

/// The size map in memory.
[[nodiscard]] Image size_map(const Context& context, const Image& object, const GranulometryOptions& options = {},
                             const Image& domain = {});

/// Elements that sieve grey values. Size n, 2n+1 voxels wide:
///   Cross   cross:n        a diamond on images, an octahedron on volumes
///   Square  square:(2n+1)  on volumes slice by slice, as Octagon and Disk
///   Octagon octagon:n
///   Disk    disk:n
///   Cube    cube:(2n+1)    volumes only
///   Ball    ball:n         on images a disk
/// Disks, balls and octagons of whole radii are not unions of smaller ones, so their curve may rise by a little and
/// their spectrum be negative in places. Crosses, squares and cubes never do that.
enum class GreyElement : std::uint8_t { Cross, Square, Octagon, Disk, Cube, Ball };
[[nodiscard]] std::string_view name(GreyElement element);

struct GreyGranulometryOptions {
  GreyElement element = GreyElement::Cross;
  /// Background: outside lies the lowest value of the image (of the dark phase the highest), which cuts sizes short.
  /// Neutral: outside counts for nothing, as in open(). Volumes that are sieved slice by slice then end as the lowest
  /// value of each slice (Sizes::never_empties).
  DomainBorder border = DomainBorder::Background;
  Phase phase = Phase::Bright;                ///< Dark: closings instead of openings
  std::optional<std::int64_t> max_size = {};  ///< last size n, 0 to 65534; without it until the opening is constant
};

/// Granulometry of a grey image, U8, U16, I16 or F32: the sum over all samples of opening n less the lowest value of
/// the image; of the dark phase the highest value less closing n. So negative values are nothing special, a constant
/// added to the image changes nothing, and an image of 0 and 1 has the curve of its object. Maragos' spectrum (1989).
/// Sums are exact for whole numbers, up to 2^47 voxels of 16 bits. F32 samples less the base are rounded to multiples
/// of GreyScale::step: about the range of values times their number times 2^-62, at least 2^-51 of the range. So sums
/// do not depend on their order: the same answer on every device and with any number of threads.
/// Time for each n: crosses, squares and cubes a dilation by element n and an erosion by the unit element, all others
/// an opening by element n. Memory: three images. Device::Cuda copies the image there and back at each step.
/// Throws InputError for other types, NaN, infinities and cubes on 2-D images; ResourceError if memory is
/// short, or Context::memory_bytes is less than those images.
[[nodiscard]] Sizes grey_granulometry(const Context& context, const Image& image,
                                      const GreyGranulometryOptions& options = {});

struct LineGranulometryOptions {
  double angle = 0;  ///< degrees, counter-clockwise as the picture is seen, modulo 180
  /// Background: outside is lower than everything, so that only segments inside count (Border::fit()). Neutral: as in
  /// open(); what fills a line from end to end never erodes (Sizes::never_empties).
  DomainBorder border = DomainBorder::Background;
  Phase phase = Phase::Bright;                ///< of grey images; Dark: closings instead of openings
  std::optional<std::int64_t> max_size = {};  ///< last size n, 0 to 65534; without it until nothing is left
};

/// Granulometry by segments of n samples along the traced lines of an image (Lines::Traced), for all n at once; of size
/// 0 and 1 is the image itself. Of a Bool image voxels are counted, inside `domain` if there is one (as granulometry());
/// of U8, U16, I16 and F32 images grey values are summed (as grey_granulometry()). Volumes slice by slice. On the CPU.
/// Time O(N), by Morard's stack of cords (Morard, Dokladal, Decenciere 2011), whatever the number of sizes. Memory: eight
/// bytes a sample of one slice.
/// Throws InputError for other types, an angle that is no number, NaN, infinities, and as granulometry() for domains.
[[nodiscard]] Sizes line_granulometry(const Context& context, const Image& image,
                                      const LineGranulometryOptions& options = {}, const Image& domain = {});

}  // namespace tamis
