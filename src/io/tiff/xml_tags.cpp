#include "io/tiff/tiff.hpp"

namespace tamis::io {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

std::string_view local(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

struct Attribute {
  std::string_view name;
  std::string_view value;
};

/// Takes `name = "value"` off the front of a text; nothing where the text does not begin so.
std::optional<Attribute> take_attribute(std::string_view& text) {
  text = without_blanks(text);
  const std::size_t name = text.find_first_of(" \t\r\n=\"'<>");
  if (name == 0 || name == std::string_view::npos) return std::nullopt;
  std::string_view rest = without_blanks(text.substr(name));
  if (!rest.starts_with('=')) return std::nullopt;
  rest = without_blanks(rest.substr(1));
  if (!rest.starts_with('"') && !rest.starts_with('\'')) return std::nullopt;
  const std::size_t end = rest.find(rest.front(), 1);
  if (end == std::string_view::npos) return std::nullopt;
  const Attribute attribute{text.substr(0, name), rest.substr(1, end - 1)};
  text = rest.substr(end + 1);
  return attribute;
}

}  // namespace

std::optional<std::string_view> XmlTag::attribute(std::string_view wanted) const {
  std::string_view rest = attributes;
  while (const std::optional<Attribute> found = take_attribute(rest)) {
    if (found->name == wanted) return found->value;
  }
  return std::nullopt;
}

std::optional<XmlTag> XmlTags::damaged() {
  damaged_ = true;
  rest_ = {};
  return std::nullopt;
}

/// Skips a comment or the like; one without an end is damage.
bool XmlTags::skip(std::string_view begin, std::string_view end) {
  if (!rest_.starts_with(begin)) return false;
  const std::size_t at = rest_.find(end, begin.size());
  if (at == std::string_view::npos) {
    static_cast<void>(damaged());
  } else {
    rest_.remove_prefix(at + end.size());
  }
  return true;
}

std::optional<XmlTag> XmlTags::next() {
  while (true) {
    const std::size_t start = rest_.find('<');
    if (start == std::string_view::npos) return std::nullopt;
    rest_.remove_prefix(start);
    if (!skip("<!--", "-->") && !skip("<![CDATA[", "]]>") && !skip("<?", "?>") && !skip("<!", ">")) break;
    if (damaged_) return std::nullopt;
  }
  XmlTag tag;
  rest_.remove_prefix(1);
  if (rest_.starts_with('/')) {
    tag.opens = false;
    tag.closes = true;
    rest_.remove_prefix(1);
  }
  const std::size_t name = rest_.find_first_of(" \t\r\n/<>");
  if (name == 0 || name == std::string_view::npos) return damaged();
  tag.name = local(rest_.substr(0, name));
  rest_.remove_prefix(name);
  const std::string_view begin = rest_;
  while (take_attribute(rest_)) {
  }
  tag.attributes = begin.substr(0, begin.size() - rest_.size());
  rest_ = without_blanks(rest_);
  if (tag.opens && rest_.starts_with('/')) {
    tag.closes = true;
    rest_.remove_prefix(1);
  }
  if (!rest_.starts_with('>')) return damaged();
  rest_.remove_prefix(1);
  tag.text = rest_.substr(0, rest_.find('<'));
  tag.depth = tag.opens ? depth_ + 1 : depth_;
  if (tag.opens) ++depth_;
  if (tag.closes) --depth_;
  if (depth_ < 0 || (started_ && tag.opens && tag.depth == 1)) return damaged();
  started_ = true;
  return tag;
}

}  // namespace tamis::io
