#include "python/array/gpu.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "python/arguments.hpp"
#include "python/array/array.hpp"
#include "python/array/host.hpp"

namespace tamis::python {
namespace {

/// CUDA's name for its default stream, which others call 0.
constexpr std::uintptr_t legacy_stream = 1;

void* address(std::uintptr_t number) { return reinterpret_cast<void*>(number); }  // NOLINT(performance-no-int-to-ptr)

/// The type of samples like "<f4" or "|b1".
Type type_of_code(const std::string& code, const std::string& what) {
  const std::string kind = code.size() == 3 && code[0] != '>' ? code.substr(1) : "";
  if (kind == "b1") return Type::Bool;
  if (!kind.empty() && (kind[0] == 'u' || kind[0] == 'i' || kind[0] == 'f')) {
    const std::optional<Type> type = type_from_name(std::string(1, kind[0]) + std::to_string(8 * (kind[1] - '0')));
    if (type) return *type;
  }
  throw InputError(what + ": samples of type '" + code +
                   "'; wanted real ones of this machine's byte order: bool, integers, float32 or float64");
}

/// Whether all samples have an address: their distances from the first one, and their bytes together, are numbers.
bool addressable(const GpuOutput& samples) {
  const std::int64_t edges[] = {samples.shape.z, samples.shape.y, samples.shape.x};
  const std::int64_t strides[] = {samples.stride_z, samples.stride_y, samples.stride_x};
  std::int64_t bytes = sample_bytes(samples.type);
  std::int64_t reach = 0;
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t along = 0;
    if (__builtin_mul_overflow(bytes, edges[axis], &bytes)) return false;
    if (strides[axis] == std::numeric_limits<std::int64_t>::min()) return false;
    if (__builtin_mul_overflow(edges[axis] - 1, std::abs(strides[axis]), &along)) return false;
    if (__builtin_add_overflow(reach, along, &reach)) return false;
  }
  return true;
}

/// Shape and strides in bytes, with as many axes as the array. No strides: dense.
void place(GpuOutput& samples, const std::vector<std::int64_t>& shape,
           const std::optional<std::vector<std::int64_t>>& strides, const std::string& what) {
  if (shape.size() != 2 && shape.size() != 3) {
    throw InputError(what + ": an array of " + std::to_string(shape.size()) +
                     " axes; wanted (y, x), (z, y, x) or with batch=True (n, y, x): " + what + "[0]");
  }
  if (strides && strides->size() != shape.size()) {
    throw InputError(what + ": " + std::to_string(strides->size()) + " strides for " + std::to_string(shape.size()) +
                     " axes; wanted as many");
  }
  const std::size_t y = shape.size() - 2;
  samples.shape = {y == 1 ? shape[0] : 1, shape[y], shape[y + 1], y == 1 ? 3 : 2};
  for (const std::int64_t edge : shape) {
    if (edge < 1) throw InputError(what + ": an empty array of " + to_string(samples.shape));
  }
  if (strides) {
    samples.stride_z = y == 1 ? (*strides)[0] : 0;
    samples.stride_y = (*strides)[y];
    samples.stride_x = (*strides)[y + 1];
  } else {
    samples.stride_x = sample_bytes(samples.type);
    // What overflows here is refused below.
    if (__builtin_mul_overflow(samples.stride_x, samples.shape.x, &samples.stride_y) ||
        __builtin_mul_overflow(samples.stride_y, samples.shape.y, &samples.stride_z)) {
      samples.stride_z = std::numeric_limits<std::int64_t>::min();
    }
  }
  if (!addressable(samples)) {
    throw InputError(what + ": an array of " + to_string(samples.shape) + " cannot lie in memory");
  }
}

/// A value of the CUDA array interface, as the type that it has to have.
template <class T>
T value_of(nb::handle object, const char* key, const std::string& what) {
  T value{};
  if (nb::try_cast(object, value)) return value;
  throw InputError(what + ": a CUDA array interface with " + key + "=" + text_of(object) +
                   "; wanted what its version 3 has there");
}

nb::object entry(const nb::dict& interface, const char* key) {
  return interface.contains(key) ? nb::object(interface[key]) : nb::none();
}

/// CUDA Array Interface, version 3 (numba.readthedocs.io).
void read_interface(nb::handle described, const std::string& what, HeldGpuArray& held) {
  const auto interface = value_of<nb::dict>(described, "__cuda_array_interface__", what);
  if (!entry(interface, "mask").is_none()) throw InputError(what + ": a masked array; wanted the mask as roi");
  using Place = std::pair<std::uintptr_t, bool>;
  const auto [data, read_only] = value_of<Place>(entry(interface, "data"), "data", what);
  GpuOutput& samples = held.samples;
  samples.data = address(data);
  samples.type = type_of_code(value_of<std::string>(entry(interface, "typestr"), "typestr", what), what);
  held.read_only = read_only;
  using Numbers = std::vector<std::int64_t>;
  const nb::object strides = entry(interface, "strides");
  std::optional<Numbers> given;
  if (!strides.is_none()) given = value_of<Numbers>(strides, "strides", what);
  place(samples, value_of<Numbers>(entry(interface, "shape"), "shape", what), given, what);
  const nb::object stream = entry(interface, "stream");
  if (!stream.is_none()) held.stream = value_of<std::uintptr_t>(stream, "stream", what);
  const std::optional<int> gpu = gpu_of(samples.data);
  if (!gpu) throw InputError(what + ": not in the memory of a GPU that tamis can use (see tamis.devices())");
  samples.gpu = *gpu;
}

Type type_of_dlpack(nb::dlpack::dtype type, const std::string& what) {
  const std::string bytes = std::to_string(type.bits / 8);
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Bool:
      return Type::Bool;
    case nb::dlpack::dtype_code::Int:
      return type_of_code("<i" + bytes, what);
    case nb::dlpack::dtype_code::UInt:
      return type_of_code("<u" + bytes, what);
    case nb::dlpack::dtype_code::Float:
      return type_of_code("<f" + bytes, what);
    default:
      return type_of_code("other", what);
  }
}

