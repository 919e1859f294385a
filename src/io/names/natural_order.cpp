#include "io/names/natural_order.hpp"

#include <algorithm>

namespace tamis::io {
namespace {

/// Takes the digits in front, without leading zeros.
std::string_view take_number(std::string_view& text) {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  text.remove_prefix(digits.size());
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

bool digit_first(std::string_view text) { return !text.empty() && text.front() >= '0' && text.front() <= '9'; }

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (digit_first(x) && digit_first(y)) {
      const std::string_view m = take_number(x);
      const std::string_view n = take_number(y);
      if (m.size() != n.size()) return m.size() < n.size();  // any length, so no overflow
      if (m != n) return m < n;
    } else {
      if (x.front() != y.front()) return x.front() < y.front();
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

}  // namespace tamis::io
