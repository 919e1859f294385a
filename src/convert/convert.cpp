#include <tamis/convert.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "convert/cpu/kernels.hpp"
#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/memory.hpp"
#include "core/place.hpp"
#include "core/visit_type.hpp"

namespace tamis {
namespace {

using convert_detail::cpu::convert_row;
using convert_detail::cpu::RowTask;

/// Whether samples can be taken where they lie.
bool aligned(const MappedSlices& mapped, std::int64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(mapped.data) % static_cast<std::uintptr_t>(bytes) == 0 &&
         mapped.row_stride % bytes == 0 && mapped.slice_stride % bytes == 0;
}

/// Whether rows of so many bytes follow each other through all slices.
bool dense(const Shape& shape, std::int64_t row_stride, std::int64_t slice_stride, std::int64_t row_bytes) {
  return (shape.y == 1 || row_stride == row_bytes) && (shape.z == 1 || slice_stride == shape.y * row_bytes);
}

[[noreturn]] void refuse_nan(const Layout& from, Type to, std::int64_t z, std::int64_t y, std::int64_t sample) {
  throw InputError(fmt::format("convert to {}: the image holds NaN at {}; wanted numbers, or a window", name(to),
                               place_of(from.shape, z, y, sample / from.channels)));
}

/// `sample` is that of a row of a slice.
void refuse_unheld(const Layout& from, const std::byte* row, std::int64_t z, std::int64_t y, std::int64_t sample) {
  visit_type(from.type, [&](auto value) {
    std::memcpy(&value, row + sample * sample_bytes(from.type), sizeof value);
    constexpr auto said = "{} samples that f32 cannot hold, {} at {}; wanted tamis convert --as f32, which rounds";
    throw InputError(fmt::format(said, name(from.type), value, place_of(from.shape, z, y, sample / from.channels)));
  });
}

void require_convertible(Type type, const std::optional<Window>& window) {
  if (type != Type::U8 && type != Type::U16 && type != Type::I16 && type != Type::F32) {
    throw InputError(fmt::format("convert to {}: wanted u8, u16, i16 or f32", name(type)));
  }
  if (window && !(window->low < window->high && std::isfinite(window->high - window->low))) {
    throw InputError(fmt::format("window {}:{}: wanted LO:HI, finite, LO below HI", window->low, window->high));
  }
}

class ConvertedSource final : public SliceSource {
 public:
  ConvertedSource(std::unique_ptr<SliceSource> source, Type type, const std::optional<Window>& window, bool chosen)
      : source_(std::move(source)), layout_(source_->layout()), window_(window), chosen_(chosen) {
    layout_.type = type;
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    door::require_slices(layout_.shape, z0, count, out);
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
        const RowTask task{from.type, layout_.type, window_, slice.data + y * slice.row_stride, out, row, chosen_};
        const std::int64_t wrong = convert_row(Simd::Best, task);
        if (wrong >= 0 && chosen_) refuse_unheld(from, task.in, z, y, wrong);
        if (wrong >= 0) refuse_nan(from, layout_.type, z, y, wrong);
      }
    }
  }

 private:
  std::unique_ptr<SliceSource> source_;
  Layout layout_;
  std::optional<Window> window_;
  bool chosen_;  ///< as RowTask has it
  Buffer<std::byte> slice_;
};

}  // namespace

std::unique_ptr<SliceSource> convert(std::unique_ptr<SliceSource> source, Type type,
                                     const std::optional<Window>& window) {
  require_convertible(type, window);
  door::require_source(source.get(), "convert");
  if (!window && source->layout().type == type) return source;
  return std::make_unique<ConvertedSource>(std::move(source), type, window, false);
}

std::unique_ptr<SliceSource> as_f32(std::unique_ptr<SliceSource> source) {
  door::require_source(source.get(), "as_f32");
  if (source->layout().type <= Type::F32) return source;
  return std::make_unique<ConvertedSource>(std::move(source), Type::F32, std::nullopt, true);
}

std::unique_ptr<SliceSource> from_f32(std::unique_ptr<SliceSource> source, Type type) {
  door::require_source(source.get(), "from_f32");
  door::require_type(type, "from_f32: type");
  const Type from = source->layout().type;
  if (from == type) return source;
  if (from != Type::F32) {
    throw InputError(fmt::format("from_f32: got samples of {}, wanted f32 or {}", name(from), name(type)));
  }
  return std::make_unique<ConvertedSource>(std::move(source), type, std::nullopt, true);
}

void convert(const Context& context, const MappedSlices& in, const Layout& layout, Type type,
             const std::optional<Window>& window, const ImageRows& out) {
  require_convertible(type, window);
  require_layout(layout, "convert");
  door::require_strides(in.data, layout.type, layout.shape, in, layout.channels * sample_bytes(layout.type), false, "in");
  door::require_strides(out.data, type, layout.shape, {nullptr, out.row_stride, out.slice_stride},
                        layout.channels * sample_bytes(type), false, "out");
  door::enter(context, "convert", [&] {
    const std::int64_t rows = layout.shape.z * layout.shape.y;
    const std::int64_t row = layout.shape.x * layout.channels;
    constexpr std::int64_t samples_of_a_band = std::int64_t{1} << 16;  // some 10 us, far more than to hand one out
    const std::int64_t band = std::clamp<std::int64_t>(samples_of_a_band / row, 1, rows);
    // Rows that follow each other are one, so that short ones do not cost a beginning and an end each.
    const bool follow = dense(layout.shape, in.row_stride, in.slice_stride, row * sample_bytes(layout.type)) &&
                        dense(layout.shape, out.row_stride, out.slice_stride, row * sample_bytes(type));
    const std::int64_t at_once = follow ? band : 1;
    const auto convert_rows = [&](std::int64_t i, std::int64_t count) {
      const std::int64_t z = i / layout.shape.y, y = i % layout.shape.y;
      return convert_row(context.simd, {layout.type, type, window, in.data + z * in.slice_stride + y * in.row_stride,
                                        out.data + z * out.slice_stride + y * out.row_stride, count * row});
    };
    std::atomic<std::int64_t> first_nan{rows * row};  // threads come to rows in any order
    parallel_for(context, (rows + band - 1) / band, [&](std::int64_t b) {
      const std::int64_t end = std::min(rows, (b + 1) * band);
      for (std::int64_t i = b * band; i < end; i += at_once) {
        const std::int64_t nan = convert_rows(i, std::min(at_once, end - i));
        if (nan < 0) continue;
        for (std::int64_t seen = first_nan; i * row + nan < seen;) {
          if (first_nan.compare_exchange_weak(seen, i * row + nan)) break;
        }
      }
    });
    const std::int64_t nan_row = first_nan / row;
    if (nan_row < rows) refuse_nan(layout, type, nan_row / layout.shape.y, nan_row % layout.shape.y, first_nan % row);
  });
}

}  // namespace tamis
