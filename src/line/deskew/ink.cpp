#include "line/deskew/ink.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/morphology.hpp>

#include "core/bits/ordered_bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/visit_type.hpp"

namespace tamis::line_detail {
namespace {

// Measured on scans of books, music and photographed pages: strokes and lines are thinner than this part of the page,
// and what is fainter than this part of the page's contrast is the grain of the paper.
constexpr std::int64_t widest_stroke_part = 24;
constexpr std::int64_t widest_stroke_least = 15;
constexpr int faintest = 25;
// Outside of these shares of the samples lies what would waste the contrast: dust, and reflections.
constexpr double darkest_share = 0.0001;
constexpr double brightest_share = 0.9999;

/// Means of blocks, as they are: floats, row by row.
Image block_means(const Context& context, const Image& page, int factor) {
  const Shape shape{1, std::max<std::int64_t>(page.shape().y / factor, 1),
                    std::max<std::int64_t>(page.shape().x / factor, 1), 2};
  Image means(Type::F32, shape);
  // A page can be narrower than a block.
  const std::int64_t high = std::min<std::int64_t>(factor, page.shape().y);
  const std::int64_t wide = std::min<std::int64_t>(factor, page.shape().x);
  const double share = 1.0 / static_cast<double>(high * wide);
  parallel_for(context, shape.y, [&](std::int64_t y) {
    std::vector<double> sums(static_cast<std::size_t>(shape.x), 0.0);
    for (std::int64_t i = y * factor; i < y * factor + high; ++i) {
      if (page.type() == Type::Bool) {
        for (std::int64_t x = 0; x < shape.x * wide; ++x) sums[static_cast<std::size_t>(x / wide)] += page.bit(0, i, x);
        continue;
      }
      visit_type(page.type(), [&](auto sample) {
        const auto* const row = page.row<decltype(sample)>(0, i);
        for (std::int64_t x = 0; x < shape.x; ++x) {
          for (std::int64_t j = 0; j < wide; ++j) {
            sums[static_cast<std::size_t>(x)] += static_cast<double>(row[x * factor + j]);
          }
        }
      });
    }
    auto* const out = means.row<float>(0, y);
    for (std::int64_t x = 0; x < shape.x; ++x) out[x] = static_cast<float>(sums[static_cast<std::size_t>(x)] * share);
  });
  return means;
}

struct Contrast {
  float low = 0;
  float high = 0;
};

using Counts = std::vector<std::int64_t>;
constexpr std::int64_t values_of_half = 1 << 16;  ///< of the key of a float

/// How many samples have each value of half of their key; nothing where half_of() gives none. By all threads.
template <class HalfOf>
Counts count_halves(const Context& context, const Image& means, const HalfOf& half_of) {
  constexpr std::int64_t block = 1 << 18;
  const std::int64_t count = means.shape().count();
  const auto* const samples = means.row<float>(0, 0);
  Counts counts(static_cast<std::size_t>(values_of_half));
  std::mutex adding;
  parallel_for(context, (count + block - 1) / block, [&](std::int64_t b) {
    std::vector<std::uint32_t> own(static_cast<std::size_t>(values_of_half));
    for (std::int64_t i = b * block; i < std::min(count, (b + 1) * block); ++i) {
      if (const std::optional<std::uint32_t> half = half_of(detail::ordered_key(samples[i]))) ++own[*half];
    }
    const std::lock_guard lock(adding);
    for (std::size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
  });
  return counts;
}

/// The value that the sample has which is number `place` in order; `place` becomes its number among those of that
/// value.
std::uint32_t value_at(const Counts& counts, std::int64_t& place) {
  std::uint32_t value = 0;
  while (place >= counts[value]) place -= counts[value++];
  return value;
}

/// By counting: to sort so far that two places are known takes one thread longer than all other steps together.
Contrast contrast_of(const Context& context, const Image& means) {
  const auto* const samples = means.row<float>(0, 0);
  const std::int64_t count = means.shape().count();
  if (!std::all_of(samples, samples + count, [](float value) { return std::isfinite(value); })) {
    throw InputError("the page has samples that are no numbers, or infinite; wanted finite ones");
  }
  constexpr int half_bits = 16;
  const Counts upper = count_halves(context, means, [](std::uint32_t key) { return std::optional(key >> half_bits); });
  const auto sample_at = [&](double share) {
    std::int64_t place = std::llround(share * static_cast<double>(count - 1));
    const std::uint32_t high = value_at(upper, place);
    const Counts lower = count_halves(context, means, [&](std::uint32_t key) -> std::optional<std::uint32_t> {
      if (key >> half_bits != high) return {};
      return key & (values_of_half - 1);
    });
    return detail::float_of_key(high << half_bits | value_at(lower, place));
  };
  return {sample_at(darkest_share), sample_at(brightest_share)};
}

/// The contrast becomes 0 to 255.
Image stretched(const Image& means, const Contrast& contrast) {
  Image grey(Type::U8, means.shape());
  const auto* const from = means.row<float>(0, 0);
  auto* const to = grey.row<std::uint8_t>(0, 0);
  const float scale = 255 / (contrast.high - contrast.low);
  for (std::int64_t i = 0; i < means.shape().count(); ++i) {
    to[i] = static_cast<std::uint8_t>(std::clamp((from[i] - contrast.low) * scale, 0.0F, 255.0F) + 0.5F);
  }
  return grey;
}

bool mostly_dark(const Image& grey) {
  const auto* const samples = grey.row<std::uint8_t>(0, 0);
  const std::int64_t count = grey.shape().count();
  return 2 * std::count_if(samples, samples + count, [](std::uint8_t value) { return value < 128; }) > count;
}

}  // namespace

Ink find_ink(const Context& context, const Image& page, std::int64_t longest) {
  Context quiet = context;  // its filters are no stages of their own
  quiet.on_progress = {};
  quiet.on_stage = {};
  Ink ink;
  const std::int64_t edge = std::max(page.shape().x, page.shape().y);
  ink.reduction = static_cast<int>((edge + longest - 1) / longest);
  const Image means = block_means(quiet, page, ink.reduction);
  const Contrast contrast = contrast_of(quiet, means);
  if (!(contrast.high > contrast.low)) {
    ink.grey = Image(Type::U8, means.shape());
    return ink;
  }
  const Image grey = stretched(means, contrast);
  ink.dark_page = mostly_dark(grey);
  const std::int64_t shorter = std::min(grey.shape().x, grey.shape().y);
  const std::int64_t square = std::max(widest_stroke_least, shorter / widest_stroke_part) | 1;
  MorphologyOptions options;
  options.element = StructuringElement::square(square);
  ink.grey = ink.dark_page ? tophat(quiet, grey, options) : bothat(quiet, grey, options);
  auto* const samples = ink.grey.row<std::uint8_t>(0, 0);
  for (std::int64_t i = 0; i < ink.grey.shape().count(); ++i) {
    samples[i] = static_cast<std::uint8_t>(std::max(samples[i] - faintest, 0));
  }
  return ink;
}

Image reduced_ink(const Image& ink, int factor) {
  const Shape shape{1, std::max<std::int64_t>(ink.shape().y / factor, 1),
                    std::max<std::int64_t>(ink.shape().x / factor, 1), 2};
  Image small(Type::U8, shape);
  for (std::int64_t y = 0; y < shape.y; ++y) {
    auto* const out = small.row<std::uint8_t>(0, y);
    for (std::int64_t x = 0; x < shape.x; ++x) {
      int sum = 0;
      int count = 0;
      for (std::int64_t i = y * factor; i < std::min(y * factor + factor, ink.shape().y); ++i) {
        for (std::int64_t j = x * factor; j < std::min(x * factor + factor, ink.shape().x); ++j, ++count) {
          sum += ink.row<std::uint8_t>(0, i)[j];
        }
      }
      out[x] = static_cast<std::uint8_t>((sum + count / 2) / count);
    }
  }
  return small;
}

}  // namespace tamis::line_detail
