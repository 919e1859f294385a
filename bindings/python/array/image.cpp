#include "python/array/image.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <tamis/convert.hpp>
#include <tamis/error.hpp>
#include <tamis/image/view.hpp>
#include <tamis/threshold.hpp>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/image_over.hpp"
#include "python/array/array.hpp"
#include "python/array/host.hpp"

namespace nb = nanobind;

namespace tamis::python {
namespace {

/// A volume as a stack of images.
class StackSource final : public SliceSource {
 public:
  explicit StackSource(std::unique_ptr<SliceSource> volume) : volume_(std::move(volume)), layout_(volume_->layout()) {
    layout_.shape.rank = 2;
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override { volume_->read(z0, count, out); }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override { return volume_->mapped(); }

 private:
  std::unique_ptr<SliceSource> volume_;
  Layout layout_;
};

/// What a masked array hides has no place in the library; NaN has.
void refuse_masked(nb::handle array, const std::string& what) {
  if (is_plain_array(array) || !nb::hasattr(array, "mask") || !nb::hasattr(array, "filled")) return;
  throw InputError(what + ": a masked array; wanted " + what + ".filled(value), or float32 " + what +
                   ".filled(numpy.nan) with nan='ignore'");
}

std::string cure(const std::string& what, const AsType& as_type) {
  return (as_type.offered ? "; wanted as_type='f32' or tamis.convert(" : "; wanted tamis.convert(") + what +
         ", 'f32'), which round";
}

/// What goes wrong while samples are read is said of the array that they are of, with Python's cure where there is one.
class NamedSource final : public SliceSource {
 public:
  NamedSource(std::unique_ptr<SliceSource> source, std::string what, std::string cure)
      : source_(std::move(source)), what_(std::move(what)), cure_(std::move(cure)) {}
  [[nodiscard]] const Layout& layout() const override { return source_->layout(); }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    try {
      source_->read(z0, count, out);
    } catch (const InputError& error) {
      const std::string text = error.what();
      throw InputError(what_ + ": " + text.substr(0, cure_.empty() ? text.size() : text.find("; wanted")) + cure_);
    }
  }

