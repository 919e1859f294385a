// Sizes of the parts of larger arrays, which overlap: what tamis.dask asks for (tamis/_dask/sizes.py).
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <tamis/balls.hpp>
#include <tamis/granulometry.hpp>

#include "granulometry/cpu/run.hpp"
#include "python/array/host.hpp"
#include "python/array/result/binary.hpp"
#include "python/array/result/output.hpp"
#include "python/family/families.hpp"

namespace tamis::python {
namespace {

using granulometry_detail::CountedBox;
using Place = std::vector<std::int64_t>;  ///< along (y, x) or (z, y, x)

/// What lies between `first` and `end` along each axis.
CountedBox box_between(const Place& first, const Place& end) {
  const std::size_t last = first.size() - 1;
  return {first.size() == 3 ? CountedBox::Range{first[0], end[0]} : CountedBox::Range{0, 1},
          {first[last - 1], end[last - 1]},
          {first[last], end[last]}};
}

GranulometryOptions options_of(const std::string& element, std::optional<std::int64_t> max_size) {
  GranulometryOptions options;
  options.element = element == "cross" ? Element::Cross : element == "cube" ? Element::Cube : Element::Square;
  options.max_size = max_size;
  return options;
}

Context context_of(int threads) {
  Context context = Context::best();
  context.device = Device::Cpu;
  context.threads = threads;
  return context;
}

/// How many voxels in the box the opening of each size removes, at index T.
nb::object removed_in(const PackedRows& packed, const Place& shape, const Place& first, const Place& end,
                      const std::string& element, std::optional<std::int64_t> max_size, int threads) {
  const std::vector<std::int64_t> counts = [&] {
    const nb::gil_scoped_release released;
    return granulometry_detail::cpu::removed_in(context_of(threads), image_of_packed(packed, shape),
                                                options_of(element, max_size), box_between(first, end));
  }();
  return numpy_array(counts.data(), counts.size()).value;
}

/// The part of a size map in a box as an array of its type, which is known when the first slice comes.
class MapInBox {
 public:
  MapInBox(const Place& shape, const CountedBox& box)
      : box_(box), rows_(shape[shape.size() - 2]), columns_(shape.back()), volume_(shape.size() == 3) {}

  void start(Type type) {
    bytes_ = sample_bytes(type);
    const nb::gil_scoped_acquire gil;
    const std::int64_t z = box_.z.end - box_.z.begin;
    const std::int64_t y = box_.y.end - box_.y.begin;
    const std::int64_t x = box_.x.end - box_.x.begin;
    array_ = numpy_empty(volume_ ? nb::make_tuple(z, y, x) : nb::make_tuple(y, x), type);
    to_ = static_cast<std::byte*>(nb::cast<nb::ndarray<nb::c_contig, nb::device::cpu>>(array_).data());
  }

  void write(const std::byte* slices, std::int64_t z0, std::int64_t count) {
    const auto row = static_cast<std::size_t>((box_.x.end - box_.x.begin) * bytes_);
    for (std::int64_t z = std::max(z0, box_.z.begin); z < std::min(z0 + count, box_.z.end); ++z) {
      for (std::int64_t y = box_.y.begin; y < box_.y.end; ++y, to_ += row) {
        std::memcpy(to_, slices + (((z - z0) * rows_ + y) * columns_ + box_.x.begin) * bytes_, row);
      }
    }
  }

  [[nodiscard]] nb::object array() const { return array_; }

 private:
  CountedBox box_;
  std::int64_t rows_;
  std::int64_t columns_;
  bool volume_;
  std::int64_t bytes_ = 1;
  nb::object array_;
  std::byte* to_ = nullptr;  ///< slices come in order
};

/// The size map in the box, of the narrowest type that holds it.
nb::object size_map_in(const PackedRows& packed, const Place& shape, const Place& first, const Place& end,
                       const std::string& element, std::optional<std::int64_t> max_size, int threads) {
  MapInBox map(shape, box_between(first, end));
  {
    const nb::gil_scoped_release released;
    static_cast<void>(size_map(
        context_of(threads), image_of_packed(packed, shape), options_of(element, max_size), {},
        [&](Type type) { map.start(type); },
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { map.write(slices, z0, count); }));
  }
  return map.array();
}

/// Squares of the radii of balls in the box; less than those of all listed ones where none of them covers a voxel. The
/// convention as its number, the edges of a voxel along z, y, x.
nb::object squares_in(const PackedRows& packed, const Place& shape, const Place& first, const Place& end,
                      bool by_slices, bool neutral, int convention, const std::optional<Place>& sizes,
                      const std::vector<double>& edges, int threads) {
  const BallOptions options{neutral ? DomainBorder::Neutral : DomainBorder::Background,
                            static_cast<BallConvention>(convention),
                            by_slices,
                            {},
                            sizes.value_or(Place())};
  Image image = image_of_packed(packed, shape);
  image.spacing = {edges[0], edges[1], edges[2], "um"};
  MapInBox map(shape, box_between(first, end));
  {
    const nb::gil_scoped_release released;
    static_cast<void>(ball_map(
        context_of(threads), image, options, {}, [&](const BallSizes&, Type type) { map.start(type); },
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) { map.write(slices, z0, count); }));
  }
  return map.array();
}

}  // namespace

void add_granulometry_of_parts(nb::module_& module) {
  const auto add = [&](const char* name, auto* function) {
    module.def(name, function, nb::arg("packed"), nb::arg("shape"), nb::arg("first"), nb::arg("end"),
               nb::arg("element"), nb::arg("max_size").none(), nb::arg("threads"));
  };
  add("_removed_in", removed_in);
  add("_size_map_in", size_map_in);
  module.def("_squares_in", squares_in, nb::arg("packed"), nb::arg("shape"), nb::arg("first"), nb::arg("end"),
             nb::arg("by_slices"), nb::arg("neutral"), nb::arg("convention"), nb::arg("sizes").none(), nb::arg("edges"),
             nb::arg("threads"));
}

}  // namespace tamis::python
