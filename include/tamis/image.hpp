// Images and volumes in memory, sources that deliver them slice by slice, and sinks that take them.
#pragma once

#include <tamis/compiler.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace TAMIS_PUBLIC tamis {

// Xlib.h makes Bool a macro. These headers can be read after it all the same, and leave it as it is.
#pragma push_macro("Bool")
#undef Bool

/// Sample types. Filters compute with the first five; the others are thresholded or converted (operations/types.hpp).
enum class Type : std::uint8_t { Bool, U8, U16, I16, F32, I8, U32, I32, U64, I64, F64 };

/// Whether samples are bits, for who cannot write Type::Bool after Xlib.h.
[[nodiscard]] constexpr bool is_bool(Type type) { return type == Type::Bool; }

#pragma pop_macro("Bool")

/// Bytes of one sample as a source delivers it (Bool: one byte, 0 or 1). Throws InputError for a type that is none.
[[nodiscard]] std::int64_t sample_bytes(Type type);
/// "bool", "u8", "i16", "f32" ... Throws InputError for a type that is none, as the names of all other choices do.
[[nodiscard]] std::string_view name(Type type);
/// Inverse of name(); also takes "uint8", "float32", "double" and the like. Nothing for an unknown word.
[[nodiscard]] std::optional<Type> type_from_name(std::string_view word);

/// a * b * c of lengths; where 64 bits do not hold it the most that they hold, and 0 where a length is below 1.
[[nodiscard]] constexpr std::int64_t capped_product(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (a < 1 || b < 1 || c < 1) return 0;
  const bool fits = !__builtin_mul_overflow(a, b, &product) && !__builtin_mul_overflow(product, c, &product);
  return fits ? product : INT64_MAX;
}

/// Extent in samples. A 2-D image has rank 2 and z = 1; shape (1, y, x) of rank 3 stays a volume.
struct Shape {
  std::int64_t z = 1;
  std::int64_t y = 1;
  std::int64_t x = 1;
  int rank = 3;

  /// Samples; as capped_product() where they are too many.
  [[nodiscard]] std::int64_t count() const { return capped_product(z, y, x); }
  bool operator==(const Shape&) const = default;
};
/// "600x600x250" (x first), "512x512" for an image.
[[nodiscard]] std::string to_string(const Shape& shape);

/// Whose coordinates a placement has: those of the file alone, of the scanner, of another image that this one is aligned to,
/// or of an atlas. Those of people are DICOM's: x to the left, y to the back, z to the head.
enum class World : std::uint8_t { Own, Scanner, Aligned, Talairach, Mni };
/// "own", "scanner" ...
[[nodiscard]] std::string_view name(World world);

/// Where an image lies, as medical files say it.
struct Placement {
  std::array<double, 3> origin{};  ///< x, y, z of the centre of the first voxel, in the unit of the spacing
  /// Where the axes of the image run, x first, each in x, y, z of the world: unit vectors, but where a file has shears.
  std::array<std::array<double, 3>, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  World world = World::Own;
  bool operator==(const Placement&) const = default;
};

/// Edge lengths of a voxel, and where they lie, if that is known. Without a unit they are a ratio, in whose unit lengths are; of ones lengths are in voxels.
struct Spacing {
  double z = 1;
  double y = 1;
  double x = 1;
  std::string unit;  ///< "um", "mm", "nm", ...; empty: not known
  std::optional<Placement> placement = {};  ///< of what has a unit; it goes along to results that lie where the image lies

  [[nodiscard]] bool known() const { return !unit.empty(); }
  [[nodiscard]] bool isotropic(int rank) const;
  bool operator==(const Spacing&) const = default;
};
/// The spacing of the part of an image that begins so many voxels away: its origin lies there.
[[nodiscard]] Spacing shifted(Spacing spacing, double x, double y, double z);
/// Edges that take the place of `old` ones, in whose unit and at whose place the image lies.
[[nodiscard]] Spacing placed_as(Spacing edges, const Spacing& old);

/// What a source holds.
struct Layout {
  Type type = Type::U8;
  Shape shape;
  int channels = 1;  ///< interleaved; more than one only for colour images
  Spacing spacing;
};
/// "512x512 u8", "600x600x250 u16 with 3 channels".
[[nodiscard]] std::string to_string(const Layout& layout);

/// Throws InputError for a layout that no call takes: a type that is none, an edge below 1, another rank than 2 and 3, no
/// channel, sides of a voxel that are not finite and above 0 (along z only of volumes), and more than 2^56 bytes, which is
/// more than a process can address. `what` names it in the message.
void require_layout(const Layout& layout, std::string_view what);

/// An image that lies in memory: address of the first sample and strides in bytes (samples of a row are contiguous).
struct MappedSlices {
  const std::byte* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t slice_stride = 0;
};

