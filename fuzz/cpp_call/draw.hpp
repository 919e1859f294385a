// What a call of the C++ interface is given: mostly what can be, now and then what cannot, all drawn from bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <tamis/element.hpp>
#include <tamis/error.hpp>
#include <tamis/image/border.hpp>
#include <tamis/image/view.hpp>

#include "fuzz/harness.hpp"

namespace tamis::fuzz {

/// Bytes in their order, and zeros after the last.
class Draw {
 public:
  explicit Draw(Bytes bytes) : bytes_(bytes) {}

  std::uint8_t byte() { return at_ < bytes_.size() ? bytes_[at_++] : std::uint8_t{0}; }
  int below(int n) { return byte() % n; }
  /// Once in so many times.
  bool once_in(int n) { return byte() % n == n - 1; }

  /// A whole number: mostly a small one.
  std::int64_t number(int small = 12) {
    constexpr std::int64_t odd[] = {-1,
                                    0,
                                    255,
                                    65534,
                                    65535,
                                    1 << 20,
                                    std::int64_t{1} << 31,
                                    std::int64_t{1} << 32,
                                    std::int64_t{1} << 56,
                                    std::int64_t{1} << 62,
                                    -(std::int64_t{1} << 62),
                                    std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min()};
    return once_in(16) ? odd[byte() % std::size(odd)] : below(small);
  }
  int integer(int small = 12) { return once_in(16) ? static_cast<int>(number()) : below(small); }
  double real() {
    constexpr double odd[] = {0.0,
                              -1.0,
                              -0.0,
                              std::numeric_limits<double>::infinity(),
                              1e300,
                              1e-300,
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::denorm_min()};
    return once_in(8) ? odd[byte() % std::size(odd)] : byte() / 16.0;
  }
  /// One of the enumerators up to the last, now and then none of them.
  template <class Enum>
  Enum one_of(Enum last) {
    const int count = static_cast<int>(last) + 1;
    return static_cast<Enum>(once_in(16) ? byte() : static_cast<std::uint8_t>(below(count)));
  }

  /// Mostly one that filters compute with.
  Type type() { return once_in(3) ? one_of(Type::F64) : static_cast<Type>(below(5)); }
  Shape shape() {
    const auto edge = [&] { return once_in(12) ? number() : std::int64_t{1} + below(9); };
    const bool image = once_in(3);
    return {image ? 1 : edge(), edge(), edge(), once_in(24) ? integer() : image ? 2 : 3};
  }
  Spacing spacing() {
    if (!once_in(3)) return {};
    return {real(), real(), real(), once_in(2) ? "um" : ""};
  }
  Border border() { return {one_of(Border::Kind::Wrap), real()}; }

  /// An image of the library's own; now and then none, or one that has been moved from.
  Image image(std::optional<Type> wanted = {}, std::optional<Shape> like = {}) {
    if (once_in(24)) return {};
    Shape shape = like && !once_in(12) ? *like : this->shape();
    if (shape.count() > 4096) shape = {1, 3, 5, 2};  // to ask for much would only take time
    Image image(wanted && !once_in(12) ? *wanted : type(), shape, spacing());
    fill(image);
    if (once_in(48)) static_cast<void>(Image(std::move(image)));
    return image;
  }

  StructuringElement element() {
    static const char* const shapes[] = {"square", "cube", "cross", "disk", "ball", "circle", "octagon", "hexagon"};
    const std::string size = once_in(16) ? std::to_string(number()) : std::to_string(1 + below(6));
    switch (below(8)) {
      case 0:
        return "rect:" + size + "x" + std::to_string(1 + below(5));
      case 1:
        return "line:" + size + "@" + std::to_string(byte());
      case 2:
        return "shift(square:3," + size + "," + std::to_string(number()) + ")";
      case 3:
        return "reflect(disk:" + size + ")+cross:1";
      case 4:
        return {OffsetSet({{{number(), number(), number()}, number()}, {{0, 0, 0}, 1}}), 2 + below(3) / 2};
      case 5:
        return StructuringElement::from_mask(image(Type::Bool));
      default:
        return std::string(shapes[byte() % std::size(shapes)]) + ":" + size;
    }
  }

 private:
  void fill(Image& image) {
    const std::uint8_t how = byte();
    std::uint32_t seed = byte() + 1U;
    for (std::int64_t z = 0; z < image.shape().z; ++z) {
      for (std::int64_t y = 0; y < image.shape().y; ++y) {
        for (std::int64_t x = 0; x < image.shape().x; ++x) {
          seed = seed * 1664525U + 1013904223U;
          put(image, z, y, x, how < 160 ? seed >> 24 : (seed >> 31) * 200, how % 8 == 0);
        }
      }
    }
  }
  /// Of floats numbers, or any bits.
  static void put(Image& image, std::int64_t z, std::int64_t y, std::int64_t x, std::uint32_t value, bool any_bits) {
    if (image.type() == Type::Bool) {
      if (value > 99) image.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
      return;
    }
    std::byte* const at = image.row<std::byte>(z, y) + x * sample_bytes(image.type());
    const auto number = static_cast<float>(value);
    const auto wide = static_cast<double>(value);
    if (!any_bits && image.type() == Type::F32) {
      std::memcpy(at, &number, sizeof number);
    } else if (!any_bits && image.type() == Type::F64) {
      std::memcpy(at, &wide, sizeof wide);
    } else {
      std::memset(at, static_cast<int>(value), any_bits ? static_cast<std::size_t>(sample_bytes(image.type())) : 1);
    }
  }

