// Samples in a gzip or zlib stream that starts somewhere in a file.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/format.hpp"
#include "io/itk_place.hpp"
#include "io/mapped_file.hpp"

namespace tamis::io {

/// The bytes inside a stream, from `start` to the end of the file, with every checksum verified: gzip (any number of
/// members) or zlib. Bytes that follow the stream are an error.
class StreamInflater {
 public:
  StreamInflater(const MappedFile& file, std::int64_t start);
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
  z_stream stream_{};
  std::int64_t in_ = 0;
  std::int64_t position_ = 0;
  bool ended_ = false;
};

/// Decodes the stream of a place to its end, so that checksums are verified and the length is what the header says,
/// before anything is allocated for it. Throws InputError where that fails.
void check_stream(const MappedFile& file, const ItkPlace& place);
/// Serves the samples in order; going back starts again.
[[nodiscard]] std::unique_ptr<Source> open_stream(MappedFile file, const ItkPlace& place);

}  // namespace tamis::io
