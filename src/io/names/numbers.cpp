// Names that differ in a number alone.
#include <algorithm>
#include <string_view>

#include <tamis/io.hpp>
#include <tamis/operations/parse.hpp>

namespace tamis {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// How many letters two names have in common at their beginnings; from the reverse iterators, at their ends.
template <class Iterator>
std::size_t in_common(Iterator a, Iterator a_end, Iterator b, Iterator b_end) {
  return static_cast<std::size_t>(std::mismatch(a, a_end, b, b_end).first - a);
}

}  // namespace

std::vector<std::int64_t> numbers_in_names(const std::vector<std::string>& names) {
  if (names.size() < 2) return {};
  const std::string& first = names.front();
  std::size_t before = first.size(), behind = first.size();
  for (const std::string& name : names) {
    before = std::min(before, in_common(first.begin(), first.end(), name.begin(), name.end()));
    behind = std::min(behind, in_common(first.rbegin(), first.rend(), name.rbegin(), name.rend()));
  }
  // A number counts with the digits that all have: 100, 101.
  while (before > 0 && is_digit(first[before - 1])) --before;
  while (behind > 0 && is_digit(first[first.size() - behind])) --behind;
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names) {
    if (name.size() <= before + behind) return {};
    const std::optional<std::int64_t> number =
        whole_number(std::string_view(name).substr(before, name.size() - before - behind));
    if (!number || *number < 0 || !is_digit(name[before])) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace tamis
