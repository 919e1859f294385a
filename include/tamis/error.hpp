// The typed errors of tamis. Every message is one line that says what was wrong, what was got and what was wanted.
#pragma once

#include <tamis/compiler.hpp>

#include <stdexcept>
#include <string>

namespace TAMIS_PUBLIC tamis {

/// Base of everything tamis throws on purpose. What sources, sinks and other functions of the caller throw goes
/// through, but for std::bad_alloc, std::length_error and std::system_error, which become a ResourceError, and
/// std::bad_function_call, which becomes an InputError; so do the library's own.
/// Anything else that escapes is a bug of ours. (Where memory is so short that no message can be made, std::bad_alloc
/// escapes.)
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's fault: a parameter, a file, a shape or a type that cannot be used. Enumerators that are none count as
/// such.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The machine's fault: a full disk, a target that cannot be written, too little memory, no thread to be had, no GPU.
class ResourceError : public Error {
 public:
  using Error::Error;
};

/// The caller asked for the work to stop (Context::cancel).
class Cancelled : public Error {
 public:
  explicit Cancelled(const std::string& what = "interrupted") : Error(what) {}
};

}  // namespace tamis
