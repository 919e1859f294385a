// gzip and zlib streams in files: .raw.gz, .nii.gz, compressed NRRD and MetaImage.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "io/mapped_file.hpp"

namespace tamis::io {

inline constexpr std::int64_t deflate_ratio = 1032;  ///< deflate cannot do better than 258 bytes for 2 bits

/// The bytes inside a stream, from `start` to the end of the file, with every checksum verified: gzip (any number of
/// members) or zlib. Bytes that follow the stream are an error.
class StreamInflater {
 public:
  /// `cancel`: reading throws Cancelled soon after a stop is requested, however much is asked for at once.
  StreamInflater(const MappedFile& file, std::int64_t start, std::stop_token cancel);
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
  void begin();
  void step();

  const MappedFile* file_;
  std::int64_t start_;
  std::stop_token cancel_;
  z_stream stream_{};
  std::int64_t in_ = 0;
  std::int64_t position_ = 0;
  bool ended_ = false;
};

}  // namespace tamis::io
