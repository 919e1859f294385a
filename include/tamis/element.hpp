// Structuring elements: finite sets of offsets, by name ("disk:5"), from a mask, or point by point.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

/// The farthest that an offset of a set may lie from the origin along an axis, 2^31 samples. OffsetSet refuses what lies
/// beyond, so that no sum of offsets or extents of what it holds overflows.
inline constexpr std::int64_t largest_offset = std::int64_t{1} << 31;

/// A displacement in samples. Ordered by z, then y, then x. Sums are held at the ends of the type: what lies too far
/// stays too far, and OffsetSet refuses it.
struct Offset {
  std::int64_t z = 0;
  std::int64_t y = 0;
  std::int64_t x = 0;

  auto operator<=>(const Offset&) const = default;
  friend Offset operator+(const Offset& a, const Offset& b) { return {sum(a.z, b.z), sum(a.y, b.y), sum(a.x, b.x)}; }
  friend Offset operator-(const Offset& a, const Offset& b) {
    return {difference(a.z, b.z), difference(a.y, b.y), difference(a.x, b.x)};
  }
  friend Offset operator-(const Offset& a) { return Offset{} - a; }

 private:
  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? end_on_the_side_of(a) : sum;
  }
  static std::int64_t difference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(a, b, &difference) ? end_on_the_side_of(a) : difference;
  }
  static std::int64_t end_on_the_side_of(std::int64_t a) {
    return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
  }
};

/// The smallest and the largest offset along each axis, both inside. What an erosion needs around a sample.
struct OffsetBox {
  Offset low;
  Offset high;

  /// Offsets in the box; as capped_product() where they are too many, and where a high end lies below its low one.
  [[nodiscard]] std::int64_t count() const {
    const Offset more = high - low + Offset{1, 1, 1};
    return capped_product(more.z, more.y, more.x);
  }
  bool operator==(const OffsetBox&) const = default;
};

/// A set of offsets, never empty, kept as its longest runs along x: in this form it is unique and small.
class OffsetSet {
 public:
  /// Offsets start, start + (0,0,1), ... `length` of them.
  struct Run {
    Offset start;
    std::int64_t length = 1;
    auto operator<=>(const Run&) const = default;
  };

  OffsetSet() : OffsetSet(OffsetBox{}) {}  ///< only the origin
  /// Any runs, in any order, overlapping or not. Throws InputError if there are none, and for what lies farther from the
  /// origin than largest_offset.
  explicit OffsetSet(std::vector<Run> runs);
  /// All offsets of a box. Throws the same.
  explicit OffsetSet(const OffsetBox& box);
  // A copy shares the runs, which never change: large elements have millions. There is no move, so none is ever without.
  OffsetSet(const OffsetSet&) = default;
  OffsetSet& operator=(const OffsetSet&) = default;
  ~OffsetSet() = default;

  [[nodiscard]] const std::vector<Run>& runs() const { return *runs_; }
  [[nodiscard]] const OffsetBox& box() const { return box_; }
  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] bool contains(const Offset& offset) const;
  [[nodiscard]] bool is_box() const { return count() == box_.count(); }
  /// Every offset, in order.
  [[nodiscard]] std::vector<Offset> offsets() const;

  [[nodiscard]] OffsetSet reflected() const;
  [[nodiscard]] OffsetSet shifted(const Offset& by) const;
  bool operator==(const OffsetSet& other) const { return runs_ == other.runs_ || *runs_ == *other.runs_; }

 private:
  /// Runs that are in order and touch nowhere. Throws as the other constructors.
  OffsetSet(std::vector<Run> runs, const OffsetBox& box);

  std::shared_ptr<const std::vector<Run>> runs_;
  OffsetBox box_;
};

/// Reads the mask of a `file:` element: nonzero samples are in. io knows files, the parser does not.
using MaskLoader = std::function<Image(const std::string& path)>;

/// What adding up the parts of an element may take.
struct SumLimits {
  std::int64_t unions = std::int64_t{1} << 26;  ///< of a run of one part and a run of the next: some seconds
  std::stop_token cancel;
};

