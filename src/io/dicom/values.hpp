// What DICOM elements say of frames: where they lie, how far apart their samples are, what the samples stand for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::io {

/// Of one frame, of all of them, or of a file; empty where it does not say. Values that are no numbers or no lengths
/// are not said, but for slopes.
struct DicomValues {
  std::optional<std::array<double, 3>> position;     ///< centre of the first sample, mm
  std::optional<std::array<double, 6>> orientation;  ///< directions of a row and of a column
  std::optional<double> slope;
  std::optional<double> intercept;
  std::optional<std::array<double, 2>> edges;  ///< between rows, between columns, mm
  int edges_rank = 0;                          ///< of the element that `edges` are from; the highest counts
  std::optional<double> between;               ///< slices, centre to centre, mm
  std::optional<double> thickness;             ///< of a slice, mm
  std::optional<double> tilt;                  ///< of the gantry, degrees

  /// Takes what matters; other elements are passed over. Throws InputError for an element that is there twice, and for
  /// a slope or intercept that is no number.
  void note(const std::string& path, std::uint32_t tag, std::string_view value);
  /// What is empty here is what the other says.
  void fill_from(const DicomValues& other);
};

/// Sizes of pixels that regions of an ultrasound image have, in their own elements.
class UltrasoundRegions {
 public:
  /// Elements of one region after the other.
  void note(std::uint32_t tag, std::string_view value, bool little);
  /// Between rows, between columns, mm; nothing where there is none in cm, or regions differ.
  [[nodiscard]] std::optional<std::array<double, 2>> edges() const;

 private:
  std::array<std::uint16_t, 2> units_{};  // of x and y
  double x_ = 0;
  std::vector<std::array<double, 2>> found_;  // two at most
};

/// Refuses an element that is there twice: readers differ in which of the two counts.
[[noreturn]] void refuse_second(const std::string& path, std::uint32_t tag);
/// Numbers between backslashes; nothing where one is none, or is not finite. At most `most`.
[[nodiscard]] std::optional<std::vector<double>> dicom_numbers(std::string_view text, std::size_t most);
/// Without the zeros and blanks that make lengths even.
[[nodiscard]] std::string_view dicom_text(std::string_view value);

}  // namespace tamis::io
