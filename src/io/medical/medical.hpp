// What NRRD, MetaImage, NIfTI and DICOM have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

#include "io/checked.hpp"
#include "io/format.hpp"
#include "io/header_text.hpp"
#include "io/inflater.hpp"

namespace tamis::io {

// Where an image lies, as the headers of medical files say it. In memory the world is that of DICOM and ITK: x to the
// left, y to the back, z to the head (LPS); NIfTI's x and y run the other way (RAS).

using Vector = std::array<double, 3>;

[[nodiscard]] inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
[[nodiscard]] inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Three columns, the steps from a voxel to the next along x, y and z, and where the first lies; all in the unit of the
/// edges.
struct Affine {
  std::array<Vector, 3> steps{};
  Vector origin{};
};

/// Nothing where a number is not finite, or an edge is not known.
[[nodiscard]] std::optional<Placement> placement_of(const Affine& affine, const Spacing& edges, World world);
/// Of a layout of three axes that has a placement, in mm.
[[nodiscard]] std::optional<Affine> affine_in_mm(const Layout& layout);
/// With x and y of the world turned round: from RAS to LPS, and back.
[[nodiscard]] Affine turned(Affine affine);

/// A turn of space as NIfTI has it: b, c and d of a unit quaternion (a is 0 or more), and -1 where the third axis is
/// turned round.
struct Quaternion {
  double b = 0;
  double c = 0;
  double d = 0;
  double third = 1;
};
/// The unit vectors of the axes.
[[nodiscard]] std::array<Vector, 3> axes_of(const Quaternion& turn);
/// Nothing for axes that are not at right angles.
[[nodiscard]] std::optional<Quaternion> quaternion_of(const std::array<Vector, 3>& axes);

// Where the samples of NRRD, MetaImage and NIfTI lie, as their headers say, and how many bytes they have to be.

struct SamplePlace {
  std::string path;          ///< the file that was named
  std::string data;          ///< the file with the samples, often the same
  std::int64_t offset = 0;   ///< in `data`: of the samples, or of the compressed stream
  std::int64_t skipped = 0;  ///< bytes in front of the samples within the decompressed stream
  Packing packing = Packing::None;
  bool swapped = false;  ///< bytes are in the other order than this machine's
  double slope = 1;      ///< values are slope * sample + intercept
  double intercept = 0;
  std::int64_t times = 1;  ///< volumes that follow each other, all of `layout`
  std::int64_t time = 0;   ///< the one that is read
  Layout layout;           ///< of the samples in the file
  std::string description;
  ReadOptions options;  ///< as they were given: what may be followed, who may stop it

  [[nodiscard]] bool rescaled() const { return slope != 1 || intercept != 0; }
};

/// Checks the file against its header and serves the samples: uncompressed ones mapped, compressed ones in order.
[[nodiscard]] std::unique_ptr<Source> open_place(SamplePlace place);

/// The edges of an image, x first as headers have them. Trailing ones beyond the third are dropped; throws InputError
/// for more dimensions, fewer than 2, and edges that are not 1 .. 2^31-1.
[[nodiscard]] Shape shape_of_sizes(const std::string& path, std::string_view format, std::vector<std::int64_t> sizes);
/// The same of fields of a header: the number of dimensions, and as many sizes.
[[nodiscard]] Shape shape_of_fields(const std::string& path, std::string_view format, const HeaderFields& fields,
                                    std::string_view dimension, std::string_view sizes);
/// Voxel sizes, x first; not known where one is no length or the unit is none.
[[nodiscard]] Spacing spacing_of_lengths(const std::optional<std::array<double, 3>>& lengths, int rank,
                                         const std::string& unit);
/// "data" of a header: a file beside it, unless it is an absolute path. Throws InputError where it may not be followed.
[[nodiscard]] std::string beside(const std::string& path, std::string_view name, bool follow);
/// Where `bytes` of samples start that end with a file of this length, at `first` or behind: what "-1" as a skip says.
/// Throws InputError where the file has fewer.
[[nodiscard]] std::int64_t start_from_end(const SamplePlace& place, std::int64_t length, std::int64_t first);
/// Samples of 2 bytes and more in `little` order: are they in the other order than this machine's?
[[nodiscard]] bool is_swapped(Type type, bool little);
/// Refuses samples that are not as long as the header says.
[[noreturn]] void wrong_length(const SamplePlace& place, std::int64_t got, std::int64_t wanted);

/// How samples are written after a header: voxel sizes in mm, x first; nothing where the unit is not known.
[[nodiscard]] std::vector<double> spacing_in_mm(const Layout& layout);

// Samples that stand for other values: slope * sample + intercept.

/// f32 where it holds every sample of the type, otherwise f64.
[[nodiscard]] Type float_for(Type type);
/// slope * sample + intercept of `count` samples, computed in f64, to f32 or f64, where NaN stays, or to i16. False
/// where one does not fit.
[[nodiscard]] bool rescale(Type from, const std::byte* samples, std::int64_t count, double slope, double intercept,
                           Type to, std::byte* out);
/// The same for a whole source, slice by slice; its type becomes float_for() of what it was.
[[nodiscard]] std::unique_ptr<Source> open_rescaled(std::unique_ptr<Source> samples, double slope, double intercept);

}  // namespace tamis::io
