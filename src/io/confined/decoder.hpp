// Files that a process with foreign libraries decodes: what tamis asks of it, and what runs inside.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/confined/process.hpp"
#include "io/format.hpp"

namespace tamis::io {

// Files that a process with foreign libraries decodes, as sources like any other.

/// The foreign library that decodes a file.
enum class Decoder : std::uint8_t { Png, Jpeg, Tiff, Hdf5 };

/// Opens a file through `process`, or one of its own where that is null. Samples come through shared memory.
[[nodiscard]] std::unique_ptr<Source> open_remote(Decoder decoder, const std::string& path, const ReadOptions& options,
                                                  SharedDecoder process);

/// What the process said of a file, checked.
struct Opened {
  Layout layout;
  std::string description;
};
/// Asks the process to open a file, which the questions that follow are about.
[[nodiscard]] Opened ask_to_open(DecoderProcess& process, Decoder decoder, const std::string& path,
                                 const ReadOptions& options, std::int64_t file_bytes);
/// The source of a file that the process has opened.
[[nodiscard]] std::unique_ptr<Source> remote_source(Decoder decoder, const std::string& path,
                                                    const ReadOptions& options, const Opened& opened,
                                                    SharedDecoder process);

// What runs inside the process that decodes pictures and HDF5 (picture_program.cpp): one opener for each library.

/// What tamis asks of the process. Open: decoder, file, dataset, time, axes, channel; the answer is layout and description,
/// and that file is the one that the others speak of. Memory: its size, and a file of shared memory; no answer. Read:
/// first slice and number of slices, which arrive at the start of the memory. Storage and Chunks: how and where an HDF5
/// dataset lies (hdf5/storage.hpp). Decompress: the library, what messages call it, and how many bytes at the start of
/// the memory become how many behind them (Decompressor). Create: name of an HDF5 file, dataset, layout, chunk. Write: which
/// part of it stands at the start of the memory. Finish: the answer is the length of the file (hdf5/hdf5.hpp).
enum class Question : std::uint8_t { Open, Memory, Read, Storage, Chunks, Decompress, Create, Write, Finish };

/// Slices z0 .. z0+slices-1 of a volume, rows y0 .. y0+rows-1 of each.
struct Hdf5Slab {
  std::int64_t z0 = 0;
  std::int64_t slices = 0;
  std::int64_t y0 = 0;
  std::int64_t rows = 0;
};

/// Each opens a file with its library, in this process. Samples of type Bool may be any byte.
[[nodiscard]] std::unique_ptr<Source> open_png(const std::string& path);
[[nodiscard]] std::unique_ptr<Source> open_jpeg(const std::string& path);
/// Of a TIFF file with compressed pages the planes alone, as TiffStack has them (io/tiff/tiff.hpp).
[[nodiscard]] std::unique_ptr<Source> open_tiff(const std::string& path, const ReadOptions& options);
/// `dataset` may be empty where the file has only one.
[[nodiscard]] std::unique_ptr<Source> open_hdf5(const std::string& path, const std::string& dataset);

/// The library that decodes.
enum class Compression : std::uint8_t { Zstd, Blosc };

/// In this process: `in` becomes `out`, all of it and not a byte more. Returns what is wrong, empty if nothing is.
[[nodiscard]] std::string decompress_here(Compression compression, std::span<const std::byte> in,
                                          std::span<std::byte> out);

/// The same in a process of its own, which the first call starts. One thread at a time.
class Decompressor {
 public:
  explicit Decompressor(const ReadOptions& options) : process_(Decoders::Pictures, options) {}
  /// Throws InputError, naming `path`, where the bytes are damaged; ResourceError where there is no such process.
  void run(const std::string& path, Compression compression, std::span<const std::byte> in, std::span<std::byte> out);

 private:
  DecoderProcess process_;
};

}  // namespace tamis::io
