#include "cli/plot/sizes_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cli/input/image.hpp"
#include "cli/output/sizes_report.hpp"
#include "cli/plot/gnuplot.hpp"
#include "cli/plot/palette.hpp"

namespace tamis::cli {
namespace {

// Page, in pixels.
constexpr std::int64_t margin = 22;
constexpr std::int64_t gap = 26;
constexpr std::int64_t head = 46;
constexpr std::int64_t foot = 46;
constexpr std::int64_t bar_width = 18;
constexpr std::int64_t bar_labels = 86;
constexpr std::int64_t cell_least = 190;  ///< room for a title over a narrow panel
constexpr std::int64_t bar_least = 150;   ///< room for the numbers beside a low one
constexpr double letter_width = 8;
constexpr std::int64_t panel_wanted = 600;  ///< small slices are enlarged up to this
constexpr std::int64_t panel_most = 900;    ///< large ones are thinned to this

/// Enlarges by a whole factor, or thins out: every pixel shows a voxel as it is. gnuplot draws nothing one pixel wide.
struct Panel {
  explicit Panel(const PictureSlices& slices) : slices_(slices) {
    const std::int64_t longest = std::max(slices.width, slices.height);
    const double fit = static_cast<double>(panel_most) / static_cast<double>(longest);
    scale = longest > panel_most ? fit : static_cast<double>(std::max<std::int64_t>(1, panel_wanted / longest));
    width = std::max<std::int64_t>(2, std::llround(static_cast<double>(slices.width) * scale));
    height = std::max<std::int64_t>(2, std::llround(static_cast<double>(slices.height) * scale));
  }

  /// RGB rows of the panel; `colour` takes the index of a voxel.
  template <class Colour>
  [[nodiscard]] std::string pixels(Colour colour) const {
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(width * height * 3));
    for (std::int64_t y = 0; y < height; ++y) {
      const std::int64_t row = y * slices_.height / height * slices_.width;
      for (std::int64_t x = 0; x < width; ++x) {
        for (const std::uint8_t part : colour(static_cast<std::size_t>(row + x * slices_.width / width))) {
          bytes += static_cast<char>(part);
        }
      }
    }
    return bytes;
  }

  double scale = 1;  ///< pixels a voxel
  std::int64_t width = 0;
  std::int64_t height = 0;

 private:
  const PictureSlices& slices_;
};

/// The grey values between which the slice is shown: all but the outermost half percent at each end.
std::pair<float, float> grey_range(std::vector<float> grey) {
  const auto value_at = [&](double share) {
    const auto at = grey.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(grey.size() - 1));
    std::nth_element(grey.begin(), at, grey.end());
    return *at;
  };
  const float low = value_at(0.005);
  const float high = value_at(0.995);
  return {low, high > low ? high : low + 1};
}

/// The slice in grey, the object of its size map in colour on a pale copy of the slice.
class Colouring {
 public:
  Colouring(const PictureSlices& slices, std::int64_t largest)
      : slices_(slices), last_(static_cast<double>(std::max<std::int64_t>(largest - 1, 1))) {
    std::tie(low_, high_) = grey_range(slices.grey);
  }
  [[nodiscard]] Rgb grey(std::size_t at) const { return level(255 * share(at)); }
  [[nodiscard]] Rgb map(std::size_t at) const {
    const std::uint32_t size = slices_.map[at];
    // Pale enough that no colour of the scale is lost on it.
    return size == 0 ? level(210 + 36 * share(at)) : viridis((size - 1.0) / last_);
  }

 private:
  [[nodiscard]] float share(std::size_t at) const {
    return std::clamp((slices_.grey[at] - low_) / (high_ - low_), 0.0F, 1.0F);
  }
  static Rgb level(float value) {
    const auto rounded = static_cast<std::uint8_t>(std::lround(value));
    return {rounded, rounded, rounded};
  }
  const PictureSlices& slices_;
  double last_;
  float low_ = 0;
  float high_ = 1;
};

/// 1, 2 or 5 times a power of ten, about `wanted`.
double round_length(double wanted) {
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  const double lead = wanted / power;
  return power * (lead < 2 ? 1 : lead < 5 ? 2 : 5);
}

/// A gnuplot page: places in pixels from the top left corner.
class Page {
 public:
  Page(std::int64_t width, std::int64_t height) : width_(width), height_(height) {
    text = fmt::format(
        "set encoding utf8\nset terminal pngcairo size {},{} noenhanced font 'DejaVu Sans,11' background '#ffffff'\n"
        "unset key\nunset tics\nset multiplot\n",
        width, height);
  }

  [[nodiscard]] std::string at(double x, double y) const {
    return fmt::format("screen {:.8f}, screen {:.8f}", x / static_cast<double>(width_),
                       1 - y / static_cast<double>(height_));
  }

  void label(double x, double y, const std::string& words, const char* how) {
    text += fmt::format("set label {} at {} {} tc rgb '#222222'\n", quoted(words), at(x, y), how);
  }

  void place(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const auto across = static_cast<double>(width_);
    const auto down = static_cast<double>(height_);
    text += fmt::format(
        "set lmargin at screen {:.8f}\nset rmargin at screen {:.8f}\nset tmargin at screen {:.8f}\n"
        "set bmargin at screen {:.8f}\n",
        static_cast<double>(x) / across, static_cast<double>(x + width) / across, 1 - static_cast<double>(y) / down,
        1 - static_cast<double>(y + height) / down);
  }

