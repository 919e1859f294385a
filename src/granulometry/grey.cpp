// Granulometry of grey images: openings of growing size, and the sum of what is left.
#include <string>
#include <utility>

#include <tamis/error.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/memory.hpp>
#include <tamis/morphology.hpp>

#include "core/door.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "granulometry/grey_counts.hpp"
#include "granulometry/plan.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;

StructuringElement element_of_size(GreyElement element, std::int64_t n) {
  switch (element) {
    case GreyElement::Cross:
      return StructuringElement::cross(n);
    case GreyElement::Square:
      return StructuringElement::square(2 * n + 1);
    case GreyElement::Octagon:
      return StructuringElement::octagon(n);
    case GreyElement::Disk:
      return StructuringElement::disk(static_cast<double>(n));
    case GreyElement::Cube:
      return StructuringElement::cube(2 * n + 1);
    case GreyElement::Ball:
      return StructuringElement::ball(static_cast<double>(n));
  }
  return StructuringElement::square(1);
}

/// Element n is the sum of n unit elements, at borders too.
bool is_sum_of_units(GreyElement element) {
  return element == GreyElement::Cross || element == GreyElement::Square || element == GreyElement::Cube;
}

bool acts_along_z(const Shape& shape, GreyElement element) {
  return shape.rank == 3 &&
         (element == GreyElement::Cross || element == GreyElement::Cube || element == GreyElement::Ball);
}

void validate(const Image& image, const GreyGranulometryOptions& options) {
  require_image(image, "granulometry");
  door::require_known(options.element, GreyElement::Ball, "element");
  door::require_known(options.border, DomainBorder::Neutral, "border");
  door::require_known(options.phase, Phase::Dark, "phase");
  const Type type = image.type();
  if (type != Type::U8 && type != Type::U16 && type != Type::I16 && type != Type::F32) {
    throw InputError("grey granulometry of a " + std::string(name(type)) +
                     " image; wanted u8, u16, i16 or f32: convert it first");
  }
  if (image.shape().rank == 2 && options.element == GreyElement::Cube) {
    throw InputError("element cube on a 2-D image of " + to_string(image.shape()) +
                     "; wanted cross, square, octagon or disk");
  }
  if (options.max_size) require_in(size_limits, static_cast<double>(*options.max_size), "max_size");
}

std::int64_t bytes_of_openings(const Image& image, GreyElement element) {
  return image.bytes() * (is_sum_of_units(element) ? 3 : 1);
}

/// Openings of one image by elements of growing size; for the dark phase closings.
class Sieve {
 public:
  Sieve(const Context& context, const Image& image, const GreyGranulometryOptions& options, double base)
      : context_(context),
        image_(image),
        options_(options),
        outside_(options.border == DomainBorder::Neutral ? Border::neutral() : Border::constant(base)) {
    context_.on_progress = nullptr;  // one stage for all of it, not one for each step
    context_.on_stage = nullptr;
  }

  /// Call it for n = 1, 2, 3 ... in turn.
  const Image& opening(std::int64_t n) {
    const bool bright = options_.phase == Phase::Bright;
    const Operation shrink = bright ? Operation::Erode : Operation::Dilate;
    const Operation grow = bright ? Operation::Dilate : Operation::Erode;
    if (!is_sum_of_units(options_.element)) {
      // Growing sees the base outside as well, which is no more than what is neutral to it.
      run(bright ? Operation::Open : Operation::Close, image_, n, outside_, opened_);
      return opened_;
    }
    // Shrinking by n units is shrinking what n-1 units have left; growing has no such short cut.
    run(shrink, n == 1 ? image_ : shrunk_, 1, outside_, next_);
    std::swap(shrunk_, next_);
    run(grow, shrunk_, n, Border::neutral(), opened_);
    return opened_;
  }

 private:
  void run(Operation operation, const Image& from, std::int64_t n, const Border& border, Image& to) {
    MorphologyOptions options;
    options.element = element_of_size(options_.element, n);
    options.border = border;
    morphology(context_, operation, from, options, to);
  }

  Context context_;
  const Image& image_;
  const GreyGranulometryOptions& options_;
  Border outside_;
  Image shrunk_;
  Image next_;
  Image opened_;
};

}  // namespace

std::string_view name(GreyElement element) {
  switch (element) {
    case GreyElement::Cross:
      return "cross";
    case GreyElement::Square:
      return "square";
    case GreyElement::Octagon:
      return "octagon";
    case GreyElement::Disk:
      return "disk";
    case GreyElement::Cube:
      return "cube";
    case GreyElement::Ball:
      return "ball";
  }
  door::refuse_value(static_cast<std::int64_t>(element), static_cast<std::int64_t>(GreyElement::Ball), "element");
}

Sizes grey_granulometry(const Context& context, const Image& image, const GreyGranulometryOptions& asked) {
  return door::compute(context, "grey granulometry", [&] {
    GreyGranulometryOptions options = asked;
    // Balls of an image are disks.
    if (image.shape().rank == 2 && asked.element == GreyElement::Ball) options.element = GreyElement::Disk;
    validate(image, options);
    require_memory(context, "grey granulometry", bytes_of_openings(image, options.element));
    Stage stage(context, "openings", options.max_size.value_or(0));
    const GreyRange range = grey_range(context, image);
    const GreyScale scale = grey_scale(image.type(), range, options.phase, image.shape().count());
    const bool along_z = acts_along_z(image.shape(), options.element);
    Sizes sizes;
    sizes.grey = scale;
    sizes.spacing = image.spacing;
    sizes.rank = along_z ? 3 : 2;
    sizes.border_voxels = grey_border_count(image, scale, options.phase, along_z);
    sizes.volume.push_back(grey_count(context, image, scale, options.phase));
    // Slice by slice under a neutral border each slice ends as its own lowest value.
    const bool ends_by_slice = options.border == DomainBorder::Neutral && !along_z && image.shape().z > 1;
    const std::int64_t floor = ends_by_slice ? grey_floor_count(context, image, scale, options.phase) : 0;
    Sieve sieve(context, image, options, scale.base);
    // No element reached what has come down to the lowest value, and larger ones contain this one: nothing changes now.
    while (sizes.volume.back() > floor && sizes.rows() <= options.max_size.value_or(sizes.rows())) {
      sizes.volume.push_back(grey_count(context, sieve.opening(sizes.rows()), scale, options.phase));
      stage.advance();
    }
    sizes.limited = sizes.volume.back() > floor;
    sizes.never_empties = !sizes.limited && floor > 0;
    if (context.device == Device::Cuda) {  // as for all of morphology: only where it is asked for by name
      sizes.device = Device::Cuda;
      sizes.gpu = context.gpu;
    }
    return sizes;
  });
}

}  // namespace tamis
