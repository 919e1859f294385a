#include "io/itk/dicom_lengths.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "io/header_text.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

enum Tag : std::uint32_t {
  imager_pixel_spacing = 0x00181164,
  nominal_scanned_pixel_spacing = 0x00182010,
  pixel_spacing = 0x00280030,
  image_plane_pixel_spacing = 0x30020011,
  physical_delta_x = 0x0018602c,  // of ultrasound, in cm
  physical_delta_y = 0x0018602e,
  slice_thickness = 0x00180050,
  spacing_between_slices = 0x00180088,
  grid_frame_offset_vector = 0x3004000c
};

bool is_length(double value) { return std::isfinite(value) && value > 0; }

/// The number before the next backslash, which goes from the text with it.
std::optional<double> next_number(std::string_view& text) {
  const std::size_t end = std::min(text.find('\\'), text.size());
  std::string_view word = trimmed(text.substr(0, std::min(end, text.find('\0'))));
  text.remove_prefix(std::min(end + 1, text.size()));
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || rest != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

void DicomLengths::Lengths::add(double length) {
  if (!is_length(length)) return;
  any = true;
  one = one || length == 1;
}

bool DicomLengths::Lengths::vouch_for(double length) const { return is_length(length) && any && (length != 1 || one); }

void DicomLengths::note(std::uint32_t tag, std::string_view value) {
  switch (tag) {
    case imager_pixel_spacing:
    case nominal_scanned_pixel_spacing:
    case pixel_spacing:
    case image_plane_pixel_spacing: {
      const std::optional<double> y = next_number(value);
      const std::optional<double> x = next_number(value);
      if (!x || !y || !is_length(*x) || !is_length(*y)) return;
      in_plane_.add(*x);
      return in_plane_.add(*y);
    }
    case physical_delta_x:
    case physical_delta_y: {
      double centimetres = 0;
      if (value.size() != sizeof centimetres || !native_little) return;
      std::memcpy(&centimetres, value.data(), sizeof centimetres);
      return in_plane_.add(std::abs(centimetres) * 10);
    }
    case slice_thickness:
    case spacing_between_slices:
      if (const std::optional<double> z = next_number(value)) between_.add(*z);
      return;
    case grid_frame_offset_vector: {
      const std::optional<double> first = next_number(value);
      const std::optional<double> second = next_number(value);
      if (first && second) between_.add(*second - *first);
      return;
    }
    default:
      return;
  }
}

bool DicomLengths::has_in_plane(double x, double y) const { return in_plane_.vouch_for(x) && in_plane_.vouch_for(y); }

bool DicomLengths::has_between(double z) const { return between_.vouch_for(z); }

}  // namespace tamis::io
