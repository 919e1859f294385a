// Compressed frames of DICOM files: do their own headers agree with the file's?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tamis::io {

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

}  // namespace tamis::io
