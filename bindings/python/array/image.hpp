// Whole images between arrays of the caller and the library.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "python/array/host.hpp"

namespace tamis::python {

/// What becomes of samples of types that filters do not take.
struct AsType {
  std::optional<Type> type;  ///< the caller wants all samples as this one
  bool offered = false;      ///< the function has as_type, so that a refusal may name it
};

/// An array that becomes an Image. Made and destroyed with the GIL held, read without.
class ImageInput {
 public:
  /// `batch`: axes (n, y, x) are a stack of images, not a volume. Throws InputError, which names the cure, for what is
  /// no image, and ResourceError for an array on a GPU. Of types that filters do not compute with it is F32, by
  /// as_f32(), and reading throws InputError where that cannot hold a sample.
  ImageInput(nanobind::handle array, std::string_view what, bool batch, std::int64_t memory_bytes,
             const AsType& as_type = {});

  [[nodiscard]] const Layout& layout() const { return source_->layout(); }
  /// That of the array's samples, or what the caller wants them to be taken as.
  [[nodiscard]] Type type() const { return type_; }
  /// That of the array: a stack has three axes.
  [[nodiscard]] const Shape& array_shape() const { return array_shape_; }
  /// A copy of the samples; bits for Bool.
  [[nodiscard]] Image read(const Context& context) const;
  /// The samples where they lie, if row follows row there, with gaps or without, otherwise as read(). Not to be written, and
  /// for filters only that read nothing behind the last sample of a row.
  [[nodiscard]] Image look_at(const Context& context) const;
  /// Of Bool: the bytes where they lie as an image of u8, under the same conditions; nothing where they cannot be taken
  /// so, or one is neither 0 nor 1.
  [[nodiscard]] Image look_at_bytes(const Context& context) const;

 private:
  void take_type(const std::string& what, const AsType& as_type);
  void read_samples(const Context& context, Image& image) const;
  [[nodiscard]] Image image_in_place(const Context& context, Type type) const;

  std::unique_ptr<SliceSource> source_;
  Type type_ = Type::U8;
  std::optional<MappedSlices> wide_;  ///< where samples lie that become F32
  Shape array_shape_;
  // A view whose rows are not dense: a source is read by one thread, samples by all.
  std::unique_ptr<Buffer> buffer_;
  Samples samples_;
};

/// The samples of an image to where `samples` lie; type and shape are the same, or it is F32 and from_f32() makes them.
void write(const Context& context, const Image& image, const Samples& samples);

}  // namespace tamis::python
