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

#include "io/output/output.hpp"

namespace tamis::io {

/// What is said of a source beside its layout: true as well of one that has its samples in another form.
struct SourceNotes {
  std::vector<std::string> files;  ///< that it reads
  /// ReadOptions::channel has been followed already: the other channels have pages of their own and are not read.
  bool channel_chosen = false;
  int orientation = 1;     ///< how viewers turn it (upright.hpp)
  std::int64_t layer = 1;  ///< as FileSource has it
  std::string remark;      ///< as FileSource has it
};

/// What every open file shares: its layout, its description and the check of what is asked of it.
class Source : public FileSource {
 public:
  Source(std::string path, Layout layout, std::string description)
      : path_(std::move(path)), layout_(std::move(layout)), description_(std::move(description)) {}

  [[nodiscard]] const Layout& layout() const final { return layout_; }
  [[nodiscard]] std::string description() const final { return description_; }
  [[nodiscard]] std::vector<std::string> files() const final { return notes.files; }
  [[nodiscard]] std::int64_t layer() const final { return notes.layer; }
  [[nodiscard]] std::string remark() const final { return notes.remark; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) final;
  void also_reads(const std::vector<std::string>& files) {
    notes.files.insert(notes.files.end(), files.begin(), files.end());
  }
  void set_spacing(const Spacing& spacing) { layout_.spacing = placed_as(spacing, layout_.spacing); }
  /// Goes on with the description.
  void add_words(std::string_view words) { description_ += words; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::int64_t slice_bytes() const {
    return layout_.shape.y * layout_.shape.x * layout_.channels * sample_bytes(layout_.type);
  }

  SourceNotes notes;
  bool halves = false;  ///< the u16 samples are half floats

 private:
  /// The range has been checked: it lies inside and is not empty.
  virtual void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) = 0;

  std::string path_;
  Layout layout_;
  std::string description_;
};

/// Slices z0 .. z1-1.
struct SliceRange {
  std::int64_t z0 = 0;
  std::int64_t z1 = 0;
  [[nodiscard]] bool holds(std::int64_t z) const { return z >= z0 && z < z1; }
};

/// Samples in layers of chunks: what is wholly wanted is decoded to where it is wanted, and a layer of which slices
/// come one by one is decoded once.
class LayeredSource : public Source {
 protected:
  /// `depth`: slices of a layer.
  LayeredSource(std::string path, Layout layout, std::string description, std::int64_t depth)
      : Source(std::move(path), std::move(layout), std::move(description)), depth_(depth) {
    notes.layer = depth;
  }

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) final;
  /// Slices of one layer to `out`.
  virtual void decode(const SliceRange& range, std::byte* out) = 0;

  [[nodiscard]] SliceRange layer_at(std::int64_t z) const;
  void keep(std::int64_t z, const SliceRange& layer);

  std::int64_t depth_;
  std::vector<std::byte> kept_;
  SliceRange kept_range_;
};

/// Puts slices z0 .. z0+count-1 to `out`; they lie inside, and there is one at least.
using ReadSlices = std::function<void(std::int64_t z0, std::int64_t count, std::byte* out)>;
/// A source whose slices a function reads.
[[nodiscard]] std::unique_ptr<Source> read_by(std::string path, const Layout& layout, std::string description,
                                              ReadSlices read);
/// Makes a slice of what another source has as its slice.
using Remake = std::function<void(const std::byte* slice, std::byte* out)>;
/// The slices of a source in another form: as many, of the other layout. What is said of the source counts for them
/// too.
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
/// An array of Zarr, or a level of an image of OME-Zarr: a folder that has such a name (.zarr) or holds a store.
[[nodiscard]] std::unique_ptr<Source> open_zarr(const std::string& path, const ReadOptions& options);
[[nodiscard]] bool is_zarr_name(std::string_view path);
[[nodiscard]] bool holds_zarr(const std::string& folder);
/// A single file, without the options that apply to every format (channel, spacing).
[[nodiscard]] std::unique_ptr<Source> open_one_file(const std::string& path, const ReadOptions& options,
                                                    const SharedDecoder& decoder = nullptr);
/// Without the last channel, which says how much of the page each pixel covers, where it is opaque everywhere. Where
/// all else is black, the picture lies in it alone, as the ink of a scanned page: then the page as it looks on white,
/// one channel; where all else is white, as it looks on black. Other pictures, stacks, and those of which one channel
/// was asked for, stay as they are. Looks at all samples, of u8 and u16 (forms.cpp).
[[nodiscard]] std::unique_ptr<Source> without_alpha(std::unique_ptr<Source> picture, const ReadOptions& options);
/// The samples of a source of u16 that are half floats (IEEE 754 binary16), as f32, which has them all (forms.cpp).
[[nodiscard]] std::unique_ptr<Source> floats_of_halves(std::unique_ptr<Source> halves);
/// One channel, or the luma, of a colour source (forms.cpp). Grey passes through "0" and "luma".
[[nodiscard]] std::unique_ptr<Source> select_channel(std::unique_ptr<Source> source, const std::string& channel);

/// One slice of bool (as 0 and 255), u8 or u16; grey, grey with alpha, RGB or RGBA.
[[nodiscard]] std::unique_ptr<SliceSink> create_png(const Target& target, const Layout& layout);
/// BigTIFF where offsets need it. Grey, RGB and RGBA. As ImageJ writes stacks: the samples of all slices first,
/// contiguous, then the directories.
[[nodiscard]] std::unique_ptr<SliceSink> create_tiff(const Target& target, const Layout& layout);
/// `file.h5:/path`, /data by default; chunked, shuffled, deflated; bool as 0 and 255. An existing file is replaced
/// whole, whatever else was in it.
[[nodiscard]] std::unique_ptr<SliceSink> create_hdf5(const Target& target, const Layout& layout);

/// `from` is the file that was named, `to` a file that its contents refer to (external data of HDF5, of .nhdr and .mhd
/// headers), as a path that can be opened. Throws InputError unless `to` is a regular file in the folder of `from` or
/// below, symbolic links and ".." resolved, or `follow` allows any other: a file from elsewhere must not make us copy
/// files of the user into a result. A file that is missing is for the opener to report, wherever it would lie allowed.
void require_followed(const std::string& from, const std::string& to, bool follow);
/// "0", or "0..3".
[[nodiscard]] std::string choices(std::int64_t count);
/// Times or channels as slices, where `order` asks for them: which of the two, nothing where slices are slices. Throws
/// InputError where there are several of more than one. `what` is "a file" or the like.
[[nodiscard]] std::optional<AxesOrder> axis_of_slices(const std::string& path, std::string_view what, AxesOrder order,
                                                      std::int64_t slices, std::int64_t channels, std::int64_t times);
/// The time that was asked for, 0 without; throws InputError where there are several and none was chosen, and for one
/// that is not there.
[[nodiscard]] std::int64_t choose_time(const std::string& path, std::int64_t times, std::optional<std::int64_t> wanted);
/// Throws InputError unless the layout is one slice.
void require_single_slice(const std::string& path, std::string_view format, const Layout& layout);
/// Throws InputError unless the layout is grey.
void require_grey(const std::string& path, std::string_view format, const Layout& layout);

}  // namespace tamis::io
