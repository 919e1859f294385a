// Grey out of colour: one channel, or the luma of Rec. 601.
#include <cmath>
#include <cstring>
#include <utility>

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

}  // namespace tamis::io
