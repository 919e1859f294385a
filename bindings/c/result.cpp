#include "c/result.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/image_view.hpp>
#include <tamis/memory.hpp>

#include "c/error.hpp"
#include "c/view.hpp"

namespace tamis::c {
namespace {

const NamedImage& image_at(const tamis_result* result, std::size_t index) {
  require_pointer(result, "result", "one of tamis_run");
  if (index < result->images.size()) return result->images[index];
  throw InputError(fmt::format("index {}: the result has {} images", index, result->images.size()));
}

/// Of an image of the result; Bool as bytes.
ConstImageView view_of_named(const NamedImage& image) {
  ConstImageView view = view_of(image.samples);
  view.type = image.type;
  return view;
}

/// The same for the caller.
tamis_view given_view(const NamedImage& image) {
  const ConstImageView view = view_of_named(image);
  const Spacing& spacing = image.samples.spacing;
  const bool known = !(spacing == Spacing{});
  tamis_view given{};
  // What the header calls read only: C has one type for both.
  given.data = const_cast<void*>(view.data);
  given.size[0] = view.shape.z;
  given.size[1] = view.shape.y;
  given.size[2] = view.shape.x;
  given.stride[0] = view.stride_z;
  given.stride[1] = view.stride_y;
  given.stride[2] = view.stride_x;
  given.type = static_cast<std::int32_t>(image.type);
  given.rank = view.shape.rank;
  given.spacing[0] = known ? spacing.z : 0;
  given.spacing[1] = known ? spacing.y : 0;
  given.spacing[2] = known ? spacing.x : 0;
  given.unit = spacing.unit.c_str();
  return given;
}

/// Bits as bytes, 0 and 1.
Image bytes_of(const Context& context, const Image& bits) {
  require_memory(context, "the result", image_bytes(Type::U8, bits.shape()));
  Image bytes(Type::U8, bits.shape(), bits.spacing);
  ImageView view = view_of(bytes);
  view.type = Type::Bool;
  copy(context, bits, view);
  return bytes;
}

}  // namespace

double number_or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace tamis::c

using namespace tamis;
using namespace tamis::c;

void tamis_result::add(const Context& context, std::string name, Image image) {
  const Type type = image.type();
  images.push_back({std::move(name), type, type == Type::Bool ? bytes_of(context, image) : std::move(image)});
}

void tamis_result::add_black_and_white(const Context& context, std::string name, const Image& bits) {
  Image bytes = bytes_of(context, bits);
  for (std::int64_t z = 0; z < bytes.shape().z; ++z) {
    for (std::int64_t y = 0; y < bytes.shape().y; ++y) {
      auto* const row = bytes.row<std::uint8_t>(z, y);
      for (std::int64_t x = 0; x < bytes.shape().x; ++x) row[x] = static_cast<std::uint8_t>(-row[x]);
    }
  }
  images.push_back({std::move(name), Type::U8, std::move(bytes)});
}

void tamis_result::add(std::string column, std::vector<double> values) {
  columns.push_back({std::move(column), std::move(values)});
}

void tamis_result::finish() { json = figures.dump(2, ' ', false, nlohmann::json::error_handler_t::replace); }

void tamis_result_free(tamis_result* result) { delete result; }

size_t tamis_result_images(const tamis_result* result) { return result ? result->images.size() : 0; }

tamis_status tamis_result_image(const tamis_result* result, size_t index, const char** name, tamis_view* image) {
  return guarded([&] {
    const NamedImage& found = image_at(result, index);
    if (name) *name = found.name.c_str();
    if (image) *image = given_view(found);
  });
}

tamis_status tamis_result_copy(const tamis_result* result, size_t index, const tamis_view* to) {
  return guarded([&] {
    require_pointer(to, "to", "the address of a tamis_view");
    const NamedImage& found = image_at(result, index);
    ImageView out = checked_output(*to, "to");
    const Shape& shape = found.samples.shape();
    if (out.type != found.type || !(out.shape == shape)) {
      throw InputError(fmt::format("to: {} {} of rank {}; wanted {} {} of rank {}", to_string(out.shape),
                                   name(out.type), out.shape.rank, to_string(shape), name(found.type), shape.rank));
    }
    out.type = found.samples.type();  // bits are bytes already
    copy(Context::best(), found.samples, out);
  });
}

size_t tamis_result_columns(const tamis_result* result) { return result ? result->columns.size() : 0; }

size_t tamis_result_rows(const tamis_result* result) {
  return result && !result->columns.empty() ? result->columns.front().values.size() : 0;
}

tamis_status tamis_result_column(const tamis_result* result, size_t index, const char** name, const double** values) {
  return guarded([&] {
    require_pointer(result, "result", "one of tamis_run");
    if (index >= result->columns.size()) {
      throw InputError(fmt::format("index {}: the table has {} columns", index, result->columns.size()));
    }
    const Column& column = result->columns[index];
    if (name) *name = column.name.c_str();
    if (values) *values = column.values.data();
  });
}

const char* tamis_result_json(const tamis_result* result) { return result ? result->json.c_str() : "{}"; }
