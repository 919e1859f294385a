// Tags and attributes of an XML text, one after the other: no tree, no memory, time in proportion to the text.
// It knows no entities and no DTDs; what it is used for needs none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tamis::io {

struct XmlTag {
  std::string_view name;        ///< without its namespace
  std::string_view attributes;  ///< as they stand there
  std::string_view text;        ///< behind the tag, up to the next one
  std::int64_t depth = 0;       ///< 1 for the root
  bool opens = true;            ///< <a> and <a/>
  bool closes = false;          ///< </a> and <a/>

  /// Without the quotes; nothing where there is no such attribute.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name) const;
};

class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : rest_(text) {}

  /// The next tag; nothing at the end and where the text is damaged.
  [[nodiscard]] std::optional<XmlTag> next();
  /// After the last tag: was the text whole?
  [[nodiscard]] bool whole() const { return !damaged_ && started_ && depth_ == 0; }

 private:
  bool skip(std::string_view begin, std::string_view end);
  [[nodiscard]] std::optional<XmlTag> damaged();

  std::string_view rest_;
  std::int64_t depth_ = 0;
  bool started_ = false;
  bool damaged_ = false;
};

}  // namespace tamis::io
