// What a conversion would lose, looked at sample by sample.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>

#include "core/memory.hpp"

namespace tamis {
namespace {

/// A slice's samples of floats, aligned.
template <class Float>
class Slices {
 public:
  explicit Slices(SliceSource& source)
      : source_(source),
        count_(source.layout().shape.y * source.layout().shape.x * source.layout().channels),
        samples_(count_ * static_cast<std::int64_t>(sizeof(Float))) {}
  [[nodiscard]] const Float* read(std::int64_t z) {
    source_.read(z, 1, samples_.data());
    return reinterpret_cast<const Float*>(samples_.data());
  }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  SliceSource& source_;
  std::int64_t count_;
  Buffer<std::byte> samples_;
};

template <class Float>
bool becomes_zeros_and_ones(const Context& context, SliceSource& source) {
  Slices<Float> slices(source);
  bool between = false;
  for (std::int64_t z = 0; z < source.layout().shape.z; ++z) {
    if (context.cancel.stop_requested()) throw Cancelled();
    const Float* const samples = slices.read(z);
    for (std::int64_t i = 0; i < slices.count(); ++i) {
      const Float v = samples[i];
      if (v <= Float(-0.5) || v >= Float(1.5)) return false;
      between = between || (v == v && v != std::trunc(v));
    }
  }
  return between;
}

class ExactSource final : public SliceSource {
 public:
  explicit ExactSource(std::unique_ptr<SliceSource> source)
      : source_(std::move(source)), layout_(source_->layout()), slices_(*source_) {
    layout_.type = Type::F32;
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      const double* const samples = slices_.read(z);
      for (std::int64_t i = 0; i < slices_.count(); ++i, out += sizeof(float)) {
        // What lies beyond the range of float has no meaning as one.
        const bool holds = std::isnan(samples[i]) || std::isinf(samples[i]) ||
                           std::abs(samples[i]) <= double{std::numeric_limits<float>::max()};
        const float narrow = holds ? static_cast<float>(samples[i]) : 0.0F;
        if (!holds || (narrow != samples[i] && !std::isnan(samples[i]))) refuse(samples[i], z, i / layout_.channels);
        std::memcpy(out, &narrow, sizeof narrow);
      }
    }
  }

 private:
  [[noreturn]] void refuse(double sample, std::int64_t z, std::int64_t i) const {
    const Shape& shape = layout_.shape;
    const std::string slice = shape.rank == 3 ? fmt::format(", z {}", z) : "";
    throw InputError(fmt::format("f64 samples that f32 cannot hold, {} at x {}, y {}{}", sample, i % shape.x, i / shape.x,
                                 slice));
  }

  std::unique_ptr<SliceSource> source_;
  Layout layout_;
  Slices<double> slices_;
};

}  // namespace

bool becomes_zeros_and_ones(const Context& context, SliceSource& source) {
  if (source.layout().type == Type::F32) return becomes_zeros_and_ones<float>(context, source);
  if (source.layout().type == Type::F64) return becomes_zeros_and_ones<double>(context, source);
  return false;
}

std::unique_ptr<SliceSource> exactly_as_f32(std::unique_ptr<SliceSource> source) {
  if (source->layout().type != Type::F64) {
    throw InputError(fmt::format("exactly as f32: got samples of {}, wanted f64", name(source->layout().type)));
  }
  return std::make_unique<ExactSource>(std::move(source));
}

}  // namespace tamis
