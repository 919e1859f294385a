// Files: raw, TIFF, folders of slices, PNG, JPEG, PNM, HDF5, NumPy, NRRD, MetaImage, NIfTI, DICOM.
#pragma once

#include <tamis/compiler.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

enum class ByteOrder : std::uint8_t { Little, Big };

/// What a file cannot say of itself, and what to take of it.
struct ReadOptions {
  std::optional<Shape> shape;           ///< raw files; otherwise read off names like foam_600x600x250_u8.raw
  std::optional<Type> dtype;            ///< raw files
  ByteOrder byte_order = ByteOrder::Little;  ///< raw files
  std::optional<Spacing> spacing;       ///< overrides the file's
  std::string channel;                  ///< "", "0", "1", ... or "luma": what to take of a colour image
  std::optional<std::int64_t> time;     ///< which time of a file that holds several (OME-TIFF), counted from 0
  /// May a file refer to files outside its own folder (external data of HDF5, .nhdr and .mhd headers)? Files in its
  /// folder and below are always followed. False: anything else is an InputError.
  bool follow = false;
  /// Formats that foreign libraries decode are read in a process that can reach nothing but the file. Where the system
  /// cannot confine a process, opening such a file is a ResourceError unless this is true.
  bool unconfined = false;
  std::stop_token cancel;               ///< opening and reading throw Cancelled soon after a stop is requested
};

/// An open file. Every size in a header has been checked against the file's length before anything is allocated.
class FileSource : public SliceSource {
 public:
  /// "TIFF, 250 pages, LZW", "raw, x fastest, little endian" ...: what was understood of the file.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Every file that the samples come from: the one that was opened, the data file of a header, the slices of a folder.
  [[nodiscard]] virtual std::vector<std::string> files() const = 0;
};

/// Opens a file for reading slice by slice. The format follows the name, then the first bytes:
/// .raw .raw.gz .tif .tiff .png .jpg .jpeg .pgm .pbm .ppm .pnm .npy .h5 .hdf5 .nxs (`file.h5:/dataset`),
/// .nrrd .nhdr .mha .mhd .nii .nii.gz .dcm, a folder of slices or of a DICOM series.
/// Medical files are read in mm; their orientation is not looked at. They need a tamis built with ITK: ResourceError
/// says so where it was not.
/// Throws InputError for anything missing, truncated, inconsistent or of an unknown format.
[[nodiscard]] std::unique_ptr<FileSource> open_file(const std::string& path, const ReadOptions& options = {});

/// Reads the whole file. Types that are 1-bit in the file become Type::Bool. Colour without `channel` is an InputError.
[[nodiscard]] Image read(const std::string& path, const ReadOptions& options = {});

/// How viewers should show an image: samples from `low` to `high` in these colours (red, green, blue), from the first
/// to the last.
struct Display {
  double low = 0;
  double high = 1;
  std::array<std::array<std::uint8_t, 3>, 256> colours{};
};

/// Receives an image slice by slice, in order. The file appears under its name at finish(), whole, or never.
class SliceSink {
 public:
  virtual ~SliceSink() = default;  ///< without finish(): the temporary file is removed
  /// `count` further slices, dense, native byte order, Bool as bytes 0 and 1.
  virtual void write(const std::byte* slices, std::int64_t count) = 0;
  /// Before finish(). TIFF says it as ImageJ reads it; other formats cannot. The samples stay what they are.
  virtual void show(const Display& /*display*/) {}
  virtual void finish() = 0;
};

/// Creates a file for writing slice by slice; the format follows the name. Type, shape and spacing are in `layout`.
/// Throws InputError for a format that cannot hold the layout, ResourceError for a target that cannot be written.
[[nodiscard]] std::unique_ptr<SliceSink> create(const std::string& path, const Layout& layout);

/// Writes a whole image.
void write(const Image& image, const std::string& path);

/// Writes text whole or not at all: temporary name beside the target, then rename.
void write_text(const std::string& path, std::string_view text);

/// Files that appear together. commit() gives all of them their names or, where one cannot take its, none: what was
/// there before is there again (only where a file system has no hard links can that fail, and the error says so).
/// Without commit() none appears. Pipes and devices are written to directly, as a shell would.
class OutputFiles {
 public:
  /// Writing throws Cancelled soon after a stop is requested.
  explicit OutputFiles(std::stop_token cancel = {});
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  struct Checked {
    std::string file;  ///< that will be written, links followed
    bool direct;       ///< a pipe, a device or what a shell has opened: it cannot wait for commit()
  };
  /// Throws ResourceError now if no file can be written there; removes what killed runs have left of it.
  Checked check(const std::string& path);
  /// As tamis::create(); finish() makes the file ready for commit(). The sink must not outlive this.
  [[nodiscard]] std::unique_ptr<SliceSink> create(const std::string& path, const Layout& layout);
  void write_text(const std::string& path, std::string_view text);
  /// What has been written to this path goes; a pipe or a device keeps it.
  void discard(const std::string& path);
  void commit();
  /// From any thread, before the process ends: removes every unnamed file, and no other is made or named from then on.
  void abandon() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tamis
