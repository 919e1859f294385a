#include "io/inflater.hpp"

#include <bzlib.h>
#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "io/refuse.hpp"

namespace tamis::io {

class StreamInflater::Codec {
 public:
  virtual ~Codec() = default;

  struct Step {
    std::int64_t used = 0;
    std::int64_t written = 0;
    bool ended = false;           ///< a member is over
    const char* fault = nullptr;  ///< why the stream is corrupt
  };
  /// Decodes what there is room for, out of up to `available` bytes.
  [[nodiscard]] virtual Step step(const std::byte* in, std::int64_t available, std::byte* out, std::int64_t room) = 0;
};

namespace {

constexpr std::int64_t piece = 1 << 20;

class Deflate final : public StreamInflater::Codec {
 public:
  explicit Deflate(bool raw) {
    constexpr int gzip_or_zlib = 32 + MAX_WBITS;
    if (inflateInit2(&stream_, raw ? -MAX_WBITS : gzip_or_zlib) != Z_OK)
      throw ResourceError("out of memory: zlib needs 64 KiB");
  }
  ~Deflate() override { inflateEnd(&stream_); }

  Step step(const std::byte* in, std::int64_t available, std::byte* out, std::int64_t room) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in));
    stream_.avail_in = static_cast<uInt>(available);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    const bool sound = status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
    const char* const fault = sound ? nullptr : stream_.msg ? stream_.msg : "unknown reason";
    return {available - stream_.avail_in, room - stream_.avail_out, status == Z_STREAM_END, fault};
  }

 private:
  z_stream stream_{};
};

class Bzip2 final : public StreamInflater::Codec {
 public:
  Bzip2() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw ResourceError("out of memory: bzip2 needs 64 KiB");
  }
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }

  Step step(const std::byte* in, std::int64_t available, std::byte* out, std::int64_t room) override {
    stream_.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(in));
    stream_.avail_in = static_cast<unsigned>(available);
    stream_.next_out = reinterpret_cast<char*>(out);
    stream_.avail_out = static_cast<unsigned>(room);
    const int status = BZ2_bzDecompress(&stream_);
    if (status == BZ_MEM_ERROR) throw ResourceError("out of memory: bzip2 needs 4 MiB");
    const bool sound = status == BZ_OK || status == BZ_STREAM_END;
    const char* const fault = sound ? nullptr : status == BZ_DATA_ERROR ? "incorrect data check" : "no bzip2 stream";
    return {available - stream_.avail_in, room - stream_.avail_out, status == BZ_STREAM_END, fault};
  }

 private:
  bz_stream stream_{};
};

std::unique_ptr<StreamInflater::Codec> codec_of(Packing packing) {
  if (packing == Packing::Bzip2) return std::make_unique<Bzip2>();
  return std::make_unique<Deflate>(packing == Packing::RawDeflate);
}

}  // namespace

StreamInflater::StreamInflater(const MappedFile& file, std::int64_t start, std::stop_token cancel, Packing packing)
    : file_(&file),
      start_(start),
      cancel_(std::move(cancel)),
      packing_(packing),
      codec_(codec_of(packing)),
      in_(start) {}

StreamInflater::~StreamInflater() = default;

void StreamInflater::restart() {
  codec_ = codec_of(packing_);
  in_ = start_;
  position_ = 0;
  ended_ = false;
}

std::int64_t StreamInflater::read(std::byte* out, std::int64_t count) {
  std::int64_t done = 0;
  while (done < count && !ended_) done += step(out + done, std::min(count - done, piece));
  position_ += done;
  return done;
}

std::int64_t StreamInflater::skip(std::int64_t count) {
  std::vector<std::byte> scratch(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, piece)));
  std::int64_t done = 0;
  while (done < count) {
    const std::int64_t got = read(scratch.data(), std::min(count - done, piece));
    if (got == 0) break;
    done += got;
  }
  return done;
}

/// A piece at most, so that a stop is noticed. Returns how many bytes came.
std::int64_t StreamInflater::step(std::byte* out, std::int64_t room) {
  if (cancel_.stop_requested()) throw Cancelled();
  const std::int64_t available = std::min(file_->size() - in_, piece);
  const Codec::Step done = codec_->step(file_->data() + in_, available, out, room);
  in_ += done.used;
  if (done.fault) refuse("{}: corrupt compressed samples at byte {}: {}", file_->path(), in_, done.fault);
  if (done.ended) {
    const auto behind = file_->text().substr(static_cast<std::size_t>(in_));
    ended_ = behind.empty() || (packing_ == Packing::RawDeflate && behind.find_first_not_of('\0') == behind.npos);
    if (!ended_ && packing_ == Packing::RawDeflate) {
      refuse("{}: got {} bytes behind its deflate stream, wanted none", file_->path(), behind.size());
    }
    if (!ended_) codec_ = codec_of(packing_);  // another member; what is no member is a data error at the next step
  } else if (available == 0 && done.written == 0) {
    refuse("{}: truncated: it ends after {} bytes, within the compressed samples", file_->path(), file_->size());
  }
  return done.written;
}

}  // namespace tamis::io
