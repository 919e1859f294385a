// How files, options and layouts that cannot be used are refused.
#pragma once

#include <fmt/format.h>

#include <tamis/error.hpp>

namespace tamis::io {

/// Throws InputError with a text of fmt.
template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> text, Values&&... values) {
  throw InputError(fmt::vformat(text, fmt::make_format_args(values...)));
}
/// Throws ResourceError so: the system is at fault.
template <class... Values>
[[noreturn]] void give_up(fmt::format_string<Values...> text, Values&&... values) {
  throw ResourceError(fmt::vformat(text, fmt::make_format_args(values...)));
}

}  // namespace tamis::io
