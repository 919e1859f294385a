#include "io/dicom/dicom.hpp"

#include <algorithm>

#include "io/checked.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

struct SyntaxCoding {
  std::string_view uid;
  DicomCoding coding;
};
constexpr SyntaxCoding syntaxes[] = {{"", DicomCoding::None},
                                     {"1.2.840.10008.1.2", DicomCoding::None},
                                     {"1.2.840.10008.1.2.1", DicomCoding::None},
                                     {"1.2.840.10008.1.2.1.99", DicomCoding::None},
                                     {"1.2.840.10008.1.2.2", DicomCoding::None},
                                     {"1.2.840.10008.1.2.4.50", DicomCoding::Jpeg},
                                     {"1.2.840.10008.1.2.4.51", DicomCoding::Jpeg},
                                     {"1.2.840.10008.1.2.4.53", DicomCoding::Jpeg},
                                     {"1.2.840.10008.1.2.4.55", DicomCoding::Jpeg},
                                     {"1.2.840.10008.1.2.4.57", DicomCoding::Jpeg},
                                     {"1.2.840.10008.1.2.4.70", DicomCoding::Jpeg},
                                     {"1.2.840.10008.1.2.4.80", DicomCoding::JpegLs},
                                     {"1.2.840.10008.1.2.4.81", DicomCoding::JpegLs},
                                     {"1.2.840.10008.1.2.4.90", DicomCoding::Jpeg2000},
                                     {"1.2.840.10008.1.2.4.91", DicomCoding::Jpeg2000},
                                     {"1.2.840.10008.1.2.4.92", DicomCoding::Jpeg2000},
                                     {"1.2.840.10008.1.2.4.93", DicomCoding::Jpeg2000},
                                     {"1.2.840.10008.1.2.5", DicomCoding::Rle}};

std::string_view name(DicomCoding coding) {
  constexpr std::array<std::string_view, 5> names{"uncompressed", "JPEG", "JPEG-LS", "JPEG 2000", "RLE"};
  return names.at(static_cast<std::size_t>(coding));
}

/// A byte of a frame; -1 where it ends before.
int byte_of(std::string_view frame, std::size_t at) {
  return at < frame.size() ? static_cast<unsigned char>(frame[at]) : -1;
}

std::int64_t bytes_for(std::int64_t bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }

constexpr std::string_view start_of_jpeg = "\xff\xd8";
constexpr std::string_view end_of_jpeg = "\xff\xd9";

/// Where the codestream starts in a JP2 file, which is a chain of boxes; nothing where there is none, or a palette
/// would make colours of it.
std::optional<std::string_view> codestream_in_boxes(std::string_view file) {
  std::size_t at = 0;
  while (at < file.size()) {
    const std::int64_t length = number_in(file, at, 4).value_or(-1);
    const std::string_view type = file.substr(std::min(at + 4, file.size()), 4);
    if (type == "jp2c" && (length == 0 || length >= 8)) return file.substr(at + 8);
    if (length < 8 || !within(at, length, static_cast<std::int64_t>(file.size()))) return std::nullopt;
    if (type == "jp2h" && file.substr(at, static_cast<std::size_t>(length)).find("pclr") != std::string_view::npos) {
      return std::nullopt;
    }
    at += static_cast<std::size_t>(length);
  }
  return std::nullopt;
}

}  // namespace

DicomCoding coding_of(const std::string& path, std::string_view transfer_syntax) {
  for (const SyntaxCoding& known : syntaxes) {
    if (known.uid == transfer_syntax) return known.coding;
  }
  refuse("{}: DICOM of transfer syntax {}; wanted an uncompressed one, RLE, JPEG, JPEG-LS or JPEG 2000", path,
         shown(transfer_syntax));
}

void CodestreamCheck::add(std::string_view piece) {
  switch (coding_) {
    case DicomCoding::None:
      corrupt("got pixel data in pieces, wanted them in one");
    case DicomCoding::Jpeg:
      // A frame may be cut into pieces anywhere; the next starts with a piece.
      if (piece.starts_with(start_of_jpeg)) {
        require_ended();
        begin_frame();
        check_jpeg(piece, false);
        ended_ = false;
      } else if (found_ == 0) {
        corrupt("got pixel data that do not start with an image, wanted a start of image");
      }
      return look_for_end(piece);
    case DicomCoding::JpegLs:
      if (frames_ != 1 || found_ == 0) {  // no further piece of the one frame
        require_ended();
        begin_frame();
        check_jpeg(piece, true);
        ended_ = false;
      }
      return look_for_end(piece);
    case DicomCoding::Jpeg2000:
      if (frames_ == 1 && found_ == 1) return;
      begin_frame();
      return check_jpeg_2000(piece);
    case DicomCoding::Rle:
      begin_frame();
      return check_rle(piece);
  }
}

void CodestreamCheck::finish() const {
  if (found_ == 0) refuse("{}: got a DICOM file without a frame, wanted one", path_);
  if (found_ != frames_) {
    refuse("{}: got {} {} frames in the pixel data, wanted {}", path_, found_, name(coding_), frames_);
  }
  require_ended();
}

void CodestreamCheck::look_for_end(std::string_view piece) {
  ended_ = ended_ || piece.rfind(end_of_jpeg) != std::string_view::npos;
}

