#include "cli/plot/plots.hpp"

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

constexpr std::int64_t panel_wanted = 600;  ///< small planes are enlarged up to this, in pixels
constexpr std::int64_t panel_most = 900;    ///< large ones are thinned to this

// Page, in heights of its letters: all of it grows with the panels, so that it is read wherever they are seen.
constexpr double margin = 1.5;
constexpr double gap = 1.8;
constexpr double head = 3.1;
constexpr double foot = 3.1;
constexpr double title_above = 1.2;
constexpr double bar_width = 1.25;
constexpr double bar_labels = 5.9;
constexpr double cell_least = 13;  ///< room for a title over a narrow panel
constexpr double bar_least = 10;   ///< room for the numbers beside a low one
constexpr double letter_width = 0.56;
constexpr double letters_of_panel = 30;  ///< heights of letters in the longer side of a panel
constexpr double letter_least = 14;      ///< pixels

/// Enlarges by a whole factor, or thins out: every pixel shows a voxel as it is. gnuplot draws nothing one pixel wide.
struct Panel {
  explicit Panel(const PictureSlices& slices) : slices_(slices) {
    // A voxel is as wide and high as its sides are, the shorter one a pixel before it is enlarged.
    side = std::min(slices.pixel_width, slices.pixel_height);
    const double across = static_cast<double>(slices.width) * slices.pixel_width / side;
    const double down = static_cast<double>(slices.height) * slices.pixel_height / side;
    const double longest = std::max(across, down);
    scale = longest > panel_most ? panel_most / longest : std::max(1.0, std::floor(panel_wanted / longest));
    width = std::max<std::int64_t>(2, std::llround(across * scale));
    height = std::max<std::int64_t>(2, std::llround(down * scale));
    letter = std::max(letter_least, static_cast<double>(std::max(width, height)) / letters_of_panel);
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

  double side = 1;               ///< the shorter one of a voxel
  double scale = 1;              ///< pixels for it
  double letter = letter_least;  ///< height of the page's letters, in pixels
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

/// Sizes begin at 0, lengths at the least; both end at what this plane holds, so that colours tell as much as they can.
struct Scale {
  Scale(const std::vector<float>& values, bool sizes) {
    high = std::max(*std::max_element(values.begin(), values.end()), 0.0F);
    low = sizes ? 0 : high;
    for (const float value : values) low = value < 0 ? low : std::min<double>(low, value);
    if (high == low) high = low + 1;
  }
  double low = 0;
  double high = 1;
};

/// The slice in grey, the object of its size map in colour on a pale copy of the slice.
class Colouring {
 public:
  Colouring(const PictureSlices& slices, const Scale& scale) : slices_(slices), scale_(scale) {
    std::tie(low_, high_) = grey_range(slices.grey);
  }
  [[nodiscard]] Rgb grey(std::size_t at) const { return level(255 * share(at)); }
  [[nodiscard]] Rgb map(std::size_t at) const {
    const double value = slices_.map[at];
    // Pale enough that no colour of the scale is lost on it.
    return value < 0 ? level(210 + 36 * share(at)) : viridis((value - scale_.low) / (scale_.high - scale_.low));
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
  const Scale& scale_;
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
  Page(std::int64_t width, std::int64_t height, double letter) : width_(width), height_(height) {
    // Letters in points. As the plots it has no ground, and letters that are read on light and on dark pages.
    text = fmt::format(
        "set encoding utf8\nset terminal pngcairo transparent size {},{} noenhanced font 'DejaVu Sans,{:.2f}'\n"
        "ink = '#737981'\nunset key\nunset tics\nset multiplot\n",
        width, height, 0.75 * letter);
  }

  [[nodiscard]] std::string at(double x, double y) const {
    return fmt::format("screen {:.8f}, screen {:.8f}", x / static_cast<double>(width_),
                       1 - y / static_cast<double>(height_));
  }

  void label(double x, double y, const std::string& words, const char* how) {
    text += fmt::format("set label {} at {} {} tc rgb ink\n", quoted(words), at(x, y), how);
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
  const double wanted = 0.3 * static_cast<double>(panel.width) / panel.scale * panel.side;
  const double length = std::max(round_length(wanted), panel.side);
  const double pixels = length / panel.side * panel.scale;
  const auto x = static_cast<double>(left);
  const double y = static_cast<double>(top) + 1.4 * panel.letter;
  page.text += fmt::format("set arrow from {} to {} nohead lw {:.2f} lc rgb ink\n", page.at(x, y),
                           page.at(x + pixels, y), 0.27 * panel.letter);
  page.label(x + pixels + 0.7 * panel.letter, y, fmt::format("{:g} {}", length, unit_text(width_unit(sizes))), "left");
}

/// Where the bar of colours stands, in pixels.
struct Bar {
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

void add_colour_bar(Page& page, const SizesReport& report, const std::string& measure, const Scale& scale,
                    const Bar& bar, double letter) {
  const bool sizes = measure.empty();
  const bool first = sizes && report.width(0).has_value();
  const double low = first ? *report.width(scale.low) : scale.low;
  const double end = first ? *report.width(scale.high) : scale.high;
  std::string bytes;
  constexpr int steps = 256;
  for (int i = 0; i < 2 * steps; ++i) {  // gnuplot draws no image of a single column
    const int row = i / 2;
    for (const std::uint8_t part : viridis(row / double{steps - 1})) bytes += static_cast<char>(part);
  }
  page.place(bar.left, bar.top, bar.width, bar.height);
  // Widths in voxels are odd, sizes whole; lengths may be anything.
  const std::string tics = scales(report.sizes.spacing) || !sizes
                               ? "autofreq"
                               : fmt::format("{},{}", low, whole_tics(end - low, 7, first ? 2 : 1));
  const double step = (end - low) / steps;
  page.text += fmt::format(
      "set border lc rgb ink lw {:.2f}\nset y2tics nomirror out scale 0.6 {} tc rgb ink\n"
      "set y2label {} offset -0.5,0 tc rgb ink\n"
      "set xrange [0:1]\nset yrange [{}:{}]\nset y2range [{}:{}]\n"
      "plot '-' binary array=(2,{}) origin=(0.25,{}) dx=0.5 dy={} format='%uchar' using 1:2:3 with rgbimage\n",
      0.055 * letter, tics,
      quoted(first || !sizes ? fmt::format("{} ({})", sizes ? "width" : measure, unit_text(width_unit(report.sizes)))
                             : "size n"),
      low, end, low, end, steps, low + step / 2, step);
  page.text += bytes;
}

}  // namespace

std::string picture_png(const PictureSlices& slices, const SizesReport& report, const std::string& title,
                        const std::string& element, const std::stop_token& cancel) {
  const Panel panel(slices);
  const double letter = panel.letter;
  const auto pixels = [&](double letters) { return std::llround(letters * letter); };
  const Scale scale(slices.map, slices.measure.empty());
  const Colouring colouring(slices, scale);
  const std::int64_t cell = std::max<std::int64_t>(panel.width, pixels(cell_least));
  const std::int64_t first = pixels(margin);
  const std::int64_t second = first + cell + pixels(gap);
  const std::int64_t top = pixels(head);
  const Bar bar{second + cell + pixels(gap), top, pixels(bar_width),
                std::max<std::int64_t>(panel.height, pixels(bar_least))};
  Page page(bar.left + bar.width + pixels(bar_labels),
            top + std::max(panel.height + pixels(foot), bar.height + pixels(margin)), letter);

  const auto letters = static_cast<std::size_t>(static_cast<double>(cell) / (letter_width * letter));
  const std::string meaning = fmt::format("the largest {} that fits, at every voxel", element);
  const double title_at = static_cast<double>(top) - title_above * letter;
  page.label(static_cast<double>(first), title_at, elided(title, letters), "left");
  page.label(static_cast<double>(second), title_at,
             meaning.size() <= letters ? meaning : fmt::format("the largest {} that fits", element), "left");
  add_scale_bar(page, panel, report.sizes, first, top + panel.height);
  page.text += fmt::format("set border lw {:.2f} lc rgb ink\n", 0.034 * letter);
  page.place(first, top, panel.width, panel.height);
  page.pixels(panel.pixels([&](std::size_t at) { return colouring.grey(at); }), panel.width, panel.height);
  page.place(second, top, panel.width, panel.height);
  page.pixels(panel.pixels([&](std::size_t at) { return colouring.map(at); }), panel.width, panel.height);
  add_colour_bar(page, report, slices.measure, scale, bar, letter);
  return run_gnuplot(page.text + "unset multiplot\n", cancel);
}

}  // namespace tamis::cli
