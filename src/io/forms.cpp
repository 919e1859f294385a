// Samples in other forms: grey out of colour, one channel or the luma of Rec. 601; without alpha; floats of half floats.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/visit_type.hpp"
#include "io/format.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr int luma = -1;

/// 0.299 R + 0.587 G + 0.114 B; integers are rounded half away from zero.
template <class T>
void luma_of(const std::byte* pixels, std::int64_t count, int channels, std::byte* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    T rgb[3];
    std::memcpy(rgb, pixels + i * channels * static_cast<std::int64_t>(sizeof(T)), sizeof rgb);
    // Thousandths first: they are exact in a double, so a half is a half.
    const double sum = (299.0 * static_cast<double>(rgb[0]) + 587.0 * static_cast<double>(rgb[1]) +
                        114.0 * static_cast<double>(rgb[2])) /
                       1000.0;
    const T grey = std::is_integral_v<T> ? static_cast<T>(std::round(sum)) : static_cast<T>(sum);
    std::memcpy(out + i * static_cast<std::int64_t>(sizeof(T)), &grey, sizeof grey);
  }
}

/// Number of the channel, `luma`, or an InputError that lists what there is.
int parse_channel(const Source& source, const std::string& word) {
  const int channels = source.layout().channels;
  if (word == "luma" && channels != 2) return luma;
  const std::optional<std::int64_t> channel = whole_number(word);
  if (channel && *channel >= 0 && *channel < channels) return static_cast<int>(*channel);
  refuse("{}: channel {}; wanted {}{}", source.path(), word, choices(channels),
         channels == 2 ? "" : " or luma");
}

enum class Alpha : std::uint8_t { Matters, Opaque, BlackInk, WhiteInk };

template <class T>
Alpha alpha_of(std::span<const T> samples, std::size_t channels) {
  constexpr T full = static_cast<T>(-1);
  bool opaque = true;
  bool black = true;
  bool white = true;
  for (std::size_t i = 0; i < samples.size(); i += channels) {
    const auto colour = samples.subspan(i, channels - 1);
    opaque = opaque && samples[i + channels - 1] == full;
    black = black && std::ranges::count(colour, T{0}) == std::ssize(colour);
    white = white && std::ranges::count(colour, full) == std::ssize(colour);
  }
  return opaque ? Alpha::Opaque : black ? Alpha::BlackInk : white ? Alpha::WhiteInk : Alpha::Matters;
}

template <class T>
std::unique_ptr<Source> without(std::unique_ptr<Source> picture) {
  Layout layout = picture->layout();
  const auto channels = static_cast<std::size_t>(layout.channels);
  std::vector<T> samples(static_cast<std::size_t>(picture->slice_bytes()) / sizeof(T));
  picture->read(0, 1, reinterpret_cast<std::byte*>(samples.data()));
  const Alpha alpha = alpha_of<T>(samples, channels);
  if (alpha == Alpha::Matters) return picture;
  layout.channels = alpha == Alpha::Opaque ? layout.channels - 1 : 1;
  if (alpha != Alpha::Opaque) picture->add_words(alpha == Alpha::BlackInk ? ", ink in alpha" : ", white ink in alpha");
  return remade(std::move(picture), layout, [=, count = samples.size()](const std::byte* slice, std::byte* out) {
    const auto* pixel = reinterpret_cast<const T*>(slice);
    auto* to = reinterpret_cast<T*>(out);
    for (const T* const end = pixel + count; pixel != end; pixel += channels) {
      const T covered = pixel[channels - 1];
      if (alpha == Alpha::Opaque) to = std::copy_n(pixel, channels - 1, to);
      if (alpha == Alpha::BlackInk) *to++ = static_cast<T>(~covered);
      if (alpha == Alpha::WhiteInk) *to++ = covered;
    }
  });
}

float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  // As a float with the same exponent bits, 112 powers of two too small; the product is exact, of subnormals too.
  float value = std::bit_cast<float>((half & 0x7fffU) << 13U) * 0x1p112F;
  if ((half & 0x7c00U) == 0x7c00U) value = std::bit_cast<float>(0x7f800000U | (half & 0x3ffU) << 13U);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

}  // namespace

std::unique_ptr<Source> select_channel(std::unique_ptr<Source> source, const std::string& channel) {
  const int number = parse_channel(*source, channel);
  Layout layout = source->layout();
  const int channels = std::exchange(layout.channels, 1);
  if (channels == 1) return source;
  const std::int64_t samples = layout.shape.y * layout.shape.x;
  const std::int64_t width = sample_bytes(layout.type);
  Remake remake = [=](const std::byte* slice, std::byte* out) {
    copy_row(width, slice + number * width, channels * width, out, width, samples);
  };
  if (number == luma) {
    remake = [=](const std::byte* slice, std::byte* out) {
      // 64-bit integers do not fit a double; no camera makes them.
      if (layout.type == Type::U64 || layout.type == Type::I64) {
        refuse("luma of {} samples is not defined; wanted `channel 0`, 1 or 2", name(layout.type));
      }
      visit_type(layout.type, [&]<class T>(T) { luma_of<T>(slice, samples, channels, out); });
    };
  }
  source->add_words(
      fmt::format(", {} of {} channels", number == luma ? "luma" : fmt::format("channel {}", number), channels));
  return remade(std::move(source), layout, std::move(remake));
}

std::unique_ptr<Source> without_alpha(std::unique_ptr<Source> picture, const ReadOptions& options) {
  const Layout& layout = picture->layout();
  if (layout.shape.z != 1 || (!options.channel.empty() && options.channel != "luma")) return picture;
  if (layout.type == Type::U8) return without<std::uint8_t>(std::move(picture));
  if (layout.type == Type::U16) return without<std::uint16_t>(std::move(picture));
  return picture;
}

std::unique_ptr<Source> floats_of_halves(std::unique_ptr<Source> halves) {
  Layout layout = halves->layout();
  layout.type = Type::F32;
  const std::int64_t samples = halves->slice_bytes() / 2;
  return remade(std::move(halves), layout, [samples](const std::byte* slice, std::byte* out) {
    for (std::int64_t i = 0; i < samples; ++i, slice += 2, out += sizeof(float)) {
      const float value = float_of_half(number_at<std::uint16_t>(slice, false));
      std::memcpy(out, &value, sizeof value);
    }
  });
}

}  // namespace tamis::io
