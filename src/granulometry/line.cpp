// Granulometry along traced lines: values as whole counts, and what the line family makes of them.
#include <cmath>
#include <string>

#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/memory.hpp>

#include "core/bits/bits.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "core/visit_type.hpp"
#include "granulometry/grey_counts.hpp"
#include "granulometry/plan.hpp"
#include "line/traced/spectrum.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;

void validate_domain(const Image& object, const Image& domain) {
  if (domain.empty()) return;
  if (object.type() != Type::Bool) throw InputError("a domain for a grey image; wanted none: it is counted whole");
  detail::require_bits(domain, object.shape(), "a domain");
}

void validate(const Image& image, const LineGranulometryOptions& options, const Image& domain) {
  require_image(image, "granulometry");
  door::require_known(options.border, DomainBorder::Neutral, "border");
  door::require_known(options.phase, Phase::Dark, "phase");
  const Type type = image.type();
  if (type != Type::Bool && type != Type::U8 && type != Type::U16 && type != Type::I16 && type != Type::F32) {
    throw InputError("line granulometry of a " + std::string(name(type)) +
                     " image; wanted bool, u8, u16, i16 or f32: convert it first");
  }
  if (!std::isfinite(options.angle)) {
    throw InputError("angle " + std::to_string(options.angle) + "; wanted a number of degrees");
  }
  if (options.max_size) require_in(size_limits, static_cast<double>(*options.max_size), "max_size");
  validate_domain(image, domain);
}

bool is_in(const Image& domain, std::int64_t z, std::int64_t y, std::int64_t x) {
  return domain.empty() || domain.bit(z % domain.shape().z, y, x);
}

/// Object voxels with a neighbour in their slice that is not in the domain.
std::int64_t border_voxels(const Image& object, const Image& domain) {
  const Shape& shape = object.shape();
  const auto outside = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    return y < 0 || y >= shape.y || x < 0 || x >= shape.x || !is_in(domain, z, y, x);
  };
  std::int64_t count = 0;
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        if (!object.bit(z, y, x)) continue;
        if (!is_in(domain, z, y, x)) throw InputError("an object with samples outside the domain; wanted none");
        count += outside(z, y - 1, x) || outside(z, y + 1, x) || outside(z, y, x - 1) || outside(z, y, x + 1) ? 1 : 0;
      }
    }
  }
  return count;
}

void bits_of_slice(const Image& object, std::int64_t z, std::int64_t* out) {
  for (std::int64_t y = 0; y < object.shape().y; ++y) {
    for (std::int64_t x = 0; x < object.shape().x; ++x) *out++ = object.bit(z, y, x) ? 1 : 0;
  }
}

/// Counts as grey_count() sums them: an opening of them is one of the values, for rounding keeps the order.
void counts_of_slice(const Image& image, const GreyScale& scale, Phase phase, std::int64_t z, std::int64_t* out) {
  const std::int64_t samples = image.shape().y * image.shape().x;
  const double factor = (phase == Phase::Bright ? 1 : -1) / scale.step;
  visit_type(image.type(), [&](auto sample) {
    const auto* const row = image.row<decltype(sample)>(z, 0);
    for (std::int64_t i = 0; i < samples; ++i) {
      out[i] = std::llrint((static_cast<double>(row[i]) - scale.base) * factor);
    }
  });
}

/// Rows until only what never erodes is left.
void add_rows(const line_detail::LineSpectrum& spectrum, std::optional<std::int64_t> max_size, Sizes& sizes) {
  std::int64_t left = spectrum.never;
  for (const std::int64_t lost : spectrum.lost) left += lost;
  sizes.volume.push_back(left);
  const auto most = max_size.value_or(static_cast<std::int64_t>(spectrum.lost.size()));
  while (left > spectrum.never && sizes.rows() <= most) {
    // The opening by n samples has lost all that n - 1 kept and n did not.
    left -= spectrum.lost[static_cast<std::size_t>(sizes.rows() - 1)];
    sizes.volume.push_back(left);
  }
  sizes.limited = left > spectrum.never;
  sizes.never_empties = !sizes.limited && spectrum.never > 0;
}

}  // namespace

Sizes line_granulometry(const Context& context, const Image& image, const LineGranulometryOptions& options,
                        const Image& domain) {
  return door::enter(context, "line granulometry", [&] {
    if (context.device == Device::Cuda) throw InputError("line granulometry on a GPU; wanted the CPU");
    require_device(context);
    validate(image, options, domain);
    require_memory(context, "line granulometry",
                   image_bytes(Type::I64, {1, image.shape().y, image.shape().x, 2}));  // a slice of values
    Stage stage(context, "lines", image.shape().count());
    Sizes sizes;
    sizes.spacing = image.spacing;
    sizes.rank = 2;
    sizes.along_lines = true;
    line_detail::LineSpectrumTask task;
    task.angle = options.angle;
    task.neutral = options.border == DomainBorder::Neutral;
    if (!domain.empty()) task.domain = &domain;
    if (image.type() == Type::Bool) {
      sizes.border_voxels = border_voxels(image, domain);
      task.values = [&](std::int64_t z, std::int64_t* out) { bits_of_slice(image, z, out); };
    } else {
      task.mirrored = options.phase == Phase::Dark;
      const GreyScale scale = grey_scale(image.type(), grey_range(context, image), options.phase, image.shape().count());
      sizes.grey = scale;
      sizes.border_voxels = grey_border_count(image, scale, options.phase, false);
      task.values = [&image, &options, scale](std::int64_t z, std::int64_t* out) {
        counts_of_slice(image, scale, options.phase, z, out);
      };
    }
    add_rows(line_detail::line_spectrum(context, image.shape(), task, stage), options.max_size, sizes);
    return sizes;
  });
}

}  // namespace tamis
