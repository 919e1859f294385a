#include "morphology/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <tamis/distance.hpp>
#include <tamis/memory.hpp>
#include <tamis/threshold.hpp>

#include "core/cpu/parallel.hpp"
#include "core/cpu/transposed.hpp"
#include "core/memory.hpp"
#include "core/operation/filter_image.hpp"
#include "core/visit_type.hpp"
#include "morphology/cpu/run.hpp"
#include "morphology/cpu/tile/sample_lanes.hpp"
#include "morphology/plan/symmetric_rows.hpp"

namespace tamis::morphology_detail {
namespace {

/// From this square of a radius on a distance is faster than going through the rows of a ball: at 256^3 twice as fast
/// at a radius of 5. Smaller radii were not compared.
constexpr std::int64_t least_square = 25;

/// The square of the radius of an element that is a ball large enough.
std::optional<std::int64_t> ball_square(const StructuringElement& element) {
  if (element.rank() != 3) return std::nullopt;
  const std::vector<OffsetSet> sets = element.sets(3);
  if (sets.size() != 1) return std::nullopt;
  const std::optional<std::int64_t> square = square_of_ball(sets.front());
  return square && *square >= least_square ? square : std::nullopt;
}

/// Where bits are 1, or 0; voxels count as cubes.
Image copy_of(const Context& context, const Image& bits, bool ones) {
  Image copy(Type::Bool, bits.shape());
  const std::int64_t words = bits.row_bytes() / 8;
  const std::int64_t x = bits.shape().x;
  const std::uint64_t last = x % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (x % 64)) - 1;
  parallel_for(context, bits.shape().z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < bits.shape().y; ++y) {
      const std::uint64_t* const from = bits.row<std::uint64_t>(z, y);
      std::uint64_t* const to = copy.row<std::uint64_t>(z, y);
      for (std::int64_t i = 0; i < words; ++i) to[i] = ones ? from[i] : ~from[i];
      to[words - 1] &= last;
    }
  });
  return copy;
}

/// Voxels that are farther from what is 0 than the radius, if `ones`; otherwise those that are not farther from what is
/// 1. Outside lies nothing.
Image one_pass(const Context& context, const Image& bits, std::int64_t square, bool ones) {
  const Image object = copy_of(context, bits, ones);
  const SquaredDistances found = squared_distance(context, object, {DomainBorder::Neutral});
  if (found.unbounded) return copy_of(context, bits, true);  // all 1, or all 0, and so it stays
  ThresholdOptions above;
  above.method = ThresholdMethod::Value;
  above.value = static_cast<double>(square);
  above.phase = ones ? Phase::Bright : Phase::Dark;
  Context quiet = context;
  quiet.on_note = {};  // these are no samples of the caller's
  return std::move(binarise(quiet, *source_of(found.squares), above).object);
}

}  // namespace

bool goes_by_distance(const Context& context, Operation operation, const Image& image,
                      const MorphologyOptions& options) {
  const bool known = operation == Operation::Erode || operation == Operation::Dilate || operation == Operation::Open ||
                     operation == Operation::Close;
  if (!known || image.type() != Type::Bool || image.shape().rank != 3 || context.device == Device::Cuda) return false;
  if (options.border.kind != Border::Kind::Neutral || options.iterations != 1) return false;
  if (options.lines != Lines::Invariant || !ball_square(options.element)) return false;
  const std::int64_t bytes = image_bytes(Type::U16, image.shape()) + 3 * image.bytes() + (std::int64_t{64} << 20);
  return bytes <= (context.memory_bytes > 0 ? context.memory_bytes : available_memory() / 2);
}

void run_by_distance(const Context& caller, Operation operation, const Image& image, const MorphologyOptions& options,
                     Image& out) {
  Context context = caller;
  context.device = Device::Cpu;
  const std::int64_t square = *ball_square(options.element);
  const bool erodes_first = operation == Operation::Erode || operation == Operation::Open;
  Image result = one_pass(context, image, square, erodes_first);
  if (operation == Operation::Open || operation == Operation::Close) {
    result = one_pass(context, result, square, !erodes_first);
  }
  std::memcpy(out.data(), result.data(), static_cast<std::size_t>(result.bytes()));
}

