#include "cli/plot/plots.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <tamis/convert.hpp>

#include "cli/plot/palette.hpp"

namespace tamis::cli {
namespace {

std::vector<float> slice_of(const Image& image, std::int64_t z) {
  std::vector<float> values(static_cast<std::size_t>(image.shape().y * image.shape().x));
  convert(source_of(image), Type::F32)->read(z, 1, reinterpret_cast<std::byte*>(values.data()));
  return values;
}

float value_at(std::vector<float> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

class Picture final : public SliceSource {
 public:
  explicit Picture(const Shape& shape) {
    layout_.type = Type::U8;
    layout_.shape = {1, shape.y, shape.x, 2};
    layout_.channels = 3;
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t, std::int64_t, std::byte* out) override { std::copy(bytes_.begin(), bytes_.end(), out); }
  void add(const Rgb& colour) {
    for (const std::uint8_t part : colour) bytes_.push_back(std::byte{part});
  }

 private:
  Layout layout_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<SliceSource> orientation_picture(const Image& image, const Orientation& found, Phase phase,
                                                 std::int64_t z) {
  const std::vector<float> grey = slice_of(image, z);
  const std::vector<float> contrast = slice_of(found.contrast, z);
  const std::vector<float> angle = slice_of(found.orientation, z);
  // All but the outermost half percent of the grey values at each end.
  const float low = value_at(grey, 0.005);
  const float high = std::max(value_at(grey, 0.995), std::nextafter(low, HUGE_VALF));
  const float full = std::max(value_at(contrast, 0.99), 0.0F);
  auto picture = std::make_unique<Picture>(image.shape());
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const double bright = std::clamp((grey[i] - low) / (high - low), 0.0F, 1.0F);
    const double value = phase == Phase::Dark ? 1 - bright : bright;
    const bool oriented = !std::isnan(angle[i]);
    const double saturation = oriented && full > 0 ? std::min(contrast[i] / full, 1.0F) : oriented ? 1.0 : 0.0;
    picture->add(hsv(oriented ? hue_of(angle[i]) : 0, saturation, value));
  }
  return picture;
}

}  // namespace tamis::cli
