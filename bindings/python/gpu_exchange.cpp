#include "gpu_exchange.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "array.hpp"

namespace tamis::python {
namespace {

/// CUDA's name for its default stream, which others call 0.
constexpr std::uintptr_t legacy_stream = 1;

void* address(std::uintptr_t number) { return reinterpret_cast<void*>(number); }  // NOLINT(performance-no-int-to-ptr)

/// The type of samples like "<f4" or "|b1".
Type type_of_code(const std::string& code, const std::string& what) {
  const std::string kind = code.size() == 3 ? code.substr(1) : "";
  if (kind == "b1") return Type::Bool;
  if (!kind.empty() && (kind[0] == 'u' || kind[0] == 'i' || kind[0] == 'f') && kind != "f2" && code[0] != '>') {
    return *type_from_name(std::string(1, kind[0]) + std::to_string(8 * (kind[1] - '0')));
  }
  throw InputError(what + ": samples of type '" + code +
                   "'; wanted real ones of this machine's byte order: bool, integers, float32 or float64");
}

/// Shape and strides in bytes, with as many axes as the array.
template <class Extent, class Stride>
void place(GpuOutput& samples, std::int64_t rank, const std::string& what, Extent extent, Stride stride) {
  if (rank != 2 && rank != 3) {
    throw InputError(what + ": an array of " + std::to_string(rank) +
                     " axes; wanted (y, x) or (z, y, x): one channel or time, " + what + "[0]");
  }
  const std::int64_t y = rank - 2;
  samples.shape = {rank == 3 ? extent(0) : 1, extent(y), extent(y + 1), static_cast<int>(rank)};
  samples.stride_z = rank == 3 ? stride(0) : 0;
  samples.stride_y = stride(y);
  samples.stride_x = stride(y + 1);
  if (samples.shape.count() == 0) throw InputError(what + ": an empty array of " + to_string(samples.shape));
}

std::int64_t integer(nb::handle object) { return nb::cast<std::int64_t>(object); }

/// CUDA Array Interface, version 3 (numba.readthedocs.io).
void read_interface(const nb::dict& interface, const std::string& what, HeldGpuArray& held) {
  if (interface.contains("mask") && !nb::object(interface["mask"]).is_none()) {
    throw InputError(what + ": a masked array; wanted the mask as roi");
  }
  const auto data = nb::cast<nb::tuple>(interface["data"]);
  const auto shape = nb::cast<nb::tuple>(interface["shape"]);
  GpuOutput& samples = held.samples;
  samples.data = address(nb::cast<std::uintptr_t>(data[0]));
  samples.type = type_of_code(nb::cast<std::string>(interface["typestr"]), what);
  held.read_only = nb::cast<bool>(data[1]);
  nb::object strides = nb::none();
  if (interface.contains("strides")) strides = interface["strides"];
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto extent = [&](std::int64_t axis) { return integer(shape[static_cast<std::size_t>(axis)]); };
  const auto stride = [&](std::int64_t axis) {
    if (!strides.is_none()) return integer(nb::object(strides[nb::int_(axis)]));
    std::int64_t bytes = sample_bytes(samples.type);  // no strides: dense
    for (std::int64_t i = axis + 1; i < rank; ++i) bytes *= extent(i);
    return bytes;
  };
  place(samples, rank, what, extent, stride);
  if (interface.contains("stream")) {
    const nb::object stream = interface["stream"];
    if (!stream.is_none()) held.stream = nb::cast<std::uintptr_t>(stream);
  }
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
  const auto at = [](std::int64_t axis) { return static_cast<std::size_t>(axis); };
  place(
      samples, static_cast<std::int64_t>(taken.ndim()), what,
      [&](std::int64_t axis) { return static_cast<std::int64_t>(taken.shape(at(axis))); },
      [&](std::int64_t axis) { return taken.stride(at(axis)) * sample_bytes(samples.type); });
  held.read_only = true;
  held.keeper = std::move(taken);
}

HeldGpuArray read(nb::handle array, std::string_view what) {
  HeldGpuArray held;
  held.object = nb::borrow(array);
  const std::string named(what);
  if (cuda_build().empty()) {
    throw EnvironmentError(named +
                           ": an array on a GPU, and this tamis was built without CUDA; wanted one in host memory: "
                           "array.get() of CuPy, tensor.cpu() of PyTorch");
  }
  if (nb::hasattr(array, "requires_grad") && nb::cast<bool>(array.attr("requires_grad"))) {
    throw InputError(named + ": a tensor that requires gradients; wanted tensor.detach()");
  }
  if (nb::hasattr(array, "__cuda_array_interface__")) {
    read_interface(nb::cast<nb::dict>(array.attr("__cuda_array_interface__")), named, held);
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
