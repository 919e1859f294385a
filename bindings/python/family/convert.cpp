// tamis.convert and tamis.resample.
#include <tamis/operations/arguments.hpp>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "python/array/host.hpp"
#include "python/array/input.hpp"
#include "python/array/result/calibrated.hpp"
#include "python/array/result/output.hpp"
#include "python/family/families.hpp"
#include "python/operation.hpp"

namespace tamis::python {
namespace {

/// An `out` may be a part of the image: then nothing is written before everything is read.
void copy(const Context& context, SliceSource& source, const Samples& samples, bool whole) {
  constexpr std::int64_t slab_bytes = std::int64_t{8} << 20;
  const Layout& layout = source.layout();
  const std::int64_t slice = layout.shape.y * layout.shape.x * sample_bytes(layout.type);
  const std::int64_t at_once = whole ? layout.shape.z : std::clamp<std::int64_t>(slab_bytes / slice, 1, layout.shape.z);
  std::vector<std::byte> slab(static_cast<std::size_t>(at_once * slice));
  for (std::int64_t z = 0; z < layout.shape.z; z += at_once) {
    if (context.cancel.stop_requested()) throw Cancelled();
    if (context.on_progress) context.on_progress({"converting", z, layout.shape.z});
    const std::int64_t count = std::min(at_once, layout.shape.z - z);
    source.read(z, count, slab.data());
    scatter(slab.data(), samples, z, count);
  }
}

/// The rows of a result, if their samples lie side by side in this machine's byte order.
std::optional<ImageRows> rows_of(const Samples& samples) {
  if (samples.swapped || samples.strides[2] != sample_bytes(samples.type)) return std::nullopt;
  return ImageRows{samples.data, samples.strides[1], samples.strides[0]};
}

/// The first byte of rows and the one behind the last; strides may be negative.
std::pair<std::uintptr_t, std::uintptr_t> extent_of(const std::byte* data, std::int64_t row_stride,
                                                    std::int64_t slice_stride, const Layout& layout) {
  std::int64_t low = 0;
  std::int64_t high = layout.shape.x * layout.channels * sample_bytes(layout.type);
  for (const std::int64_t reach : {row_stride * (layout.shape.y - 1), slice_stride * (layout.shape.z - 1)}) {
    (reach < 0 ? low : high) += reach;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  return {at + static_cast<std::uintptr_t>(low), at + static_cast<std::uintptr_t>(high)};
}

bool are_apart(const MappedSlices& in, const Layout& from, const ImageRows& out, Type type) {
  Layout to = from;
  to.type = type;
  const auto [in_low, in_high] = extent_of(in.data, in.row_stride, in.slice_stride, from);
  const auto [out_low, out_high] = extent_of(out.data, out.row_stride, out.slice_stride, to);
  return in_high <= out_low || out_high <= in_low;
}

/// Images of 0 ... 1, as scikit-image has them, would become 0 and 1.
void refuse_fractions(Call& call, SliceSource& source, Type type) {
  if (!call.run([&](const Context& context) { return becomes_zeros_and_ones(context, source); })) return;
  throw InputError(
      "convert to " + std::string(name(type)) +
      ": all samples would become 0 or 1, and some lie between; wanted window=(0, 1) for the whole range of " +
      std::string(name(type)) + ", or numpy.rint(image) for 0 and 1");
}

nb::object convert_array(Call& call, const Given& given) {
  const nb::handle image = given["image"];
  Input input = take_input(image, nb::none(), given["crop"], call.context().memory_bytes);
  const Type type = type_of(given["dtype"]);
  const std::optional<Window> window = given.arguments().as<ConvertArguments>().window;
  const Layout layout = input.source->layout();
  if (!window && type != Type::F32) refuse_fractions(call, *input.source, type);
  const Output output(type, layout.shape, given["out"]);
  const std::optional<MappedSlices> there = input.source->mapped();
  const std::optional<ImageRows> rows = rows_of(output.samples());
  if (there && rows && are_apart(*there, layout, *rows, type)) {
    call.run([&](const Context& context) { convert(context, *there, layout, type, window, *rows); });
  } else {
    const std::unique_ptr<SliceSource> converted = convert(std::move(input.source), type, window);
    call.run([&](const Context& context) { copy(context, *converted, output.samples(), given.has("out")); });
  }
  return output.result(image).value;
}

/// A source whose voxels are as large as the caller says.
class MeasuredSource final : public SliceSource {
 public:
  MeasuredSource(std::unique_ptr<SliceSource> source, const Spacing& spacing)
      : source_(std::move(source)), layout_(source_->layout()) {
    layout_.spacing = spacing;
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override { source_->read(z0, count, out); }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override { return source_->mapped(); }

 private:
  std::unique_ptr<SliceSource> source_;
  Layout layout_;
};

nb::object resample_array(Call& call, const Given& given) {
  const nb::handle image = given["image"];
  Input input = take_input(image, nb::none(), given["crop"], call.context().memory_bytes);
  const int rank = input.layout().shape.rank;
  const Spacing own = spacing_of(given["spacing"], given.text("unit"), rank).value_or(input.layout().spacing);
  const nb::handle voxel = given["voxel"];
  const Spacing wanted = spacing_of(voxel, PyUnicode_Check(voxel.ptr()) ? "" : own.unit, rank, "voxel").value_or(own);
  auto measured = std::make_unique<MeasuredSource>(std::move(input.source), own);
  const Interpolation interpolation = given.arguments().as<ResampleArguments>().of(measured->layout().type);
  const std::unique_ptr<SliceSource> source = resample(call.context(), std::move(measured), wanted, interpolation);
  const Layout& layout = source->layout();
  const Output output(layout.type, layout.shape, given["out"]);
  call.run([&](const Context& context) { copy(context, *source, output.samples(), given.has("out")); });
  const ArrayResult result = output.result(nb::none());
  if (given.has("out")) return result.value;
  return PyObject_CheckBuffer(image.ptr()) ? calibrated_by(result.value, layout.spacing, rank) : like(result.value, image).value;
}

}  // namespace

void add_resample(nb::module_& module) {
  const Keyword voxel{"voxel", "str | float | collections.abc.Sequence[float]", "", "str, float or sequence",
                      "Edges of the new voxels: '2um', '1x1x2um' (x first); or numbers in the order of the axes, in the "
                      "unit of those of the image."};
  add_operation(module, operation("resample"),
                {"image voxel * interpolation spacing unit crop out",
                 {voxel},
                 any_array,
                 "CalibratedArray of the type of the image, which knows its new voxels; of a tensor a tensor",
                 {{{{"image", "numpy.typing.NDArray[_Type]"}}, "numpy.typing.NDArray[_Type]"}, {{}, any_array}}},
                resample_array);
}

void add_convert(nb::module_& module) {
  const Keyword dtype{"dtype", "numpy.typing.DTypeLike", "", "dtype or str",
                      "'u8', 'u16', 'i16' or 'f32', or their NumPy types."};
  std::vector<Variant> variants = {{{{"dtype", "type[_Type] | numpy.dtype[_Type]"}}, "numpy.typing.NDArray[_Type]"}};
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    const std::string numpy_word = numpy_name(type);
    variants.push_back({{{"dtype", "typing.Literal['" + std::string(name(type)) + "', '" + numpy_word + "']"}},
                        "numpy.typing.NDArray[numpy." + numpy_word + "]"});
  }
  variants.push_back({{}, any_array});
  add_operation(module, operation("convert"),
                {"image dtype window * crop out",
                 {dtype},
                 any_array,
                 "array of `dtype`, shape of the image",
                 variants,
                 "another sample type"},
                convert_array);
}

}  // namespace tamis::python
