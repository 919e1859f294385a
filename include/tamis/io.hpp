// Files: raw, TIFF, folders of slices, PNG, JPEG, PNM, HDF5, NumPy, Zarr, NRRD, MetaImage, NIfTI, DICOM.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/image.hpp>

namespace TAMIS_PUBLIC tamis {

enum class ByteOrder : std::uint8_t { Little, Big };
/// Slices lie along z, whatever the file calls the axis that has several (ZYX), or along time or channel.
enum class AxesOrder : std::uint8_t { ZYX, TYX, CYX };

/// What a file cannot say of itself, and what to take of it.
struct ReadOptions {
  std::optional<Shape> shape;           ///< raw files; otherwise read off names like foam_600x600x250_u8.raw
  std::optional<Type> dtype;            ///< raw files
  ByteOrder byte_order = ByteOrder::Little;  ///< raw files
  std::int64_t skip = 0;                ///< raw files: bytes before the first sample
  std::optional<Spacing> spacing;       ///< overrides the file's
  std::string channel;                  ///< "", "0", "1", ... or "luma": what to take of a colour image
  std::optional<std::int64_t> time;     ///< which time of a file that holds several (OME-TIFF, OME-Zarr, NIfTI), from 0
  std::optional<std::int64_t> level;    ///< which level of an OME-Zarr image, 0 the finest, which it is without
  /// Which axis of a file that names its axes is z: that of time or channel, in a stack whose slices are called so.
  std::optional<AxesOrder> axes;
  /// Turn pictures as their EXIF orientation says (JPEG, PNG, TIFF), as viewers do. False: rows stay as they are stored.
  bool upright = false;
  /// Of a folder: take the files whose names match this pattern of the shell, '*.tif'. "": all, which have to be of one
  /// format.
  std::string only;
  /// May a file refer to files outside its own folder (external data of HDF5, .nhdr and .mhd headers)? Files in its
  /// folder and below are always followed. False: anything else is an InputError, symbolic links in a Zarr store too.
  bool follow = false;
  /// Formats that foreign libraries decode are read in a process that can reach nothing but the file. Where the system
  /// cannot confine a process, opening such a file is a ResourceError unless this is true.
  bool unconfined = false;
  std::stop_token cancel;               ///< opening and reading throw Cancelled soon after a stop is requested
};

enum class TiffCompression : std::uint8_t { Deflate, Zstd };
enum class OmeZarrVersion : std::uint8_t { V0_4, V0_5 };

/// How a file is written. What the format of the name has no use for is an InputError.
struct WriteOptions {
  std::optional<TiffCompression> compress; ///< TIFF; without it samples are stored as they are
  std::optional<OmeZarrVersion> ome_zarr;  ///< Zarr: 0.4 lies on Zarr 2, 0.5 on Zarr 3; without it 0.4
};

/// An open file. Every size in a header has been checked against the file's length before anything is allocated.
class FileSource : public SliceSource {
 public:
  /// "TIFF, 250 pages, LZW", "raw, x fastest, little endian" ...: what was understood of the file.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Every file that the samples come from: the one that was opened, the data file of a header, the slices of a folder.
  [[nodiscard]] virtual std::vector<std::string> files() const = 0;
  /// One line that people should hear before they believe a result: which slices of a folder are missing. Mostly empty.
  [[nodiscard]] virtual std::string remark() const { return {}; }
  /// Slices that are decoded together, from multiples of their number on: 16 where chunks are 16 slices thick.
  [[nodiscard]] virtual std::int64_t layer() const { return 1; }
};

/// The numbers of files whose names differ in a number alone, in their order: 3, 5 and 10 of s3.tif, s5.tif and s10.tif.
/// Empty for others, and for a single one.
[[nodiscard]] std::vector<std::int64_t> numbers_in_names(const std::vector<std::string>& names);

/// Opens a file for reading slice by slice. The format follows the name, then the first bytes:
/// .raw .raw.gz .tif .tiff .png .jpg .jpeg .bmp .pgm .pbm .ppm .pnm .npy .mrc .map .rec .h5 .hdf5 .nxs (`file.h5:/dataset`),
/// .nrrd .nhdr .mha .mhd .nii .nii.gz .hdr .img .dcm, a folder of slices or of a DICOM series, .zarr or any folder inside of one:
/// an array of Zarr, or an OME-Zarr image.
/// Medical files are read in mm, their samples in the order of the file; how that lies in the world is Spacing::placement. Compressed DICOM needs a tamis built with GDCM:
/// reading is a ResourceError where it was not.
/// Throws InputError for anything missing, truncated, inconsistent or of an unknown format.
[[nodiscard]] std::unique_ptr<FileSource> open_file(const std::string& path, const ReadOptions& options = {});

/// Reads the whole file. Types that are 1-bit in the file become Type::Bool. Colour without `channel` is an InputError.
[[nodiscard]] Image read(const std::string& path, const ReadOptions& options = {});

/// Creates a file for writing slice by slice; the format follows the name. Type, shape and spacing are in `layout`.
/// Throws InputError for a format that cannot hold the layout, ResourceError for a target that cannot be written.
[[nodiscard]] std::unique_ptr<SliceSink> create(const std::string& path, const Layout& layout,
                                                const WriteOptions& options = {});

/// Writes a whole image.
void write(const Image& image, const std::string& path, const WriteOptions& options = {});

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
  [[nodiscard]] std::unique_ptr<SliceSink> create(const std::string& path, const Layout& layout,
                                                  const WriteOptions& options = {});
  /// From now on, what an ended run has left of a target stays, for create_resumable() to go on with.
  void resume();
  /// A sink whose slices up to the last checkpoint stay if this run ends early, under a hidden name and with a ledger
  /// (PATH.tamis-ledger) beside the target; and how many slices it has already. After resume(), and where a ledger of
  /// the same `job` is there, these are those of the run before. `job` is one line that says what the samples come from.
  /// Raw files, .npy, TIFF and other formats without compression can be gone on with; others begin anew.
  /// An unfinished file of another job, of another user, with a second name (a hard link) or whose bytes are not those of
  /// its ledger's checksums is not gone on with: the file is begun anew, or after its last sound slab, and `note` is one
  /// line that says why. Throws InputError where the ledger is none, ResourceError where another run writes the file.
  struct Resumable {
    std::unique_ptr<SliceSink> sink;
    std::int64_t slices = 0;
    std::string note;  ///< empty: nothing to say
  };
  [[nodiscard]] Resumable create_resumable(const std::string& path, const Layout& layout, const std::string& job,
                                           const WriteOptions& options = {});
  void write_text(const std::string& path, std::string_view text);
  /// What has been written to this path goes; a pipe or a device keeps it.
  void discard(const std::string& path);
  /// A new file has its old one's owner, group, access list (POSIX ACL) and `user.` attributes where the system lets
  /// this user, the mode where the old file is the user's own, and never set-user-ID, set-group-ID or sticky bits.
  /// Returns a line for each file of which not all of that could be kept.
  std::vector<std::string> commit();
  /// From any thread, before the process ends: removes every unnamed file, and no other is made or named from then on.
  void abandon() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tamis
