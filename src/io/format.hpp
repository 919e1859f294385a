// The one interface between read.cpp, write.cpp and the formats: each format family is one Format.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "io/output/temporary_file.hpp"

namespace tamis::io {

/// What every open file shares: its layout, its description and the check of what is asked of it.
class Source : public FileSource {
 public:
  Source(std::string path, Layout layout, std::string description)
      : path_(std::move(path)), layout_(std::move(layout)), description_(std::move(description)) {}

  [[nodiscard]] const Layout& layout() const final { return layout_; }
  [[nodiscard]] std::string description() const final { return description_; }
  [[nodiscard]] std::vector<std::string> files() const final { return files_; }
  [[nodiscard]] std::int64_t layer() const final { return layer_; }
  void set_layer(std::int64_t slices) { layer_ = slices; }
  [[nodiscard]] std::string remark() const final { return remark_; }
  void set_remark(std::string line) { remark_ = std::move(line); }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) final;
  void also_reads(const std::vector<std::string>& files) { files_.insert(files_.end(), files.begin(), files.end()); }
  void set_spacing(const Spacing& spacing) { layout_.spacing = placed_as(spacing, layout_.spacing); }
  /// ReadOptions::channel has been followed already: the other channels have pages of their own and are not read.
  void set_channel_chosen() { channel_chosen_ = true; }
  [[nodiscard]] bool channel_chosen() const { return channel_chosen_; }
  /// The u16 samples are half floats (half.hpp).
  void set_halves(bool halves) { halves_ = halves; }
  [[nodiscard]] bool halves() const { return halves_; }
  /// How viewers turn it (upright.hpp).
  void set_orientation(int orientation) { orientation_ = orientation; }
  [[nodiscard]] int orientation() const { return orientation_; }
  /// Goes on with the description.
  void add_words(std::string_view words) { description_ += words; }
  /// What is said of another source counts for this one, which has its samples in another form.
  void take_over(const Source& other) {
    also_reads(other.files());
    channel_chosen_ = other.channel_chosen_;
    orientation_ = other.orientation_;
    layer_ = other.layer_;
    remark_ = other.remark_;
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::int64_t slice_bytes() const {
    return layout_.shape.y * layout_.shape.x * layout_.channels * sample_bytes(layout_.type);
  }

 private:
  /// The range has been checked: it lies inside and is not empty.
  virtual void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) = 0;

  std::string path_;
  Layout layout_;
  std::string description_;
  bool channel_chosen_ = false;
  bool halves_ = false;
  int orientation_ = 1;
  std::int64_t layer_ = 1;
  std::string remark_;
  std::vector<std::string> files_;
};

/// Makes a slice of what another source has as its slice.
using Remake = std::function<void(const std::byte* slice, std::byte* out)>;
/// The slices of a source in another form: as many, of the other layout. What is said of the source counts for them too.
[[nodiscard]] std::unique_ptr<Source> remade(std::unique_ptr<Source> source, const Layout& layout, Remake remake);

class DecoderProcess;
/// The process in which foreign libraries decode (confined/process.hpp), null before anything needs one. The files of a
/// folder share it.
using SharedDecoder = std::shared_ptr<DecoderProcess>;

struct Format {
  std::string_view name;                       ///< "TIFF"
  std::array<std::string_view, 4> extensions;  ///< lower case, with the dot; the first is the preferred one
  bool (*matches)(std::string_view head);      ///< do the first bytes say so? Null: they say nothing (raw)
  std::unique_ptr<Source> (*open)(const std::string& path, const ReadOptions& options, const SharedDecoder& decoder);
  std::unique_ptr<SliceSink> (*create)(const Target& target, const Layout& layout);  ///< null: only read
  bool is_picture = false;          ///< files of one slice; a folder of them is a volume
  bool is_folder = false;           ///< written as a folder, and read by open_path()
  bool has_times = false;           ///< ReadOptions::time may choose one of several
  std::string_view only_read = {};  ///< the extension that is not written
};

// Those that something else asks for by name; formats.cpp knows all.
extern const Format raw_format;
extern const Format raw_gzip_format;
extern const Format tiff_format;
extern const Format hdf5_format;
extern const Format dicom_format;
extern const Format zarr_format;

[[nodiscard]] std::span<const Format* const> formats();
/// By the end of the name, in any case of letters; null if no format has it.
[[nodiscard]] const Format* format_by_name(std::string_view path);
/// By the first bytes; null if no format claims them.
[[nodiscard]] const Format* format_by_content(std::string_view head);
/// "a TIFF file" or, of a format that is not read, that and what to do about it; or "unknown first bytes".
[[nodiscard]] std::string name_by_content(std::string_view head);
/// ".raw .vol .raw.gz .tif ...", for messages.
[[nodiscard]] std::string known_extensions(bool writable);

/// Splits `file.h5:/dataset`; the second part is empty where there is none.
[[nodiscard]] std::pair<std::string, std::string> split_dataset(const std::string& path);

/// Slices of one folder as a volume (folder.cpp). Not a Format: it is chosen by what the path is.
[[nodiscard]] std::unique_ptr<Source> open_folder(const std::string& path, const ReadOptions& options);
/// Does a folder hold DICOM files? Throws InputError where it holds pictures as well.
[[nodiscard]] bool is_dicom_folder(const std::string& path, const std::string& only);
/// Is a file of a folder asked for: not hidden, and of the pattern ReadOptions::only (folder.cpp)?
[[nodiscard]] bool may_be_slice(const std::string& name, const std::string& only);
/// The slices of one DICOM series, ordered by their positions.
[[nodiscard]] std::unique_ptr<Source> open_dicom_folder(const std::string& path, const ReadOptions& options);
/// A single file, without the options that apply to every format (channel, spacing).
[[nodiscard]] std::unique_ptr<Source> open_one_file(const std::string& path, const ReadOptions& options,
                                                    const SharedDecoder& decoder = nullptr);
/// One channel, or the luma, of a colour source (channel.cpp). Grey passes through "0" and "luma".
[[nodiscard]] std::unique_ptr<Source> select_channel(std::unique_ptr<Source> source, const std::string& channel);

/// The time that was asked for, 0 without; throws InputError where there are several and none was chosen, and for one
/// that is not there.
[[nodiscard]] std::int64_t choose_time(const std::string& path, std::int64_t times, std::optional<std::int64_t> wanted);
/// Throws InputError unless the layout is one slice.
void require_single_slice(const std::string& path, std::string_view format, const Layout& layout);
/// Throws InputError unless the layout is grey.
void require_grey(const std::string& path, std::string_view format, const Layout& layout);

}  // namespace tamis::io
