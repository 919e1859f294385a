#include <tamis/image.hpp>

#include <cstring>

#include <tamis/error.hpp>

#include "core/bits/bits.hpp"
#include "core/door.hpp"
#include "core/memory.hpp"
#include "core/place.hpp"

namespace tamis {
namespace {

struct TypeRow {
  Type type;
  std::string_view name;
  std::int64_t bytes;
  std::array<std::string_view, 2> aliases;
};

constexpr std::array<TypeRow, 11> types{{
    {Type::Bool, "bool", 1, {"binary", "bit"}},
    {Type::U8, "u8", 1, {"uint8", "uchar"}},
    {Type::U16, "u16", 2, {"uint16", "ushort"}},
    {Type::I16, "i16", 2, {"int16", "short"}},
    {Type::F32, "f32", 4, {"float32", "float"}},
    {Type::I8, "i8", 1, {"int8", "char"}},
    {Type::U32, "u32", 4, {"uint32", "uint"}},
    {Type::I32, "i32", 4, {"int32", "int"}},
    {Type::U64, "u64", 8, {"uint64", "ulong"}},
    {Type::I64, "i64", 8, {"int64", "long"}},
    {Type::F64, "f64", 8, {"float64", "double"}},
}};

const TypeRow& row_of(Type type) {
  door::require_type(type, "type");
  return types[static_cast<std::size_t>(type)];
}

/// An Image as a source; Bool is unpacked to bytes on the way out.
class ImageSource final : public SliceSource {
 public:
  explicit ImageSource(const Image& image) : image_(&image), layout_{image.type(), image.shape(), 1, image.spacing} {}

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const Shape& shape = layout_.shape;
    door::require_slices(shape, z0, count, out);
    const std::int64_t row = shape.x * sample_bytes(layout_.type);
    for (std::int64_t z = z0; z < z0 + count; ++z) {
      for (std::int64_t y = 0; y < shape.y; ++y, out += row) {
        if (layout_.type == Type::Bool) {
          spread_bits(image_->row<std::uint64_t>(z, y), 0, shape.x, 1, out);
        } else {
          std::memcpy(out, image_->row<std::byte>(z, y), static_cast<std::size_t>(row));
        }
      }
    }
  }

  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    if (layout_.type == Type::Bool) return std::nullopt;
    return MappedSlices{image_->data(), image_->row_bytes(), image_->slice_bytes()};
  }

 private:
  const Image* image_;
  Layout layout_;
};

}  // namespace

std::int64_t sample_bytes(Type type) { return row_of(type).bytes; }
std::string_view name(Type type) { return row_of(type).name; }

std::optional<Type> type_from_name(std::string_view word) {
  for (const TypeRow& row : types) {
    if (word == row.name || word == row.aliases[0] || word == row.aliases[1]) return row.type;
  }
  return std::nullopt;
}

std::string to_string(const Layout& layout) {
  const std::string text = to_string(layout.shape) + " " + std::string(name(layout.type));
  return layout.channels > 1 ? text + " with " + std::to_string(layout.channels) + " channels" : text;
}

std::string to_string(const Shape& shape) {
  std::string text = std::to_string(shape.x) + "x" + std::to_string(shape.y);
  if (shape.rank == 3) text += "x" + std::to_string(shape.z);
  return text;
}

bool Spacing::isotropic(int rank) const { return x == y && (rank == 2 || y == z); }

std::string_view name(World world) {
  constexpr std::array<std::string_view, 5> names{"own", "scanner", "aligned", "talairach", "mni"};
  const auto number = static_cast<std::size_t>(world);
  return number < names.size() ? names[number] : names[0];
}

Spacing shifted(Spacing spacing, double x, double y, double z) {
  if (!spacing.placement) return spacing;
  Placement& placement = *spacing.placement;
  const std::array<double, 3> away{x * spacing.x, y * spacing.y, z * spacing.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < 3; ++i) placement.origin[i] += away[axis] * placement.axes[axis][i];
  }
  return spacing;
}

Spacing placed_as(Spacing edges, const Spacing& old) {
  const std::optional<double> from = micrometres(old.unit);
  const std::optional<double> to = micrometres(edges.unit);
  edges.placement.reset();
  if (!old.placement || !from || !to) return edges;
  edges.placement = old.placement;
  if (*from == *to) return edges;
  for (double& coordinate : edges.placement->origin) coordinate *= *from / *to;
  return edges;
}

void Image::Free::operator()(std::byte* memory) const {
  if (bytes > 0) release(memory, bytes);
}

Image image_over(std::byte* samples, Type type, const Shape& shape, std::int64_t row_bytes, std::int64_t slice_bytes) {
  Image image;
  image.type_ = type;
  image.shape_ = shape;
  image.row_bytes_ = row_bytes > 0 ? row_bytes : shape.x * sample_bytes(type);
  image.slice_bytes_ = slice_bytes > 0 ? slice_bytes : shape.y * image.row_bytes_;
  image.data_ = {samples, Image::Free{0}};
  return image;
}

Image::Image(Type type, const Shape& shape, const Spacing& spacing_) : spacing(spacing_), type_(type), shape_(shape) {
  door::require_shape(type, shape, "an image");
  row_bytes_ = type == Type::Bool ? (shape.x + 63) / 64 * 8 : shape.x * sample_bytes(type);
  slice_bytes_ = row_bytes_ * shape.y;
  const auto bytes = static_cast<std::size_t>(slice_bytes_ * shape.z);
  data_ = {allocate_zeroed(bytes), Free{bytes}};
}

std::unique_ptr<SliceSource> source_of(const Image& image) {
  if (image.empty()) throw InputError("a source of a missing image; wanted one");
  return std::make_unique<ImageSource>(image);
}

}  // namespace tamis
