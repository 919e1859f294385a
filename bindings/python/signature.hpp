// What a function of the module takes: its signature in words, and the arguments of a call put in their places.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

namespace tamis::python {

/// One argument of a function.
struct Keyword {
  std::string name;
  std::string type;         ///< in the signature
  std::string initial;      ///< its default as Python writes it; empty: it has to be given
  std::string documented;   ///< its type in the docstring; empty: it stands there with the next one
  std::string text;         ///< sentences
  bool by_position = false;
};

/// The arguments of one call by their places, not valid where nothing was given. They live as long as the call.
using Values = std::vector<nanobind::handle>;

class Signature {
 public:
  /// Those that are taken by position come first.
  Signature(std::string function, std::vector<Keyword> keywords, std::string result);

  [[nodiscard]] const std::vector<Keyword>& keywords() const { return keywords_; }
  /// "def median(image: numpy.typing.ArrayLike, ...) -> numpy.typing.NDArray".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::size_t place(std::string_view keyword) const;
  /// Throws TypeError for what is missing, unknown or given twice.
  [[nodiscard]] Values bind(const nanobind::args& args, const nanobind::kwargs& kwargs) const;

 private:
  [[nodiscard]] std::size_t place_of(nanobind::handle name) const;
  [[nodiscard]] std::string names_from(std::size_t first) const;
  [[noreturn]] void refuse(const std::string& words) const;

  std::string function_;
  std::vector<Keyword> keywords_;
  std::string result_;
  std::size_t by_position_ = 0;
  std::vector<nanobind::object> names_;  ///< as Python has them in every call: one object a name
};

}  // namespace tamis::python
