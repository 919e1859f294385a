#include <tamis/operations/masked.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>
#include <tamis/operations/parse.hpp>

#include "core/border.hpp"
#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/place.hpp"
#include "core/visit_type.hpp"

namespace tamis {
namespace {

bool has(const OperationDescription& filter, std::string_view parameter) {
  return std::any_of(filter.parameters.begin(), filter.parameters.end(),
                     [&](const Parameter& one) { return one.name == parameter; });
}

}  // namespace

bool takes_a_mask(const OperationDescription& filter) {
  return filter.filter && filter.takes.size() == 1 && has(filter, "nan");
}

namespace {

void require_mask_taken(const OperationDescription& filter) {
  if (takes_a_mask(filter)) return;
  throw InputError(fmt::format("`mask` of {}; wanted a filter that leaves NaN out", filter.name));
}

void validate(const OperationDescription& filter, const Image& image, const Image& mask, const Arguments& arguments) {
  require_image(image, filter.name);
  require_image(mask, "the mask");
  require_filter_type(image.type(), filter.name);
  require_mask_taken(filter);
  if (has(filter, "by_reconstruction") && arguments.text("by_reconstruction") == "true") {
    throw InputError("`mask` with `by_reconstruction`; wanted one of them, for a reconstruction has no place for NaN");
  }
  const Shape& shape = image.shape();
  const Shape& own = mask.shape();
  if (mask.type() != Type::Bool || own.x != shape.x || own.y != shape.y || (own.z != 1 && own.z != shape.z)) {
    throw InputError(fmt::format("`mask` is {} {}; wanted bool {}, or one slice for all", name(mask.type()),
                                 to_string(own), to_string(shape)));
  }
  // The filter sees numbers, of which it would take any.
  if (!has(filter, "border")) return;
  if (const auto border = parse_border(arguments.text("border"))) require_value_of(*border, image.type());
}

template <class Row>
void for_rows(const Context& context, const Shape& shape, const Row& row) {
  parallel_for(context, shape.z * shape.y, [&](std::int64_t i) { row(i / shape.y, i % shape.y); });
}

/// function(Sample{}, get, set): get(row, x) is a sample of a row, set(row, x, number) puts one.
template <class Function>
void visit_samples(Type type, const Function& function) {
  const auto as = [&](auto sample) {
    using Sample = decltype(sample);
    function(
        sample, [](const Sample* row, std::int64_t x) { return static_cast<float>(row[x]); },
        [](Sample* row, std::int64_t x, float number) {
          if constexpr (std::is_floating_point_v<Sample>) {
            row[x] = number;
          } else {
            constexpr float low = std::numeric_limits<Sample>::lowest(), high = std::numeric_limits<Sample>::max();
            row[x] = static_cast<Sample>(std::clamp(number, low, high));
          }
        });
  };
  if (type != Type::Bool) return visit_filter_type(type, as);
  function(
      std::uint64_t{},
      [](const std::uint64_t* row, std::int64_t x) { return static_cast<float>(row[x / 64] >> (x % 64) & 1U); },
      [](std::uint64_t* row, std::int64_t x, float number) {
        const std::uint64_t bit = std::uint64_t{1} << (x % 64);
        row[x / 64] = number > 0 ? row[x / 64] | bit : row[x / 64] & ~bit;
      });
}

/// All types are numbers of F32 exactly.
Image numbers_inside(const Context& context, const Image& image, const Image& mask) {
  Image numbers(Type::F32, image.shape(), image.spacing);
  visit_samples(image.type(), [&](auto sample, const auto& get, const auto&) {
    for_rows(context, image.shape(), [&](std::int64_t z, std::int64_t y) {
      const auto* const from = image.row<decltype(sample)>(z, y);
      auto* const to = numbers.row<float>(z, y);
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        const bool inside = mask.bit(mask.shape().z == 1 ? 0 : z, y, x);
        to[x] = inside ? get(from, x) : std::numeric_limits<float>::quiet_NaN();
      }
    });
  });
  return numbers;
}

/// Differences are brought into the range of the type, as those of the type itself are.
void put_numbers(const Context& context, const Image& numbers, const Image& image, Image& out) {
  visit_samples(image.type(), [&](auto sample, const auto& get, const auto& set) {
    for_rows(context, image.shape(), [&](std::int64_t z, std::int64_t y) {
      const auto* const own = image.row<decltype(sample)>(z, y);
      const auto* const from = numbers.row<float>(z, y);
      auto* const to = out.row<decltype(sample)>(z, y);
      for (std::int64_t x = 0; x < image.shape().x; ++x) set(to, x, std::isnan(from[x]) ? get(own, x) : from[x]);
    });
  });
}

/// Where the first NaN in the mask is; nothing if there is none.
std::optional<Offset> nan_inside(const Image& image, const Image& mask) {
  const Shape& shape = image.shape();
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      for (std::int64_t x = 0; x < shape.x; ++x) {
        if (!std::isnan(image.row<float>(z, y)[x]) || !mask.bit(mask.shape().z == 1 ? 0 : z, y, x)) continue;
        return Offset{z, y, x};
      }
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse_nan(std::string_view what, std::string_view where) {
  throw InputError(fmt::format("{}: the image holds NaN in the mask{}; wanted numbers, or nan ignore", what, where));
}

/// Without a look at NaN.
FilterDone run_in_mask(const Context& context, const OperationDescription& filter, const Image& image,
                       const Image& mask, const Arguments& arguments, Image& out) {
  require_memory(context, "the image and its result as f32", 2 * image_bytes(Type::F32, image.shape()));
  const Context within = beside(context, 2 * image_bytes(Type::F32, image.shape()));
  Arguments around_nan = arguments;
  around_nan.set("nan", "ignore");
  const Image numbers = numbers_inside(context, image, mask);
  const Image* const seen[] = {&numbers};
  Image result;
  FilterDone done = filter.filter.run(within, seen, around_nan, result);
  prepare_output(image, out);
  put_numbers(context, result, image, out);
  return done;
}

/// Whether a sample of an image is no number that is left out anyway.
bool looks_for_nan(const Image& image, const Arguments& arguments) {
  return image.type() == Type::F32 && arguments.text("nan") != "ignore";
}

class MaskSource final : public SliceSource {
 public:
  MaskSource(SliceSource& mask, const Layout& layout) : mask_(mask), layout_(layout) {
    const Layout& own = mask.layout();
    const Shape& shape = layout.shape;
    if (own.channels != 1) throw InputError(fmt::format("`mask` has {} channels; wanted one", own.channels));
    if (own.shape.x != shape.x || own.shape.y != shape.y || (own.shape.z != 1 && own.shape.z != shape.z)) {
      throw InputError(fmt::format("`mask` is {}; wanted {}, or one slice for all", to_string(own.shape), to_string(shape)));
    }
    layout_.type = Type::Bool;
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    door::require_slices(layout_.shape, z0, count, out);
    const std::int64_t samples = layout_.shape.y * layout_.shape.x;
    const bool one_for_all = mask_.layout().shape.z == 1;
    slice_.resize(static_cast<std::size_t>(samples * sample_bytes(mask_.layout().type)));
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      if (!one_for_all || !read_) mask_.read(one_for_all ? 0 : z, 1, slice_.data());
      read_ = true;
      visit_type(mask_.layout().type, [&](auto sample) {
        const auto* const values = reinterpret_cast<const decltype(sample)*>(slice_.data());
        for (std::int64_t i = 0; i < samples; ++i, out += layout_.channels) {
          if (values[i] != values[i]) throw InputError("`mask` holds NaN; wanted 0 outside and another number inside");
          std::fill_n(out, layout_.channels, values[i] != 0 ? std::byte{1} : std::byte{0});
        }
      });
    }
  }

 private:
  SliceSource& mask_;
  Layout layout_;
  std::vector<std::byte> slice_;
  bool read_ = false;  ///< the one slice for all
};

}  // namespace

