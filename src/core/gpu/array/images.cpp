#include "core/gpu/array/images.hpp"

#include <optional>
#include <string>

#include <tamis/error.hpp>

#include "core/gpu/array/call.hpp"
#include "core/gpu/array/copy.hpp"
#include "core/view/view.hpp"

namespace tamis::cuda {
namespace {

/// The image that an array is as it lies: dense, rows of whole pieces of 16 bytes.
std::optional<DeviceImage> in_place(const GpuArray& array) {
  constexpr std::int64_t piece = 16;
  const Shape& shape = array.shape;
  const std::int64_t sample = sample_bytes(array.type);
  const std::int64_t row = shape.x * sample;
  const bool dense = (shape.x == 1 || array.stride_x == sample) && (shape.y == 1 || array.stride_y == row) &&
                     (shape.z == 1 || array.stride_z == row * shape.y);
  const bool aligned = row % piece == 0 && reinterpret_cast<std::uintptr_t>(array.data) % piece == 0;
  if (array.type == Type::Bool || !dense || !aligned) return std::nullopt;
  auto* const data = const_cast<std::byte*>(static_cast<const std::byte*>(array.data));  // written where it is output
  return DeviceImage{data, row, row * shape.y};
}

/// A stored image as an array.
GpuOutput as_array(const DeviceImage& image, Type type, const Shape& shape, int gpu) {
  return {image.data, type, shape, image.slice, image.pitch, sample_bytes(type), gpu};
}

/// As its samples lie, wherever that is.
ConstImageView view_of_array(const GpuArray& array) {
  return {array.data, array.type, array.shape, array.stride_z, array.stride_y, array.stride_x};
}

}  // namespace

bool overlap(const GpuArray& a, const GpuArray& b) {
  return view_detail::may_overlap(view_of_array(a), view_of_array(b));
}

ArrayInput::ArrayInput(const Stream& stream, const GpuArray& array) {
  if (const std::optional<DeviceImage> own = in_place(array)) {
    image_ = *own;
    return;
  }
  store_ = DeviceStore(stream, array.type, array.shape);
  image_ = store_.get();
  if (array.type == Type::Bool) {
    store_.fill(stream, pack_array(stream, array, {}).words.data());
  } else {
    copy_samples(stream, array, as_array(image_, array.type, array.shape, array.gpu));
  }
}

ArrayResult::ArrayResult(const Stream& stream, const GpuOutput& array, bool apart) : stream_(stream), array_(array) {
  const std::optional<DeviceImage> own = apart ? std::nullopt : in_place(as_input(array));
  if (!own) store_ = DeviceStore(stream, array.type, array.shape);
  image_ = own ? *own : store_.get();
}

void ArrayResult::deliver() const {
  if (store_.empty()) return;
  if (array_.type == Type::Bool) return unpack_bits(stream_, image_, array_);
  copy_samples(stream_, as_input(as_array(image_, array_.type, array_.shape, array_.gpu)), array_);
}

void require_result(const GpuArray& image, const GpuOutput& out) {
  require_same_place(image, as_input(out), "output", false);
  require_output(out, "output");
  if (out.type == image.type) return;
  throw InputError("output of " + std::string(name(out.type)) + "; wanted " + std::string(name(image.type)) +
                   ", as the image");
}

std::int64_t stored_bytes(const GpuArray& image) {
  return DeviceStore::layout(image.type, image.shape).slice * image.shape.z;
}

void refuse_memory(const Context& context, std::string_view what, const GpuArray& image, std::int64_t bytes) {
  throw ResourceError("GPU memory: " + std::string(what) + " of " + to_string(image.shape) + " takes up to " +
                      std::to_string((bytes >> 20) + 1) + " MiB beside the array, got " +
                      std::to_string(device_memory_budget(context, image.gpu) >> 20) +
                      " MiB; wanted more free memory, or an array of the host on the CPU");
}

}  // namespace tamis::cuda