/// A structuring element. It is a sum of one or more sets, at most 1000: an erosion takes the first one first, a dilation the last
/// one first, so that the two stay each other's adjoint at borders too. On an infinite image order does not matter.
///
/// Specs, sizes x first, whole numbers unless said otherwise; origins of even sizes are at index n/2:
///   square:N  rect:WxH  cube:N  box:WxHxD       edges
///   cross:R                                     |x|+|y|+|z| <= R: a diamond on images, an octahedron on volumes
///   disk:R  ball:R                              x^2+y^2(+z^2) <= R^2, R may be fractional
///   circle:R                                    disk:R without disk:(R-1)
///   ellipse:AxB  ellipsoid:AxBxC                x^2/A^2 + y^2/B^2 (+ z^2/C^2) <= 1, A, B and C whole
///   octagon:R                                   |x|,|y| <= R and |x|+|y| <= floor(4R/3)
///   hexagon:R                                   |y| <= R sqrt(3)/2 and |x|+|y|/sqrt(3) <= R
///   line:L@A  line:L@A,E                        a digital segment of length L at azimuth A and elevation E, degrees
///   file:mask.png  file:mask.png@ox,oy[,oz]     nonzero is in, origin at index n/2 or as given
///   reflect(S)  shift(S,dx,dy[,dz])  S+T
class StructuringElement {
 public:
  /// What line:L@A says.
  struct Segment {
    double length = 1;
    double azimuth = 0;  ///< degrees, counter-clockwise as the picture is seen
  };

  /// Parses a spec. Throws InputError that names the part it cannot read and lists what there is.
  StructuringElement(std::string_view spec, const MaskLoader& load_mask = {});  // NOLINT(google-explicit-constructor)
  StructuringElement(const char* spec) : StructuringElement(std::string_view(spec)) {}
  StructuringElement(const std::string& spec) : StructuringElement(std::string_view(spec)) {}

  /// Any set; `rank` 2 needs z = 0 everywhere. `name` is what spec() gives back.
  StructuringElement(OffsetSet set, int rank, std::string name = "offsets");
  /// Nonzero samples of a mask (any type), origin at index n/2. Throws InputError for a mask of too many runs.
  static StructuringElement from_mask(const Image& mask);
  /// The same with the origin at a sample of the mask, or outside it.
  static StructuringElement from_mask(const Image& mask, const Offset& origin);

  static StructuringElement square(std::int64_t edge);
  static StructuringElement rect(std::int64_t width, std::int64_t height);
  static StructuringElement cube(std::int64_t edge);
  static StructuringElement box(std::int64_t width, std::int64_t height, std::int64_t depth);
  static StructuringElement cross(std::int64_t radius);
  static StructuringElement disk(double radius);
  static StructuringElement ball(double radius);
  static StructuringElement circle(double radius);
  static StructuringElement octagon(std::int64_t radius);
  static StructuringElement hexagon(double radius);
  static StructuringElement line(double length, double azimuth);
  static StructuringElement line(double length, double azimuth, double elevation);

  /// 2: acts on images, and on volumes slice by slice. 3: volumes only. 0: takes the rank of the image (cross).
  [[nodiscard]] int rank() const;
  /// The sets of the sum for images of rank 2 or 3. Throws InputError for a 3-D element on an image.
  [[nodiscard]] std::vector<OffsetSet> sets(int image_rank) const;
  /// Nothing unless it is one line:L@A and nothing else.
  [[nodiscard]] std::optional<Segment> segment() const;
  /// The sum as one set. Throws InputError where putting it together takes more unions of two runs than `limits` allows,
  /// Cancelled soon after a stop is requested.
  [[nodiscard]] OffsetSet sum(int image_rank, const SumLimits& limits = {}) const;
  /// Offsets of the sum, in order.
  [[nodiscard]] std::vector<Offset> offsets(int image_rank) const { return sum(image_rank).offsets(); }

  /// Mirrored at the origin; of a sum every part is, and their order turns round.
  [[nodiscard]] StructuringElement reflected() const;
  /// Displaced; of a sum the first part is. A displacement along z makes the element 3-D.
  [[nodiscard]] StructuringElement shifted(const Offset& by) const;
  /// First this, then the other.
  friend StructuringElement operator+(const StructuringElement& first, const StructuringElement& then);

  /// The text it was made from, or an equivalent one.
  [[nodiscard]] const std::string& spec() const { return spec_; }
  /// The same sets in the same order; spelling does not count.
  bool operator==(const StructuringElement& other) const;

 private:
  /// One set of the sum. A cross knows its shape only when the rank of the image is known.
  struct Part {
    int rank = 2;
    OffsetSet set;
    std::int64_t cross_radius = -1;
    Offset cross_centre;
    std::optional<Segment> segment;
    [[nodiscard]] OffsetSet on(int image_rank) const;
  };
  struct Parser;
  StructuringElement(std::vector<Part> parts, std::string spec);
  void append(StructuringElement then);
  void require_size() const;

  std::vector<Part> parts_;
  std::string spec_;
};

/// "cross, square, rect, ...": the shapes a spec can name.
[[nodiscard]] std::string element_shape_names();

}  // namespace tamis