/// Delivers an image slice by slice, so that a volume need never be whole in memory.
/// Calls come from one thread; reading in increasing z is the cheap order for compressed formats.
/// Calls that take a source throw InputError where its layout is none (require_layout), and where the pointer is null.
class SliceSource {
 public:
  virtual ~SliceSource() = default;
  [[nodiscard]] virtual const Layout& layout() const = 0;
  /// Copies slices z0 .. z0+count-1 to `out`: dense, native byte order, channels interleaved, Bool as bytes 0 and 1.
  /// Sources of the library's own throw InputError for slices that are not there.
  virtual void read(std::int64_t z0, std::int64_t count, std::byte* out) = 0;
  /// Where the samples lie if they are in memory in that very form already (a mapped file, an Image).
  [[nodiscard]] virtual std::optional<MappedSlices> mapped() const { return std::nullopt; }
};

/// How viewers should show an image: samples from `low` to `high` in these colours (red, green, blue), from the first
/// to the last.
struct Display {
  double low = 0;
  double high = 1;
  std::array<std::array<std::uint8_t, 3>, 256> colours{};
};

/// Receives an image slice by slice, in order. A file appears under its name at finish(), whole, or never.
class SliceSink {
 public:
  virtual ~SliceSink() = default;  ///< without finish(): the temporary file is removed
  /// `count` further slices, dense, native byte order, Bool as bytes 0 and 1.
  virtual void write(const std::byte* slices, std::int64_t count) = 0;
  /// What is written so far stays for another run to go on with, if the file was made by OutputFiles::create_resumable
  /// and its format can be written so. False: it does not.
  virtual bool checkpoint() { return false; }
  /// It does not stay: no other run could do better.
  virtual void drop_checkpoint() {}
  /// Before finish(). TIFF says it as ImageJ reads it; other formats cannot. The samples stay what they are.
  virtual void show(const Display& /*display*/) {}
  /// Throws InputError if slices are missing, ResourceError if the file cannot take its name. Once it has returned,
  /// doing it again does nothing.
  virtual void finish() = 0;
};

/// A dense image or volume that owns its samples; x runs fastest.
/// Type::Bool is packed: 64 samples a word, sample x is bit x % 64 of word x / 64, rows start at a word,
/// and the unused bits of a row's last word are 0. All other types are contiguous.
/// (An image that the library lays over memory of a caller may have gaps between rows and slices; none of them leaves
/// it.)
class Image {
 public:
  Image() = default;
  /// Samples are zero. Throws InputError as require_layout() does, but for the spacing, which calls look at; ResourceError if
  /// memory is short.
  Image(Type type, const Shape& shape, const Spacing& spacing = {});
  /// What has been moved from is empty, like Image().
  Image(Image&& other) noexcept { swap(other); }
  Image& operator=(Image&& other) noexcept {
    Image(std::move(other)).swap(*this);
    return *this;
  }

  [[nodiscard]] Type type() const { return type_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] bool empty() const { return data_ == nullptr; }
  /// From a row to the next, and from a slice to the next.
  [[nodiscard]] std::int64_t row_bytes() const { return row_bytes_; }
  [[nodiscard]] std::int64_t slice_bytes() const { return slice_bytes_; }
  [[nodiscard]] std::int64_t bytes() const { return row_bytes_ * shape_.y * shape_.z; }
  [[nodiscard]] std::byte* data() { return data_.get(); }
  [[nodiscard]] const std::byte* data() const { return data_.get(); }

  /// The samples of one row. T has the size of a sample; std::uint64_t words for Bool.
  template <class T>
  [[nodiscard]] T* row(std::int64_t z, std::int64_t y) {
    return reinterpret_cast<T*>(data_.get() + z * slice_bytes_ + y * row_bytes_);
  }
  template <class T>
  [[nodiscard]] const T* row(std::int64_t z, std::int64_t y) const {
    return reinterpret_cast<const T*>(data_.get() + z * slice_bytes_ + y * row_bytes_);
  }
  /// One sample of a Bool image.
  [[nodiscard]] bool bit(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return (row<std::uint64_t>(z, y)[x / 64] >> (x % 64)) & 1U;
  }

  Spacing spacing;

 private:
  friend Image image_over(std::byte*, Type, const Shape&, std::int64_t, std::int64_t);  // core/image_over.hpp
  void swap(Image& other) noexcept {
    std::swap(spacing, other.spacing);
    std::swap(type_, other.type_);
    std::swap(shape_, other.shape_);
    std::swap(row_bytes_, other.row_bytes_);
    std::swap(slice_bytes_, other.slice_bytes_);
    std::swap(data_, other.data_);
  }
  struct Free {
    std::size_t bytes;  ///< 0: of someone else
    void operator()(std::byte* memory) const;
  };
  Type type_ = Type::U8;
  Shape shape_;
  std::int64_t row_bytes_ = 0;
  std::int64_t slice_bytes_ = 0;
  std::unique_ptr<std::byte, Free> data_;
};

/// An image in memory as a source. The image has to outlive it. Throws InputError for an empty one.
[[nodiscard]] std::unique_ptr<SliceSource> source_of(const Image& image);

}  // namespace tamis