void CodestreamCheck::require_ended() const {
  if (!ended_) corrupt("got a frame that breaks off, wanted an end of image");
}

/// JPEG and JPEG-LS: segments with lengths up to the one that has the size.
void CodestreamCheck::check_jpeg(std::string_view frame, bool ls) const {
  if (!frame.starts_with(start_of_jpeg)) corrupt("got a frame that does not start with an image");
  for (std::size_t at = 2; at < frame.size();) {
    if (byte_of(frame, at) != 0xff) break;
    const int marker = byte_of(frame, at + 1);
    if (marker == 0xff) {  // fill
      ++at;
      continue;
    }
    const bool size_of_ls = marker == 0xf7;
    const bool size =
        size_of_ls || (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc);
    if (size && size_of_ls != ls) break;
    if (size && byte_of(frame, at + 9) < 0) break;
    if (size) {
      const std::int64_t bits = byte_of(frame, at + 4);
      const std::int64_t samples = byte_of(frame, at + 9);
      return require_size(number_in(frame, at + 7, 2).value_or(-1), number_in(frame, at + 5, 2).value_or(-1), samples,
                          bits);
    }
    const bool alone = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    if (marker == 0xda || marker == 0xd9 || marker == 0xd8 || marker < 1) break;
    const std::int64_t length = alone ? 0 : number_in(frame, at + 2, 2).value_or(0);
    if (!alone && length < 2) break;
    at += 2 + static_cast<std::size_t>(length);
  }
  corrupt("got a frame without its size in its first piece, wanted a start of frame");
}

void CodestreamCheck::check_jpeg_2000(std::string_view frame) const {
  constexpr std::string_view signature("\0\0\0\x0cjP  \r\n\x87\n", 12);
  if (frame.starts_with(signature)) {
    const auto inside = codestream_in_boxes(frame);
    if (!inside) corrupt("got a JP2 file without a plain codestream, wanted one");
    frame = *inside;
  }
  if (number_in(frame, 0, 4).value_or(0) != 0xff4fff51 || byte_of(frame, 44) < 0) {
    corrupt("got a frame without its size in front, wanted SIZ behind SOC");
  }
  const auto edge = [&](std::size_t to, std::size_t from) {
    return (number_in(frame, to, 4) - number_in(frame, from, 4)).value_or(-1);
  };
  const std::int64_t samples = number_in(frame, 40, 2).value_or(-1);
  const std::int64_t bits = (byte_of(frame, 42) & 0x7f) + 1;
  if (byte_of(frame, 43) != 1 || byte_of(frame, 44) != 1)
    corrupt("got a frame with samples left out, wanted one for each pixel");
  require_size(edge(8, 16), edge(12, 20), samples, bits);
}

/// A frame is a table of 16 numbers and a run-length coded plane for each byte of a sample.
void CodestreamCheck::check_rle(std::string_view frame) const {
  constexpr std::size_t table = 64;
  const std::int64_t planes = frame_.bits / 8;
  const std::int64_t wanted = (Checked(frame_.columns) * frame_.rows).value(path_, "the size of a frame");
  if (frame.size() < table || number_in(frame, 0, 4, true).value_or(-1) != planes) {
    corrupt(fmt::format("got an RLE frame of {} planes, wanted {} for {} bits a sample",
                        number_in(frame, 0, 4, true).value_or(0), planes, frame_.bits));
  }
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    const std::int64_t start = number_in(frame, static_cast<std::size_t>(4 + 4 * plane), 4, true).value_or(0);
    if (start < static_cast<std::int64_t>(table)) corrupt(fmt::format("got an RLE plane at byte {}", start));
    std::int64_t decoded = 0;
    for (auto at = static_cast<std::size_t>(start); decoded < wanted;) {
      const int run = byte_of(frame, at);
      const std::size_t stored = run < 128 ? static_cast<std::size_t>(run) + 1 : 1;
      if (run == 128) {
        ++at;
        continue;
      }
      if (run < 0 || at + stored >= frame.size()) break;
      at += 1 + stored;
      decoded += run < 128 ? run + 1 : 257 - run;
    }
    if (decoded != wanted) {
      corrupt(fmt::format("got an RLE plane of {} samples, wanted {} ({}x{})", decoded, wanted, frame_.columns,
                          frame_.rows));
    }
  }
}

void CodestreamCheck::require_size(std::int64_t columns, std::int64_t rows, std::int64_t samples,
                                   std::int64_t bits) const {
  const bool same = columns == frame_.columns && rows == frame_.rows && samples == 1 && bits >= 1 &&
                    bytes_for(bits) == frame_.bits / 8;
  if (same) return;
  refuse(
      "{}: got a {} frame of {}x{}, {} bits, {} samples a pixel; wanted {}x{}, {} bits, 1 sample a pixel as the DICOM "
      "elements say",
      path_, name(coding_), columns, rows, bits, samples, frame_.columns, frame_.rows, frame_.bits);
}

void CodestreamCheck::corrupt(std::string_view reason) const {
  refuse("{}: corrupt {} frame {}: {}", path_, name(coding_), found_, reason);
}

}  // namespace tamis::io
