// The parts of descriptions that do not depend on an operation.
#include "core/operation/operation.hpp"

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "core/door.hpp"

namespace tamis {
namespace {

/// " from 0 to 100", ", 1 or more", " above 0 and below 1".
std::string bounds_text(const NumberRange& range) {
  if (!range.lowest && !range.highest) return {};
  const bool both = range.lowest && range.highest && !range.without_lowest && !range.without_highest;
  if (both) return " from " + range_text(range);
  return (range.without_lowest || !range.lowest ? " " : ", ") + range_text(range);
}

const ParameterAccess& find(const ArgumentsAccess* access, std::string_view name, std::size_t& index) {
  if (access != nullptr) {
    for (index = 0; index < access->parameters.size(); ++index) {
      if (access->parameters[index].name == name) return access->parameters[index];
    }
  }
  throw InputError(fmt::format("{}: no such parameter", name));
}

/// A word, or what begins like one that ends with a value: "constant:3" is a "constant:V".
bool is_word(std::string_view text, const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) return text == word;
  return text.starts_with(std::string_view(word).substr(0, colon + 1));
}

[[noreturn]] void refuse(const Parameter& parameter, std::string_view text) {
  const std::vector<std::string_view> words(parameter.choices.begin(), parameter.choices.end());
  throw InputError("wanted " + parameter.wanted + suggestion(text, words));
}

}  // namespace

std::string_view name(ParameterKind kind) {
  door::require_known(kind, ParameterKind::Bytes, "kind");
  static constexpr std::string_view names[] = {"flag",    "integer", "number", "numbers", "interval",
                                               "choice",  "text",    "element", "family", "border",
                                               "edges",   "extent",  "threshold", "length", "bytes"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(Reach reach) {
  door::require_known(reach, Reach::Image, "reach");
  static constexpr std::string_view names[] = {"sample", "window", "image"};
  return names[static_cast<std::size_t>(reach)];
}

std::string wanted_words(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::Flag:
      return "true or false";
    case ParameterKind::Integer:
      return "a whole number" + bounds_text(parameter.range);
    case ParameterKind::Number:
      return "a number" + bounds_text(parameter.range);
    case ParameterKind::Numbers:
      return "a number, or several as in 11,21,41";
    case ParameterKind::Interval:
      return "LO:HI, two numbers";
    case ParameterKind::Choice:
    case ParameterKind::Border: {
      const std::vector<std::string_view> words(parameter.choices.begin(), parameter.choices.end());
      return alternatives(words);
    }
    case ParameterKind::Element:
    case ParameterKind::Family:
      return "a structuring element such as disk:5";
    case ParameterKind::Edges:
      return "N, WxH or WxHxD, whole numbers from 1, e.g. 5 or 7x3";
    case ParameterKind::Extent:
      return "one edge length, WIDTHxHEIGHTxSLICES or WIDTHxHEIGHT, e.g. 256 or 256x256x100";
    case ParameterKind::Threshold:
      return "a number, LO:HI or the name of a method";
    case ParameterKind::Length:
      return "a length with its unit, e.g. 2.5um or 1x1x2um";
    case ParameterKind::Bytes:
      return "a size such as 4G or 512M";
    case ParameterKind::Text:
      break;
  }
  return "a text";
}

bool ValueText<bool>::read(std::string_view text, const Parameter& parameter) {
  if (text != "true" && text != "false") refuse(parameter, text);
  return text == "true";
}

double ValueText<double>::read(std::string_view text, const Parameter& parameter) {
  const std::optional<double> number = finite_number(text);
  if (!number || !holds(parameter.range, *number)) refuse(parameter, text);
  return *number;
}

std::string ValueText<double>::print(double value) { return fmt::format("{}", value); }

std::int64_t read_whole(std::string_view text, const Parameter& parameter) {
  const std::optional<std::int64_t> number = whole_number(text);
  if (!number || !holds(parameter.range, static_cast<double>(*number))) refuse(parameter, text);
  return *number;
}

std::vector<double> ValueText<std::vector<double>>::read(std::string_view text, const Parameter& parameter) {
  std::vector<double> numbers;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<double> number = finite_number(text.substr(0, comma));
    if (!number || !holds(parameter.range, *number)) refuse(parameter, text);
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

std::string ValueText<std::vector<double>>::print(const std::vector<double>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

Border ValueText<Border>::read(std::string_view text, const Parameter& parameter) {
  const bool known = std::any_of(parameter.choices.begin(), parameter.choices.end(),
                                 [&](const std::string& word) { return is_word(text, word); });
  const std::optional<Border> border = known ? parse_border(text) : std::nullopt;
  if (!border) refuse(parameter, text);
  return *border;
}

std::string ValueText<Spacing>::print(const Spacing& spacing) {
  return fmt::format("{}x{}x{}{}", spacing.x, spacing.y, spacing.z, spacing.unit);
}

Arguments::Arguments(std::any options, std::shared_ptr<const ArgumentsAccess> access)
    : options_(std::move(options)), access_(std::move(access)), given_(access_ ? access_->parameters.size() : 0) {}

void Arguments::refuse() { throw InputError("arguments of another operation; wanted the operation's own"); }

void Arguments::set(std::string_view parameter, std::string_view text) {
  std::size_t index = 0;
  find(access_.get(), parameter, index).read(options_, text);
  given_[index] = text;
}

void Arguments::set_element(std::string_view parameter, const StructuringElement& element) {
  std::size_t index = 0;
  const ParameterAccess& access = find(access_.get(), parameter, index);
  if (!access.take) throw InputError("wanted " + access.wanted);
  access.take(options_, element);
  given_[index] = element.spec();
}

std::string Arguments::text(std::string_view parameter) const {
  std::size_t index = 0;
  const ParameterAccess& access = find(access_.get(), parameter, index);
  return given_[index] ? *given_[index] : access.print(options_);
}

bool Arguments::given(std::string_view parameter) const {
  std::size_t index = 0;
  find(access_.get(), parameter, index);
  return given_[index].has_value();
}

std::vector<Type> filter_types() { return {Type::Bool, Type::U8, Type::U16, Type::I16, Type::F32}; }

std::string offsets_text(const StructuringElement& element, int rank) {
  constexpr std::int64_t in_an_instant = 1 << 20;
  try {
    return fmt::format("{} ({} offsets)", element.spec(), element.sum(rank, {in_an_instant, {}}).count());
  } catch (const InputError&) {  // its parts were used one by one; as one set it is too much work for a remark
    return element.spec();
  }
}

}  // namespace tamis
