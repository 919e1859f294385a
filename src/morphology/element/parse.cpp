// Specs of structuring elements: sums, reflect(), shift() and shapes by name.
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tamis/element.hpp>
#include <tamis/error.hpp>
#include <tamis/operations/parse.hpp>

#include "core/door.hpp"
#include "morphology/element/catalogue.hpp"

namespace tamis {
namespace {

using namespace morphology_detail;

using Texts = std::vector<std::string_view>;

std::string_view without_leading_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

std::string_view trimmed(std::string_view text) {
  text = without_leading_spaces(text);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);  // from_chars takes no plus
  Number number{};
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || fault != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

/// Numbers between separators; nothing if one is not a number, or there are not `least` to `most` of them.
template <class Number>
std::optional<std::vector<Number>> numbers_of(std::string_view text, char separator, std::size_t least,
                                              std::size_t most) {
  std::vector<Number> numbers;
  for (;;) {
    const std::size_t end = text.find(separator);
    const std::optional<Number> number = number_of<Number>(text.substr(0, end));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  if (numbers.size() < least || numbers.size() > most) return std::nullopt;
  return numbers;
}

std::optional<ElementNumber> size_of(const ElementSize& size, std::string_view text) {
  if (size.whole) {
    const auto whole = number_of<std::int64_t>(text);
    return whole ? std::optional<ElementNumber>({static_cast<double>(*whole), *whole}) : std::nullopt;
  }
  const auto number = number_of<double>(text);
  return number ? std::optional<ElementNumber>({*number, 0}) : std::nullopt;
}

/// The numbers of "7x3"; nothing if they are not those of the shape.
std::optional<std::vector<ElementNumber>> sizes_of(const std::vector<ElementSize>& sizes, std::string_view text) {
  std::vector<ElementNumber> numbers;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t end = i + 1 < sizes.size() ? text.find(sizes[i + 1].before) : std::string_view::npos;
    const std::optional<ElementNumber> number = size_of(sizes[i], text.substr(0, end));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (end != std::string_view::npos) {
      text.remove_prefix(end + 1);
    } else if (i + 1 < sizes.size()) {
      if (sizes[i + 1].required) return std::nullopt;
      break;
    }
  }
  return numbers;
}

/// As short as it can be, and the same element when it is read again.
std::string spec_of(const ElementShape& shape, const std::vector<ElementNumber>& numbers) {
  std::string spec(shape.name);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    spec += shape.sizes[i].before;
    spec += shape.sizes[i].whole ? fmt::format("{}", numbers[i].whole) : fmt::format("{}", numbers[i].value);
  }
  return spec;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Whether a summand starts here: a word and ':' or '('. After a file's name only a word that we know counts, for
/// names may hold anything.
bool starts_summand(std::string_view text, bool after_file) {
  text = without_leading_spaces(text);
  if (text.starts_with('(')) return true;
  std::size_t end = 0;
  while (end < text.size() && is_letter(text[end])) ++end;
  if (end == 0) return false;
  if (!after_file) return true;
  const std::string_view word = text.substr(0, end);
  const char next = end < text.size() ? text[end] : ' ';
  if (next == '(') return word == "reflect" || word == "shift";
  return next == ':' && (word == "file" || find_shape(word) != nullptr);
}

/// Splits at separators outside of parentheses; at '+' only where a summand follows, for it may be a sign.
Texts split(std::string_view text, char separator) {
  Texts parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != separator || depth != 0) continue;
    const bool in_file = without_leading_spaces(text.substr(start)).starts_with("file:");
    if (separator == '+' && !starts_summand(text.substr(i + 1), in_file)) continue;
    parts.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

/// The inside of "word(...)", or nothing.
std::optional<std::string_view> inside(std::string_view text, std::string_view word) {
  if (!text.starts_with(word) || !text.substr(word.size()).starts_with('(') || !text.ends_with(')')) {
    return std::nullopt;
  }
  return text.substr(word.size() + 1, text.size() - word.size() - 2);
}

/// A spec in a message: as much of it as a reader can take in.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 200;
  if (text.empty()) return "''";
  if (text.size() <= most) return std::string(text);
  return fmt::format("{}... ({} letters)", text.substr(0, most), text.size());
}

[[noreturn]] void refuse(std::string_view text, std::string_view wanted) {
  throw InputError(fmt::format("element {}; wanted {}", shown(text), wanted));
}

/// What an element may begin with.
std::vector<std::string_view> first_words() {
  std::vector<std::string_view> words{"file", "reflect", "shift"};
  for (const ElementShape& shape : element_shapes()) words.push_back(shape.name);
  return words;
}

}  // namespace

struct StructuringElement::Parser {
  const MaskLoader& load_mask;
  int depth = 0;  ///< parentheses around what is read

