// What of an image is no number: how much, where it begins, and the rest as a mask.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <vector>

#include <tamis/threshold.hpp>

#include "core/place.hpp"
#include "core/visit_type.hpp"
#include "threshold/slabs.hpp"

namespace tamis {
namespace {

using threshold_detail::Band;
using threshold_detail::Slab;

/// Adds the samples of one row, whose first has that index, to `all`.
template <class T>
void add_row(const T* samples, std::int64_t columns, std::int64_t index, NonFinite& all) {
  for (std::int64_t x = 0; x < columns; ++x) {
    if (std::isfinite(samples[x])) continue;
    if (all.count() == 0) all.first = index + x;
    ++(std::isnan(samples[x]) ? all.nan : all.infinite);
  }
}

/// 1 where a sample is finite, slice by slice.
template <class T>
class FiniteMask final : public SliceSource {
 public:
  explicit FiniteMask(SliceSource& source) : source_(source), layout_(source.layout()) { layout_.type = Type::Bool; }

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    std::vector<T> slice(static_cast<std::size_t>(layout_.shape.y * layout_.shape.x));
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      source_.read(z, 1, reinterpret_cast<std::byte*>(slice.data()));
      out = std::transform(slice.begin(), slice.end(), out, [](T v) { return std::byte{std::isfinite(v)}; });
    }
  }

 private:
  SliceSource& source_;
  Layout layout_;
};

}  // namespace

NonFinite find_non_finite(const Context& context, SliceSource& source) {
  const Layout& layout = source.layout();
  NonFinite found;
  visit_type(layout.type, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (std::is_floating_point_v<T>) {
      Stage stage(context, "numbers", layout.shape.z * layout.shape.y);
      std::mutex guard;
      threshold_detail::for_each_slab(context, source, [&](const Slab& slab) {
        threshold_detail::for_each_band(context, layout, slab, &stage, [&](const Band& band) {
          NonFinite own;
          for (std::int64_t y = 0; y < band.rows; ++y) {
            add_row(reinterpret_cast<const T*>(band.samples + y * band.row_stride), layout.shape.x,
                    (band.z * layout.shape.y + band.y + y) * layout.shape.x, own);
          }
          if (own.count() == 0) return;
          const std::lock_guard lock(guard);
          found.first = found.count() == 0 ? own.first : std::min(found.first, own.first);
          found.nan += own.nan;
          found.infinite += own.infinite;
        });
      });
    }
  });
  if (found.count() > 0) found.place = place_of(layout.shape, found.first);
  return found;
}

std::unique_ptr<SliceSource> finite_mask(SliceSource& source) {
  if (source.layout().type == Type::F32) return std::make_unique<FiniteMask<float>>(source);
  if (source.layout().type == Type::F64) return std::make_unique<FiniteMask<double>>(source);
  throw InputError(fmt::format("finite mask of {} samples; wanted f32 or f64", name(source.layout().type)));
}

}  // namespace tamis
