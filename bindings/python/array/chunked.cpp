#include "python/array/array.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include <tamis/error.hpp>

namespace nb = nanobind;

namespace tamis::python {
namespace {

class ChunkedSource final : public SliceSource {
 public:
  ChunkedSource(nb::object reader, std::string_view what) : reader_(std::move(reader)) {
    const auto shape = nb::cast<std::vector<std::int64_t>>(reader_.attr("shape"));
    const auto dtype = nb::cast<std::string>(reader_.attr("dtype"));
    const std::optional<Type> type = type_from_name(dtype);
    if (!type) {
      throw InputError(std::string(what) + ": samples of the type " + dtype +
                       "; wanted bool, integers, float32 or float64");
    }
    layout_.type = *type;
    layout_.shape = {shape[0], shape[1], shape[2], nb::cast<int>(reader_.attr("rank"))};
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const nb::gil_scoped_acquire gil;
    const Shape& shape = layout_.shape;
    const auto bytes = static_cast<Py_ssize_t>(count * shape.y * shape.x * sample_bytes(layout_.type));
    const nb::object view = nb::steal(PyMemoryView_FromMemory(reinterpret_cast<char*>(out), bytes, PyBUF_WRITE));
    if (!view.is_valid()) throw nb::python_error();
    reader_.attr("read_into")(z0, count, view);
  }

 private:
  nb::object reader_;
  Layout layout_;
};

}  // namespace

std::unique_ptr<SliceSource> chunked_source(nb::object reader, std::string_view what) {
  return std::make_unique<ChunkedSource>(std::move(reader), what);
}

}  // namespace tamis::python