  /// For what stands in parentheses: the text decides how deep the calls go, so there is a limit.
  [[nodiscard]] Parser deeper(std::string_view text) const {
    constexpr int deepest = 64;
    if (depth == deepest) refuse(text, fmt::format("at most {} parentheses inside each other", deepest));
    return {load_mask, depth + 1};
  }

  [[nodiscard]] StructuringElement sum(std::string_view text) const {
    const Texts summands = split(text, '+');
    StructuringElement element = summand(trimmed(summands.front()));
    for (std::size_t i = 1; i < summands.size(); ++i) element.append(summand(trimmed(summands[i])));
    return element;
  }

  [[nodiscard]] StructuringElement summand(std::string_view text) const {
    if (const auto part = inside(text, "")) return deeper(text).sum(*part);
    if (const auto part = inside(text, "reflect")) return deeper(text).sum(*part).reflected();
    if (const auto part = inside(text, "shift")) return deeper(text).shift(text, *part);
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view sizes = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    if (name == "file") return file(text, sizes);
    if (const NamedShape* const shape = find_shape(name)) return named(text, *shape, sizes);
    refuse(text, "a shape and its size, e.g. disk:5; shapes are " + element_shape_names() +
                     "; also reflect(S), shift(S,dx,dy[,dz]), S+T" + suggestion(text.substr(0, text.find_first_of(":(")), first_words()));
  }

  /// The numbers of a shift are its last two or three: a line or a file may end with numbers of its own.
  [[nodiscard]] StructuringElement shift(std::string_view whole, std::string_view text) const {
    const std::string_view wanted = "shift(S,dx,dy) or shift(S,dx,dy,dz), whole numbers";
    const Texts commas = split(text, ',');
    for (const std::size_t count : {std::size_t{3}, std::size_t{2}}) {
      if (commas.size() <= count) continue;
      const std::string_view first = commas[commas.size() - count];
      const auto from = static_cast<std::size_t>(first.data() - text.data());
      const auto by = numbers_of<std::int64_t>(text.substr(from), ',', count, count);
      if (!by) continue;
      for (const std::int64_t n : *by) {
        if (n < -(1 << 30) || n > 1 << 30) refuse(whole, "displacements of at most 2^30");
      }
      const Offset offset{count == 3 ? (*by)[2] : 0, (*by)[1], (*by)[0]};
      if (count == 2) return sum(text.substr(0, from - 1)).shifted(offset);
      try {
        return sum(text.substr(0, from - 1)).shifted(offset);
      } catch (const InputError&) {  // the first of the three belongs to S, or S is wrong either way
        continue;
      }
    }
    refuse(whole, wanted);
  }

  [[nodiscard]] static StructuringElement named(std::string_view text, const NamedShape& named,
                                                std::string_view sizes) {
    const std::optional<std::vector<ElementNumber>> numbers = sizes_of(named.shape.sizes, sizes);
    if (!numbers) {
      const std::string_view good = named.good_sizes.empty() ? named.shape.example : named.good_sizes;
      refuse(text, fmt::format("{} as in {}", named.sizes_in_words, good));
    }
    BuiltShape built = build_shape(named, *numbers);
    return {{Part{built.rank, std::move(built.set), built.cross_radius, {}, built.segment}},
            spec_of(named.shape, *numbers)};
  }

  [[nodiscard]] StructuringElement file(std::string_view text, std::string_view sizes) const {
    std::string_view path = sizes;
    std::optional<std::vector<std::int64_t>> origin;
    // A name may hold an '@' of its own: only numbers after the last one are an origin.
    if (const std::size_t at = sizes.rfind('@'); at != std::string_view::npos) {
      origin = numbers_of<std::int64_t>(sizes.substr(at + 1), ',', 2, 3);
      if (origin) path = sizes.substr(0, at);
    }
    if (path.empty()) refuse(text, "the name of a mask, as in file:mask.png");
    if (!load_mask) refuse(text, "an element that needs no file; masks are read by the program and by io");
    const Image mask = load_mask(std::string(path));
    StructuringElement element = origin ? from_mask(mask, origin_of(text, mask, *origin)) : from_mask(mask);
    element.spec_ = std::string(text);
    return element;
  }

  static Offset origin_of(std::string_view text, const Image& mask, const std::vector<std::int64_t>& numbers) {
    const auto want = static_cast<std::size_t>(mask.shape().rank);
    if (numbers.size() != want) refuse(text, fmt::format("an origin of {} numbers, x first", want));
    return {want == 3 ? numbers[2] : 0, numbers[1], numbers[0]};
  }
};

StructuringElement::StructuringElement(std::string_view spec, const MaskLoader& load_mask)
    : StructuringElement(door::guarded("element", [&] { return Parser{load_mask}.sum(trimmed(spec)); })) {}

}  // namespace tamis