/// What has DLPack only. Its producer makes sure that the samples are there for the default stream.
void read_dlpack(const std::string& what, HeldGpuArray& held) {
  constexpr int dlpack_cuda = 2;
  nb::ndarray<nb::ro> taken;
  if (!nb::try_cast(held.object, taken) || taken.device_type() != dlpack_cuda) {
    throw InputError(what + ": an array that is neither in host memory nor on an NVIDIA GPU; wanted one of them");
  }
  GpuOutput& samples = held.samples;
  samples.data = const_cast<void*>(static_cast<const void*>(taken.data()));
  samples.type = type_of_dlpack(taken.dtype(), what);
  samples.gpu = taken.device_id();
  held.stream = legacy_stream;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  for (std::size_t axis = 0; axis < taken.ndim(); ++axis) {
    shape.push_back(static_cast<std::int64_t>(taken.shape(axis)));
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(taken.stride(axis), sample_bytes(samples.type), &bytes)) {
      throw InputError(what + ": an array with strides that are no distances in memory");
    }
    strides.push_back(bytes);
  }
  place(samples, shape, strides, what);
  held.read_only = true;
  held.keeper = std::move(taken);
}

HeldGpuArray read(nb::handle array, std::string_view what) {
  HeldGpuArray held;
  held.object = nb::borrow(array);
  const std::string named(what);
  if (cuda_build().empty()) {
    throw ResourceError(named +
                        ": an array on a GPU, and this tamis was built without CUDA; wanted one in host memory: "
                        "array.get() of CuPy, tensor.cpu() of PyTorch");
  }
  if (nb::hasattr(array, "requires_grad") && nb::cast<bool>(array.attr("requires_grad"))) {
    throw InputError(named + ": a tensor that requires gradients; wanted tensor.detach()");
  }
  if (nb::hasattr(array, "__cuda_array_interface__")) {
    read_interface(array.attr("__cuda_array_interface__"), named, held);
  } else {
    read_dlpack(named, held);
  }
  return held;
}

