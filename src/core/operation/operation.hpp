// How a family describes its operations: each parameter is a member of a plain options struct, with what people and
// front ends have to know of it. Defaults are those of the struct; ranges and words are written here and nowhere else.
#pragma once

#include <concepts>
#include <utility>

#include <tamis/operations.hpp>
#include <tamis/operations/parse.hpp>
#include <tamis/operations/words.hpp>

namespace tamis {

/// One parameter's way from text to its member and back.
struct ParameterAccess {
  std::string name;
  std::string wanted;
  std::function<void(std::any& options, std::string_view text)> read;
  std::function<void(std::any& options, const StructuringElement& element)> take;  ///< of elements only
  std::function<std::string(const std::any& options)> print;
};
struct ArgumentsAccess {
  std::vector<ParameterAccess> parameters;
};

/// "a number from 0 to 100", "a whole number, 1 or more", "face or full".
[[nodiscard]] std::string wanted_words(const Parameter& parameter);

/// A whole number in the parameter's range. Throws InputError.
[[nodiscard]] std::int64_t read_whole(std::string_view text, const Parameter& parameter);

/// How the values of a type are read and written. `kind` is what most parameters of the type are.
template <class Value>
struct ValueText;

template <>
struct ValueText<bool> {
  static constexpr ParameterKind kind = ParameterKind::Flag;
  static bool read(std::string_view text, const Parameter& parameter);
  static std::string print(bool value) { return value ? "true" : "false"; }
};
template <>
struct ValueText<double> {
  static constexpr ParameterKind kind = ParameterKind::Number;
  static double read(std::string_view text, const Parameter& parameter);
  static std::string print(double value);
};
template <std::integral Whole>
struct ValueText<Whole> {
  static constexpr ParameterKind kind = ParameterKind::Integer;
  static Whole read(std::string_view text, const Parameter& parameter) {
    return static_cast<Whole>(read_whole(text, parameter));
  }
  static std::string print(Whole value) { return std::to_string(value); }
};
template <>
struct ValueText<std::string> {
  static constexpr ParameterKind kind = ParameterKind::Text;
  static std::string read(std::string_view text, const Parameter& /*parameter*/) { return std::string(text); }
  static std::string print(const std::string& value) { return value; }
};
template <>
struct ValueText<std::vector<double>> {
  static constexpr ParameterKind kind = ParameterKind::Numbers;
  static std::vector<double> read(std::string_view text, const Parameter& parameter);
  static std::string print(const std::vector<double>& values);
};
/// Of the words that the parameter has as its choices.
template <>
struct ValueText<Border> {
  static constexpr ParameterKind kind = ParameterKind::Border;
  static Border read(std::string_view text, const Parameter& parameter);
  static std::string print(const Border& border) { return to_string(border); }
};
/// Masks of files are read by front ends, which know files; see Arguments::set_element.
template <>
struct ValueText<StructuringElement> {
  static constexpr ParameterKind kind = ParameterKind::Element;
  static StructuringElement read(std::string_view text, const Parameter& /*parameter*/) {
    return StructuringElement(text);
  }
  static std::string print(const StructuringElement& element) { return element.spec(); }
};
template <>
struct ValueText<Shape> {
  static constexpr ParameterKind kind = ParameterKind::Extent;
  static Shape read(std::string_view text, const Parameter& /*parameter*/) { return parse_size(text); }
  static std::string print(const Shape& shape) { return to_string(shape); }
};
template <>
struct ValueText<Spacing> {
  static constexpr ParameterKind kind = ParameterKind::Length;
  static Spacing read(std::string_view text, const Parameter& /*parameter*/) { return parse_spacing(text); }
  static std::string print(const Spacing& spacing);
};
/// What need not be there has no text where it is not.
template <class Value>
  requires requires { ValueText<Value>::kind; }
struct ValueText<std::optional<Value>> {
  static constexpr ParameterKind kind = ValueText<Value>::kind;
  static std::optional<Value> read(std::string_view text, const Parameter& parameter) {
    return ValueText<Value>::read(text, parameter);
  }
  static std::string print(const std::optional<Value>& value) {
    return value ? ValueText<Value>::print(*value) : std::string();
  }
};

/// One parameter as a family writes it down:
///   parameter(&MedianOptions::percentile, "percentile").between(0, 100).text("...").example("10")
template <class Owner, class Value>
class ParameterOf {
 public:
  ParameterOf(Value Owner::*member, std::string name) : member_(member) {
    facts_.name = std::move(name);
    if constexpr (requires { ValueText<Value>::kind; }) {
      facts_.kind = ValueText<Value>::kind;
      read_ = ValueText<Value>::read;
      print_ = ValueText<Value>::print;
    }
  }

  ParameterOf& text(std::string words) { return put(facts_.text, std::move(words)); }
  ParameterOf& details(std::string sentences) { return put(facts_.details, std::move(sentences)); }
  ParameterOf& example(std::string value) { return put(facts_.example, std::move(value)); }
  ParameterOf& unit(std::string word) { return put(facts_.unit, std::move(word)); }
  ParameterOf& placeholder(std::string word) { return put(facts_.placeholder, std::move(word)); }
  ParameterOf& section(std::string title) { return put(facts_.section, std::move(title)); }
  ParameterOf& excludes(std::vector<std::string> others) { return put(facts_.excludes, std::move(others)); }
  ParameterOf& wanted(std::string words) { return put(facts_.wanted, std::move(words)); }
  ParameterOf& positional() { return put(facts_.positional, true); }
  ParameterOf& required() { return put(facts_.required, true); }
  ParameterOf& early() { return put(facts_.early, true); }
  ParameterOf& kind(ParameterKind kind) { return put(facts_.kind, kind); }

