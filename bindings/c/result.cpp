#include "c/result.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/image/view.hpp>
#include <tamis/memory.hpp>

#include "c/error.hpp"

namespace tamis::c {
namespace {

const NamedImage& image_at(const tamis_result* result, std::size_t index) {
  require_pointer(result, "result", "one of tamis_run");
  if (index < result->images.size()) return result->images[index];
  throw InputError(fmt::format("index {}: the result has {} images", index, result->images.size()));
}

/// Samples of the result, wherever they lie; Bool as bytes.
ConstImageView view_of_named(const NamedImage& image) {
  const void* const data = image.on_gpu ? image.on_gpu->data() : image.samples.data();
  ConstImageView view = view_of(data, image.type, image.shape);
  view.spacing = image.spacing;
  return view;
}

/// The same for the caller.
tamis_view given_view(const NamedImage& image) {
  const ConstImageView view = view_of_named(image);
  const Spacing& spacing = image.spacing;
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
  given.memory = image.on_gpu ? TAMIS_GPU : TAMIS_HOST;
  given.gpu = image.on_gpu ? image.on_gpu->gpu() : 0;
  given.placement = image.placement ? &*image.placement : nullptr;
  return given;
}

void copy_on_gpu(const tamis_result& result, const NamedImage& image, const ImageView& out) {
  Context context = Context::best();
  context.stream = result.stream;
  const int gpu = image.on_gpu->gpu();
  copy(context, array_on(gpu, view_of_named(image)), array_on(gpu, out));
}

}  // namespace

double number_or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace tamis::c

using namespace tamis;
using namespace tamis::c;

ImageView tamis_result::add(const Context& context, std::string name, Type type, const Shape& shape,
                            const Spacing& spacing) {
  const Type stored = type == Type::Bool ? Type::U8 : type;
  require_memory(context, "the result", image_bytes(stored, shape));
  Image image(stored, shape, spacing);
  ImageView view = view_of(image);
  view.type = type;
  images.push_back({std::move(name), type, shape, spacing, std::move(image)});
  return view;
}

GpuOutput tamis_result::add_on_gpu(const Context& context, std::string name, Type type, const Shape& shape,
                                   const Spacing& spacing, int gpu) {
  GpuMemory memory(context, gpu, shape.count() * sample_bytes(type));
  const GpuOutput array = dense_gpu_array(memory.data(), type, shape, gpu);
  images.push_back({std::move(name), type, shape, spacing, {}, std::move(memory)});
  stream = context.stream;
  return array;
}

void tamis_result::add(const Context& context, std::string name, Image image) {
  const Type type = image.type();
  if (type == Type::Bool)
    return copy(context, image, add(context, std::move(name), type, image.shape(), image.spacing));
  const Shape shape = image.shape();
  const Spacing spacing = image.spacing;
  images.push_back({std::move(name), type, shape, spacing, std::move(image)});
}

void tamis_result::add(std::string column, std::vector<double> values) {
  columns.push_back({std::move(column), std::move(values)});
}

void tamis_result::finish() {
  json = figures.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  for (NamedImage& image : images) {
    if (image.spacing.placement) image.placement = given_placement(*image.spacing.placement);
  }
}

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
    const std::optional<int> gpu = gpu_of(*to, "to");
    const std::optional<int> from = found.on_gpu ? std::optional(found.on_gpu->gpu()) : std::nullopt;
    if (gpu != from)
      throw InputError(fmt::format("to: in {}; wanted {}, where the result is", place(gpu), place(from)));
    ImageView out = checked_output(*to, "to");
    if (out.type != found.type || !(out.shape == found.shape)) {
      throw InputError(fmt::format("to: {} {} of rank {}; wanted {} {} of rank {}", to_string(out.shape),
                                   name(out.type), out.shape.rank, to_string(found.shape), name(found.type),
                                   found.shape.rank));
    }
    if (found.on_gpu) return copy_on_gpu(*result, found, out);
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