  /// RGB pixels over the whole of the place, first row at the top.
  void pixels(const std::string& bytes, std::int64_t width, std::int64_t height) {
    text += fmt::format(
        "set xrange [-0.5:{}]\nset yrange [{}:-0.5]\n"
        "plot '-' binary array=({},{}) format='%uchar' using 1:2:3 with rgbimage\n",
        static_cast<double>(width) - 0.5, static_cast<double>(height) - 0.5, width, height);
    text += bytes;
    text += "unset label\nunset arrow\n";
  }

  std::string text;

 private:
  std::int64_t width_;
  std::int64_t height_;
};

void add_scale_bar(Page& page, const Panel& panel, const Sizes& sizes, std::int64_t left, std::int64_t top) {
  if (!sizes.spacing.isotropic(2)) return;  // a bar would hold for one direction only
  const double voxel = sizes.spacing.x;
  const double length = std::max(round_length(0.3 * static_cast<double>(panel.width) / panel.scale * voxel), voxel);
  const double pixels = length / voxel * panel.scale;
  const auto x = static_cast<double>(left);
  const double y = static_cast<double>(top) + 20;
  page.text +=
      fmt::format("set arrow from {} to {} nohead lw 4 lc rgb '#222222'\n", page.at(x, y), page.at(x + pixels, y));
  page.label(x + pixels + 10, y, fmt::format("{:g} {}", length, unit_text(width_unit(sizes))), "left");
}

void add_colour_bar(Page& page, const Sizes& sizes, std::int64_t largest, std::int64_t left, std::int64_t height) {
  const std::optional<double> first = sizes.width(0);
  const double low = first.value_or(0);
  const double high = first ? *sizes.width(largest - 1) : static_cast<double>(largest - 1);
  const double end = high > low ? high : low + (first ? *sizes.width(1) - low : 1);
  std::string bytes;
  constexpr int steps = 256;
  for (int i = 0; i < 2 * steps; ++i) {  // gnuplot draws no image of a single column
    const int row = i / 2;
    for (const std::uint8_t part : viridis(row / double{steps - 1})) bytes += static_cast<char>(part);
  }
  page.place(left, head, bar_width, height);
  // Widths in voxels are odd, sizes whole; lengths may be anything.
  const std::string tics =
      sizes.spacing.known() ? "autofreq" : fmt::format("{},{}", low, whole_tics(end - low, 7, first ? 2 : 1));
  const double step = (end - low) / steps;
  page.text += fmt::format(
      "set border lc rgb '#222222' lw 0.8\nset y2tics nomirror out scale 0.6 {} tc rgb '#222222'\n"
      "set y2label {} offset -0.5,0 tc rgb '#222222'\n"
      "set xrange [0:1]\nset yrange [{}:{}]\nset y2range [{}:{}]\n"
      "plot '-' binary array=(2,{}) origin=(0.25,{}) dx=0.5 dy={} format='%uchar' using 1:2:3 with rgbimage\n",
      tics, quoted(first ? fmt::format("width ({})", unit_text(width_unit(sizes))) : "size n"), low, end, low, end,
      steps, low + step / 2, step);
  page.text += bytes;
}

}  // namespace

std::string picture_png(const PictureSlices& slices, const Sizes& sizes, const std::string& title,
                        const std::string& element, const std::stop_token& cancel) {
  const Panel panel(slices);
  // The scale ends at what this slice holds, so that its colours tell as much as they can.
  const std::int64_t largest = std::max<std::int64_t>(*std::max_element(slices.map.begin(), slices.map.end()), 1);
  const Colouring colouring(slices, largest);
  const std::int64_t cell = std::max(panel.width, cell_least);
  const std::int64_t second = margin + cell + gap;
  const std::int64_t bar = second + cell + gap;
  const std::int64_t bar_height = std::max(panel.height, bar_least);
  Page page(bar + bar_width + bar_labels, head + std::max(panel.height + foot, bar_height + margin));

  const auto letters = static_cast<std::size_t>(static_cast<double>(cell) / letter_width);
  const std::string meaning = fmt::format("the largest {} that fits, at every voxel", element);
  page.label(static_cast<double>(margin), head - 18.0, elided(title, letters), "left");
  page.label(static_cast<double>(second), head - 18.0,
             meaning.size() <= letters ? meaning : fmt::format("the largest {} that fits", element), "left");
  add_scale_bar(page, panel, sizes, margin, head + panel.height);
  page.text += "set border lw 0.5 lc rgb '#222222'\n";
  page.place(margin, head, panel.width, panel.height);
  page.pixels(panel.pixels([&](std::size_t at) { return colouring.grey(at); }), panel.width, panel.height);
  page.place(second, head, panel.width, panel.height);
  page.pixels(panel.pixels([&](std::size_t at) { return colouring.map(at); }), panel.width, panel.height);
  add_colour_bar(page, sizes, largest, bar, bar_height);
  return run_gnuplot(page.text + "unset multiplot\n", cancel);
}

}  // namespace tamis::cli
