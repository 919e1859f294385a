#include <tamis/deskew.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "core/visit_type.hpp"
#include "line/deskew/turn_kernels.hpp"

namespace tamis {
namespace {

using line_detail::place_bits;

// Steps are exact, and rounding down is a shift.
std::int64_t place(double samples) { return std::llround(std::ldexp(samples, place_bits)); }

/// Where in the source a sample of the result lies: a turn about the two centres.
struct Turn {
  Turn(double degrees, const Shape& from, const Shape& to) {
    const double radians = std::remainder(degrees, 360.0) * std::numbers::pi / 180;
    cosine = std::cos(radians);
    sine = std::sin(radians);
    // Right angles are exact, so that they move samples and do not mix them.
    if (std::remainder(degrees, 90.0) == 0) {
      cosine = std::round(cosine);
      sine = std::round(sine);
    }
    const double u = -static_cast<double>(to.x - 1) / 2;
    const double v = -static_cast<double>(to.y - 1) / 2;
    x0 = static_cast<double>(from.x - 1) / 2 + u * cosine - v * sine;
    y0 = static_cast<double>(from.y - 1) / 2 + u * sine + v * cosine;
  }
  /// Of the first sample of a row.
  [[nodiscard]] std::int64_t x(double to_y) const { return place(x0 - to_y * sine); }
  [[nodiscard]] std::int64_t y(double to_y) const { return place(y0 + to_y * cosine); }

  double cosine = 1, sine = 0, x0 = 0, y0 = 0;
};

/// Weights of the four samples about a point `t` (0 to 1) after the second (Keys 1981, a = -1/2).
std::array<float, 4> cubic_weights(float t) {
  const float s = 1 - t;
  return {-0.5F * t * s * s, 1 + t * t * (1.5F * t - 2.5F), 1 + s * s * (1.5F * s - 2.5F), -0.5F * s * t * t};
}

template <class Sample>
Sample to_sample(float value) {
  if constexpr (std::is_same_v<Sample, float>) {
    return value;
  } else {
    constexpr float low = std::numeric_limits<Sample>::lowest();
    constexpr float high = std::numeric_limits<Sample>::max();
    // Above 0, where cutting off is rounding down.
    return static_cast<Sample>(static_cast<std::int32_t>(std::clamp(value, low, high) - low + 0.5F) +
                               std::numeric_limits<Sample>::lowest());
  }
}

/// One slice of the source, `fill` all around it.
template <class Sample>
struct Plane {
  const Sample* samples;
  std::int64_t stride;  ///< from a row to the next
  std::int64_t width, height;
  float fill;

  static float fraction(std::int64_t at) {
    constexpr std::int64_t whole = std::int64_t{1} << place_bits;
    return static_cast<float>(at & (whole - 1)) * (1.0F / static_cast<float>(whole));
  }

  [[nodiscard]] float at(std::int64_t y, std::int64_t x) const {
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    return inside ? static_cast<float>(samples[y * stride + x]) : fill;
  }

  /// At places in the source.
  [[nodiscard]] float interpolated(std::int64_t y, std::int64_t x) const {
    const std::int64_t left = (x >> place_bits) - 1;
    const std::int64_t top = (y >> place_bits) - 1;
    if (left < -3 || top < -3 || left > width || top > height) return fill;
    const std::array<float, 4> across = cubic_weights(fraction(x));
    const std::array<float, 4> down = cubic_weights(fraction(y));
    float sum = 0;
    if (left >= 0 && top >= 0 && left + 3 < width && top + 3 < height) {
      const Sample* row = samples + top * stride + left;
      for (std::size_t i = 0; i < 4; ++i, row += stride) {
        sum += down[i] * (across[0] * static_cast<float>(row[0]) + across[1] * static_cast<float>(row[1]) +
                          across[2] * static_cast<float>(row[2]) + across[3] * static_cast<float>(row[3]));
      }
      return sum;
    }
    for (std::int64_t i = 0; i < 4; ++i) {
      float row = 0;
      for (std::int64_t j = 0; j < 4; ++j) row += across[static_cast<std::size_t>(j)] * at(top + i, left + j);
      sum += down[static_cast<std::size_t>(i)] * row;
    }
    return sum;
  }
};

/// Places along a row of the result: at, at + step, ...
struct Places {
  std::int64_t at, step;

  [[nodiscard]] std::int64_t operator[](std::int64_t x) const { return at + x * step; }
  /// The first and the end of those of `count` places that have one sample before them and two after the one they are
  /// in, on an axis of n.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> within(std::int64_t n, std::int64_t count) const {
    const std::int64_t low = std::int64_t{1} << place_bits;
    const std::int64_t high = (n - 2) << place_bits;  // from here on no longer
    if (step == 0) return {0, at >= low && at < high ? count : 0};
    const auto until = [&](std::int64_t place) {  // the first index whose place is there or beyond
      const std::int64_t away = step > 0 ? place - at : at - place;
      const std::int64_t stride = std::abs(step);
      return std::clamp<std::int64_t>(away <= 0 ? 0 : (away + stride - 1) / stride, 0, count);
    };
    return step > 0 ? std::pair{until(low), until(high)} : std::pair{until(high - 1), until(low - 1)};
  }
};

/// The rows of a result. What is made of samples of the source alone is made by vectors.
template <class Sample>
class Rows {
 public:
  Rows(Simd simd, const Plane<Sample>& plane, const Turn& turn)
      : kernel_(line_detail::turn_kernel<Sample>(simd)), plane_(plane), turn_(turn) {}

