#include "filter.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>

#include <tamis/error.hpp>

#include "array.hpp"
#include "image_exchange.hpp"
#include "output.hpp"

namespace tamis::python {
namespace {

void refuse_gpu(const NamedArray& image) {
  if (!lives_on_gpu(image.array)) return;
  throw EnvironmentError(std::string(image.name) +
                         ": an array on a GPU, where filters do not run yet; wanted one in host memory: array.get() "
                         "of CuPy, tensor.cpu() of PyTorch");
}

nb::tuple axes_of(nb::handle array) { return nb::tuple(array.attr("shape")); }

std::string shape_text(nb::handle array) { return nb::cast<std::string>(nb::repr(axes_of(array))); }

/// Colours come last in nearly every library. Masks have no colours, and small arrays are somebody's test.
void refuse_colour(const NamedArray& image) {
  constexpr std::int64_t photograph = 16;
  const nb::object shape = nb::getattr(image.array, "shape", nb::none());
  if (shape.is_none() || nb::len(shape) != 3) return;
  const auto edge = [&](int axis) { return nb::cast<std::int64_t>(nb::object(shape[axis])); };
  const std::int64_t last = edge(2);
  if ((last != 3 && last != 4) || edge(0) < photograph || edge(1) < photograph) return;
  const nb::object type = nb::getattr(image.array, "dtype", nb::none());
  if (nb::cast<std::string>(nb::str(type)).find("bool") != std::string::npos) return;
  const std::string name(image.name);
  throw InputError(name + ": an array of shape " + shape_text(image.array) +
                   " looks like a colour image; wanted channel_axis=-1, or of a volume this thin " + name +
                   ".transpose(2, 0, 1)");
}

/// The array as something with a shape that takes a tuple as index.
nb::object indexable(nb::handle array, std::string_view what) {
  // Masked arrays stay what they are, and are refused later.
  if (PyObject_CheckBuffer(array.ptr())) return nb::module_::import_("numpy").attr("asanyarray")(array);
  if (nb::hasattr(array, "shape") && nb::hasattr(array, "dtype")) return nb::borrow(array);
  return nb::module_::import_("tamis._chunks").attr("adapt")(array, nb::str(what.data(), what.size()), 0);
}

/// One axis of an array of channels.
class Channels {
 public:
  Channels(nb::handle image, int axis) : rank_(static_cast<int>(nb::len(axes_of(image)))) {
    const std::string got = "channel_axis=" + std::to_string(axis) + " of an array of shape " + shape_text(image);
    if (rank_ != 3 && rank_ != 4) throw InputError(got + "; wanted (y, x) or (z, y, x) and an axis of channels");
    if (axis < -rank_ || axis >= rank_) {
      throw InputError(got + "; wanted " + std::to_string(-rank_) + " to " + std::to_string(rank_ - 1));
    }
    axis_ = axis < 0 ? axis + rank_ : axis;
    count_ = nb::cast<std::int64_t>(nb::object(axes_of(image)[axis_]));
    if (count_ == 0) throw InputError(got + "; wanted at least one channel");
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// A view of one channel.
  [[nodiscard]] nb::object of(nb::handle array, std::int64_t channel) const {
    nb::list index;
    for (int i = 0; i < rank_; ++i) {
      if (i == axis_) {
        index.append(channel);
      } else {
        index.append(nb::steal(PySlice_New(nullptr, nullptr, nullptr)));
      }
    }
    return array[nb::tuple(index)];
  }

 private:
  int rank_;
  int axis_ = 0;
  std::int64_t count_ = 0;
};

/// The inputs of one channel, and then what they have become.
struct Work {
  std::vector<ImageInput> inputs;
  std::vector<Image> images;
  std::unique_ptr<Output> output;
};

void run(Call& call, std::vector<Work>& work, const Filter& filter) {
  call.run([&](const Context& context) {
    // An `out` may overlap the images, and is left alone if something is wrong with one of them.
    for (Work& channel : work) {
      for (const ImageInput& input : channel.inputs) channel.images.push_back(input.read(context));
    }
    for (Work& channel : work) {
      Image result = filter(context, channel.images);
      channel.images.clear();
      channel.images.push_back(std::move(result));
    }
    for (const Work& channel : work) write(context, channel.images.front(), channel.output->samples());
  });
}

Work take(const std::vector<NamedArray>& images, bool batch, std::int64_t memory_bytes) {
  Work work;
  for (const NamedArray& image : images) work.inputs.emplace_back(image.array, image.name, batch, memory_bytes);
  return work;
}

/// Where the result of `work` goes.
void give_output(Work& work, nb::handle out) {
  const ImageInput& last = work.inputs.back();
  work.output = std::make_unique<Output>(last.layout().type, last.array_shape(), out);
}

ArrayResult filter_whole(Call& call, const FilterArguments& arguments, const Filter& filter) {
  for (const NamedArray& image : arguments.images) refuse_colour(image);
  std::vector<Work> work;
  work.push_back(take(arguments.images, arguments.batch, call.context().memory_bytes));
  give_output(work.front(), arguments.out);
  run(call, work, filter);
  return work.front().output->result(arguments.images.back().array);
}

/// The array that all channels are written to.
nb::object whole_output(nb::handle image, Type type, nb::handle out) {
  const nb::tuple shape = axes_of(image);
  if (out.is_none()) return numpy_empty(shape, numpy_name(type));
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
    work.push_back(take(planes, arguments.batch, call.context().memory_bytes));
    if (c == 0) whole = whole_output(images.arrays.back(), work.front().inputs.back().layout().type, arguments.out);
    give_output(work.back(), channels.of(whole, c));
  }
  run(call, work, filter);
  if (!arguments.out.is_none()) return {nb::borrow(arguments.out)};
  return like(whole, arguments.images.back().array);
}

}  // namespace

ArrayResult filter_arrays(Call& call, const FilterArguments& arguments, const Filter& filter) {
  for (const NamedArray& image : arguments.images) refuse_gpu(image);
  return arguments.channel_axis ? filter_channels(call, arguments, filter) : filter_whole(call, arguments, filter);
}

}  // namespace tamis::python
