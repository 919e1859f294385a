#include "io/alpha.hpp"

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
class WithoutAlpha final : public Source {
 public:
  WithoutAlpha(std::unique_ptr<Source> picture, Alpha alpha)
      : Source(picture->path(), without(picture->layout(), alpha), picture->description()),
        picture_(std::move(picture)),
        alpha_(alpha) {
    take_over(*picture_);
    if (alpha_ != Alpha::Opaque) add_words(alpha_ == Alpha::BlackInk ? ", ink in alpha" : ", white ink in alpha");
  }

 private:
  static Layout without(Layout layout, Alpha alpha) {
    layout.channels = alpha == Alpha::Opaque ? layout.channels - 1 : 1;
    return layout;
  }

  void read_slices(std::int64_t, std::int64_t, std::byte* out) override {
    std::vector<T> samples(static_cast<std::size_t>(picture_->slice_bytes()) / sizeof(T));
    picture_->read(0, 1, reinterpret_cast<std::byte*>(samples.data()));
    const auto channels = static_cast<std::size_t>(picture_->layout().channels);
    auto* to = reinterpret_cast<T*>(out);
    for (auto pixel = samples.begin(); pixel != samples.end(); pixel += channels) {
      const T alpha = pixel[channels - 1];
      if (alpha_ == Alpha::Opaque) to = std::copy_n(pixel, channels - 1, to);
      if (alpha_ == Alpha::BlackInk) *to++ = static_cast<T>(~alpha);
      if (alpha_ == Alpha::WhiteInk) *to++ = alpha;
    }
  }

  std::unique_ptr<Source> picture_;
  Alpha alpha_;
};

template <class T>
std::unique_ptr<Source> without(std::unique_ptr<Source> picture) {
  std::vector<T> samples(static_cast<std::size_t>(picture->slice_bytes()) / sizeof(T));
  picture->read(0, 1, reinterpret_cast<std::byte*>(samples.data()));
  const Alpha alpha = alpha_of<T>(samples, static_cast<std::size_t>(picture->layout().channels));
  if (alpha == Alpha::Matters) return picture;
  return std::make_unique<WithoutAlpha<T>>(std::move(picture), alpha);
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