  ParameterOf& range(const NumberRange& range) { return put(facts_.range, range); }
  ParameterOf& between(double lowest, double highest) { return at_least(lowest).at_most(highest); }
  ParameterOf& at_least(double lowest) { return put(facts_.range.lowest, lowest); }
  ParameterOf& at_most(double highest) { return put(facts_.range.highest, highest); }
  ParameterOf& above(double lowest) { return at_least(lowest).put(facts_.range.without_lowest, true); }
  ParameterOf& below(double highest) { return at_most(highest).put(facts_.range.without_highest, true); }

  /// The words that a border, or another text, may be.
  ParameterOf& words(std::vector<std::string> choices) { return put(facts_.choices, std::move(choices)); }
  /// The words of values. The table has to outlive all: it is a constant.
  template <class Chosen, std::size_t count>
  ParameterOf& choices(const Choice<Chosen> (&table)[count]) {
    facts_.kind = ParameterKind::Choice;
    facts_.choices.clear();
    for (const Choice<Chosen>& choice : table) facts_.choices.emplace_back(choice.first);
    read_ = [&table](std::string_view text, const Parameter&) -> Value { return parse_choice(text, table); };
    print_ = [&table](const Value& value) {
      if constexpr (requires { value.has_value(); }) {
        return value ? word_of(*value, table) : std::string();
      } else {
        return word_of(value, table);
      }
    };
    return *this;
  }
  /// A way of its own from a text, and back.
  template <class Read, class Print>
  ParameterOf& by(Read read, Print print) {
    read_ = [read](std::string_view text, const Parameter&) -> Value { return read(text); };
    print_ = print;
    return *this;
  }
  template <class Read>
  ParameterOf& read_by(Read read) {
    read_ = [read](std::string_view text, const Parameter&) -> Value { return read(text); };
    return *this;
  }

  /// What front ends see; `section` is the operation's own.
  template <class Options>
  [[nodiscard]] Parameter facts(const Options& defaults, const std::string& section) const {
    Parameter facts = facts_;
    facts.initial = print_(defaults.*member_);
    if (facts.kind == ParameterKind::Flag) facts.initial.clear();
    if (facts.wanted.empty()) facts.wanted = wanted_words(facts);
    if (facts.section.empty()) facts.section = section;
    return facts;
  }

  template <std::derived_from<Owner> Options>
  [[nodiscard]] ParameterAccess access(const Parameter& facts) const {
    ParameterAccess access{facts.name, facts.wanted, {}, {}, {}};
    access.read = [member = member_, read = read_, facts](std::any& options, std::string_view text) {
      std::any_cast<Options&>(options).*member = read(text, facts);
    };
    if constexpr (std::is_assignable_v<Value&, const StructuringElement&>) {
      access.take = [member = member_](std::any& options, const StructuringElement& element) {
        std::any_cast<Options&>(options).*member = element;
      };
    }
    access.print = [member = member_, print = print_](const std::any& options) {
      return print(std::any_cast<const Options&>(options).*member);
    };
    return access;
  }

 private:
  template <class Member, class New>
  ParameterOf& put(Member& member, New value) {
    member = std::move(value);
    return *this;
  }

  Value Owner::*member_;
  Parameter facts_;
  std::function<Value(std::string_view, const Parameter&)> read_;
  std::function<std::string(const Value&)> print_;
};

template <class Owner, class Value>
[[nodiscard]] ParameterOf<Owner, Value> parameter(Value Owner::*member, std::string name) {
  return {member, std::move(name)};
}

/// Of filters of windows and of elements.
template <class Options>
[[nodiscard]] auto nan_parameter(NanPolicy Options::*member) {
  return parameter(member, "nan")
      .choices(nan_policies)
      .text("f32 samples that are no numbers: an error, or left out")
      .details("Where there is nothing else the result is NaN.")
      .example("ignore");
}

/// Adds the parameters to what `operation` says already. `defaults` is the options struct as it is before anybody sets
/// anything; `section` is the title of the parameters that have none of their own.
template <class Options, class... Owners, class... Values>
[[nodiscard]] OperationDescription describe(OperationDescription operation, const Options& defaults,
                                            const std::string& section,
                                            const ParameterOf<Owners, Values>&... parameters) {
  auto access = std::make_shared<ArgumentsAccess>();
  const auto add = [&](const auto& parameter) {
    operation.parameters.push_back(parameter.facts(defaults, section));
    access->parameters.push_back(parameter.template access<Options>(operation.parameters.back()));
  };
  (add(parameters), ...);
  operation.defaults = Arguments(defaults, std::move(access));
  return operation;
}

/// The types that filters take.
[[nodiscard]] std::vector<Type> filter_types();

/// "disk:2 (13 offsets)", for reports.
[[nodiscard]] std::string offsets_text(const StructuringElement& element, int rank);

}  // namespace tamis
