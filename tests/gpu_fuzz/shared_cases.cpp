// Types, borders and elements.
#include <cmath>
#include <string>
#include <vector>

#include "tests/gpu_fuzz/cases.hpp"

namespace tamis::gpu_fuzz {
namespace {

OffsetSet random_offsets(Random& random, int rank, std::int64_t most) {
  const auto reach = [&](bool used) { return used ? random.below(std::min<std::int64_t>(most, 20) + 1) : 0; };
  const std::int64_t z = reach(rank == 3 && random.one_in(2));
  const std::int64_t y = reach(true);
  const std::int64_t x = reach(true);
  const Offset away{0, random.one_in(8) ? random.between(-30, 30) : 0, random.one_in(8) ? random.between(-70, 70) : 0};
  std::vector<OffsetSet::Run> runs;
  for (std::int64_t i = random.between(1, 12); i > 0; --i) {
    const Offset at{random.between(-z, z), random.between(-y, y), random.between(-x, x)};
    runs.push_back({at + away, random.one_in(2) ? 1 : random.between(1, std::min<std::int64_t>(most, 40))});
  }
  return OffsetSet(std::move(runs));
}

StructuringElement flat_element(Random& random, std::int64_t most) {
  const auto round = [&] { return random.real(0.5, static_cast<double>(std::min<std::int64_t>(most / 2 + 1, 24))); };
  const auto edge = [&] { return random.extent(most); };
  switch (random.below(10)) {
    case 0:
      return StructuringElement::square(edge());
    case 1:
      return StructuringElement::rect(edge(), edge());
    case 2:
      return StructuringElement::rect(random.one_in(2) ? 1 : 3, edge());
    case 3:
      return StructuringElement::rect(edge(), random.pick<std::int64_t>({1, 3, 5}));
    case 4:
      return StructuringElement::cross(random.extent(std::min<std::int64_t>(most / 2 + 1, 33)));
    case 5:
      return StructuringElement::disk(round());
    case 6:
      return random.one_in(2) ? StructuringElement::octagon(random.between(1, std::min<std::int64_t>(most / 2 + 1, 33)))
                              : StructuringElement::hexagon(round());
    case 7:
      return StructuringElement::circle(std::floor(round()) + 1);
    default:
      return StructuringElement::line(
          static_cast<double>(random.extent(most)),
          random.one_in(3) ? 15.0 * static_cast<double>(random.below(13)) : random.real(0, 180));
  }
}

StructuringElement solid_element(Random& random, std::int64_t most) {
  const auto edge = [&] { return random.extent(std::min<std::int64_t>(most, 33)); };
  switch (random.below(5)) {
    case 0:
      return StructuringElement::cube(edge());
    case 1:
      return StructuringElement::box(edge(), edge(), edge());
    case 2:
      return StructuringElement::ball(random.real(0.5, 6));
    case 3:
      return StructuringElement::cross(random.between(1, 9));
    default:
      return StructuringElement::line(static_cast<double>(random.between(1, 30)), random.real(0, 180),
                                      random.real(-90, 90));
  }
}

}  // namespace

Type random_filter_type(Random& random) { return random.pick({Type::Bool, Type::U8, Type::U16, Type::I16, Type::F32}); }

Border random_border(Random& random, Type type) {
  switch (random.below(7)) {
    case 0:
      return Border::reflect();
    case 1:
      return Border::nearest();
    case 2:
      return Border::constant(random_value(random, type));
    case 3:
      return Border::mirror();
    case 4:
      return Border::wrap();
    default:
      return Border::neutral();
  }
}

StructuringElement random_element(Random& random, int rank, std::int64_t most) {
  if (random.one_in(5)) {
    const int own = rank == 3 && random.one_in(2) ? 3 : 2;
    return {random_offsets(random, own, most), own, "offsets of seed"};
  }
  StructuringElement element = rank == 3 && random.one_in(2) ? solid_element(random, most) : flat_element(random, most);
  if (random.one_in(8)) element = element.shifted({0, random.between(-9, 9), random.between(-40, 40)});
  if (random.one_in(8)) element = element.reflected();
  if (random.one_in(8)) element = element + flat_element(random, std::min<std::int64_t>(most, 17));
  return element;
}

std::string describe(Type type, const Shape& shape) {
  return std::string(name(type)) + " " + to_string(shape) + " rank " + std::to_string(shape.rank);
}

}  // namespace tamis::gpu_fuzz
