#include "convert/cpu/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/cpu/parallel.hpp"
#include "core/visit_type.hpp"

namespace tamis::convert_detail::cpu {
namespace {

template <class Sample>
Sample load(const std::byte* samples, std::int64_t index) {
  Sample sample;
  std::memcpy(&sample, samples + index * static_cast<std::int64_t>(sizeof(Sample)), sizeof(Sample));
  return sample;
}

template <class Sample>
Sample rounded(double value) {
  if constexpr (std::is_same_v<Sample, double>) {
    return value;
  } else if constexpr (std::is_same_v<Sample, float>) {
    constexpr double highest = std::numeric_limits<float>::max();
    return static_cast<float>(std::isinf(value) ? value : std::clamp(value, -highest, highest));
  } else {
    constexpr auto lowest = static_cast<double>(std::numeric_limits<Sample>::min());
    constexpr auto highest = static_cast<double>(std::numeric_limits<Sample>::max());
    return static_cast<Sample>(std::clamp(std::round(value), lowest, highest));
  }
}

/// So many rows at a time that to hand them out takes no time.
template <class Work>
void for_rows(const Context& context, std::int64_t rows, std::int64_t row, Work work) {
  const std::int64_t band = std::clamp<std::int64_t>((std::int64_t{1} << 15) / row, 1, rows);
  parallel_for(context, (rows + band - 1) / band, [&](std::int64_t b) {
    for (std::int64_t y = b * band; y < std::min(rows, (b + 1) * band); ++y) work(y);
  });
}

}  // namespace

void interpolate_slice(const Context& context, const Layout& layout, const std::byte* in,
                       const std::vector<Taps>& along_x, const std::vector<Taps>& along_y, Buffer<double>& between,
                       double* out) {
  const std::int64_t channels = layout.channels;
  const std::int64_t width = static_cast<std::int64_t>(along_x.size()) * channels;
  if (between.size() == 0) between = Buffer<double>(layout.shape.y * width);
  visit_type(layout.type, [&](auto zero) {
    using Sample = decltype(zero);
    for_rows(context, layout.shape.y, width, [&](std::int64_t y) {
      const std::byte* const row = in + y * layout.shape.x * channels * static_cast<std::int64_t>(sizeof(Sample));
      double* to = between.data() + y * width;
      for (const Taps& taps : along_x) {
        for (std::int64_t c = 0; c < channels; ++c) {
          double sum = 0;
          for (std::size_t k = 0; k < static_cast<std::size_t>(taps.count); ++k) {
            sum += taps.weight[k] * static_cast<double>(load<Sample>(row, taps.index[k] * channels + c));
          }
          *to++ = sum;
        }
      }
    });
  });
  for_rows(context, static_cast<std::int64_t>(along_y.size()), width, [&](std::int64_t y) {
    const Taps& taps = along_y[static_cast<std::size_t>(y)];
    double* const to = out + y * width;
    std::fill(to, to + width, 0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(taps.count); ++k) {
      const double* const from = between.data() + taps.index[k] * width;
      for (std::int64_t x = 0; x < width; ++x) to[x] += taps.weight[k] * from[x];
    }
  });
}

void combine_slices(const Context& context, const std::vector<const double*>& slices, const Taps& taps,
                    std::int64_t rows, std::int64_t row, Type type, std::byte* out) {
  visit_type(type, [&](auto zero) {
    using Sample = decltype(zero);
    for_rows(context, rows, row, [&](std::int64_t y) {
      for (std::int64_t at = y * row; at < (y + 1) * row; ++at) {
        double sum = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(taps.count); ++k) sum += taps.weight[k] * slices[k][at];
        const auto sample = rounded<Sample>(sum);
        std::memcpy(out + at * static_cast<std::int64_t>(sizeof(Sample)), &sample, sizeof(Sample));
      }
    });
  });
}

void pick_slice(const Layout& layout, const std::byte* in, const std::vector<Taps>& along_x,
                const std::vector<Taps>& along_y, std::byte* out) {
  const std::int64_t bytes = layout.channels * sample_bytes(layout.type);
  for (const Taps& y : along_y) {
    const std::byte* const row = in + y.index[0] * layout.shape.x * bytes;
    for (const Taps& x : along_x) {
      std::memcpy(out, row + x.index[0] * bytes, static_cast<std::size_t>(bytes));
      out += bytes;
    }
  }
}

}  // namespace tamis::convert_detail::cpu
