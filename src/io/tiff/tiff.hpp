// TIFF as it is read: numbers, pages, samples, stacks, and what is said of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "core/system/mapped_file.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/refuse.hpp"

namespace tamis::io {

// TIFF and BigTIFF as numbers: header, directories, tags. Ours alone; no other code looks at them before.

/// The numbers of one tag, where they lie in the file.
class TiffValues {
 public:
  TiffValues() = default;
  TiffValues(const std::byte* first, std::int64_t count, int width, bool swapped)
      : first_(first), count_(count), width_(width), swapped_(swapped) {}

  [[nodiscard]] std::int64_t size() const { return count_; }
  /// Wants i < size().
  [[nodiscard]] std::uint64_t operator[](std::int64_t i) const;

 private:
  const std::byte* first_ = nullptr;
  std::int64_t count_ = 0;
  int width_ = 1;
  bool swapped_ = false;
};

/// A mapped file that begins as TIFF does. The file has to outlive it.
class TiffFile {
 public:
  /// Throws InputError for what is no TIFF.
  explicit TiffFile(const MappedFile& file);

  [[nodiscard]] const std::string& path() const { return file_->path(); }
  [[nodiscard]] std::int64_t size() const { return file_->size(); }
  [[nodiscard]] const std::byte* data() const { return file_->data(); }
  [[nodiscard]] bool big() const { return big_; }          ///< BigTIFF
  [[nodiscard]] bool swapped() const { return swapped_; }  ///< byte order is not this machine's
  [[nodiscard]] std::int64_t header_bytes() const { return big_ ? 16 : 8; }
  [[nodiscard]] std::uint64_t first_directory() const { return first_; }
  /// Throws "truncated TIFF" unless these bytes lie inside the file.
  void require(std::int64_t page, std::uint64_t offset, std::uint64_t bytes) const;
  /// Wants a range that lies inside the file.
  [[nodiscard]] std::uint64_t number(std::uint64_t offset, int width) const;

 private:
  const MappedFile* file_;
  bool big_ = false;
  bool swapped_ = false;
  std::uint64_t first_ = 0;
};

/// One directory. Every value that it points to lies inside the file.
class TiffDirectory {
 public:
  /// Throws InputError for what is truncated; `page` counts from 1, for messages.
  TiffDirectory(const TiffFile& file, std::uint64_t offset, std::int64_t page);

  [[nodiscard]] const TiffFile& file() const { return *file_; }
  [[nodiscard]] std::int64_t page() const { return page_; }
  [[nodiscard]] std::uint64_t next() const { return next_; }   ///< offset of the next one; 0: none
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }  ///< of the directory without what it points to
  /// Throws "PATH: page N: what".
  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> what, Values&&... values) const {
    refuse("{}: page {}: {}", file_->path(), page_, fmt::vformat(what, fmt::make_format_args(values...)));
  }

  [[nodiscard]] bool has(std::uint16_t tag) const { return find(tag) != nullptr; }
  /// All numbers of a tag, none where there is no such tag. Throws where they are no whole numbers.
  [[nodiscard]] TiffValues numbers(std::uint16_t tag) const;
  /// The only number of a tag.
  [[nodiscard]] std::uint64_t number(std::uint16_t tag, std::uint64_t missing) const;
  /// The number that a tag has for each of the samples; throws where they differ.
  [[nodiscard]] std::uint64_t number_of_all(std::uint16_t tag, std::int64_t samples, std::uint64_t missing) const;
  /// Up to the first zero byte; empty where there is no text.
  [[nodiscard]] std::string_view text(std::uint16_t tag) const;
  /// A fraction above 0.
  [[nodiscard]] std::optional<double> fraction(std::uint16_t tag) const;
  /// Where the first of header, directory and its values lies that begins behind `offset` or contains it; the file's
  /// length if there is none.
  [[nodiscard]] std::int64_t free_until(std::int64_t offset) const;

 private:
  struct Entry {
    std::uint16_t tag = 0;
    std::uint16_t type = 0;
    std::int64_t count = 0;
    std::int64_t at = 0;  ///< place of the values
    std::int64_t bytes = 0;
  };
  [[nodiscard]] const Entry* find(std::uint16_t tag) const;
  void read_entry(std::uint64_t at);

  const TiffFile* file_;
  std::int64_t page_;
  std::int64_t at_ = 0;
  std::int64_t bytes_ = 0;
  std::uint64_t next_ = 0;
  std::vector<Entry> entries_;
};

