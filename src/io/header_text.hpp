// Headers that are text: what may be read of them, and words for messages.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/mapped_file.hpp"

namespace tamis::io {

/// No header that a program writes is longer; a file of gigabytes that is no image must not be searched for the end of
/// one.
inline constexpr std::int64_t longest_header = std::int64_t{16} << 20;

/// The first bytes of a file, as many as a header may have.
[[nodiscard]] std::string_view head_of(const MappedFile& file);
/// Refuses a header that has not ended where it has to. Throws InputError.
[[noreturn]] void header_too_long(const std::string& path, std::string_view format);

/// The fields of a header that mean something here; others are not kept, so that memory does not follow the file.
class HeaderFields {
 public:
  /// Throws InputError where the field was there before: readers differ in which of the two counts.
  void add(const std::string& path, std::string_view name, std::string_view value);
  /// Empty where there is none.
  [[nodiscard]] std::string_view get(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> fields_;
};

/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);
/// Printable ASCII of a word of a header, shortened, for messages.
[[nodiscard]] std::string shown(std::string_view word);

/// The number that the whole text is; nothing for other texts.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
/// Up to 16 numbers between blanks; throws InputError, naming the key, for anything else.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(const std::string& path, std::string_view key,
                                                      std::string_view text);
[[nodiscard]] std::int64_t whole_number(const std::string& path, std::string_view key, std::string_view text);
/// The first `count` words, 3 at most, as voxel sizes; nothing unless all are finite numbers above 0.
[[nodiscard]] std::optional<std::array<double, 3>> lengths(std::string_view text, int count);

}  // namespace tamis::io
