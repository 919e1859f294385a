// The barrier of the C interface: what is thrown behind it becomes a status and a message of the thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <tamis/tamis.h>
#include <tamis/error.hpp>

namespace tamis::c {

/// Runs `work`. What it throws is caught, whatever it is.
[[nodiscard]] tamis_status guarded(const std::function<void()>& work) noexcept;

/// The message of this thread, until its next guarded() call.
[[nodiscard]] const char* message() noexcept;

/// Throws InputError "result: a null pointer; wanted ..." for one.
void require_pointer(const void* pointer, std::string_view what, std::string_view wanted);

/// Runs `read`; an InputError then starts with the parameter and its text: "percentile=200: ".
template <class Read>
auto about_text(std::string_view name, std::string_view text, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(std::string(name) + "=" + std::string(text) + ": " + error.what());
  }
}

}  // namespace tamis::c
