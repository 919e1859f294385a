#include "python/family/ball_granulometry.hpp"

#include <memory>
#include <string>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/error.hpp>

#include "python/array/array.hpp"
#include "python/array/binary.hpp"
#include "python/array/input.hpp"
#include "python/array/size_map.hpp"
#include "python/array/strided.hpp"
#include "python/family/cpu_only.hpp"

namespace tamis::python {
namespace {

/// The object with the sides of its voxels, and the options.
struct Prepared {
  Binary binary;
  BallOptions options;
};

Prepared prepare(Call& call, const ObjectArguments& arguments) {
  require_cpu(call, arguments.image, "granulometry by balls");
  Input input = take_input(arguments.image, arguments.roi, arguments.crop, call.context().memory_bytes);
  const Layout layout = input.layout();
  const GranulometryArguments parameters = arguments.on(layout.shape.rank);
  Prepared prepared;
  prepared.options = parameters.ball_options();
  if (layout.shape.rank == 2 && !prepared.options.by_slices) {
    throw InputError("element='ball': the image has two axes; wanted 'disk'");
  }
  const Spacing spacing = arguments.spacing_on(layout.shape.rank).value_or(layout.spacing);
  static_cast<void>(whole_sides(spacing, prepared.options.by_slices ? 2 : 3));  // refused before any work
  prepared.binary = binary_of(call, input, parameters.threshold_options());
  prepared.binary.object.spacing = spacing;
  return prepared;
}

/// Squares of radii, slice by slice, as the map that is wanted.
class BallMap {
 public:
  BallMap(const Image& object, bool widths, nb::handle out)
      : measure_(widths ? BallMeasure::Width : BallMeasure::Size),
        samples_of_slice_(object.shape().y * object.shape().x) {
    if (widths) {
      lengths_ = std::make_unique<Output>(Type::F32, object.shape(), out);
    } else {
      sizes_ = std::make_unique<SizeMapOutput>(object.shape(), object.spacing, Element::Cross, false, out);
    }
  }

  void start(const BallSizes& balls, Type squares) {
    balls_ = balls;
    squares_ = squares;
    const Type type = ball_map_type(balls, measure_);
    slice_.resize(static_cast<std::size_t>(samples_of_slice_ * sample_bytes(type)));
    if (sizes_) sizes_->start(type);
  }
  void write(const std::byte* slices, std::int64_t z0, std::int64_t count) {
    for (std::int64_t z = 0; z < count; ++z) {
      const std::byte* const from = slices + z * samples_of_slice_ * sample_bytes(squares_);
      measure_balls(balls_, measure_, squares_, from, samples_of_slice_, slice_.data());
      if (sizes_) {
        sizes_->write(slice_.data(), z0 + z, 1);
      } else {
        scatter(slice_.data(), lengths_->samples(), z0 + z, 1);
      }
    }
  }
  [[nodiscard]] ArrayResult result(nb::handle image) const {
    return sizes_ ? sizes_->result(image) : lengths_->result(image);
  }

 private:
  BallMeasure measure_;
  std::int64_t samples_of_slice_;
  std::unique_ptr<SizeMapOutput> sizes_;
  std::unique_ptr<Output> lengths_;
  BallSizes balls_;
  Type squares_ = Type::U16;
  std::vector<std::byte> slice_;
};

}  // namespace

bool by_balls(const ObjectArguments& arguments) {
  // Arrays are crosses, cubes and squares.
  return !arguments.element.is_none() && PyUnicode_Check(arguments.element.ptr()) && arguments.on(3).by_balls();
}

SizesResult ball_granulometry_of_array(Call& call, const ObjectArguments& arguments) {
  const Prepared prepared = prepare(call, arguments);
  SizesResult result;
  result.sizes = call.run([&](const Context& context) {
    return ball_granulometry(context, prepared.binary.object, prepared.options, prepared.binary.domain).sizes;
  });
  result.element = prepared.options.by_slices ? "disk" : "ball";
  result.border = name(prepared.options.border);
  return result;
}

ArrayResult ball_map_of_array(Call& call, const ObjectArguments& arguments, bool widths, nb::handle out) {
  const Prepared prepared = prepare(call, arguments);
  BallMap map(prepared.binary.object, widths, out);
  call.run([&](const Context& context) {
    static_cast<void>(ball_map(
        context, prepared.binary.object, prepared.options, prepared.binary.domain,
        [&](const BallSizes& balls, Type squares) { map.start(balls, squares); },
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { map.write(slices, z0, count); }));
  });
  return map.result(arguments.image);
}

}  // namespace tamis::python
