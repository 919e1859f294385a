// Grey out of colour: one channel, or the luma of Rec. 601.
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "io/format.hpp"
#include "io/refuse.hpp"

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

void take_luma(Type type, const std::byte* pixels, std::int64_t count, int channels, std::byte* out) {
  switch (type) {
    case Type::Bool:
    case Type::U8:
      return luma_of<std::uint8_t>(pixels, count, channels, out);
    case Type::U16:
      return luma_of<std::uint16_t>(pixels, count, channels, out);
    case Type::I16:
      return luma_of<std::int16_t>(pixels, count, channels, out);
    case Type::F32:
      return luma_of<float>(pixels, count, channels, out);
    case Type::I8:
      return luma_of<std::int8_t>(pixels, count, channels, out);
    case Type::U32:
      return luma_of<std::uint32_t>(pixels, count, channels, out);
    case Type::I32:
      return luma_of<std::int32_t>(pixels, count, channels, out);
    case Type::F64:
      return luma_of<double>(pixels, count, channels, out);
    case Type::U64:
    case Type::I64:
      break;
  }
  // 64-bit integers do not fit a double; no camera makes them.
  refuse("luma of {} samples is not defined; wanted `channel 0`, 1 or 2", name(type));
}

class ChannelSource final : public Source {
 public:
  ChannelSource(std::unique_ptr<Source> inner, int channel)
      : Source(inner->path(), grey(inner->layout()),
               fmt::format("{}, {} of {} channels", inner->description(),
                           channel == luma ? "luma" : fmt::format("channel {}", channel), inner->layout().channels)),
        inner_(std::move(inner)),
        channel_(channel) {
    take_over(*inner_);
  }

 private:
  static Layout grey(Layout layout) {
    layout.channels = 1;
    return layout;
  }

  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const int channels = inner_->layout().channels;
    const std::int64_t width = sample_bytes(layout().type);
    const std::int64_t samples = layout().shape.y * layout().shape.x;
    slice_.resize(static_cast<std::size_t>(inner_->slice_bytes()));
    for (std::int64_t z = z0; z < z0 + count; ++z, out += slice_bytes()) {
      inner_->read(z, 1, slice_.data());
      if (channel_ == luma) {
        take_luma(layout().type, slice_.data(), samples, channels, out);
        continue;
      }
      const std::byte* from = slice_.data() + channel_ * width;
      for (std::int64_t i = 0; i < samples; ++i, from += channels * width) {
        std::memcpy(out + i * width, from, static_cast<std::size_t>(width));
      }
    }
  }

  std::unique_ptr<Source> inner_;
  int channel_;
  std::vector<std::byte> slice_;
};

/// Number of the channel, `luma`, or an InputError that lists what there is.
int parse_channel(const Source& source, const std::string& word) {
  const int channels = source.layout().channels;
  if (word == "luma" && channels != 2) return luma;
  int channel = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), channel);
  if (error == std::errc() && end == word.data() + word.size() && channel >= 0 && channel < channels) return channel;
  refuse("{}: channel {}; wanted {}{}", source.path(), word, channels == 1 ? "0" : fmt::format("0..{}", channels - 1),
         channels == 2 ? "" : " or luma");
}

}  // namespace

std::unique_ptr<Source> select_channel(std::unique_ptr<Source> source, const std::string& channel) {
  const int number = parse_channel(*source, channel);
  if (source->layout().channels == 1) return source;
  return std::make_unique<ChannelSource>(std::move(source), number);
}

}  // namespace tamis::io
