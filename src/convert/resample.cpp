// Voxels of other sides.
#include <tamis/convert.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "convert/cpu/kernels.hpp"
#include "core/door.hpp"
#include "core/memory.hpp"
#include "core/place.hpp"

namespace tamis {

namespace convert_detail {

std::vector<Taps> taps_of(std::int64_t from, std::int64_t to, double ratio, Interpolation interpolation) {
  std::vector<Taps> all(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    Taps& taps = all[static_cast<std::size_t>(i)];
    const auto add = [&](double index, double weight) {
      if (weight == 0) return;
      const auto k = static_cast<std::size_t>(taps.count++);
      taps.index[k] = std::clamp<std::int64_t>(static_cast<std::int64_t>(index), 0, from - 1);
      taps.weight[k] = weight;
    };
    const double middle = (static_cast<double>(i) + 0.5) * ratio;
    if (interpolation == Interpolation::Nearest) {
      add(std::floor(middle), 1);
      continue;
    }
    const double first = std::floor(middle - 0.5);
    const double t = middle - 0.5 - first;
    if (interpolation == Interpolation::Linear) {
      add(first, 1 - t);
      add(first + 1, t);
      continue;
    }
    add(first - 1, t * (-0.5 + t * (1 - 0.5 * t)));
    add(first, 1 + t * t * (-2.5 + 1.5 * t));
    add(first + 1, t * (0.5 + t * (2 - 1.5 * t)));
    add(first + 2, t * t * (-0.5 + 0.5 * t));
  }
  return all;
}

}  // namespace convert_detail

namespace {

using convert_detail::Taps;
using convert_detail::taps_of;

constexpr double longest_edge = 1e9;

/// New sides over old ones.
struct Ratios {
  double x = 1;
  double y = 1;
  double z = 1;
};

Ratios ratios_of(const Layout& layout, const Spacing& spacing) {
  if (!layout.spacing.known())
    throw InputError("resample: the voxel size is not known; wanted one, as in `spacing 2.5um`");
  const std::optional<double> from = micrometres(layout.spacing.unit);
  const std::optional<double> to = micrometres(spacing.unit);
  if (!from || !to) {
    throw InputError(fmt::format("resample: voxels in {} cannot be made such in {}; wanted nm, um, mm, cm or m",
                                 layout.spacing.unit, spacing.known() ? spacing.unit : "no unit"));
  }
  const auto ratio = [&](double old_side, double new_side) {
    const double quotient = new_side * *to / (old_side * *from);
    if (!(quotient > 0 && std::isfinite(quotient))) {
      throw InputError(fmt::format("resample: a side of {} {}; wanted one above 0", new_side, spacing.unit));
    }
    return quotient;
  };
  const Spacing& old = layout.spacing;
  return {ratio(old.x, spacing.x), ratio(old.y, spacing.y), layout.shape.rank == 2 ? 1 : ratio(old.z, spacing.z)};
}

std::int64_t edge_of(std::int64_t old_edge, double ratio) {
  const double edge = std::round(static_cast<double>(old_edge) / ratio);
  if (edge > longest_edge) {
    throw InputError(fmt::format("resample: {} samples along an axis become {:.6g}, wanted at most {:g}", old_edge,
                                 edge, longest_edge));
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(edge));
}

class ResampledSource final : public SliceSource {
 public:
  ResampledSource(const Context& context, std::unique_ptr<SliceSource> source, const Spacing& spacing,
                  Interpolation interpolation)
      : context_(context),
        source_(std::move(source)),
        layout_(source_->layout()),
        nearest_(interpolation == Interpolation::Nearest) {
    const Layout& from = source_->layout();
    const Ratios ratios = ratios_of(from, spacing);
    layout_.shape = resampled_shape(from, spacing);
    // The outer faces stay where they are, so that the first centre moves by half of what an edge has grown.
    layout_.spacing = shifted(placed_as(spacing, from.spacing), (1 - 1 / ratios.x) / 2, (1 - 1 / ratios.y) / 2,
                              (1 - 1 / ratios.z) / 2);
    along_x_ = taps_of(from.shape.x, layout_.shape.x, ratios.x, interpolation);
    along_y_ = taps_of(from.shape.y, layout_.shape.y, ratios.y, interpolation);
    along_z_ = taps_of(from.shape.z, layout_.shape.z, ratios.z, interpolation);
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    door::require_slices(layout_.shape, z0, count, out);
    const std::int64_t row = layout_.shape.x * layout_.channels;
    const std::int64_t slice_bytes = layout_.shape.y * row * sample_bytes(layout_.type);
    for (std::int64_t z = z0; z < z0 + count; ++z, out += slice_bytes) {
      const Taps& taps = along_z_[static_cast<std::size_t>(z)];
      if (nearest_) {
        pick(taps.index[0], out);
        continue;
      }
      std::vector<const double*> slices;
      for (std::size_t k = 0; k < static_cast<std::size_t>(taps.count); ++k)
        slices.push_back(slice(taps.index[k], taps));
      convert_detail::cpu::combine_slices(context_, slices, taps, layout_.shape.y, row, layout_.type, out);
    }
  }