// One page of a TIFF file: what its tags say, and where its strips or tiles lie.

/// The most that decoding makes of a byte of the file. Fax codes and zstd reach far beyond deflate's 1032; a header
/// that asks for more than this lies. Uncompressed: 1-bit palettes give 24, and strips may share their samples.
[[nodiscard]] std::int64_t tiff_ratio(bool compressed);

/// The tags that say how to read a page. A strip is a segment as wide as the page.
struct TiffPage {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int bits = 1;
  int samples = 1;  ///< per pixel, in the file
  int compression = 1;
  int photometric = 1;
  int predictor = 1;
  bool separate = false;  ///< planes one after the other
  bool tiled = false;
  bool reversed = false;              ///< the first pixel lies in the lowest bit
  bool halves = false;                ///< u16 samples that are half floats
  bool inverted = false;              ///< small values are bright
  bool alpha = false;                 ///< the last sample of a pixel says how much it covers
  std::vector<std::uint8_t> palette;  ///< `channels` bytes for each index; empty without palette
  Type type = Type::U8;               ///< as delivered
  int channels = 1;                   ///< as delivered
  std::int64_t segment_width = 0;
  std::int64_t segment_height = 0;
  std::int64_t across = 1;     ///< segments side by side
  std::int64_t down = 1;       ///< segments one below the other, in one plane
  std::int64_t row_bytes = 0;  ///< of a row of a segment, as packed
  TiffValues offsets;
  TiffValues counts;  ///< none: as long as they have to be

  [[nodiscard]] bool compressed() const;
  /// Samples do not end on bytes: less than 8 bits, or 9 to 15.
  [[nodiscard]] bool bit_packed() const { return bits % 8 != 0; }
  [[nodiscard]] int planes() const { return separate ? samples : 1; }
  [[nodiscard]] std::int64_t segments() const { return across * down * planes(); }
  /// Rows of a segment, as packed: a tile is always whole.
  [[nodiscard]] std::int64_t segment_rows(std::int64_t number) const;
  [[nodiscard]] std::int64_t segment_bytes(std::int64_t number) const { return segment_rows(number) * row_bytes; }
  /// Shape of one page, type and channels.
  [[nodiscard]] Layout layout() const { return {type, {1, height, width, 2}, channels, {}}; }
  /// "strip" or "tile"
  [[nodiscard]] const char* segment_name() const { return tiled ? "tile" : "strip"; }
  /// "LZW, tiles"
  [[nodiscard]] std::string description() const;
};

/// Reads the tags and checks that all strips or tiles lie inside the file. Throws InputError for what is truncated,
/// inconsistent or not supported; allocates nothing of the image's size.
[[nodiscard]] TiffPage inspect_page(const TiffDirectory& directory);

/// Where a segment lies; throws unless it lies inside the file and is long enough.
struct TiffPlace {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};
[[nodiscard]] TiffPlace segment_place(const TiffDirectory& directory, const TiffPage& page, std::int64_t number);

/// Offset of the samples if the page is nothing but them: uncompressed, contiguous, in our form except byte order.
[[nodiscard]] std::optional<std::int64_t> flat_offset(const TiffDirectory& directory, const TiffPage& page);

// Strips and tiles of a page to samples.

/// All rows of a strip or tile as the file packs them, page.segment_bytes(number) bytes in its byte order. Where `room` is not
/// null they may be put there.
using PackedSegment = std::function<const std::byte*(std::int64_t number, std::byte* room)>;

/// Puts the segments of a page together: dense, channels interleaved, Bool as bytes, white as bright.
void assemble_page(const TiffPage& page, const PackedSegment& segment, std::byte* out);

/// The samples of an uncompressed page.
void decode_uncompressed(const TiffDirectory& directory, const TiffPage& page, std::byte* out);

// What ImageJ, OME and the resolution tags say about a TIFF stack: which image is which, and how large a voxel is.

/// The images of a file as slices, channels and times. A plane is (time, slice, channel), counted with the channel
/// fastest.
struct TiffSeries {
  std::int64_t slices = 1;
  std::int64_t channels = 1;  ///< that have images of their own; samples of a pixel are not among them
  std::int64_t times = 1;
  /// The image of each plane; empty where they stand in the file in the order of the planes.
  std::vector<std::int64_t> image;
  /// All images lie behind the samples of the only page, without directories of their own.
  bool one_page = false;
  Spacing spacing_2d;
  Spacing spacing_3d;