namespace {

/// Bits of the samples that are NaN, or of those that are not.
Image nan_bits(const Context& context, const Image& image, bool wanted) {
  Image bits(Type::Bool, image.shape());
  parallel_for(context, image.shape().z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < image.shape().y; ++y) {
      const auto* const row = image.row<float>(z, y);
      auto* const words = bits.row<std::uint64_t>(z, y);
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        words[x / 64] |= std::uint64_t{std::isnan(row[x]) == wanted} << (x % 64);
      }
    }
  });
  return bits;
}

/// Where a step sees a set bit. Outside there is none, but for a constant, which is a number like others.
Image seen(const Context& context, const Step& step, const Plan& plan, const Image& bits, bool outside, Stage& stage) {
  Plan spread{plan.rank, plan.border, {step}};
  spread.steps.front().order = Order::Max;
  if (plan.border.kind == Border::Kind::Constant) spread.border.value = outside ? 1 : 0;
  Image out(Type::Bool, bits.shape());
  cpu::run(context, spread, bits, Combine::Result, bits, out, stage);
  return out;
}

Image run_step(const Context& context, const Step& step, const Plan& plan, const Image& image, Stage& stage) {
  Image out = image_between(context, image);
  const Plan alone{plan.rank, plan.border, {step}};
  if (!cpu::run(context, alone, image, Combine::Result, image, out, stage)) return out;
  const Image nan = seen(context, step, plan, nan_bits(context, image, true), false, stage);
  const Image number = seen(context, step, plan, nan_bits(context, image, false), true, stage);
  parallel_for(context, image.shape().z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < image.shape().y; ++y) {
      auto* const row = out.row<float>(z, y);
      for (std::int64_t x = 0; x < image.shape().x; ++x) {
        if (nan.bit(z, y, x) && !number.bit(z, y, x)) row[x] = std::numeric_limits<float>::quiet_NaN();
      }
    }
  });
  return out;
}

}  // namespace

Image run_around_nan(const Context& context, const Plan& plan, const Image& image, Stage& stage) {
  Image now;
  for (const Step& step : plan.steps) now = run_step(context, step, plan, now.empty() ? image : now, stage);
  if (now.empty()) return run_step(context, Step{}, plan, image, stage);  // no step: every sample sees itself
  return now;
}

void combine_images(const Context& context, Combine how, const Image& result, const Image& image, Image& out) {
  const auto rows = [&](auto sample, std::int64_t count) {
    using Sample = decltype(sample);
    parallel_for(context, out.shape().z, [&](std::int64_t z) {
      for (std::int64_t y = 0; y < out.shape().y; ++y) {
        cpu::combine(how, result.row<Sample>(z, y), image.row<Sample>(z, y), count, out.row<Sample>(z, y));
      }
    });
  };
  if (image.type() == Type::Bool) return rows(std::uint64_t{}, out.row_bytes() / 8);
  visit_filter_type(image.type(), [&](auto sample) { rows(sample, out.shape().x); });
}

namespace {

/// The longest rows, measured: NOTES.md.
constexpr std::int64_t longest_row_of_boxes = 1024;
constexpr std::int64_t longest_row = 128;

/// Extrema of 0 and 1 are 0 or 1. A difference of them is, too, but no faster, unless rows are so short that packing
/// them takes longest.
bool is_extremum(Operation operation) {
  return operation == Operation::Erode || operation == Operation::Dilate || operation == Operation::Open ||
         operation == Operation::Close;
}

bool is_zero_or_one(const Border& border) {
  return border.kind != Border::Kind::Constant || border.value == 0 || border.value == 1;
}

}  // namespace

bool better_as_bytes(Operation operation, const MorphologyOptions& options, const Shape& shape) {
  if (shape.x > longest_row_of_boxes || options.lines == Lines::Traced || options.element.rank() > shape.rank)
    return false;
  if (!is_zero_or_one(options.border)) return false;
  if (!is_extremum(operation) && !better_transposed({}, Type::Bool, shape)) return false;
  const std::vector<OffsetSet> sets = options.element.sets(shape.rank);
  const bool short_rows = shape.rank == 2 && shape.x <= longest_row;
  // A window that holds the origin sees the image wherever it lies, so that what is neutral, 255 for bytes, never comes
  // through.
  return std::all_of(sets.begin(), sets.end(),
                     [&](const OffsetSet& set) { return set.contains({}) && (short_rows || set.is_box()); });
}

}  // namespace tamis::morphology_detail
