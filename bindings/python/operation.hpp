// Operations as functions of the module: signature, docstring and parameters are those of their descriptions.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/operations.hpp>

#include "python/arguments.hpp"
#include "python/context.hpp"
#include "python/signature.hpp"

namespace tamis::python {

/// What a function is, beside what its operation says.
struct FunctionFacts {
  /// The names of its arguments in order, those behind "*" by name only: what the operation takes, its parameters,
  /// `own`, and what all functions share (roi, crop, out, channel_axis ...). Where and how it runs is added.
  std::string order;
  std::vector<Keyword> own;            ///< what only Python has, or has in another form
  std::string result;                  ///< type
  std::string returns;                 ///< of the docstring
  std::vector<Variant> variants = {};  ///< where the type of the result depends on those of arguments
  std::string text = {};               ///< instead of the operation's line, where that speaks of files
};

/// The parameters of an operation that a function has, each with its place.
using ParameterPlaces = std::vector<std::pair<std::size_t, const Parameter*>>;

/// The arguments of one call.
class Given {
 public:
  Given(const Signature& signature, const ParameterPlaces& parameters, const OperationDescription& operation,
        const Values& values);

  /// None where nothing was given.
  [[nodiscard]] nb::handle operator[](std::string_view keyword) const { return at(signature_.place(keyword)); }
  [[nodiscard]] nb::handle at(std::size_t place) const;
  [[nodiscard]] bool has(std::string_view keyword) const { return values_[signature_.place(keyword)].is_valid(); }
  /// "" where nothing was given.
  [[nodiscard]] std::string_view text(std::string_view keyword) const;
  [[nodiscard]] bool flag(std::string_view keyword) const;
  [[nodiscard]] std::optional<int> channel_axis() const;
  /// The parameters of the operation. Throws InputError, and TypeError for wrong types.
  [[nodiscard]] Arguments arguments() const;
  [[nodiscard]] Keywords running() const;

 private:
  const Signature& signature_;
  const ParameterPlaces& parameters_;
  const OperationDescription& operation_;
  const Values& values_;
};

using Body = std::function<nb::object(Call& call, const Given& given)>;

/// The parameter of an operation that has one of that name.
[[nodiscard]] const Parameter& parameter_of(const OperationDescription& operation, std::string_view name);
/// A parameter as an argument.
[[nodiscard]] Keyword keyword_of(const OperationDescription& operation, std::string_view parameter);

/// Keywords as the operation's function takes them, those of no parameter left out. Throws as Given::arguments().
[[nodiscard]] Arguments arguments_in(const OperationDescription& operation, const nb::dict& keywords);

/// Adds the operation to the module as a function of its name. The description has to outlive the module.
void add_operation(nb::module_& module, const OperationDescription& operation, FunctionFacts facts, Body body);

// The docstring of an operation, in the style of NumPy, from what the operation says of itself.

/// "the median" as a sentence: "The median."
[[nodiscard]] std::string sentence(std::string_view words);

[[nodiscard]] std::string docstring(const OperationDescription& operation, const std::vector<Keyword>& keywords,
                                    const FunctionFacts& facts);

// The arguments that functions have because they are Python's: arrays, axes, where and how they run.

/// Where and how every function runs, in the order of Keywords.
[[nodiscard]] std::vector<Keyword> running_keywords(bool filter);
/// roi, crop, out, batch, channel_axis ...; nullptr for other names.
[[nodiscard]] const Keyword* shared_keyword(std::string_view name);
/// An array that an operation takes.
[[nodiscard]] Keyword array_keyword(const Data& data);

}  // namespace tamis::python
