#include "core/operation/filter_image.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/parallel.hpp"
#include "core/door.hpp"
#include "core/place.hpp"

namespace tamis {

void require_image(const Image& image, std::string_view what) {
  if (image.empty()) throw InputError(fmt::format("{} of a missing image; wanted one", what));
  door::require_spacing(image.spacing, image.shape().rank, what);
}

void require_filter_type(Type type, std::string_view what) {
  switch (type) {
    case Type::Bool:
    case Type::U8:
    case Type::U16:
    case Type::I16:
    case Type::F32:
      return;
    case Type::I8:
    case Type::U32:
    case Type::I32:
    case Type::U64:
    case Type::I64:
    case Type::F64:
      break;
  }
  throw InputError(fmt::format("{} of a {} image; wanted bool, u8, u16, i16 or f32: as_f32() or convert() makes it one",
                               what, name(type)));
}

void prepare_output(const Image& image, Image& out) {
  if (&out == &image) throw InputError("the output is the input; wanted another image");
  if (out.empty() || out.type() != image.type() || !(out.shape() == image.shape())) {
    out = Image(image.type(), image.shape());
  }
  out.spacing = image.spacing;
}

bool has_whole_lines(const Image& image) {
  constexpr std::int64_t line = 64;
  return image.row_bytes() % line == 0 && image.slice_bytes() % line == 0 &&
         image.shape().x * sample_bytes(image.type()) % line == 0 &&
         reinterpret_cast<std::uintptr_t>(image.data()) % line == 0;
}

Image image_between(const Context& context, const Image& like) {
  require_memory(context, "an image between the steps", like.bytes());
  return {like.type(), like.shape()};
}

Offset reach_of(const OffsetBox& window) {
  const auto farther = [](std::int64_t low, std::int64_t high) { return std::max<std::int64_t>({-low, high, 0}); };
  return {farther(window.low.z, window.high.z), farther(window.low.y, window.high.y),
          farther(window.low.x, window.high.x)};
}

namespace {

/// Looks at all of a row, so that the loop becomes vectors.
bool has_nan(const float* row, std::int64_t n) {
  unsigned found = 0;
  for (std::int64_t x = 0; x < n; ++x) found |= row[x] != row[x] ? 1U : 0U;
  return found != 0;
}

}  // namespace

bool holds_nan(const Context& context, const Image& image) {
  const Shape& shape = image.shape();
  std::atomic<bool> found{false};
  parallel_for(context, shape.z * shape.y, [&](std::int64_t row) {
    if (!found && has_nan(image.row<float>(row / shape.y, row % shape.y), shape.x)) found = true;
  });
  return found;
}

std::string first_nan(const Image& image, std::int64_t z0) {
  const Shape& shape = image.shape();
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      if (!has_nan(image.row<float>(z, y), shape.x)) continue;
      for (std::int64_t x = 0; x < shape.x; ++x) {
        if (!std::isnan(image.row<float>(z, y)[x])) continue;
        return place_of(shape, z0 + z, y, x);
      }
    }
  }
  return {};
}

}  // namespace tamis
