#include "threshold/threshold_binarise.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/visit_type.hpp"
#include "threshold/threshold_bounds.hpp"
#include "threshold/threshold_cpu.hpp"
#include "threshold/threshold_device.hpp"
#include "threshold/threshold_find.hpp"

namespace tamis::detail {
namespace {

[[noreturn]] void refuse_nan(const std::string& position) {
  throw InputError("the image holds NaN at " + position + "; wanted numbers");
}

/// Packs bands of a source into an image of bits.
class Packer {
 public:
  Packer(const Context& context, const Layout& layout, const Domain& domain, bool dark)
      : context_(context),
        layout_(layout),
        domain_(domain),
        device_(device_samples(context, layout, domain)),
        stage_(context, "threshold", layout.shape.z * layout.shape.y) {
    require_memory(context, "the object, a bit a voxel", image_bytes(Type::Bool, layout.shape));
    binary.object = Image(Type::Bool, layout.shape, layout.spacing);
    job_.type = layout.type;
    job_.columns = layout.shape.x;
    job_.complement = dark;
  }

  template <class T>
  void rule(Rule rule, T low, T high) {
    job_.rule = rule;
    job_.low = sample_bits(low);
    job_.high = sample_bits(high);
  }

  /// Returns the first rows that break the rule; those after them may be left unpacked.
  std::optional<Band> pack_slab(const Slab& slab) { return run(slab, true); }
  /// The same, but leaves the object alone.
  std::optional<Band> check_slab(const Slab& slab) { return run(slab, false); }

  /// Makes the whole domain of slices z0 .. z1-1 object.
  void fill(std::int64_t z0, std::int64_t z1) {
    const Shape& shape = layout_.shape;
    const std::int64_t words = (shape.x + 63) / 64;
    for (std::int64_t z = z0; z < z1; ++z) {
      for (std::int64_t y = 0; y < shape.y; ++y) {
        auto* const row = binary.object.row<std::uint64_t>(z, y);
        const std::uint64_t* const inside = domain_.row(z, y);
        for (std::int64_t w = 0; w < words; ++w) {
          const std::int64_t left = std::min<std::int64_t>(64, shape.x - 64 * w);
          row[w] = ~std::uint64_t{0} >> (64 - left) & (inside ? inside[w] : ~std::uint64_t{0});
          binary.volume += std::popcount(row[w]);
        }
      }
    }
  }

  Binary binary;

 private:
  std::optional<Band> run(const Slab& slab, bool keep) {
    if (device_) {
      const PackedSlab packed = device_->pack(slab, job_, keep ? &binary.object : nullptr, stage_);
      if (keep) binary.volume += packed.set;
      return packed.odd;
    }
    FirstBand odd;
    std::atomic<std::int64_t> volume{0};
    for_each_band(context_, layout_, slab, keep ? &stage_ : nullptr, [&](const Band& band) {
      if (odd.before(band.index)) return;
      if (!keep) stage_.advance(0);
      PackJob job = job_;
      job.samples = band.samples;
      job.row_stride = band.row_stride;
      job.rows = band.rows;
      job.bits = keep ? binary.object.row<std::uint64_t>(band.z, band.y) : nullptr;
      job.domain = domain_.row(band.z, band.y);
      const Packed packed = pack(context_.simd, job);
      volume += packed.set;
      if (packed.odd) odd.note(band.index);
    });
    if (keep) binary.volume += volume;
    if (odd.any()) return band_at(layout_, slab, odd.index());
    return std::nullopt;
  }

  const Context& context_;
  const Layout& layout_;
  const Domain& domain_;
  std::unique_ptr<DeviceSamples> device_;
  Stage stage_;
  PackJob job_;
};

/// The state of the search for two values: first the samples are all `first`, then a second value turns up.
template <class T>
class TwoValues {
 public:
  TwoValues(Packer& packer, const Layout& layout, const Domain& domain, bool dark)
      : packer_(packer), layout_(layout), domain_(domain), dark_(dark) {}

  void take(const Slab& slab) {
    if (!seen_first_ && !find_any(slab)) return;
    if (!seen_second_) {
      packer_.rule(Rule::OneOf, first_, first_);
      const auto band = packer_.check_slab(slab);
      if (!band) return;
      second_ = find(*band, [this](T v) { return !(v == first_); });
      seen_second_ = true;
      packer_.rule(Rule::OneOf, std::min(first_, second_), std::max(first_, second_));
      // Slabs before this one hold nothing but the first value.
      if ((first_ > second_) != dark_) packer_.fill(0, slab.z0);
    }
    if (const auto band = packer_.pack_slab(slab)) {
      std::array<T, 3> values{first_, second_, find(*band, [this](T v) { return !(v == first_ || v == second_); })};
      std::sort(values.begin(), values.end());
      throw InputError(
          fmt::format("the image has more than two values (e.g. {}, {}, {}): give --threshold V or a "
                      "method: {}",
                      values[0], values[1], values[2], threshold_method_names()));
    }
  }

  [[nodiscard]] double smaller() const {
    if (!seen_second_) {
      throw InputError(
          fmt::format("the image has only one value ({}): nothing to separate; wanted two values, or "
                      "--threshold V",
                      first_));
    }
    return static_cast<double>(std::min(first_, second_));
  }

 private:
  template <class Condition>
  T find(const Band& band, Condition condition) const {
    const auto found = find_first<T>(band, layout_.shape.x, domain_, condition);
    if (found->sample != found->sample) refuse_nan(found->position());
    return found->sample;
  }

  /// Looks for a sample that counts at all: with a mask the first slices may hold none.
  bool find_any(const Slab& slab) {
    const std::int64_t per_slice = band_count(layout_) / layout_.shape.z;
    for (std::int64_t i = 0; i < slab.count * per_slice; ++i) {
      const Band band = band_at(layout_, slab, slab.z0 * per_slice + i);
      const auto found = find_first<T>(band, layout_.shape.x, domain_, [](T) { return true; });
      if (!found) continue;
      if (found->sample != found->sample) refuse_nan(found->position());
      first_ = found->sample;
      seen_first_ = true;
      return true;
    }
    return false;
  }

  Packer& packer_;
  const Layout& layout_;
  const Domain& domain_;
  bool dark_;
  T first_{};
  T second_{};
  bool seen_first_ = false;
  bool seen_second_ = false;
};

}  // namespace

Binary cut(const Context& context, SliceSource& source, const Domain& domain, double above, double up_to, bool dark) {
  const Layout& layout = source.layout();
  Packer packer(context, layout, domain, dark);
  visit_type(layout.type, [&](auto sample) {
    using T = decltype(sample);
    const Bounds<T> range = bounds<T>(above, up_to);
    packer.rule(Rule::Between, range.low, range.high);
    for_each_slab(context, source, [&](const Slab& slab) {
      const auto band = packer.pack_slab(slab);
      if (band) refuse_nan(find_first<T>(*band, layout.shape.x, domain, [](T v) { return v != v; })->position());
    });
  });
  packer.binary.threshold = above;
  return std::move(packer.binary);
}

Binary split_two_values(const Context& context, SliceSource& source, const Domain& domain, bool dark) {
  const Layout& layout = source.layout();
  Packer packer(context, layout, domain, dark);
  visit_type(layout.type, [&](auto sample) {
    TwoValues<decltype(sample)> state(packer, layout, domain, dark);
    for_each_slab(context, source, [&](const Slab& slab) { state.take(slab); });
    packer.binary.threshold = state.smaller();
  });
  return std::move(packer.binary);
}

}  // namespace tamis::detail
