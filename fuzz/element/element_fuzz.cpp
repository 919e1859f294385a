// Specs of structuring elements, and what can be asked of an element.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tamis/element.hpp>
#include <tamis/error.hpp>

#include "fuzz/harness.hpp"

namespace {

using tamis::fuzz::expect;

/// A large element is made in the time that its rows take, which would leave few cases a second: the numbers of an
/// input are small, or so large that no shape may take them. Large elements have tests of their own.
bool is_quick(const std::string& text) {
  constexpr std::size_t longest = 256;
  constexpr std::ptrdiff_t most_sums = 4;
  constexpr double small = 12;
  constexpr double refused = 3e6;
  if (text.size() > longest || std::count(text.begin(), text.end(), '+') > most_sums) return false;
  for (std::size_t at = text.find_first_of("0123456789"); at != std::string::npos;
       at = text.find_first_of("0123456789", at)) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str() + at, &end);
    if (number > small && number < refused) return false;
    at = static_cast<std::size_t>(end - text.c_str());
  }
  return true;
}

/// A mask for "file:": it looks like the one in the manual.
tamis::Image mask_of(const std::string& path) {
  const bool flat = path.empty() || path.back() != '3';
  tamis::Image mask(tamis::Type::U8, tamis::Shape{flat ? 1 : 2, 3, 3, flat ? 2 : 3});
  mask.row<std::uint8_t>(0, 1)[2] = 1;
  mask.row<std::uint8_t>(0, 2)[0] = 1;
  return mask;
}

void check(const tamis::StructuringElement& element, int rank) {
  try {
    const tamis::OffsetSet set = element.sum(rank);
    expect(set.count() > 0, "an empty element");
    expect(set.reflected().reflected() == set, "a set that two reflections change");
    expect(element.reflected().sum(rank) == set.reflected(), "a sum whose reflection is not that of its parts");
  } catch (const tamis::InputError&) {  // of another rank, or too large together
  }
}

}  // namespace

TAMIS_FUZZ_TARGET(element) {
  const std::string text(tamis::fuzz::text_of(bytes));
  if (!is_quick(text)) return;
  const tamis::StructuringElement element(text, mask_of);
  expect(element.rank() == 0 || element.rank() == 2 || element.rank() == 3, "a rank that is none");
  expect(tamis::StructuringElement(element.spec(), mask_of) == element, "a spec() that gives another element");
  check(element, 2);
  check(element, 3);
}