  void make(std::int64_t y, std::int64_t count, Sample* out) const {
    const Places x{turn_.x(static_cast<double>(y)), place(turn_.cosine)};
    const Places from_y{turn_.y(static_cast<double>(y)), place(turn_.sine)};
    const auto along = x.within(plane_.width, count);
    const auto across = from_y.within(plane_.height, count);
    const std::int64_t begin = std::max(along.first, across.first);
    const std::int64_t end = std::max(begin, std::min(along.second, across.second));
    one_by_one(x, from_y, 0, begin, out);
    const bool narrow = plane_.stride < most_stride;
    const std::int64_t made = narrow ? kernel_({plane_.samples, plane_.stride, x[begin], from_y[begin], x.step,
                                                from_y.step, end - begin, out + begin})
                                     : 0;
    one_by_one(x, from_y, begin + made, count, out);
  }

 private:
  static constexpr std::int64_t most_stride = 1 << 24;  // vectors count the bytes between some rows in 32 bits

  void one_by_one(const Places& x, const Places& y, std::int64_t begin, std::int64_t end, Sample* out) const {
    for (std::int64_t i = begin; i < end; ++i) out[i] = to_sample<Sample>(plane_.interpolated(y[i], x[i]));
  }

  line_detail::TurnKernel<Sample> kernel_;
  Plane<Sample> plane_;
  Turn turn_;
};

template <class Sample>
void turn_image(const Context& context, const Image& image, const Turn& turn, double fill, Image& result) {
  const Shape& from = image.shape();
  const Shape& to = result.shape();
  Stage stage(context, "rotate", to.count());
  parallel_for(context, to.z * to.y, [&](std::int64_t line) {
    const std::int64_t z = line / to.y;
    const std::int64_t y = line % to.y;
    const std::int64_t stride = image.row_bytes() / static_cast<std::int64_t>(sizeof(Sample));
    const Plane<Sample> plane{image.row<Sample>(z, 0), stride, from.x, from.y, static_cast<float>(fill)};
    Rows<Sample>(context.simd, plane, turn).make(y, to.x, result.row<Sample>(z, y));
    stage.advance(to.x);
  });
}

void require_fill(Type type, double fill) {
  visit_type(type, [&](auto sample) {
    using Sample = decltype(sample);
    const double high = type == Type::Bool ? 1 : static_cast<double>(std::numeric_limits<Sample>::max());
    const double low = static_cast<double>(std::numeric_limits<Sample>::lowest());
    const bool whole = type == Type::F32 || fill == std::floor(fill);
    if (std::isfinite(fill) && fill >= low && fill <= high && whole) return;
    throw InputError(fmt::format("fill {}: wanted a value of {}", fill, name(type)));
  });
}

}  // namespace

Shape rotated_shape(const Shape& shape, double degrees) {
  if (!std::isfinite(degrees)) throw InputError("rotate: an angle that is no number; wanted degrees");
  door::require_shape(Type::U8, shape, "rotate");
  const double radians = degrees * std::numbers::pi / 180;
  const double cosine = std::abs(std::cos(radians));
  const double sine = std::abs(std::sin(radians));
  const auto x = static_cast<double>(shape.x);
  const auto y = static_cast<double>(shape.y);
  // A length within rounding of a whole number is that number.
  const auto whole = [](double extent) { return static_cast<std::int64_t>(std::ceil(extent - 1e-6)); };
  Shape room = shape;
  room.x = std::max<std::int64_t>(1, whole(x * cosine + y * sine));
  room.y = std::max<std::int64_t>(1, whole(x * sine + y * cosine));
  return room;
}

void rotate(const Context& context, const Image& image, double degrees, const RotateOptions& options, Image& out) {
  door::enter(context, "rotate", [&] {
    if (&out == &image) throw InputError("rotate: the output is the input; wanted another image");
    require_image(image, "rotate");
    if (!std::isfinite(degrees)) throw InputError("rotate: an angle that is no number; wanted degrees");
    if (image.type() > Type::F32) {
      throw InputError("rotate: " + std::string(name(image.type())) + " samples; wanted bool, u8, u16, i16 or f32");
    }
    require_fill(image.type(), options.fill);
    Shape to = options.size.value_or(image.shape());
    to.z = image.shape().z;
    to.rank = image.shape().rank;
    if (image.type() == Type::Bool) {
      RotateOptions bytes = options;
      bytes.fill = options.fill * 255;
      out = packed_bits(context, rotate(context, unpacked_bits(context, image, 255), degrees, bytes));
      return;
    }
    const Turn turn(degrees, image.shape(), to);
    if (out.empty() || out.type() != image.type() || out.shape() != to) out = Image(image.type(), to);
    out.spacing = image.spacing;
    out.spacing.placement.reset();  // it lies elsewhere
    visit_type(image.type(), [&](auto sample) {
      using Sample = decltype(sample);
      if constexpr (std::is_same_v<Sample, float> ||
                    (std::is_integral_v<Sample> && sizeof(Sample) <= 2 && !std::is_same_v<Sample, std::int8_t>)) {
        turn_image<Sample>(context, image, turn, options.fill, out);
      }
    });
  });
}

Image rotate(const Context& context, const Image& image, double degrees, const RotateOptions& options) {
  Image out;
  rotate(context, image, degrees, options, out);
  return out;
}

}  // namespace tamis
