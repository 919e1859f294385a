#include "python/array/host.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <tamis/error.hpp>

#include "python/array/result/calibrated.hpp"

namespace nb = nanobind;

namespace tamis::python {
namespace {

static_assert(std::endian::native == std::endian::little);

std::optional<Type> integer_type(bool is_signed, std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return is_signed ? Type::I8 : Type::U8;
    case 2:
      return is_signed ? Type::I16 : Type::U16;
    case 4:
      return is_signed ? Type::I32 : Type::U32;
    case 8:
      return is_signed ? Type::I64 : Type::U64;
    default:
      return std::nullopt;
  }
}

/// The type of a format of the struct module, byte order taken off.
std::optional<Type> type_of_code(std::string_view code, std::int64_t bytes) {
  if (code.size() != 1) return std::nullopt;
  switch (code[0]) {
    case '?':
      return Type::Bool;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return integer_type(true, bytes);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return integer_type(false, bytes);
    case 'f':
      return Type::F32;
    case 'd':
      return Type::F64;
    default:
      return std::nullopt;
  }
}

[[noreturn]] void refuse_type(std::string_view code, const std::string& what) {
  const std::string_view first = code.substr(0, 1);
  std::string got = "samples of the format '" + std::string(code) + "'";
  std::string wanted = what + ".astype(numpy.float32)";
  if (first == "e") got = "float16";
  if (first == "g") got = "float128";
  if (first == "O") got = "objects";
  if (first == "Z") {
    got = "complex numbers";
    wanted = "numpy.abs(" + what + ") or " + what + ".real";
  } else if (first == "T") {
    got = "records";
    wanted = "one field of them, " + what + "['name']";
  }
  throw InputError(what + ": " + got + "; wanted bool, integers, float32 or float64: " + wanted);
}

std::string shape_text(const Py_buffer& view) {
  std::string text = "(";
  for (int i = 0; i < view.ndim; ++i) text += (i > 0 ? ", " : "") + std::to_string(view.shape[i]);
  return text + (view.ndim == 1 ? ",)" : ")");
}

void check_shape(const Py_buffer& view, std::string_view what) {
  const bool empty = std::find(view.shape, view.shape + view.ndim, 0) != view.shape + view.ndim;
  if (view.ndim >= 2 && view.ndim <= 3 && !empty) return;
  const std::string name(what), got = name + ": an array of shape " + shape_text(view);
  if (view.ndim > 3) throw InputError(got + "; wanted axes (y, x), (z, y, x) or batch=True (n, y, x): " + name + "[0]");
  if (view.ndim < 2) throw InputError(got + "; wanted axes (y, x) or (z, y, x)");
  throw InputError(got + " is empty; wanted at least one sample along each axis");
}

/// Colours come last in nearly every library. Masks have no colours, and small arrays are somebody's test.
void refuse_colour(const Py_buffer& view, Type type, std::string_view name) {
  constexpr Py_ssize_t photograph = 16;
  const bool colours = view.ndim == 3 && (view.shape[2] == 3 || view.shape[2] == 4) && type != Type::Bool &&
                       view.shape[0] >= photograph && view.shape[1] >= photograph;
  if (!colours) return;
  const std::string what(name);
  throw InputError(what + ": an array of shape " + shape_text(view) +
                   " looks like a colour image; wanted one channel, " + what +
                   "[..., 0], or skimage.color.rgb2gray; of a volume this thin " + what + ".transpose(2, 0, 1)");
}

/// Whether rows can be used where they lie; consumers count on slices that follow each other.
bool dense_rows(const Samples& samples) {
  const std::int64_t bytes = sample_bytes(samples.type);
  const auto [z, y, x] = samples.strides;
  const Shape& shape = samples.shape;
  return !samples.swapped && (x == bytes || shape.x == 1) && (y >= shape.x * bytes || shape.y == 1) &&
         (z >= shape.y * y || shape.z == 1);
}

class HostSource final : public SliceSource {
 public:
  HostSource(nb::handle array, std::string_view what, bool any_volume)
      : buffer_(array, PyBUF_RECORDS_RO), samples_(samples_of(buffer_.view(), what)) {
    if (!any_volume) refuse_colour(buffer_.view(), samples_.type, what);
    layout_.type = samples_.type;
    layout_.shape = samples_.shape;
    if (const std::optional<Spacing> known = calibration_of(array)) layout_.spacing = *known;
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override { gather(samples_, z0, count, out); }

  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    if (!dense_rows(samples_)) return std::nullopt;
    const std::int64_t row = samples_.shape.x * sample_bytes(samples_.type);
    // The stride along an axis of one sample may be anything.
    const std::int64_t y = samples_.shape.y == 1 ? row : samples_.strides[1];
    const std::int64_t z = samples_.shape.z == 1 ? samples_.shape.y * y : samples_.strides[0];
    return MappedSlices{samples_.data, y, z};
  }

 private:
  Buffer buffer_;
  Samples samples_;
  Layout layout_;
};

}  // namespace

Buffer::Buffer(nb::handle exporter, int flags) {
  if (PyObject_GetBuffer(exporter.ptr(), &view_, flags) != 0) throw nb::python_error();
}

Samples samples_of(const Py_buffer& view, std::string_view what) {
  Samples samples;
  std::string_view code = view.format == nullptr ? "B" : view.format;
  if (!code.empty() && std::string_view("@=<>!").find(code[0]) != std::string_view::npos) {
    samples.swapped = (code[0] == '>' || code[0] == '!') && view.itemsize > 1;
    code.remove_prefix(1);
  }
  const std::optional<Type> type = type_of_code(code, view.itemsize);
  if (!type) refuse_type(code, std::string(what));
  check_shape(view, what);
  samples.type = *type;
  samples.data = static_cast<std::byte*>(view.buf);
  const int skip = 3 - view.ndim;
  std::array<std::int64_t, 3> edges{1, 1, 1};
  for (int i = 0; i < view.ndim; ++i) {
    edges[static_cast<std::size_t>(i + skip)] = view.shape[i];
    samples.strides[static_cast<std::size_t>(i + skip)] = view.strides[i];
  }
  samples.shape = {edges[0], edges[1], edges[2], view.ndim};
  return samples;
}

std::unique_ptr<SliceSource> host_source(nb::handle array, std::string_view what, bool any_volume) {
  try {
    return std::make_unique<HostSource>(array, what, any_volume);
  } catch (const nb::python_error&) {
    // Types that the buffer protocol has no letter for: dates, bfloat16.
    const nb::object dtype = nb::getattr(array, "dtype", nb::none());
    throw InputError(std::string(what) + ": samples of the type " + nb::cast<std::string>(nb::str(dtype)) +
                     "; wanted bool, integers, float32 or float64: " + std::string(what) + ".astype(numpy.float32)");
  }
}

}  // namespace tamis::python
