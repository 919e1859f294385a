// DICOM: bytes, what elements say, and slices in the order of a volume.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

#include "core/system/mapped_file.hpp"
#include "io/format.hpp"
#include "io/inflater.hpp"

namespace tamis::io {

// The bytes of a DICOM file, mapped; what is deflated of them is inflated, as far as somebody has asked for it.

class DicomBytes {
 public:
  explicit DicomBytes(const std::string& path) : file_(path) {}

  /// The bytes from `start` on are a deflate stream: from now on they are what is in it, up to `most` bytes of all.
  /// Asked again it goes on. Throws InputError for a damaged stream, Cancelled.
  void inflate(std::int64_t start, std::int64_t most, const std::stop_token& cancel);
  /// There is nothing behind `text()`.
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] std::string_view text() const { return inflater_ ? std::string_view(inflated_) : file_.text(); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(text().size()); }
  [[nodiscard]] const std::byte* data() const { return reinterpret_cast<const std::byte*>(text().data()); }

 private:
  MappedFile file_;
  std::optional<StreamInflater> inflater_;
  std::string inflated_;
  bool whole_ = true;
};

// What DICOM elements say of frames: where they lie, how far apart their samples are, what the samples stand for.

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

// The Modality LUT of a DICOM file: a table of what its samples stand for, in place of a slope and an intercept.

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

// Compressed frames of DICOM files: do their own headers agree with the file's?

enum class DicomCoding : std::uint8_t { None, Jpeg, JpegLs, Jpeg2000, Rle };

/// How pixels are stored under a transfer syntax; empty is taken for the plainest. Throws InputError for what GDCM
/// does not decode.
[[nodiscard]] DicomCoding coding_of(const std::string& path, std::string_view transfer_syntax);

struct DicomFrame {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t bits = 0;  ///< allocated for a sample; one sample a pixel
};

/// Holds the codestreams of a file against what its elements say, before a codec sees them: GDCM takes its buffers
/// from the one and fills them from the other, and what is missing is whatever was in memory.
/// Throws InputError where the two disagree.
class CodestreamCheck {
 public:
  CodestreamCheck(std::string path, DicomCoding coding, std::int64_t frames, const DicomFrame& frame)
      : path_(std::move(path)), coding_(coding), frames_(frames), frame_(frame) {}

  /// The next piece of the pixel data, without the table of offsets.
  void add(std::string_view piece);
  /// There are no more pieces.
  void finish() const;

 private:
  void begin_frame() { ++found_; }
  void look_for_end(std::string_view piece);
  void require_ended() const;
  void check_jpeg(std::string_view frame, bool ls) const;
  void check_jpeg_2000(std::string_view frame) const;
  void check_rle(std::string_view frame) const;
  void require_size(std::int64_t columns, std::int64_t rows, std::int64_t samples, std::int64_t bits) const;
  [[noreturn]] void corrupt(std::string_view reason) const;

  std::string path_;
  DicomCoding coding_;
  std::int64_t frames_;
  DicomFrame frame_;
  std::int64_t found_ = 0;
  bool ended_ = true;
};

// A DICOM file's elements, walked through before GDCM sees them: what they say, and whether they agree with the bytes.

/// What our own reading of a file found.
struct DicomFacts {
  std::array<std::int64_t, 3> sizes{};  ///< x first; z are the frames
  Type type = Type::U8;                 ///< of the samples as they are stored; of single bits U8
  int bits_stored = 8;
  int lowest_bit = 0;            ///< of a sample among those that are allocated for it
  std::int64_t samples_at = -1;  ///< where uncompressed samples start; -1: they are compressed
  std::int64_t deflated_at =
      -1;  ///< all behind that byte is deflated, and `samples_at` counts what was inflated; -1: nothing is
  bool swapped = false;             ///< these are in the other order than this machine's
  bool packed = false;              ///< these are single bits, the first in the lowest
  std::string series;               ///< empty where the file does not say
  std::string number;               ///< the place in the series
  ModalityLut lut;                  ///< empty where there is none
  DicomValues values;               ///< that hold where a frame says nothing itself
  std::vector<DicomValues> frames;  ///< what each frame says; empty where none does
  std::vector<double> offsets;  ///< of the frames along the normal, in mm (radiotherapy); empty where there are none
};

/// What GDCM is asked (process.cpp), behind the path of a file: what its elements say of the samples. The answer is all
/// of them, as they are stored, dense, in native byte order.
struct DicomQuestion {
  std::int64_t width = 1;  ///< bytes of a sample
  std::int64_t is_signed = 0;
  std::array<std::int64_t, 3> sizes{};  ///< x first; z are the frames
};

[[nodiscard]] inline bool is_signed(Type type) {
  return type == Type::I8 || type == Type::I16 || type == Type::I32 || type == Type::I64;
}
/// Do the first bytes say so?
[[nodiscard]] bool is_dicom(std::string_view head);
/// Throws InputError where pixel data and what the elements say of them disagree, for truncated files, for colour and
/// for what GDCM would get wrong; Cancelled.
[[nodiscard]] DicomFacts check_dicom(const std::string& path, const std::stop_token& cancel);

// Slices of DICOM files in the order of a volume.

struct DicomFile {
  std::string path;
  DicomFacts facts;  ///< as they were when the file was opened
};

struct DicomSlice {
  std::size_t file = 0;
  std::int64_t frame = 0;
  double place = 0;  ///< along the normal, in mm, or what else sorts the slices
  double slope = 1;  ///< values are slope * sample + intercept
  double intercept = 0;
  std::optional<std::array<double, 3>> position = {};  ///< of its first pixel
};

/// The slices in order of z; their samples become those of the layout. Of files with uncompressed samples one is mapped
/// at a time, of others one is in memory.
[[nodiscard]] std::unique_ptr<Source> open_slices(const std::string& path, const Layout& layout,
                                                  std::string description, std::vector<DicomFile> files,
                                                  std::vector<DicomSlice> slices, const ReadOptions& options);

}  // namespace tamis::io
