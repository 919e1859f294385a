#include "python/array/array.hpp"

#include <nanobind/stl/pair.h>

#include <string>
#include <utility>

#include <tamis/error.hpp>

#include "python/arguments.hpp"
#include "python/array/host.hpp"
#include "python/file/open_file.hpp"

namespace nb = nanobind;

namespace tamis::python {
namespace {

constexpr int dlpack_cpu = 1;

/// What a masked array hides has no place in the library: the mask is a region.
void refuse_masked(nb::handle array, std::string_view what) {
  if (is_plain_array(array) || !nb::hasattr(array, "mask") || !nb::hasattr(array, "filled")) return;
  const std::string name(what);
  throw InputError(name + ": a masked array; wanted " + name + "=array.data with roi=~array.mask, or array.filled(0)");
}

}  // namespace

bool lives_on_gpu(nb::handle array) {
  if (is_plain_array(array)) return false;
  if (nb::hasattr(array, "__cuda_array_interface__")) return true;  // first: CuPy's arrays have buffers too
  if (PyObject_CheckBuffer(array.ptr())) return false;
  if (!nb::hasattr(array, "__dlpack_device__")) return false;
  const nb::object place = array.attr("__dlpack_device__")();
  std::pair<int, std::int64_t> device;  // its type and number
  if (!nb::try_cast(place, device)) {
    throw InputError("an array with __dlpack_device__()=" + text_of(place) + "; wanted two numbers");
  }
  return device.first != dlpack_cpu;
}

std::unique_ptr<SliceSource> source_of_array(nb::handle array, std::string_view what, std::int64_t memory_bytes) {
  nb::object taken = nb::borrow(array);
  if (lives_on_gpu(array)) {
    throw ResourceError(std::string(what) +
                        ": an array on a GPU; wanted one in host memory: array.get() of CuPy, "
                        "tensor.cpu() of PyTorch");
  }
  if (!PyObject_CheckBuffer(array.ptr())) {
    taken = nb::module_::import_("tamis._chunks").attr("adapt")(array, nb::str(what.data(), what.size()), memory_bytes);
    if (std::unique_ptr<SliceSource> file = source_of_open_file(taken, what)) return file;
    if (nb::hasattr(taken, "read_into")) return chunked_source(std::move(taken), what);
  }
  refuse_masked(taken, what);
  return host_source(taken, what);
}

}  // namespace tamis::python
