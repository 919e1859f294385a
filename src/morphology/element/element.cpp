#include <tamis/element.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/door.hpp"
#include "morphology/element/catalogue.hpp"

namespace tamis {
namespace {

using namespace morphology_detail;

// Longer sums are not needed: to repeat an operation there are iterations. Each part is planned and done by itself.
constexpr std::size_t most_parts = 1'000;
constexpr std::size_t most_runs = std::size_t{1} << 24;  // half a gigabyte

void require_flat(const OffsetSet& set, const std::string& name) {
  if (set.box().low.z != 0 || set.box().high.z != 0) {
    throw InputError(fmt::format("element {}: 2-D, but reaches slices {} to {}; wanted z = 0 everywhere", name,
                                 set.box().low.z, set.box().high.z));
  }
}

}  // namespace

StructuringElement::StructuringElement(OffsetSet set, int rank, std::string name)
    : parts_{Part{rank, std::move(set), -1, {}, {}}}, spec_(std::move(name)) {
  if (rank != 2 && rank != 3) throw InputError(fmt::format("element {}: rank {}; wanted 2 or 3", spec_, rank));
  if (rank == 2) require_flat(parts_.front().set, spec_);
}

StructuringElement::StructuringElement(std::vector<Part> parts, std::string spec)
    : parts_(std::move(parts)), spec_(std::move(spec)) {
  require_size();
}

void StructuringElement::require_size() const {
  if (parts_.size() > most_parts) {
    throw InputError(fmt::format("a sum of {} elements; wanted at most {}", parts_.size(), most_parts));
  }
  std::size_t runs = 0;
  for (const Part& part : parts_) runs += part.set.runs().size();
  if (runs > most_runs) {
    throw InputError(fmt::format("a sum of elements of {} runs along x; wanted at most {}", runs, most_runs));
  }
}

void StructuringElement::append(StructuringElement then) {
  std::move(then.parts_.begin(), then.parts_.end(), std::back_inserter(parts_));
  spec_ += "+" + then.spec_;
  require_size();
}

StructuringElement StructuringElement::from_mask(const Image& mask) {
  const Shape& shape = mask.shape();
  return from_mask(mask, {shape.rank == 3 ? shape.z / 2 : 0, shape.y / 2, shape.x / 2});
}

StructuringElement StructuringElement::from_mask(const Image& mask, const Offset& origin) {
  return door::guarded("a mask", [&]() -> StructuringElement {
    if (mask.empty()) throw InputError("an element from a missing mask; wanted an image");
    const Shape& shape = mask.shape();
    std::string name = fmt::format("mask {}@{},{}", to_string(shape), origin.x, origin.y);
    if (shape.rank == 3) name += fmt::format(",{}", origin.z);
    return {mask_set(mask, origin), shape.rank, std::move(name)};
  });
}

// A shape is what its text says, so there is one place that makes it.
StructuringElement StructuringElement::square(std::int64_t edge) { return fmt::format("square:{}", edge); }
StructuringElement StructuringElement::rect(std::int64_t width, std::int64_t height) {
  return fmt::format("rect:{}x{}", width, height);
}
StructuringElement StructuringElement::cube(std::int64_t edge) { return fmt::format("cube:{}", edge); }
StructuringElement StructuringElement::box(std::int64_t width, std::int64_t height, std::int64_t depth) {
  return fmt::format("box:{}x{}x{}", width, height, depth);
}
StructuringElement StructuringElement::cross(std::int64_t radius) { return fmt::format("cross:{}", radius); }
StructuringElement StructuringElement::disk(double radius) { return fmt::format("disk:{}", radius); }
StructuringElement StructuringElement::ball(double radius) { return fmt::format("ball:{}", radius); }
StructuringElement StructuringElement::circle(double radius) { return fmt::format("circle:{}", radius); }
StructuringElement StructuringElement::octagon(std::int64_t radius) { return fmt::format("octagon:{}", radius); }
StructuringElement StructuringElement::hexagon(double radius) { return fmt::format("hexagon:{}", radius); }
StructuringElement StructuringElement::line(double length, double azimuth) {
  return fmt::format("line:{}@{}", length, azimuth);
}
StructuringElement StructuringElement::line(double length, double azimuth, double elevation) {
  return fmt::format("line:{}@{},{}", length, azimuth, elevation);
}

OffsetSet StructuringElement::Part::on(int image_rank) const {
  if (cross_radius < 0) return set;
  if (image_rank == 2) return diamond_set(cross_radius).shifted(cross_centre);
  if (cross_radius > largest_solid_radius) {
    throw InputError(
        fmt::format("cross:{} on a volume; wanted a radius of at most {}", cross_radius, largest_solid_radius));
  }
  return octahedron_set(cross_radius).shifted(cross_centre);
}

int StructuringElement::rank() const {
  int rank = 0;
  for (const Part& part : parts_) rank = std::max(rank, part.rank);
  return rank;
}

std::vector<OffsetSet> StructuringElement::sets(int image_rank) const {
  door::require_rank(image_rank, "element");
  if (parts_.empty()) throw InputError("an element that has been moved from; wanted one");
  if (rank() > image_rank) {
    throw InputError(
        fmt::format("element {} is 3-D, the image 2-D; wanted a 2-D element (square, disk, line:L@A, "
                    "...) or a volume",
                    spec_));
  }
  std::vector<OffsetSet> sets;
  for (const Part& part : parts_) sets.push_back(part.on(image_rank));
  return sets;
}

std::optional<StructuringElement::Segment> StructuringElement::segment() const {
  return parts_.size() == 1 ? parts_.front().segment : std::nullopt;
}

OffsetSet StructuringElement::sum(int image_rank, const SumLimits& limits) const {
  return door::guarded(spec_, [&] {
    std::vector<OffsetSet> all = sets(image_rank);
    OffsetSet sum = std::move(all.front());
    SumLimits left = limits;
    for (std::size_t i = 1; i < all.size(); ++i) sum = minkowski_sum(sum, all[i], left);
    return sum;
  });
}

StructuringElement StructuringElement::reflected() const {
  std::vector<Part> parts(parts_.rbegin(), parts_.rend());
  for (Part& part : parts) {
    part.set = part.set.reflected();
    part.cross_centre = -part.cross_centre;
    part.segment.reset();  // one of even length has its origin elsewhere now
  }
  return {std::move(parts), "reflect(" + spec_ + ")"};
}

StructuringElement StructuringElement::shifted(const Offset& by) const {
  std::vector<Part> parts = parts_;
  Part& first = parts.front();
  if (by.z != 0) first.rank = 3;
  first.segment.reset();
  if (first.cross_radius < 0) {
    first.set = first.set.shifted(by);
  } else {
    first.cross_centre = first.cross_centre + by;
  }
  std::string text = fmt::format("shift({},{},{}", spec_, by.x, by.y);
  // Three numbers where the text before them may end with one of its own, as that of a line in a volume does.
  const bool ambiguous = spec_.find(',') != std::string::npos;
  text += by.z != 0 || ambiguous ? fmt::format(",{})", by.z) : ")";
  return {std::move(parts), std::move(text)};
}

StructuringElement operator+(const StructuringElement& first, const StructuringElement& then) {
  StructuringElement sum = first;
  sum.append(then);
  return sum;
}

bool StructuringElement::operator==(const StructuringElement& other) const {
  return std::equal(parts_.begin(), parts_.end(), other.parts_.begin(), other.parts_.end(),
                    [](const Part& a, const Part& b) {
                      return a.rank == b.rank && a.set == b.set && a.cross_radius == b.cross_radius &&
                             a.cross_centre == b.cross_centre;
                    });
}

}  // namespace tamis
