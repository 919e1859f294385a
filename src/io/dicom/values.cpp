#include "io/dicom/dicom.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

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

}  // namespace tamis::io
