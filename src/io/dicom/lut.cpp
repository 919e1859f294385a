#include "io/dicom/dicom.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/visit_type.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

template <class From, class To>
void convert(const ModalityLut& lut, const std::byte* samples, std::int64_t count, std::byte* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sample = number_at<From>(samples + i * static_cast<std::int64_t>(sizeof(From)), false);
    const auto last = static_cast<std::int64_t>(lut.values.size()) - 1;
    const bool beyond = std::cmp_greater(sample, lut.first + last);
    const std::int64_t at = beyond                             ? last
                            : std::cmp_less(sample, lut.first) ? 0
                                                               : static_cast<std::int64_t>(sample) - lut.first;
    const auto value = static_cast<To>(lut.values[static_cast<std::size_t>(at)]);
    std::memcpy(out + i * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
  }
}

}  // namespace

void ModalityLut::look_up(Type from, const std::byte* samples, std::int64_t count, Type to, std::byte* out) const {
  visit_type(from, [&](auto sample) {
    using From = decltype(sample);
    if constexpr (std::is_integral_v<From>) {
      visit_type(to, [&](auto value) { convert<From, decltype(value)>(*this, samples, count, out); });
    }
  });
}

void ModalityLutElements::note(const std::string& path, std::uint32_t tag, std::string_view value, bool little) {
  constexpr std::uint32_t lut_descriptor = 0x00283002;
  constexpr std::uint32_t lut_data = 0x00283006;
  if (tag != lut_descriptor && tag != lut_data) return;
  std::string& kept = tag == lut_data ? data_ : descriptor_;
  if (!kept.empty()) refuse_second(path, tag);
  kept = value;
  if (little != native_little) swap_bytes(reinterpret_cast<std::byte*>(kept.data()), std::ssize(kept) / 2, 2);
}

ModalityLut ModalityLutElements::table(const std::string& path, bool is_signed) const {
  if (descriptor_.empty() && data_.empty()) return {};
  const auto number = [](const std::string& text, std::size_t i) {
    return number_at<std::uint16_t>(text.data() + 2 * i, false);
  };
  if (descriptor_.size() != 6) {
    refuse("{}: corrupt DICOM file: got a Modality LUT with a descriptor of {} bytes, wanted 6", path,
           descriptor_.size());
  }
  ModalityLut lut{{}, number(descriptor_, 1), number(descriptor_, 2)};
  if (is_signed) lut.first = static_cast<std::int16_t>(lut.first);
  const std::size_t entries = number(descriptor_, 0) == 0 ? 65536 : number(descriptor_, 0);
  const bool bytes = lut.bits <= 8 && data_.size() == entries + entries % 2 && entries > 1;
  if (lut.bits < 1 || lut.bits > 16 || (!bytes && data_.size() != 2 * entries)) {
    refuse(
        "{}: corrupt DICOM file: got a Modality LUT of {} bytes for {} values of {} bits, wanted 1 to 16 bits and 2 "
        "bytes a value",
        path, data_.size(), entries, lut.bits);
  }
  lut.values.resize(entries);
  for (std::size_t i = 0; i < entries; ++i) {
    lut.values[i] = bytes ? static_cast<unsigned char>(data_[i]) : number(data_, i);
    if (lut.values[i] >> lut.bits == 0) continue;
    refuse("{}: corrupt DICOM file: got {} in a Modality LUT, wanted values of {} bits", path, lut.values[i], lut.bits);
  }
  return lut;
}

}  // namespace tamis::io