  [[nodiscard]] std::int64_t planes() const { return slices * channels * times; }
  /// Times or channels as slices, where that is asked for; the planes stay in their order. Throws InputError where there
  /// are slices already.
  void turn(const std::string& path, const std::optional<AxesOrder>& axes);
};

/// What is known of a file when its description is read.
struct TiffPages {
  const TiffDirectory& first;        ///< directory of the first image
  const TiffPage& page;              ///< the first image
  std::int64_t images = 1;           ///< pages that are no thumbnails nor masks
  std::int64_t directories = 1;      ///< all of them
  std::optional<std::int64_t> flat;  ///< offset of the samples of the first image, if it is nothing but them
};

/// Reads the description of the first image; without one every image is a slice. Throws InputError where the
/// description contradicts the file. `image` counts directories for OME.
[[nodiscard]] TiffSeries tiff_series(const TiffPages& pages);

/// The two kinds of description; nothing where it is another.
[[nodiscard]] std::optional<TiffSeries> imagej_series(const TiffPages& pages);
[[nodiscard]] std::optional<TiffSeries> ome_series(const TiffPages& pages);

/// The edge of a pixel by XResolution or YResolution, in the unit that goes with it.
[[nodiscard]] std::optional<double> resolution_edge(const TiffDirectory& directory, std::uint16_t tag);

// All pages of a TIFF file as one volume: which of them, in which order, and whether we decode them ourselves.

struct TiffPlane {
  std::uint64_t directory = 0;  ///< offset
  std::int64_t page = 1;        ///< for messages
};

/// What open() has found out, from the directories alone.
struct TiffStack {
  /// As slices of their own: where channels have pages of their own, slice z of the volume is `interleaved` planes.
  Layout layout;
  int interleaved = 1;
  std::string description;
  std::vector<TiffPlane> planes;  ///< one for each slice of `layout`; empty where `flat` says where they are
  std::optional<FlatPlace> flat;  ///< uncompressed samples at even distances
  bool halves = false;            ///< the samples, of type u16, are half floats
  bool alpha = false;             ///< the last channel is
  int orientation = 1;            ///< that of the first page
  bool compressed = false;        ///< is any of the pages?
  /// The sample of a pixel to take where ReadOptions::channel has chosen among channels with pages of their own.
  std::optional<int> sample;
};

/// Walks all directories. Throws InputError for what is truncated, inconsistent, not supported, or leaves a choice
/// between times open.
[[nodiscard]] TiffStack inspect_tiff(const TiffFile& file, const ReadOptions& options);

/// Decodes a page, whose directory lies at `offset`.
using DecodePage =
    std::function<void(const TiffDirectory& directory, std::uint64_t offset, const TiffPage& page, std::byte* out)>;
/// Planes that are decoded one by one.
[[nodiscard]] std::unique_ptr<Source> open_planes(MappedFile map, const TiffStack& stack, std::stop_token cancel,
                                                  DecodePage decode);

// Tags and attributes of an XML text, one after the other: no tree, no memory, time in proportion to the text.
// It knows no entities and no DTDs; what it is used for needs none.

struct XmlTag {
  std::string_view name;        ///< without its namespace
  std::string_view attributes;  ///< as they stand there
  std::string_view text;        ///< behind the tag, up to the next one
  std::int64_t depth = 0;       ///< 1 for the root
  bool opens = true;            ///< <a> and <a/>
  bool closes = false;          ///< </a> and <a/>

  /// Without the quotes; nothing where there is no such attribute.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name) const;
};

class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : rest_(text) {}

  /// The next tag; nothing at the end and where the text is damaged.
  [[nodiscard]] std::optional<XmlTag> next();
  /// After the last tag: was the text whole?
  [[nodiscard]] bool whole() const { return !damaged_ && started_ && depth_ == 0; }

 private:
  bool skip(std::string_view begin, std::string_view end);
  [[nodiscard]] std::optional<XmlTag> damaged();

  std::string_view rest_;
  std::int64_t depth_ = 0;
  bool started_ = false;
  bool damaged_ = false;
};

}  // namespace tamis::io
