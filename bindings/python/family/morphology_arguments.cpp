#include "python/family/morphology_arguments.hpp"

#include <string>

#include "cli/option/parse.hpp"
#include "python/arguments.hpp"

namespace tamis::python {
namespace {

constexpr cli::Choice<NanPolicy> nan_policies[] = {{"refuse", NanPolicy::Refuse}, {"ignore", NanPolicy::Ignore}};
constexpr cli::Choice<Connectivity> connectivities[] = {{"face", Connectivity::Face}, {"full", Connectivity::Full}};

std::string given(const char* keyword, std::string_view text) {
  return std::string(keyword) + "='" + std::string(text) + "'";
}

}  // namespace

Border outside_of(std::string_view border) {
  return about_keyword(given("border", border), [&] { return cli::parse_filter_border(border); });
}

Lines lines_of(std::string_view lines) {
  return about_keyword(given("lines", lines), [&] { return cli::parse_lines(lines); });
}

NanPolicy nan_policy_of(std::string_view nan) {
  return about_keyword(given("nan", nan), [&] { return cli::parse_choice(nan, nan_policies); });
}

Connectivity connectivity_of(std::string_view connectivity) {
  return about_keyword(given("connectivity", connectivity),
                       [&] { return cli::parse_choice(connectivity, connectivities); });
}

}  // namespace tamis::python
