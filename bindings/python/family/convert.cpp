// tamis.convert.
#include <tamis/convert.hpp>

#include <algorithm>
#include <vector>

#include "python/array/input.hpp"
#include "python/array/output.hpp"
#include "python/array/strided.hpp"
#include "python/family/families.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

using namespace nb::literals;

const char* const convert_doc = R"(Another sample type.

Without a window values are kept: rounded half away from zero and clamped to the range of the type. With one, LO to HI
becomes the whole range of an integer type, or 0 to 1 for float32, linearly, clamped.

Parameters
----------
image : array, shape (y, x) or (z, y, x)
    Any real type.
dtype : dtype or str
    'u8', 'u16', 'i16' or 'f32', or their NumPy types.
window : (float, float) or str, optional
    LO and HI, or 'LO:HI'.
crop : str
    'x0:x1,y0:y1,z0:z1', half open, x first.
out : array of `dtype`, optional
    Where to write; any strides.
)" TAMIS_RUN_PARAMETERS_DOC R"(
Returns
-------
array of `dtype`, shape of the image

Raises
------
InputError
    For NaN that would become an integer without a window (with one it becomes 0), and for other types.

Examples
--------
>>> import numpy, tamis
>>> tamis.convert(numpy.array([[-0.2, 0.5, 1.4]]), "u8", (0, 1))
array([[  0, 128, 255]], dtype=uint8)
)";

void copy(const Context& context, SliceSource& source, const Samples& samples) {
  constexpr std::int64_t slab_bytes = std::int64_t{8} << 20;
  const Layout& layout = source.layout();
  const std::int64_t slice = layout.shape.y * layout.shape.x * sample_bytes(layout.type);
  const std::int64_t at_once = std::clamp<std::int64_t>(slab_bytes / slice, 1, layout.shape.z);
  std::vector<std::byte> slab(static_cast<std::size_t>(at_once * slice));
  for (std::int64_t z = 0; z < layout.shape.z; z += at_once) {
    if (context.cancel.stop_requested()) throw Cancelled();
    if (context.on_progress) context.on_progress({"converting", z, layout.shape.z});
    const std::int64_t count = std::min(at_once, layout.shape.z - z);
    source.read(z, count, slab.data());
    scatter(slab.data(), samples, z, count);
  }
}

ArrayResult convert_array(const Keywords& keywords, ImageArgument image, DtypeArgument dtype, WindowArgument window,
                          std::string_view crop, OutArgument out) {
  Call call(keywords);
  Input input = take_input(image.value, nb::none(), crop, call.context().memory_bytes);
  const Type type = type_of(dtype.value);
  std::optional<Window> range;
  if (!window.value.is_none()) range = window_of(window.value);
  const std::unique_ptr<SliceSource> converted = convert(std::move(input.source), type, range);
  const Output output(type, converted->layout().shape, out.value);
  call.run([&](const Context& context) { copy(context, *converted, output.samples()); });
  return output.result(image.value);
}

}  // namespace

void add_convert(nb::module_& module) {
  add_operation(module, "convert", convert_array, convert_doc, "image"_a, "dtype"_a, "window"_a = nb::none(),
                nb::kw_only(), "crop"_a = "", "out"_a = nb::none());
}

}  // namespace tamis::python
