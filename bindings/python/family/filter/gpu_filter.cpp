#include "python/family/filter/filter.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "python/array/array.hpp"
#include "python/array/gpu.hpp"

namespace tamis::python {
namespace {

void refuse_type(const HeldGpuArray& image, const std::string& what) {
  if (image.samples.type <= Type::F32) return;
  throw InputError(what + ": " + std::string(name(image.samples.type)) +
                   " samples; wanted bool, u8, u16, i16 or f32: " + what + ".astype('float32') of CuPy, " + what +
                   ".float() of PyTorch");
}

/// The arrays of one channel.
struct Work {
  std::vector<HeldGpuArray> inputs;
  HeldGpuArray out;
};

/// What the library works on: of a batch, images.
template <class Array>
Array as_stack(Array array, bool batch) {
  if (batch) array.shape.rank = 2;
  return array;
}

Work take(const GpuExchange& exchange, const std::vector<NamedArray>& images) {
  Work work;
  for (const NamedArray& image : images) {
    work.inputs.push_back(exchange.take(image.array, image.name));
    refuse_type(work.inputs.back(), std::string(image.name));
  }
  return work;
}

void give_output(const GpuExchange& exchange, Work& work, nb::handle out) {
  const GpuOutput& last = work.inputs.back().samples;
  work.out = exchange.output(out, &last.type, last.shape);
}

void run(Call& call, const GpuExchange& exchange, const std::vector<Work>& work, bool batch, const GpuFilter& filter) {
  call.run([&](const Context& context) {
    const Context own = exchange.on_stream(context);
    for (const Work& channel : work) {
      std::vector<GpuArray> images;
      for (const HeldGpuArray& input : channel.inputs) images.push_back(as_stack(input.input(), batch));
      filter(own, images, as_stack(channel.out.samples, batch));
    }
  });
}

ArrayResult filter_whole(Call& call, const FilterArguments& arguments, const GpuFilter& filter) {
  for (const NamedArray& image : arguments.images) refuse_colour(image.array, image.name);
  const GpuExchange exchange(arguments.images.back().array);
  std::vector<Work> work;
  work.push_back(take(exchange, arguments.images));
  give_output(exchange, work.front(), arguments.out);
  run(call, exchange, work, arguments.batch, filter);
  return {work.front().out.object};
}

/// Addresses from the first sample to the last one of several arrays.
class Extent {
 public:
  void include(const GpuArray& array) {
    auto low = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.data));
    std::int64_t high = low;
    const auto reach = [&](std::int64_t stride, std::int64_t count) {
      (stride < 0 ? low : high) += stride * (count - 1);
    };
    reach(array.stride_x, array.shape.x);
    reach(array.stride_y, array.shape.y);
    reach(array.stride_z, array.shape.z);
    low_ = std::min(low_, low);
    high_ = std::max(high_, high);
  }
  [[nodiscard]] bool overlaps(const Extent& other) const { return low_ <= other.high_ && other.low_ <= high_; }

 private:
  std::int64_t low_ = INT64_MAX, high_ = INT64_MIN;
};

bool overlaps_images(const std::vector<Work>& work) {
  Extent inputs;
  Extent outputs;
  for (const Work& channel : work) {
    for (const HeldGpuArray& input : channel.inputs) inputs.include(input.input());
    outputs.include(channel.out.input());
  }
  return inputs.overlaps(outputs);
}

ArrayResult filter_channels(Call& call, const FilterArguments& arguments, const GpuFilter& filter) {
  const NamedArray& last = arguments.images.back();
  for (const NamedArray& image : arguments.images) {
    if (nb::hasattr(image.array, "shape") && nb::hasattr(image.array, "__getitem__")) continue;
    throw InputError(std::string(image.name) +
                     ": an array on a GPU without shape or index; wanted a CuPy array or a PyTorch tensor");
  }
  const Channels channels(last.array, *arguments.channel_axis);
  for (const NamedArray& image : arguments.images) {
    if (shape_text(image.array) == shape_text(last.array)) continue;
    throw InputError(std::string(image.name) + ": an array of shape " + shape_text(image.array) + ", " +
                     std::string(last.name) + " has " + shape_text(last.array) + "; wanted one shape");
  }
  if (!arguments.out.is_none() && shape_text(arguments.out) != shape_text(last.array)) {
    throw InputError("out: got shape " + shape_text(arguments.out) + "; wanted shape " + shape_text(last.array));
  }
  const GpuExchange exchange(channels.of(last.array, 0));
  std::vector<Work> work;
  for (std::int64_t c = 0; c < channels.count(); ++c) {
    std::vector<nb::object> views;
    std::vector<NamedArray> planes;
    for (const NamedArray& image : arguments.images) {
      views.push_back(channels.of(image.array, c));
      planes.push_back({views.back(), image.name});
    }
    work.push_back(take(exchange, planes));
  }
  const auto give_outputs = [&](nb::handle whole) {
    for (std::int64_t c = 0; c < channels.count(); ++c) {
      give_output(exchange, work[static_cast<std::size_t>(c)], channels.of(whole, c));
    }
  };
  nb::object whole = nb::borrow(arguments.out);
  if (!arguments.out.is_none()) give_outputs(whole);
  // A channel must not be written before all are read.
  const bool apart = !arguments.out.is_none() && overlaps_images(work);
  if (arguments.out.is_none() || apart) {
    whole = exchange.empty(axes_of(last.array), work.front().inputs.back().samples.type);
    give_outputs(whole);
  }
  run(call, exchange, work, arguments.batch, filter);
  if (!apart) return {whole};
  exchange.copy(whole, arguments.out);
  return {nb::borrow(arguments.out)};
}

}  // namespace

ArrayResult filter_gpu_arrays(Call& call, const FilterArguments& arguments, const GpuFilter& filter) {
  return arguments.channel_axis ? filter_channels(call, arguments, filter) : filter_whole(call, arguments, filter);
}

}  // namespace tamis::python
