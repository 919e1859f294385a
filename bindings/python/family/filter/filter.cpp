#include "python/family/filter/filter.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <tamis/image/channels.hpp>
#include <tamis/error.hpp>
#include <tamis/operations/masked.hpp>
#include <tamis/operations/types.hpp>

#include "python/array/array.hpp"
#include "python/array/image.hpp"
#include "python/array/result/output.hpp"

namespace tamis::python {
namespace {

bool on_gpu(const FilterArguments& arguments) {
  return std::any_of(arguments.images.begin(), arguments.images.end(),
                     [](const NamedArray& image) { return lives_on_gpu(image.array); });
}

/// The array as something with a shape that takes a tuple as index.
nb::object indexable(nb::handle array, std::string_view what) {
  // Masked arrays stay what they are, and are refused later.
  if (PyObject_CheckBuffer(array.ptr())) return nb::module_::import_("numpy").attr("asanyarray")(array);
  if (nb::hasattr(array, "shape") && nb::hasattr(array, "dtype")) return nb::borrow(array);
  return nb::module_::import_("tamis._chunks").attr("adapt")(array, nb::str(what.data(), what.size()), 0);
}

/// The inputs of one channel, and then what they have become.
struct Work {
  std::vector<ImageInput> inputs;
  std::vector<Image> images;
  std::unique_ptr<Output> output;
};

void write_all(const Context& context, const std::vector<Work>& work) {
  for (const Work& channel : work) {
    const Image& image = channel.images.front();
    const Samples& samples = channel.output->samples();
    if (image.data() != samples.data) write(context, image, samples);
  }
}

/// The library's filter with the parameters of this call.
struct Filter {
  const OperationDescription& operation;
  const Arguments& parameters;
  SliceSource* mask = nullptr;  ///< null: all samples count

  [[nodiscard]] const FilterCalls& calls() const { return operation.filter; }
  /// Where the mask is not 0.
  [[nodiscard]] Image inside(const Context& context, const Layout& layout) const {
    return std::move(read_channels(context, *mask_source(*mask, layout), false).front());
  }

  [[nodiscard]] Type result_type(const Work& work) const {
    std::vector<Type> types;
    for (const ImageInput& input : work.inputs) types.push_back(input.type());
    return sample_types(operation, parameters, types).result;
  }

  [[nodiscard]] bool goes_as_bytes(const Context& context, const Layout& layout) const {
    return layout.type == Type::Bool && calls().better_as_bytes && context.device != Device::Cuda &&
           calls().better_as_bytes(parameters, layout.shape);
  }

  /// Of images in memory of the library.
  void run(const Context& context, Work& channel) const {
    std::vector<const Image*> images;
    for (const Image& image : channel.images) images.push_back(&image);
    Image result;
    calls().run(context, images, parameters, result);
    channel.images.clear();
    channel.images.push_back(std::move(result));
  }
  /// Of one image where it lies, into where the result is wanted.
  void run_in_place(const Context& context, Work& channel) const {
    const ImageInput& input = channel.inputs.front();
    Image image = goes_as_bytes(context, input.layout()) ? input.look_at_bytes(context) : Image();
    const bool converts = channel.output->samples().type != input.layout().type;
    Image result = !image.empty() ? channel.output->fresh_bytes() : converts ? Image() : channel.output->fresh_image();
    if (image.empty()) image = input.look_at(context);
    const Image* const images[] = {&image};
    calls().run(context, images, parameters, result);
    channel.images.push_back(std::move(result));
  }
  /// Of one image, of which only what is `inside` counts.
  void run_in_mask(const Context& context, const Image& inside, Work& channel) const {
    Image result;
    filter_in_mask(context, operation, channel.inputs.front().read(context), inside, parameters, result);
    channel.images.push_back(std::move(result));
  }
};

/// The library refuses the same, but writes shapes x first.
void require_mask_of(const Shape& image, const Shape& mask) {
  if (mask.x == image.x && mask.y == image.y && (mask.z == 1 || mask.z == image.z)) return;
  throw InputError("mask: an array of shape " + shape_text(mask) + "; wanted shape " + shape_text(image) +
                   (image.z > 1 ? ", or that of one slice for all" : ""));
}

/// An `out` may overlap the images, and is left alone if something is wrong with one of them.
void run(Call& call, std::vector<Work>& work, const Filter& filter) {
  if (filter.mask) require_mask_of(work.front().inputs.front().array_shape(), filter.mask->layout().shape);
  call.run([&](const Context& context) {
    if (filter.mask) {
      const Image inside = filter.inside(context, work.front().inputs.front().layout());
      for (Work& channel : work) filter.run_in_mask(context, inside, channel);
      return write_all(context, work);
    }
    if (filter.calls().keeps_to_samples) {
      for (Work& channel : work) filter.run_in_place(context, channel);
      return write_all(context, work);
    }
    for (Work& channel : work) {
      for (const ImageInput& input : channel.inputs) channel.images.push_back(input.read(context));
    }
    for (Work& channel : work) filter.run(context, channel);
    write_all(context, work);
  });
}

Work take(const std::vector<NamedArray>& images, const FilterArguments& arguments, std::int64_t memory_bytes) {
  Work work;
  for (const NamedArray& image : images) {
    work.inputs.emplace_back(image.array, image.name, arguments.batch, memory_bytes, arguments.as_type);
  }
  return work;
}

/// Where the result of `work` goes, which is of this type, or F64 where doubles are wanted of doubles.
void give_output(Work& work, Type type, nb::handle out) {
  if (work.inputs.back().type() == Type::F64 && !out.is_none() && type_of_out(out) == Type::F64) type = Type::F64;
  work.output = std::make_unique<Output>(type, work.inputs.back().array_shape(), out);
}

ArrayResult filter_whole(Call& call, const FilterArguments& arguments, const Filter& filter) {
  for (const NamedArray& image : arguments.images) refuse_colour(image.array, image.name);
  std::vector<Work> work;
  work.push_back(take(arguments.images, arguments, call.context().memory_bytes));
  give_output(work.front(), filter.result_type(work.front()), arguments.out);
  run(call, work, filter);
  return work.front().output->result(arguments.images.back().array);
}

/// The array that all channels are written to.
nb::object whole_output(nb::handle image, Type type, nb::handle out) {
  const nb::tuple shape = axes_of(image);
  if (out.is_none()) return numpy_empty(shape, type);
  nb::object given = indexable(out, "out");
  if (shape_text(given) != shape_text(image)) {
    throw InputError("out: got shape " + shape_text(given) + "; wanted shape " + shape_text(image));
  }
  return given;
}

/// The images of a call as arrays that can be indexed.
struct Indexable {
  std::vector<nb::object> arrays;
  std::vector<std::string_view> names;

