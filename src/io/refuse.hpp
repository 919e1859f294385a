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

}  // namespace tamis::io