/// NumPy's name for a type that results have; CuPy and PyTorch have the same ones.
const char* dtype_of(Type type) {
  if (type == Type::Bool) return "bool";
  if (type == Type::I16) return "int16";
  if (type == Type::F32) return "float32";
  return type == Type::U8 ? "uint8" : type == Type::U16 ? "uint16" : "uint32";
}

nb::object shape_tuple(const Shape& shape) {
  return shape.rank == 2 ? nb::make_tuple(shape.y, shape.x) : nb::make_tuple(shape.z, shape.y, shape.x);
}

}  // namespace

GpuArray HeldGpuArray::input() const {
  return {samples.data, samples.type, samples.shape, samples.stride_z, samples.stride_y, samples.stride_x, samples.gpu};
}

GpuExchange::GpuExchange(nb::handle image)
    : image_(read(image, "image")), library_(nb::module_::import_("tamis._gpu").attr("Library")(image, gpu())) {
  const auto number = nb::cast<std::uintptr_t>(library_.attr("stream")());
  stream_ = address(number == 0 ? legacy_stream : number);
  wait_for(image_);
}

void GpuExchange::wait_for(const HeldGpuArray& array) const {
  if (array.stream) order_streams(array.samples.gpu, address(*array.stream), stream_);
}

Context GpuExchange::on_stream(const Context& context) const {
  Context own = context;
  own.stream = stream_;
  return own;
}

HeldGpuArray GpuExchange::take(nb::handle array, std::string_view what) const {
  if (!lives_on_gpu(array)) {
    throw InputError(std::string(what) + ": an array in host memory, and the image is on GPU " + std::to_string(gpu()) +
                     "; wanted both in one place: cupy.asarray(...), or torch.as_tensor(..., device=image.device)");
  }
  HeldGpuArray held = read(array, what);
  if (held.samples.gpu != gpu()) {
    throw InputError(std::string(what) + ": an array on GPU " + std::to_string(held.samples.gpu) + "; wanted GPU " +
                     std::to_string(gpu()) + ", where the image is");
  }
  wait_for(held);
  return held;
}

HeldGpuArray GpuExchange::output(nb::handle out, const Type* type, const Shape& shape) const {
  if (out.is_none()) return read(library_.attr("empty")(shape_tuple(shape), dtype_of(*type)), "out");
  HeldGpuArray held = take(out, "out");
  if (held.read_only) throw InputError("out: the array is read-only; wanted one that can be written");
  const GpuOutput& to = held.samples;
  if (may_share_places(to.shape, {to.stride_z, to.stride_y, to.stride_x}, sample_bytes(to.type))) {
    throw InputError("out: an array whose samples share places in memory; wanted one with a place for each");
  }
  if (held.samples.shape == shape && (type == nullptr || held.samples.type == *type)) return held;
  throw InputError("out: got " + to_string(held.samples.shape) + " of " + std::string(name(held.samples.type)) +
                   "; wanted " + to_string(shape) + (type == nullptr ? "" : " of " + std::string(name(*type))));
}

nb::object GpuExchange::empty(nb::handle axes, Type type) const { return library_.attr("empty")(axes, dtype_of(type)); }

void GpuExchange::copy(nb::handle from, nb::handle to) const { library_.attr("copy")(from, to); }

nb::object GpuExchange::download() const { return library_.attr("download")(image_.object); }

Context GpuExchange::on_gpu(const Context& context) const {
  Context own = context;
  if (own.device != Device::Auto) return own;
  own.device = Device::Cuda;
  own.gpu = gpu();
  return own;
}

HeldGpuArray GpuExchange::upload(nb::handle numpy_array) const {
  return read(library_.attr("upload")(numpy_array), "upload");
}

HeldGpuArray GpuExchange::widths(const HeldGpuArray& sizes, nb::handle table, nb::handle out) const {
  return read(library_.attr("widths")(sizes.object, table, out), "out");
}

}  // namespace tamis::python
