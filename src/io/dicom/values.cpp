#include "io/dicom/dicom.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/visit_type.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

enum Tag : std::uint32_t {
  slice_thickness = 0x00180050,
  spacing_between_slices = 0x00180088,
  gantry_tilt = 0x00181120,
  imager_pixel_spacing = 0x00181164,
  nominal_scanned_pixel_spacing = 0x00182010,
  physical_units_x = 0x00186024,
  physical_units_y = 0x00186026,
  physical_delta_x = 0x0018602c,
  physical_delta_y = 0x0018602e,
  image_position = 0x00200032,
  image_orientation = 0x00200037,
  pixel_spacing = 0x00280030,
  rescale_intercept = 0x00281052,
  rescale_slope = 0x00281053,
  image_plane_pixel_spacing = 0x30020011
};

bool is_length(double value) { return std::isfinite(value) && value > 0; }

template <std::size_t count>
std::optional<std::array<double, count>> numbers(std::string_view text) {
  const auto found = dicom_numbers(text, count);
  if (!found || found->size() != count) return std::nullopt;
  std::array<double, count> values;
  std::copy(found->begin(), found->end(), values.begin());
  return values;
}

std::optional<double> length(std::string_view text) {
  const auto one = numbers<1>(text);
  return one && is_length(one->front()) ? std::optional(one->front()) : std::nullopt;
}

/// A slope that cannot be read makes all samples doubtful; an empty one is none.
std::optional<double> scale(const std::string& path, std::string_view text) {
  if (dicom_text(text).empty()) return std::nullopt;
  if (const auto one = numbers<1>(text)) return one->front();
  refuse("{}: got the rescale slope or intercept \"{}\", wanted a number", path, shown(dicom_text(text)));
}

template <class T>
T binary(std::string_view value, bool little) {
  return value.size() == sizeof(T) ? number_at<T>(value.data(), little != native_little) : T{};
}

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

void refuse_second(const std::string& path, std::uint32_t tag) {
  refuse("{}: corrupt DICOM file: got the element {:08x} twice, wanted it once", path, tag);
}

std::string_view dicom_text(std::string_view value) { return trimmed(value.substr(0, value.find('\0'))); }

std::optional<std::vector<double>> dicom_numbers(std::string_view text, std::size_t most) {
  std::vector<double> values;
  text = dicom_text(text);
  while (values.size() < most) {
    const std::size_t end = std::min(text.find('\\'), text.size());
    std::string_view word = trimmed(text.substr(0, end));
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || rest != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
    values.push_back(value);
    if (end == text.size()) return values;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

void DicomValues::note(const std::string& path, std::uint32_t tag, std::string_view value) {
  const auto take = [&](auto& place, auto read) {
    if (read && place) refuse_second(path, tag);
    if (read) place = read;
  };
  const auto take_edges = [&](int rank) {
    const auto read = numbers<2>(value);
    if (!read || !is_length(read->front()) || !is_length(read->back()) || rank < edges_rank) return;
    if (rank == edges_rank) refuse_second(path, tag);
    edges = read;
    edges_rank = rank;
  };
  if (tag == image_position) take(position, numbers<3>(value));
  if (tag == image_orientation) take(orientation, numbers<6>(value));
  if (tag == rescale_slope) take(slope, scale(path, value));
  if (tag == rescale_intercept) take(intercept, scale(path, value));
  if (tag == spacing_between_slices) take(between, length(value));
  if (tag == gantry_tilt && numbers<1>(value)) take(tilt, std::optional(numbers<1>(value)->front()));
  if (tag == slice_thickness) take(thickness, length(value));
  constexpr std::array by_rank{image_plane_pixel_spacing, nominal_scanned_pixel_spacing, imager_pixel_spacing,
                               pixel_spacing};
  const auto rank = std::find(by_rank.begin(), by_rank.end(), tag) - by_rank.begin() + 1;
  if (rank <= std::ssize(by_rank)) take_edges(static_cast<int>(rank));
}

void DicomValues::fill_from(const DicomValues& other) {
  if (!position) position = other.position;
  if (!orientation) orientation = other.orientation;
  if (!slope && !intercept) {  // they belong together
    slope = other.slope;
    intercept = other.intercept;
  }
  if (!edges) edges = other.edges;
  if (!between) between = other.between;
  if (!thickness) thickness = other.thickness;
  if (!tilt) tilt = other.tilt;
}

void UltrasoundRegions::note(std::uint32_t tag, std::string_view value, bool little) {
  constexpr std::uint16_t centimetres = 3;
  if (tag == physical_units_x) units_ = {binary<std::uint16_t>(value, little), 0};
  if (tag == physical_units_y) units_[1] = binary<std::uint16_t>(value, little);
  if (tag == physical_delta_x) x_ = 10 * std::abs(binary<double>(value, little));
  if (tag != physical_delta_y || units_ != std::array{centimetres, centimetres}) return;
  const std::array<double, 2> edges{10 * std::abs(binary<double>(value, little)), x_};
  if (found_.size() < 2 && (found_.empty() || found_.front() != edges)) found_.push_back(edges);
}

std::optional<std::array<double, 2>> UltrasoundRegions::edges() const {
  if (found_.size() != 1 || !is_length(found_.front()[0]) || !is_length(found_.front()[1])) return std::nullopt;
  return found_.front();
}

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