  Bytes bytes_;
  std::size_t at_ = 0;
};

/// Memory for views, with bytes around them that nobody may write.
class Field {
 public:
  Field() : bytes_(std::size_t{1} << 16, std::byte{7}) {}
  /// A view that has its samples here, or one that has to be refused. Nothing: no check could know that it leads out.
  std::optional<ImageView> view(Draw& draw, Type type, const Shape& shape) {
    __extension__ typedef __int128 Wide;
    ImageView view{bytes_.data(), type, shape, 0, 0, 0, draw.spacing()};
    const std::int64_t sample = type <= Type::F64 ? sample_bytes(type) : 1;
    std::int64_t dense = sample;
    for (const auto& [stride, edge] :
         {std::pair{&view.stride_x, shape.x}, {&view.stride_y, shape.y}, {&view.stride_z, shape.z}}) {
      *stride = draw.once_in(6)   ? (draw.once_in(2) ? draw.number() : draw.below(40) - 16)
                : draw.once_in(5) ? -dense
                : draw.once_in(5) ? dense + 8
                                  : dense;
      dense = std::max<std::int64_t>(1, std::abs(std::clamp<std::int64_t>(*stride, -65536, 65536))) *
              std::clamp<std::int64_t>(edge, 1, 64);
    }
    Wide low = 0, high = sample;
    for (const auto& [stride, edge] :
         {std::pair{view.stride_x, shape.x}, {view.stride_y, shape.y}, {view.stride_z, shape.z}}) {
      if (edge < 1) return view;  // refused, whatever else it is
      (stride < 0 ? low : high) += static_cast<Wide>(stride) * (edge - 1);
    }
    const auto some = [](std::int64_t edge) { return static_cast<Wide>(std::min<std::int64_t>(edge, 1 << 30)); };
    const Wide samples = some(shape.z) * some(shape.y) * some(shape.x);
    if (high - low > static_cast<Wide>(bytes_.size()) || samples > 1 << 16) {
      const bool refused = high > (Wide{1} << 62) || low < -(Wide{1} << 62);
      return refused ? std::optional(view) : std::nullopt;
    }
    view.data =
        bytes_.data() + static_cast<std::ptrdiff_t>(draw.once_in(2) ? static_cast<Wide>(bytes_.size()) - high : -low);
    if (draw.once_in(48)) view.data = nullptr;
    return view;
  }

 private:
  std::vector<std::byte> bytes_;
};

/// Slices that an image of anyone could deliver, with a layout that may be none.
class AnySource final : public SliceSource {
 public:
  explicit AnySource(Draw& draw)
      : layout_{draw.type(), draw.shape(), draw.once_in(8) ? draw.integer(4) : 1, draw.spacing()} {
    layout_.spacing.unit = "um";
    seed_ = draw.byte();
    // What a layout promises has to be delivered, and much of it would only take time.
    if (capped_product(layout_.shape.count(), std::max(layout_.channels, 1), 1) > 65536 &&
        layout_.shape.count() < std::int64_t{1} << 57) {
      layout_.shape = {2, 3, 4, 3};
      layout_.channels = std::min(layout_.channels, 4);
    }
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    // The target asks it too: where nothing is to be converted a source is its own result.
    if (!out || z0 < 0 || count < 0 || count > layout_.shape.z - z0) throw InputError("slices that are not there");
    const Type type = layout_.type;
    const std::int64_t n = count * layout_.shape.y * layout_.shape.x * layout_.channels;
    for (std::int64_t i = 0; i < n; ++i, out += sample_bytes(type)) {
      seed_ = seed_ * 1664525U + 1013904223U;
      const std::uint8_t value = type == Type::Bool ? seed_ >> 31 : seed_ >> 24;
      const auto number = static_cast<float>(value);
      const auto wide = static_cast<double>(value);
      std::memset(out, 0, static_cast<std::size_t>(sample_bytes(type)));
      if (type == Type::F32) {
        std::memcpy(out, &number, sizeof number);
      } else if (type == Type::F64) {
        std::memcpy(out, &wide, sizeof wide);
      } else {
        *out = std::byte{value};
      }
    }
  }

 private:
  Layout layout_;
  std::uint32_t seed_ = 0;
};

}  // namespace tamis::fuzz
