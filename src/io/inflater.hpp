// gzip, zlib, deflate and bzip2 streams in files: .raw.gz, .nii.gz, compressed NRRD and MetaImage, deflated DICOM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "core/system/mapped_file.hpp"

namespace tamis::io {

inline constexpr std::int64_t deflate_ratio = 1032;  ///< deflate cannot do better than 258 bytes for 2 bits
/// A block of bzip2 stands for 900,000 / 5 runs of 259 bytes at most, and has no fewer than 32 bytes.
inline constexpr std::int64_t bzip2_ratio = 1'500'000;

enum class Packing : std::uint8_t { None, Deflate, RawDeflate, Bzip2 };

/// The bytes inside a stream, from `start` to the end of the file, with every checksum verified: gzip or bzip2 (any
/// number of members), zlib, or deflate without anything around it, which zeros may follow. Other bytes that follow the
/// stream are an error.
class StreamInflater {
 public:
  class Codec;  ///< what zlib and libbz2 have in common

  /// `cancel`: reading throws Cancelled soon after a stop is requested, however much is asked for at once.
  StreamInflater(const MappedFile& file, std::int64_t start, std::stop_token cancel,
                 Packing packing = Packing::Deflate);
  StreamInflater(const StreamInflater&) = delete;
  StreamInflater& operator=(const StreamInflater&) = delete;
  ~StreamInflater();

  void restart();
  /// Up to `count` bytes; fewer only at the end of the data. Throws InputError for truncated and corrupt streams.
  std::int64_t read(std::byte* out, std::int64_t count);
  /// Reads and drops up to `count` bytes; says how many there were.
  std::int64_t skip(std::int64_t count);
  /// Bytes read since the start of the stream.
  [[nodiscard]] std::int64_t position() const { return position_; }

 private:
  [[nodiscard]] std::int64_t step(std::byte* out, std::int64_t room);

  const MappedFile* file_;
  std::int64_t start_;
  std::stop_token cancel_;
  Packing packing_;
  std::unique_ptr<Codec> codec_;
  std::int64_t in_ = 0;
  std::int64_t position_ = 0;
  bool ended_ = false;
};

}  // namespace tamis::io