  explicit Indexable(const std::vector<NamedArray>& images) {
    for (const NamedArray& image : images) {
      arrays.push_back(indexable(image.array, image.name));
      names.push_back(image.name);
      const std::string got = shape_text(arrays.back());
      const std::string first = shape_text(arrays.front());
      if (got == first) continue;
      throw InputError(std::string(image.name) + ": an array of shape " + got + ", " + std::string(names.front()) +
                       " has " + first + "; wanted one shape");
    }
  }
};

ArrayResult filter_channels(Call& call, const FilterArguments& arguments, const Filter& filter) {
  const Indexable images(arguments.images);
  const Channels channels(images.arrays.back(), *arguments.channel_axis);
  std::vector<Work> work;
  nb::object whole;
  for (std::int64_t c = 0; c < channels.count(); ++c) {
    std::vector<nb::object> views;
    std::vector<NamedArray> planes;
    for (std::size_t i = 0; i < images.arrays.size(); ++i) {
      views.push_back(channels.of(images.arrays[i], c));
      planes.push_back({views.back(), images.names[i]});
    }
    work.push_back(take(planes, arguments, call.context().memory_bytes));
    const Type type = filter.result_type(work.back());
    if (c == 0) whole = whole_output(images.arrays.back(), type, arguments.out);
    give_output(work.back(), type, channels.of(whole, c));
  }
  run(call, work, filter);
  if (!arguments.out.is_none()) return {nb::borrow(arguments.out)};
  return like(whole, arguments.images.back().array);
}

}  // namespace

ArrayResult filter_arrays(Call& call, const FilterArguments& arguments, const OperationDescription& operation,
                          const Arguments& parameters) {
  if (on_gpu(arguments)) {
    if (!arguments.mask.is_none()) {
      throw InputError("mask: of arrays in host memory only; wanted the image there, device='cuda' takes it to the GPU");
    }
    if (arguments.as_type.type) {
      throw InputError("as_type: of arrays in host memory only; wanted an array on the GPU of the type itself");
    }
    return filter_gpu_arrays(call, arguments,
                             [&](const Context& context, const std::vector<GpuArray>& images, const GpuOutput& out) {
                               operation.filter.run_on_gpu(context, images, parameters, out);
                             });
  }
  std::unique_ptr<SliceSource> mask;
  if (!arguments.mask.is_none()) mask = source_of_array(arguments.mask, "mask", call.context().memory_bytes);
  const Filter filter{operation, parameters, mask.get()};
  return arguments.channel_axis ? filter_channels(call, arguments, filter) : filter_whole(call, arguments, filter);
}

}  // namespace tamis::python
