#include "c/error.hpp"

#include <exception>
#include <new>
#include <system_error>

#include <tamis/operations/one_line.hpp>
#include <tamis/operations/parse.hpp>

namespace tamis::c {
namespace {

/// What a message is kept in, so that memory that is short leaves a message too.
struct LastMessage {
  std::string text;
  const char* words = "";
};
thread_local LastMessage last;

/// Parameters stand in backticks in the library's messages; here they are written as texts are given.
std::string spelled_here(std::string_view message) {
  return spelled(message, [](std::string_view name, std::string_view value) {
    return std::string(name) + (value.empty() ? "" : "=") + std::string(value);
  });
}

void keep(const char* words) noexcept {
  constexpr std::size_t longest = 2000;
  try {
    std::string text = one_line(spelled_here(words));
    if (text.size() > longest) text = one_line(text.substr(0, longest)) + "...";
    last.text = std::move(text);
    last.words = last.text.c_str();
  } catch (...) {
    last.words = "too little memory";
  }
}

tamis_status status_of_current() noexcept {
  try {
    throw;
  } catch (const Cancelled& error) {
    keep(error.what());
    return TAMIS_CANCELLED;
  } catch (const ResourceError& error) {
    keep(error.what());
    return TAMIS_ENVIRONMENT;
  } catch (const Error& error) {
    keep(error.what());
    return TAMIS_INPUT;
  } catch (const std::bad_alloc&) {
    keep("too little memory");
    return TAMIS_ENVIRONMENT;
  } catch (const std::system_error& error) {
    keep(error.what());
    return TAMIS_ENVIRONMENT;
  } catch (const std::exception& error) {
    keep(error.what());
    return TAMIS_INTERNAL;
  } catch (...) {
    keep("an exception of an unknown type");
    return TAMIS_INTERNAL;
  }
}

}  // namespace

tamis_status guarded(const std::function<void()>& work) noexcept {
  try {
    work();
    return TAMIS_OK;
  } catch (...) {
    return status_of_current();
  }
}

const char* message() noexcept { return last.words; }

void require_pointer(const void* pointer, std::string_view what, std::string_view wanted) {
  if (pointer) return;
  throw InputError(std::string(what) + ": a null pointer; wanted " + std::string(wanted));
}

}  // namespace tamis::c
