// One page of several channels, and what it is written on.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <tamis/deskew.hpp>
#include <tamis/error.hpp>

#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/visit_type.hpp"

namespace tamis {
namespace {

constexpr std::int64_t bins = 256;
constexpr std::int64_t neighbours = 2;  ///< bins to either side of the median that count with it

Image copy_of(const Image& image) {
  Image copy(image.type(), image.shape(), image.spacing);
  std::copy(image.data(), image.data() + image.bytes(), copy.data());
  return copy;
}

/// Bins between the smallest and the largest sample.
struct Bins {
  double low = 0;
  double scale = 0;       ///< bins a unit
  std::int64_t last = 0;  ///< of the largest sample
  explicit Bins(const Image& page) {
    visit_type(page.type(), [&](auto sample) {
      const auto* const samples = page.row<decltype(sample)>(0, 0);
      const auto [least, most] = std::minmax_element(samples, samples + page.shape().count());
      low = static_cast<double>(*least);
      const double extent = static_cast<double>(*most) - low;
      // Integers of one byte have bins of their own.
      if (extent > 0) scale = static_cast<double>(bins - 1) / std::max<double>(extent, sizeof(sample) == 1 ? 255 : 0);
      last = of(*most);
    });
  }
  template <class Sample>
  [[nodiscard]] std::int64_t of(Sample value) const {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>((static_cast<double>(value) - low) * scale), 0, bins - 1);
  }
};

/// The bin of the median of the larger side: what is above or below the middle between the extremes. Ink is on the
/// other side, and so is the black around a page in a scanner; light that falls off is not.
std::int64_t ground_bin(const Image& page, const Bins& places) {
  std::vector<std::int64_t> counts(bins, 0);
  visit_type(page.type(), [&](auto sample) {
    const auto* const samples = page.row<decltype(sample)>(0, 0);
    for (std::int64_t i = 0; i < page.shape().count(); ++i) ++counts[static_cast<std::size_t>(places.of(samples[i]))];
  });
  const auto first_bright = counts.begin() + places.last / 2 + 1;
  const std::int64_t dark = std::accumulate(counts.begin(), first_bright, std::int64_t{0});
  const std::int64_t bright = page.shape().count() - dark;
  auto bin = dark > bright ? counts.begin() : first_bright;
  for (std::int64_t left = (std::max(dark, bright) + 1) / 2 - *bin; left > 0; left -= *++bin) {
  }
  return bin - counts.begin();
}

void require_alike(std::span<const Image> channels) {
  for (const Image& channel : channels) {
    require_image(channel, "a page");
    const Image& first = channels.front();
    if (channel.type() == first.type() && channel.shape() == first.shape()) continue;
    throw InputError("channels of " + to_string(first.shape()) + " " + std::string(name(first.type())) + " and " +
                     to_string(channel.shape()) + " " + std::string(name(channel.type())) + "; wanted them alike");
  }
}

double background_of_bits(const Image& channel) {
  std::int64_t set = 0;
  for (std::int64_t y = 0; y < channel.shape().y; ++y) {
    for (std::int64_t x = 0; x < channel.shape().x; ++x) set += channel.bit(0, y, x);
  }
  return 2 * set > channel.shape().count() ? 1 : 0;
}

}  // namespace

Image page_of(std::span<const Image> channels) {
  if (channels.empty()) throw InputError("a page of no channels; wanted at least one");
  require_alike(channels);
  const Image& first = channels.front();
  if (channels.size() < 3 || first.type() == Type::Bool) return copy_of(first);
  Image page(first.type(), first.shape(), first.spacing);
  visit_type(first.type(), [&](auto sample) {
    using Sample = decltype(sample);
    const auto* const red = channels[0].row<Sample>(0, 0);
    const auto* const green = channels[1].row<Sample>(0, 0);
    const auto* const blue = channels[2].row<Sample>(0, 0);
    auto* const luma = page.row<Sample>(0, 0);
    for (std::int64_t i = 0; i < page.shape().count(); ++i) {
      const double sum = 0.299 * static_cast<double>(red[i]) + 0.587 * static_cast<double>(green[i]) +
                         0.114 * static_cast<double>(blue[i]);
      luma[i] = static_cast<Sample>(std::is_integral_v<Sample> ? std::floor(sum + 0.5) : sum);
    }
  });
  return page;
}

std::vector<double> background(const Context& context, std::span<const Image> channels, const Image& page) {
  return door::compute(context, "background", [&]() -> std::vector<double> {
    require_alike(channels);
    require_image(page, "background");
    if (channels.empty() || page.type() != channels.front().type() || page.shape() != channels.front().shape()) {
      throw InputError("background: a page that is not like its channels; wanted that of page_of()");
    }
    std::vector<double> ground;
    if (page.type() == Type::Bool) {
      for (const Image& channel : channels) ground.push_back(background_of_bits(channel));
      return ground;
    }
    const Bins places(page);
    const std::int64_t bin = ground_bin(page, places);
    visit_type(page.type(), [&](auto sample) {
      using Sample = decltype(sample);
      const auto* const where = page.row<Sample>(0, 0);
      for (const Image& channel : channels) {
        const auto* const samples = channel.row<Sample>(0, 0);
        double sum = 0;
        std::int64_t count = 0;
        for (std::int64_t i = 0; i < page.shape().count(); ++i) {
          if (std::abs(places.of(where[i]) - bin) > neighbours) continue;
          sum += static_cast<double>(samples[i]);
          ++count;
        }
        const double mean = sum / static_cast<double>(count);
        ground.push_back(std::is_integral_v<Sample> ? std::floor(mean + 0.5) : mean);
      }
    });
    return ground;
  });
}

}  // namespace tamis
