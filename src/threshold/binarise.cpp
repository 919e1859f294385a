#include "threshold/binarise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/bits/bits.hpp"
#include "core/door.hpp"
#include "core/visit_type.hpp"
#include "threshold/cpu/kernels.hpp"
#include "threshold/device.hpp"
#include "threshold/histogram.hpp"
#include "threshold/pack_job.hpp"
#include "threshold/two_values.hpp"

namespace tamis::threshold_detail {
namespace {

[[noreturn]] void refuse_nan(const std::string& position) {
  throw InputError("the image holds NaN at " + position + "; wanted numbers");
}

/// One source and what is to become of it.
struct Job {
  const Context& context;
  SliceSource& source;
  const Domain& domain;
  bool dark = false;                     ///< the object is what is not bright
  DeviceSamples* device = nullptr;       ///< null: the CPU does the work
  std::uint64_t* device_bits = nullptr;  ///< where the bits go; null: to the host
  const ImageRows* bytes = nullptr;      ///< where they go as bytes; null: they stay bits
};

/// Rows of bits without gaps to rows of the caller, as bytes 0 and 1.
void unpack_rows(Simd simd, const std::vector<std::uint64_t>& bits, const Shape& shape, const ImageRows& to,
                 std::int64_t z, std::int64_t y, std::int64_t rows) {
  const std::int64_t words = (shape.x + 63) / 64;
  for (std::int64_t i = 0; i < rows; ++i) {
    unpack_bits(simd, bits.data() + i * words, shape.x, 1, to.data + z * to.slice_stride + (y + i) * to.row_stride);
  }
}

/// Packs bands of a source into bits.
class Packer {
 public:
  explicit Packer(const Job& job)
      : context_(job.context),
        layout_(job.source.layout()),
        domain_(job.domain),
        device_(job.device),
        bytes_(job.bytes),
        stage_(job.context, "threshold", layout_.shape.z * layout_.shape.y) {
    binary.device = device_ ? Device::Cuda : Device::Cpu;
    job_.type = layout_.type;
    job_.columns = layout_.shape.x;
    job_.complement = job.dark;
    if (job.device_bits) {
      bits_.device = job.device_bits;
      return;
    }
    if (bytes_) return;
    require_memory(context_, "the object, a bit a voxel", image_bytes(Type::Bool, layout_.shape));
    binary.object = Image(Type::Bool, layout_.shape, layout_.spacing);
    bits_.host = &binary.object;
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

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
    const std::int64_t rows = layout_.shape.y;
    for (std::int64_t z = z0; z < z1; ++z) {
      const std::vector<std::uint64_t> slice = whole_slice(z);
      for (const std::uint64_t word : slice) binary.volume += std::popcount(word);
      if (bits_.device) {
        device_->write(bits_.device, z * rows, slice);
      } else if (bytes_) {
        unpack_rows(context_.simd, slice, layout_.shape, *bytes_, z, 0, rows);
      } else {
        std::copy(slice.begin(), slice.end(), binary.object.row<std::uint64_t>(z, 0));
      }
    }
  }

  /// Leaves all of slices z0 .. z1-1 out, which is what bits begin with.
  void clear(std::int64_t z0, std::int64_t z1) const {
    for (std::int64_t i = z0 * layout_.shape.y; bytes_ && i < z1 * layout_.shape.y; ++i) {
      std::byte* const slice = bytes_->data + i / layout_.shape.y * bytes_->slice_stride;
      std::fill_n(slice + i % layout_.shape.y * bytes_->row_stride, layout_.shape.x, std::byte{0});
    }
  }

  Binary binary;

 private:
  /// The domain's rows of a slice.
  [[nodiscard]] std::vector<std::uint64_t> whole_slice(std::int64_t z) const {
    const Shape& shape = layout_.shape;
    std::vector<std::uint64_t> slice;
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const std::uint64_t* inside = domain_.row(z, y);
      for (std::int64_t x = 0; x < shape.x; x += 64) {
        const std::int64_t left = std::min<std::int64_t>(64, shape.x - x);
        slice.push_back(~std::uint64_t{0} >> (64 - left) & (inside ? inside[x / 64] : ~std::uint64_t{0}));
      }
    }
    return slice;
  }

  /// `keep`: the object is wanted, otherwise the samples are only checked.
  std::optional<Band> run(const Slab& slab, bool keep) {
    if (device_) {
      const PackedSlab packed = device_->pack(slab, job_, keep ? bits_ : ObjectBits{}, stage_);
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
      job.domain = domain_.row(band.z, band.y);
      if (keep && !bytes_) job.bits = binary.object.row<std::uint64_t>(band.z, band.y);
      const cpu::Packed packed = keep && bytes_ ? write_bytes(job, band) : cpu::pack(context_.simd, job);
      volume += packed.set;
      if (packed.odd) odd.note(band.index);
    });
    if (keep) binary.volume += volume;
    if (odd.any()) return band_at(layout_, slab, odd.index());
    return std::nullopt;
  }

