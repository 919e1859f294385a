#include "io/medical/rescale.hpp"

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/visit_type.hpp"

namespace tamis::io {
namespace {

template <class From, class To>
bool convert(const std::byte* from, std::int64_t count, double slope, double intercept, std::byte* to) {
  bool all_fit = true;
  for (std::int64_t i = 0; i < count; ++i) {
    From sample;
    std::memcpy(&sample, from + i * static_cast<std::int64_t>(sizeof sample), sizeof sample);
    const double value = slope * static_cast<double>(sample) + intercept;
    bool fits = true;
    if constexpr (std::is_integral_v<To>) {
      fits = value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
    }
    all_fit = all_fit && fits;
    const To result = fits ? static_cast<To>(value) : To{};
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof result), &result, sizeof result);
  }
  return all_fit;
}

class RescaledSource final : public Source {
 public:
  RescaledSource(std::unique_ptr<Source> samples, const Layout& layout, double slope, double intercept)
      : Source(samples->path(), layout, samples->description()),
        samples_(std::move(samples)),
        slope_(slope),
        intercept_(intercept),
        slice_(static_cast<std::size_t>(samples_->slice_bytes())) {}

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t in_slice = layout().shape.y * layout().shape.x;
    for (std::int64_t z = z0; z < z0 + count; ++z, out += slice_bytes()) {
      samples_->read(z, 1, slice_.data());
      static_cast<void>(
          rescale(samples_->layout().type, slice_.data(), in_slice, slope_, intercept_, layout().type, out));
    }
  }

  std::unique_ptr<Source> samples_;
  double slope_;
  double intercept_;
  std::vector<std::byte> slice_;
};

}  // namespace

Type float_for(Type type) { return sample_bytes(type) <= 2 || type == Type::F32 ? Type::F32 : Type::F64; }

bool rescale(Type from, const std::byte* samples, std::int64_t count, double slope, double intercept, Type to,
             std::byte* out) {
  return visit_type(from, [&](auto sample) {
    using From = decltype(sample);
    if (to == Type::I16) return convert<From, std::int16_t>(samples, count, slope, intercept, out);
    if (to == Type::F32) return convert<From, float>(samples, count, slope, intercept, out);
    return convert<From, double>(samples, count, slope, intercept, out);
  });
}

std::unique_ptr<Source> open_rescaled(std::unique_ptr<Source> samples, double slope, double intercept) {
  Layout layout = samples->layout();
  layout.type = float_for(layout.type);
  return std::make_unique<RescaledSource>(std::move(samples), layout, slope, intercept);
}

}  // namespace tamis::io
