// What a function of the module takes: its signature in words, and the arguments of a call put in their places.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamis::python {

/// One argument of a function.
struct Keyword {
  std::string name;
  std::string type;        ///< in the signature
  std::string initial;     ///< its default as Python writes it; empty: it has to be given
  std::string documented;  ///< its type in the docstring; empty: it stands there with the next one
  std::string text;        ///< sentences
  bool by_position = false;
};

/// What a function gives where some of its arguments have these types: an overload, for type checkers only.
struct Variant {
  std::vector<std::pair<std::string, std::string>> types;  ///< names of arguments, each with its type
  std::string result;
};

/// The types that NumPy's arrays have here.
inline const char* const any_array = "numpy.typing.NDArray[typing.Any]";
inline const char* const array_like = "numpy.typing.ArrayLike";
/// An array whose type of samples the result has too; in stubs `_Sample` is one of those that filters take.
inline const char* const same_array = "numpy.typing.NDArray[_Sample]";
inline const char* const is_true = "typing.Literal[True]";
inline const char* const is_false = "typing.Literal[False]";

/// The arguments of one call by their places, not valid where nothing was given. They live as long as the call.
using Values = std::vector<nanobind::handle>;

/// A call as Python hands it over: `names` is a tuple of those given by name, which come after the others, or nullptr.
struct PassedArguments {
  PyObject* const* values = nullptr;
  std::size_t by_position = 0;
  PyObject* names = nullptr;
};

class Signature {
 public:
  /// Those that are taken by position come first.
  Signature(std::string function, std::vector<Keyword> keywords, std::string result,
            std::vector<Variant> variants = {});

  [[nodiscard]] const std::vector<Keyword>& keywords() const { return keywords_; }
  [[nodiscard]] const std::string& function() const { return function_; }
  /// "def median(image: numpy.typing.ArrayLike, ...) -> numpy.typing.NDArray[typing.Any]", one for each variant, for
  /// stubs.
  [[nodiscard]] std::vector<std::string> declarations() const;
  /// "median($module, image, size=3, *, ...)\n--\n\n": at the start of a docstring, inspect.signature reads it there.
  [[nodiscard]] std::string introspected() const;
  [[nodiscard]] std::size_t place(std::string_view keyword) const;
  /// Throws TypeError for what is missing, unknown or given twice.
  [[nodiscard]] Values bind(const PassedArguments& passed) const;

 private:
  [[nodiscard]] std::string declaration(const Variant& variant) const;
  [[nodiscard]] std::size_t place_of(nanobind::handle name) const;
  [[nodiscard]] std::string names_from(std::size_t first) const;
  [[noreturn]] void refuse(const std::string& words) const;
  [[noreturn]] void refuse_keyword(const std::string& word) const;

  std::string function_;
  std::vector<Keyword> keywords_;
  std::string result_;
  std::vector<Variant> variants_;
  std::size_t by_position_ = 0;
  std::vector<nanobind::object> names_;  ///< as Python has them in every call: one object a name
};

}  // namespace tamis::python