 private:
  /// A slice of the source, interpolated along x and y.
  struct Interpolated {
    std::int64_t z = -1;
    Buffer<double> samples;
  };

  void load(std::int64_t z) {
    const Layout& from = source_->layout();
    if (raw_.size() == 0)
      raw_ = Buffer<std::byte>(from.shape.y * from.shape.x * from.channels * sample_bytes(from.type));
    source_->read(z, 1, raw_.data());
  }

  void pick(std::int64_t z, std::byte* out) {
    if (z != raw_z_) load(z);
    raw_z_ = z;
    convert_detail::cpu::pick_slice(source_->layout(), raw_.data(), along_x_, along_y_, out);
  }

  /// Kept from before, or made in place of one that `needed` does not name.
  const double* slice(std::int64_t z, const Taps& needed) {
    Interpolated* free = nullptr;
    for (Interpolated& kept : kept_) {
      if (kept.z == z) return kept.samples.data();
      const auto end = needed.index.begin() + needed.count;
      if (std::find(needed.index.begin(), end, kept.z) == end) free = &kept;
    }
    if (!free) free = &kept_.emplace_back();
    free->z = -1;
    if (free->samples.size() == 0) {
      free->samples = Buffer<double>(layout_.shape.y * layout_.shape.x * layout_.channels);
    }
    load(z);
    convert_detail::cpu::interpolate_slice(context_, source_->layout(), raw_.data(), along_x_, along_y_, between_,
                                           free->samples.data());
    free->z = z;
    return free->samples.data();
  }

  Context context_;
  std::unique_ptr<SliceSource> source_;
  Layout layout_;
  bool nearest_;
  std::vector<Taps> along_x_;
  std::vector<Taps> along_y_;
  std::vector<Taps> along_z_;
  Buffer<std::byte> raw_;
  std::int64_t raw_z_ = -1;
  Buffer<double> between_;
  std::vector<Interpolated> kept_;
};

}  // namespace

std::string_view name(Interpolation interpolation) {
  door::require_known(interpolation, Interpolation::Cubic, "interpolation");
  switch (interpolation) {
    case Interpolation::Nearest:
      return "nearest";
    case Interpolation::Linear:
      return "linear";
    case Interpolation::Cubic:
      break;
  }
  return "cubic";
}

Shape resampled_shape(const Layout& layout, const Spacing& spacing) {
  require_layout(layout, "resample");
  const Ratios ratios = ratios_of(layout, spacing);
  return {edge_of(layout.shape.z, ratios.z), edge_of(layout.shape.y, ratios.y), edge_of(layout.shape.x, ratios.x),
          layout.shape.rank};
}

std::unique_ptr<SliceSource> resample(const Context& context, std::unique_ptr<SliceSource> source,
                                      const Spacing& spacing, Interpolation interpolation) {
  door::require_context(context);
  door::require_known(interpolation, Interpolation::Cubic, "interpolation");
  door::require_source(source.get(), "resample");
  const Type type = source->layout().type;
  const Spacing sides = spacing_of_rank(spacing, source->layout().shape.rank);
  if (interpolation != Interpolation::Nearest && type == Type::Bool) {
    throw InputError(fmt::format("`interpolation {}`: of {} samples; wanted nearest", name(interpolation), name(type)));
  }
  // 64-bit floats do not hold them.
  if (interpolation != Interpolation::Nearest && (type == Type::U64 || type == Type::I64))
    source = as_f32(std::move(source));
  return door::guarded(
      "resample", [&] { return std::make_unique<ResampledSource>(context, std::move(source), sides, interpolation); });
}

}  // namespace tamis
