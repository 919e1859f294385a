#include "io/format.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace tamis::io {
namespace {

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

}  // namespace

std::unique_ptr<Source> without_alpha(std::unique_ptr<Source> picture, const ReadOptions& options) {
  const Layout& layout = picture->layout();
  if (layout.shape.z != 1 || (!options.channel.empty() && options.channel != "luma")) return picture;
  if (layout.type == Type::U8) return without<std::uint8_t>(std::move(picture));
  if (layout.type == Type::U16) return without<std::uint16_t>(std::move(picture));
  return picture;
}

}  // namespace tamis::io