FilterDone filter_in_mask(const Context& context, const OperationDescription& filter, const Image& image,
                          const Image& mask, const Arguments& arguments, Image& out) {
  return door::enter(context, filter.name, [&] {
    validate(filter, image, mask, arguments);
    if (looks_for_nan(image, arguments)) {
      const std::optional<Offset> nan = nan_inside(image, mask);
      if (nan) refuse_nan(filter.name, " at " + place_of(image.shape(), nan->z, nan->y, nan->x));
    }
    return run_in_mask(context, filter, image, mask, arguments, out);
  });
}

OperationDescription in_mask(const OperationDescription& filter) {
  require_mask_taken(filter);
  OperationDescription masked = filter;
  masked.takes.insert(masked.takes.begin(), {"mask", {Type::Bool}, "what counts"});
  masked.filter.run = [filter](const Context& context, std::span<const Image* const> images, const Arguments& arguments,
                               Image& out) {
    const Image& mask = *images[0];
    const Image& image = *images[1];
    validate(filter, image, mask, arguments);
    if (looks_for_nan(image, arguments) && nan_inside(image, mask)) refuse_nan(filter.name, "");
    return run_in_mask(context, filter, image, mask, arguments, out);
  };
  masked.filter.run_on_gpu = nullptr;
  masked.filter.bytes_between = [filter](const Arguments& arguments, Type, const Shape& shape) {
    return 2 * image_bytes(Type::F32, shape) + filter.filter.bytes_between(arguments, Type::F32, shape);
  };
  masked.filter.keeps_to_samples = false;
  return masked;
}

std::unique_ptr<SliceSource> mask_source(SliceSource& mask, const Layout& layout) {
  door::require_source(&mask, "`mask`");
  require_layout(layout, "`mask`");
  return std::make_unique<MaskSource>(mask, layout);
}

}  // namespace tamis
