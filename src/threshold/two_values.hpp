// Errors of images that have not exactly two values and come without a threshold.
#pragma once

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/threshold.hpp>

namespace tamis::threshold_detail {

template <class Value>
[[noreturn]] void refuse_one_value(Value value) {
  throw InputError(fmt::format(
      "the image has only one value ({}): nothing to separate; wanted two values, or `threshold V`", value));
}

/// Three of its values, in order.
template <class Value>
[[noreturn]] void refuse_more_values(Value first, Value second, Value third) {
  throw InputError(
      fmt::format("the image has more than two values (e.g. {}, {}, {}): give `threshold V` or a method: {}", first,
                  second, third, threshold_method_names()));
}

}  // namespace tamis::threshold_detail