 private:
  std::unique_ptr<SliceSource> source_;
  std::string what_;
  std::string cure_;
};

/// body(z, y, rows) for bands of rows that are worth a thread, which is not woken for less.
template <class Body>
void for_bands(const Context& context, const Shape& shape, std::int64_t row_bytes, Body body) {
  constexpr std::int64_t band_bytes = std::int64_t{1} << 19;
  const std::int64_t rows = std::clamp<std::int64_t>(band_bytes / row_bytes, 1, shape.y);
  const std::int64_t bands = (shape.y + rows - 1) / rows;
  const std::int64_t slices = std::max<std::int64_t>(1, band_bytes / (row_bytes * shape.y));
  parallel_for(context, (shape.z + slices - 1) / slices * bands, [&](std::int64_t i) {
    const std::int64_t y = i % bands * rows;
    const std::int64_t z0 = i / bands * slices;
    for (std::int64_t z = z0; z < std::min(shape.z, z0 + slices); ++z) body(z, y, std::min(rows, shape.y - y));
  });
}

/// Rows y ... y+rows-1 of slice z.
Samples band_of(const Samples& samples, std::int64_t z, std::int64_t y, std::int64_t rows) {
  Samples band = samples;
  band.data += z * samples.strides[0] + y * samples.strides[1];
  band.shape = {1, rows, samples.shape.x, 2};
  return band;
}

void copy_mapped(const Context& context, const MappedSlices& mapped, Image& image) {
  const std::int64_t row_bytes = image.row_bytes();
  for_bands(context, image.shape(), row_bytes, [&](std::int64_t z, std::int64_t y, std::int64_t rows) {
    const std::byte* from = mapped.data + z * mapped.slice_stride + y * mapped.row_stride;
    auto* to = image.row<std::byte>(z, y);
    for (std::int64_t i = 0; i < rows; ++i, from += mapped.row_stride, to += row_bytes) {
      std::memcpy(to, from, static_cast<std::size_t>(row_bytes));
    }
  });
}

/// What comes from a library that reads files takes its time, so there is progress and an end to it.
void read_slabs(const Context& context, SliceSource& source, Image& image) {
  constexpr std::int64_t slab_bytes = std::int64_t{16} << 20;
  const Shape& shape = image.shape();
  const std::int64_t slice_bytes = image.row_bytes() * shape.y;
  const std::int64_t at_once = std::clamp<std::int64_t>(slab_bytes / slice_bytes, 1, shape.z);
  for (std::int64_t z = 0; z < shape.z; z += at_once) {
    if (context.cancel.stop_requested()) throw Cancelled();
    if (context.on_progress) context.on_progress({"reading", z, shape.z});
    source.read(z, std::min(at_once, shape.z - z), image.row<std::byte>(z, 0));
  }
}

Image bits_of(Context context, SliceSource& source) {
  context.on_note = {};  // an image of zeros is one like others
  ThresholdOptions above_zero;
  above_zero.method = ThresholdMethod::Value;
  return std::move(binarise(context, source, above_zero).object);
}

}  // namespace

ImageInput::ImageInput(nb::handle array, std::string_view what, bool batch, std::int64_t memory_bytes,
                       const AsType& as_type) {
  const std::string name(what);
  refuse_masked(array, name);
  source_ = source_of_array(array, what, memory_bytes);
  array_shape_ = layout().shape;
  const Type type = layout().type;
  take_type(name, as_type);
  if (layout().type == type && PyObject_CheckBuffer(array.ptr()) && !source_->mapped()) {
    buffer_ = std::make_unique<Buffer>(array, PyBUF_RECORDS_RO);
    samples_ = samples_of(buffer_->view(), what);
  }
  if (batch) source_ = std::make_unique<StackSource>(std::move(source_));
}

void ImageInput::take_type(const std::string& what, const AsType& as_type) {
  type_ = as_type.type.value_or(layout().type);
  if (type_ != layout().type) {
    source_ = std::make_unique<NamedSource>(convert(std::move(source_), type_), what, "");
  } else if (type_ > Type::F32) {
    wide_ = source_->mapped();
    source_ = std::make_unique<NamedSource>(as_f32(std::move(source_)), what, cure(what, as_type));
  }
}

Image ImageInput::read(const Context& context) const {
  if (layout().type == Type::Bool) return bits_of(context, *source_);
  Image image(layout().type, layout().shape, layout().spacing);
  read_samples(context, image);
  return image;
}

/// Nothing where the samples do not lie as filters take them: row after row, and for a GPU without gaps.
Image ImageInput::image_in_place(const Context& context, Type type) const {
  const Shape& shape = layout().shape;
  const MappedSlices at = source_->mapped().value_or(MappedSlices{});
  const std::int64_t bytes = sample_bytes(type), row_bytes = shape.x * bytes;
  const bool aligned = reinterpret_cast<std::uintptr_t>(at.data) % static_cast<std::uintptr_t>(bytes) == 0;
  const bool dense = at.row_stride == row_bytes && at.slice_stride == row_bytes * shape.y;
  const std::int64_t slice = shape.z == 1 ? shape.y * at.row_stride : at.slice_stride;
  const bool in_order = at.row_stride >= row_bytes && slice >= shape.y * at.row_stride && at.row_stride % bytes == 0 &&
                        slice % bytes == 0 && context.device != Device::Cuda;
  if (!at.data || !aligned || !(dense || in_order)) return {};
  // Which is const from here on.
  Image image = image_over(const_cast<std::byte*>(at.data), type, shape, at.row_stride, slice);
  image.spacing = layout().spacing;
  return image;
}

Image ImageInput::look_at(const Context& context) const {
  if (layout().type == Type::Bool) return read(context);
  Image image = image_in_place(context, layout().type);
  return image.empty() ? read(context) : std::move(image);
}

Image ImageInput::look_at_bytes(const Context& context) const {
  if (layout().type != Type::Bool) return {};
  Image image = image_in_place(context, Type::U8);
  if (image.empty() || !has_no_gaps(image) || !are_zero_or_one(context, image.data(), image.shape().count())) return {};
  return image;
}

void ImageInput::read_samples(const Context& context, Image& image) const {
  const auto read_band = [&](std::int64_t z, std::int64_t y, std::int64_t rows) {
    const std::byte* const from = wide_->data + z * wide_->slice_stride + y * wide_->row_stride;
    const auto band = view_of<const void>(from, type_, {1, rows, image.shape().x, 2}, wide_->row_stride);
    as_f32(source_of(band))->read(0, 1, image.row<std::byte>(z, y));
  };
  try {
    if (wide_) return for_bands(context, image.shape(), image.row_bytes(), read_band);
  } catch (const InputError&) {
  }  // the source says where, in the whole image
  if (const std::optional<MappedSlices> mapped = source_->mapped()) return copy_mapped(context, *mapped, image);
  if (!buffer_) return read_slabs(context, *source_, image);
  for_bands(context, image.shape(), image.row_bytes(), [&](std::int64_t z, std::int64_t y, std::int64_t rows) {
    gather(band_of(samples_, z, y, rows), 0, 1, image.row<std::byte>(z, y));
  });
}

void write(const Context& context, const Image& image, const Samples& samples) {
  if (image.type() == Type::Bool) return unpack(context, image, samples);
  for_bands(context, image.shape(), image.row_bytes(), [&](std::int64_t z, std::int64_t y, std::int64_t rows) {
    const Samples band = band_of(samples, z, y, rows);
    const std::byte* const from = image.row<std::byte>(z, y);
    if (image.type() != Type::F32 || samples.type == Type::F32) return scatter(from, band, 0, 1);
    std::vector<std::byte> made(static_cast<std::size_t>(band.shape.count() * sample_bytes(samples.type)));
    from_f32(source_of(view_of<const void>(from, Type::F32, band.shape)), samples.type)->read(0, 1, made.data());
    scatter(made.data(), band, 0, 1);
  });
}

}  // namespace tamis::python
