// What of an image is no number: how much, where it begins, and the rest as a mask.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/threshold.hpp>

#include "core/door.hpp"
#include "core/place.hpp"
#include "core/stage.hpp"
#include "threshold/binarise.hpp"

namespace tamis {
namespace {

/// The slices of a source of floats, one at a time, and which of their samples are finite.
template <class T>
class FiniteMask final : public SliceSource {
 public:
  explicit FiniteMask(SliceSource& source) : source_(source), layout_(source.layout()) { layout_.type = Type::Bool; }

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    door::require_slices(layout_.shape, z0, count, out);
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      const std::vector<T>& slice = samples(z);
      out = std::transform(slice.begin(), slice.end(), out, [](T v) { return std::byte{std::isfinite(v)}; });
    }
  }

  const std::vector<T>& samples(std::int64_t z) {
    slice_.resize(static_cast<std::size_t>(layout_.shape.y * layout_.shape.x));
    source_.read(z, 1, reinterpret_cast<std::byte*>(slice_.data()));
    return slice_;
  }

 private:
  SliceSource& source_;
  Layout layout_;
  std::vector<T> slice_;
};

template <class T>
NonFinite count_in(const Context& context, SliceSource& source) {
  const Shape& shape = source.layout().shape;
  FiniteMask<T> mask(source);
  NonFinite found;
  Stage stage(context, "numbers", shape.z);
  for (std::int64_t z = 0; z < shape.z; ++z) {
    if (context.cancel.stop_requested()) throw Cancelled();
    std::int64_t index = z * shape.y * shape.x;
    for (const T v : mask.samples(z)) {
      if (!std::isfinite(v)) {
        if (found.count() == 0) found.first = index;
        ++(std::isnan(v) ? found.nan : found.infinite);
      }
      ++index;
    }
    stage.advance();
  }
  if (found.count() > 0) found.place = place_of(shape, found.first);
  return found;
}

}  // namespace

NonFinite find_non_finite(const Context& context, SliceSource& source) {
  return door::enter(context, "numbers", [&]() -> NonFinite {
    threshold_detail::require_one_channel(source.layout());
    const Type type = source.layout().type;
    if (type == Type::F32) return count_in<float>(context, source);
    return type == Type::F64 ? count_in<double>(context, source) : NonFinite();
  });
}

std::unique_ptr<SliceSource> finite_mask(SliceSource& source) {
  threshold_detail::require_one_channel(source.layout());
  if (source.layout().type == Type::F32) return std::make_unique<FiniteMask<float>>(source);
  if (source.layout().type == Type::F64) return std::make_unique<FiniteMask<double>>(source);
  throw InputError(fmt::format("finite mask of {} samples; wanted f32 or f64", name(source.layout().type)));
}

}  // namespace tamis
