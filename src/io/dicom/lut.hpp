// The Modality LUT of a DICOM file: a table of what its samples stand for, in place of a slope and an intercept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::io {

struct ModalityLut {
  std::vector<std::uint16_t> values;  ///< empty: there is none
  std::int64_t first = 0;             ///< the sample of the first value; samples beyond either end have that end's
  int bits = 16;                      ///< that values are said to have

  /// The values of `count` samples, as `to`: u8, whose tables hold no more, u16, f32 or f64.
  void look_up(Type from, const std::byte* samples, std::int64_t count, Type to, std::byte* out) const;
};

/// The elements of the sequence's item, one after the other.
class ModalityLutElements {
 public:
  /// Throws InputError for one that is there twice.
  void note(const std::string& path, std::uint32_t tag, std::string_view value, bool little);
  /// Throws InputError where the elements do not agree. `is_signed`: the samples are.
  [[nodiscard]] ModalityLut table(const std::string& path, bool is_signed) const;

 private:
  std::string descriptor_;  // both in the order of bytes of this machine
  std::string data_;
};

}  // namespace tamis::io
