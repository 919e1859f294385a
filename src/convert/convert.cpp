#include <tamis/convert.hpp>

#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "convert/sample_conversion.hpp"
#include "core/memory.hpp"
#include "core/visit_type.hpp"

namespace tamis {
namespace {

/// Converts a row; returns the index of a NaN that has no answer, or -1.
template <class From, class To>
std::int64_t convert_row(const From* in, std::int64_t count, const std::optional<Window>& window, To* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const From sample = in[i];
    if (std::is_integral_v<To> && sample != sample) {
      if (!window) return i;
      out[i] = 0;
    } else if (window) {
      out[i] = convert_detail::through_window<To>(static_cast<double>(sample), window->low, window->high);
    } else {
      out[i] = convert_detail::keep_value<To>(sample);
    }
  }
  return -1;
}

/// Whether samples can be taken where they lie.
bool aligned(const MappedSlices& mapped, std::int64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(mapped.data) % static_cast<std::uintptr_t>(bytes) == 0 &&
         mapped.row_stride % bytes == 0 && mapped.slice_stride % bytes == 0;
}

class ConvertedSource final : public SliceSource {
 public:
  ConvertedSource(std::unique_ptr<SliceSource> source, Type type, const std::optional<Window>& window)
      : source_(std::move(source)), layout_(source_->layout()), window_(window) {
    layout_.type = type;
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const Layout& from = source_->layout();
    const std::int64_t row = from.shape.x * from.channels;
    const std::int64_t row_bytes = row * sample_bytes(from.type);
    const std::int64_t slice_bytes = row_bytes * from.shape.y;
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      MappedSlices slice;
      if (const auto mapped = source_->mapped(); mapped && aligned(*mapped, sample_bytes(from.type))) {
        slice = {mapped->data + z * mapped->slice_stride, mapped->row_stride, 0};
      } else {
        if (slice_.size() == 0) slice_ = Buffer<std::byte>(slice_bytes);
        source_->read(z, 1, slice_.data());
        slice = {slice_.data(), row_bytes, 0};
      }
      for (std::int64_t y = 0; y < from.shape.y; ++y, out += row * sample_bytes(layout_.type)) {
        convert(slice.data + y * slice.row_stride, z, y, row, out);
      }
    }
  }

 private:
  void convert(const std::byte* in, std::int64_t z, std::int64_t y, std::int64_t count, std::byte* out) const {
    visit_type(source_->layout().type, [&](auto from) {
      switch (layout_.type) {
        case Type::U8:
          return run<decltype(from), std::uint8_t>(in, z, y, count, out);
        case Type::U16:
          return run<decltype(from), std::uint16_t>(in, z, y, count, out);
        case Type::I16:
          return run<decltype(from), std::int16_t>(in, z, y, count, out);
        case Type::F32:
        case Type::Bool:
        case Type::I8:
        case Type::U32:
        case Type::I32:
        case Type::U64:
        case Type::I64:
        case Type::F64:
          return run<decltype(from), float>(in, z, y, count, out);
      }
    });
  }

  template <class From, class To>
  void run(const std::byte* in, std::int64_t z, std::int64_t y, std::int64_t count, std::byte* out) const {
    const std::int64_t nan = convert_row(reinterpret_cast<const From*>(in), count, window_, reinterpret_cast<To*>(out));
    if (nan < 0) return;
    throw InputError(fmt::format("convert to {}: the image holds NaN at x {}, y {}, z {}; wanted numbers, or a window",
                                 name(layout_.type), nan / layout_.channels, y, z));
  }

  std::unique_ptr<SliceSource> source_;
  Layout layout_;
  std::optional<Window> window_;
  Buffer<std::byte> slice_;
};

}  // namespace

std::unique_ptr<SliceSource> convert(std::unique_ptr<SliceSource> source, Type type,
                                     const std::optional<Window>& window) {
  if (type != Type::U8 && type != Type::U16 && type != Type::I16 && type != Type::F32) {
    throw InputError(fmt::format("convert to {}: wanted u8, u16, i16 or f32", name(type)));
  }
  if (window && !(window->low < window->high && std::isfinite(window->high - window->low))) {
    throw InputError(fmt::format("window {}:{}: wanted LO:HI, finite, LO below HI", window->low, window->high));
  }
  if (!window && source->layout().type == type) return source;
  return std::make_unique<ConvertedSource>(std::move(source), type, window);
}

}  // namespace tamis
