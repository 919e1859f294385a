#include "morphology/element/catalogue.hpp"

#include <charconv>
#include <cstdint>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::morphology_detail {
namespace {

/// "square:N, cube:N, cross:R ... or hexagon:R".
std::string forms_that_grow() {
  std::vector<std::string> forms;
  for (const NamedShape& named : named_shapes()) {
    if (named.growth.step > 0) forms.push_back(named.shape.form());
  }
  const std::string last = forms.back();
  forms.pop_back();
  return fmt::format("{} or {}", fmt::join(forms, ", "), last);
}

/// "odd, 3 or more".
std::string sizes_that_grow(const Growth& growth) {
  return fmt::format("{}{} or more", growth.step == 2 ? "odd, " : "", growth.first);
}

}  // namespace

std::vector<std::string> element_family(const std::string& last) {
  const std::size_t colon = last.find(':');
  const std::string name = last.substr(0, colon);
  const NamedShape* const named = find_shape(name);
  if (named == nullptr || named->growth.step == 0) {
    throw InputError(fmt::format("asf: element {}; wanted one that grows: {}", last, forms_that_grow()));
  }
  const Growth& growth = named->growth;
  const char* const end = last.data() + last.size();
  const char* const digits = colon == std::string::npos ? end : last.data() + colon + 1;
  std::int64_t size = 0;
  const auto [stop, fault] = std::from_chars(digits, end, size);
  const bool read = digits != end && fault == std::errc{} && stop == end;
  if (!read || size < growth.first || (size - growth.first) % growth.step != 0) {
    throw InputError(fmt::format("asf: element {}; wanted {} with a whole number, {}", last, named->shape.form(),
                                 sizes_that_grow(growth)));
  }
  std::vector<std::string> family;
  for (std::int64_t n = growth.first; n <= size; n += growth.step) family.push_back(fmt::format("{}:{}", name, n));
  return family;
}

}  // namespace tamis::morphology_detail
