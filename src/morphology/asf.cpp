// Alternating sequential filters.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/morphology.hpp>

#include "core/stage.hpp"

namespace tamis {
namespace {

struct Family {
  std::string name;
  std::int64_t last = 0;
  std::int64_t first = 1;
  std::int64_t step = 1;
};

Family family_of(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  Family family;
  family.name = spec.substr(0, colon);
  const char* const end = spec.data() + spec.size();
  const char* const digits = colon == std::string::npos ? end : spec.data() + colon + 1;
  const auto [stop, fault] = std::from_chars(digits, end, family.last);
  if (family.name == "square" || family.name == "cube") {
    family.first = 3;
    family.step = 2;
  } else if (family.name != "cross" && family.name != "disk" && family.name != "ball" && family.name != "octagon" &&
             family.name != "hexagon") {
    throw InputError(
        fmt::format("asf: element {}; wanted one that grows: square:N, cube:N, cross:R, disk:R, ball:R, "
                    "octagon:R or hexagon:R",
                    spec));
  }
  if (digits == end || fault != std::errc{} || stop != end || family.last < family.first ||
      (family.step == 2 && family.last % 2 == 0)) {
    throw InputError(fmt::format("asf: element {}; wanted {}:{} with a whole number, {}", spec, family.name,
                                 family.step == 2 ? "N" : "R", family.step == 2 ? "odd, 3 or more" : "1 or more"));
  }
  return family;
}

}  // namespace

Image asf(const Context& context, const Image& image, const AsfOptions& options) {
  const Family family = family_of(options.element);
  Operation halves[2] = {Operation::Open, Operation::Close};
  if (options.order == AsfOptions::Order::CloseOpen) std::swap(halves[0], halves[1]);
  // What the largest element is refused for is refused before anything is done.
  static_cast<void>(StructuringElement(options.element).sets(image.shape().rank));
  Context quiet = context;  // one stage for the whole filter, not one for each part
  quiet.on_progress = nullptr;
  quiet.on_stage = nullptr;
  Stage stage(context, "asf", (family.last - family.first) / family.step + 1);
  Image now;
  Image next;
  for (std::int64_t size = family.first; size <= family.last; size += family.step) {
    MorphologyOptions each;
    each.element = StructuringElement(fmt::format("{}:{}", family.name, size));
    each.border = options.border;
    each.nan = options.nan;
    for (const Operation operation : halves) {
      morphology(quiet, operation, now.empty() ? image : now, each, next);
      std::swap(now, next);
    }
    stage.advance();
  }
  return now;
}

}  // namespace tamis