  /// The object of a band as bytes of the caller.
  [[nodiscard]] cpu::Packed write_bytes(PackJob& job, const Band& band) const {
    if (cpu::compares(job)) {
      return cpu::compare(context_.simd, job,
                          bytes_->data + band.z * bytes_->slice_stride + band.y * bytes_->row_stride,
                          bytes_->row_stride);
    }
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(band.rows * ((layout_.shape.x + 63) / 64)));
    job.bits = bits.data();
    const cpu::Packed packed = cpu::pack(context_.simd, job);
    unpack_rows(context_.simd, bits, layout_.shape, *bytes_, band.z, band.y, band.rows);
    return packed;
  }

  const Context& context_;
  const Layout& layout_;
  const Domain& domain_;
  DeviceSamples* device_;
  const ImageRows* bytes_;
  Stage stage_;
  PackJob job_;
  ObjectBits bits_;
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
      if ((first_ > second_) != dark_) {
        packer_.fill(0, slab.z0);
      } else {
        packer_.clear(0, slab.z0);
      }
    }
    if (const auto band = packer_.pack_slab(slab)) {
      std::array<T, 3> values{first_, second_, find(*band, [this](T v) { return !(v == first_ || v == second_); })};
      std::sort(values.begin(), values.end());
      refuse_more_values(values[0], values[1], values[2]);
    }
  }

  [[nodiscard]] double smaller() const {
    if (!seen_second_) refuse_one_value(first_);
    return static_cast<double>(std::min(first_, second_));
  }

 private:
  template <class Condition>
  T find(const Band& band, Condition condition) const {
    const auto found = find_first<T>(band, layout_.shape.x, domain_, condition);
    if (found->sample != found->sample) refuse_nan(found->position(layout_.shape));
    return found->sample;
  }

  /// Looks for a sample that counts at all: with a mask the first slices may hold none.
  bool find_any(const Slab& slab) {
    const std::int64_t per_slice = band_count(layout_) / layout_.shape.z;
    for (std::int64_t i = 0; i < slab.count * per_slice; ++i) {
      const Band band = band_at(layout_, slab, slab.z0 * per_slice + i);
      const auto found = find_first<T>(band, layout_.shape.x, domain_, [](T) { return true; });
      if (!found) continue;
      if (found->sample != found->sample) refuse_nan(found->position(layout_.shape));
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

/// Bright is above < sample <= up_to. Fills object, volume and threshold. Throws InputError for NaN.
Binary cut(const Job& job, double above, double up_to) {
  const Layout& layout = job.source.layout();
  Packer packer(job);
  visit_type(layout.type, [&](auto sample) {
    using T = decltype(sample);
    const Bounds<T> range = bounds<T>(above, up_to);
    packer.rule(Rule::Between, range.low, range.high);
    for_each_slab_on(job.device, job.context, job.source, [&](const Slab& slab) {
      const auto band = packer.pack_slab(slab);
      // Not of a slab without data: what the device holds was searched for NaN when its range was found.
      if (band)
        refuse_nan(
            find_first<T>(*band, layout.shape.x, job.domain, [](T v) { return v != v; })->position(layout.shape));
    });
  });
  packer.binary.threshold = above;
  return std::move(packer.binary);
}

/// Bright is the larger of exactly two values. Fills object, volume and threshold.
Binary split_two_values(const Job& job) {
  const Layout& layout = job.source.layout();
  Packer packer(job);
  visit_type(layout.type, [&](auto sample) {
    TwoValues<decltype(sample)> state(packer, layout, job.domain, job.dark);
    for_each_slab(job.context, job.source, [&](const Slab& slab) { state.take(slab); });
    packer.binary.threshold = state.smaller();
  });
  return std::move(packer.binary);
}

}  // namespace

bool is_automatic(ThresholdMethod method) { return method >= ThresholdMethod::Otsu; }

void require_one_channel(const Layout& layout) {
  require_layout(layout, "the image");
  if (layout.channels == 1) return;
  throw InputError(fmt::format("the image has {0} channels; wanted one: `channel 0` .. {1}, or `channel luma`",
                               layout.channels, layout.channels - 1));
}

void require_options(const ThresholdOptions& options) {
  door::require_known(options.method, ThresholdMethod::Mean, "method");
  door::require_known(options.phase, Phase::Dark, "phase");
  if (options.method == ThresholdMethod::Value && !std::isfinite(options.value)) {
    throw InputError(fmt::format("threshold {}: wanted a finite number", options.value));
  }
  if (options.method != ThresholdMethod::Band) return;
  if (!std::isfinite(options.low) || !std::isfinite(options.high) || options.low >= options.high) {
    throw InputError(fmt::format("threshold band {}:{}: wanted LO:HI, finite, LO below HI", options.low, options.high));
  }
}

Binary binarise_to(const Context& context, SliceSource& source, const ThresholdOptions& options, const Region& region,
                   std::uint64_t* device_bits, const ImageRows* bytes) {
  const Layout& layout = source.layout();
  require_one_channel(layout);
  require_options(options);
  Domain domain = domain_of(context, layout, region);
  const Passes passes = is_automatic(options.method) ? Passes::Several : Passes::One;
  const auto device = bytes ? nullptr : device_samples(context, layout, domain, passes);
  const Job job{context, source, domain, options.phase == Phase::Dark, device.get(), device_bits, bytes};
  Binary result;
  if (options.method == ThresholdMethod::TwoValues) {
    result = split_two_values(job);
  } else if (options.method == ThresholdMethod::Band) {
    result = cut(job, options.low, options.high);
    result.high = options.high;
  } else {
    const double value = is_automatic(options.method)
                             ? value_inside(context, source, domain, job.device, options.method)
                             : options.value;
    result = cut(job, value, std::numeric_limits<double>::infinity());
  }
  result.method = options.method;
  result.domain_volume = domain.volume;
  tell_doubts(context, source, domain, options.phase, result);
  result.domain = std::move(domain.bits);
  return result;
}

}  // namespace tamis::threshold_detail
