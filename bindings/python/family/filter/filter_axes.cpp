#include "python/family/filter/filter.hpp"

#include <nanobind/stl/string.h>

#include <tamis/error.hpp>

namespace nb = nanobind;

namespace tamis::python {

nb::tuple axes_of(nb::handle array) { return nb::tuple(array.attr("shape")); }

std::string shape_text(nb::handle array) { return nb::cast<std::string>(nb::repr(axes_of(array))); }

void refuse_colour(nb::handle image, std::string_view what) {
  constexpr std::int64_t photograph = 16;
  const nb::object shape = nb::getattr(image, "shape", nb::none());
  if (shape.is_none() || nb::len(shape) != 3) return;
  const auto edge = [&](int axis) { return nb::cast<std::int64_t>(nb::object(shape[axis])); };
  const std::int64_t last = edge(2);
  if ((last != 3 && last != 4) || edge(0) < photograph || edge(1) < photograph) return;
  const nb::object type = nb::getattr(image, "dtype", nb::none());
  if (nb::cast<std::string>(nb::str(type)).find("bool") != std::string::npos) return;
  const std::string name(what);
  throw InputError(name + ": an array of shape " + shape_text(image) +
                   " looks like a colour image; wanted channel_axis=-1, or of a volume this thin " + name +
                   ".transpose(2, 0, 1)");
}

Channels::Channels(nb::handle image, int axis) : rank_(static_cast<int>(nb::len(axes_of(image)))) {
  const std::string got = "channel_axis=" + std::to_string(axis) + " of an array of shape " + shape_text(image);
  if (rank_ != 3 && rank_ != 4) throw InputError(got + "; wanted (y, x) or (z, y, x) and an axis of channels");
  if (axis < -rank_ || axis >= rank_) {
    throw InputError(got + "; wanted " + std::to_string(-rank_) + " to " + std::to_string(rank_ - 1));
  }
  axis_ = axis < 0 ? axis + rank_ : axis;
  count_ = nb::cast<std::int64_t>(nb::object(axes_of(image)[axis_]));
  if (count_ == 0) throw InputError(got + "; wanted at least one channel");
}

nb::object Channels::of(nb::handle array, std::int64_t channel) const {
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

}  // namespace tamis::python
