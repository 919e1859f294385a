#include "io/inflater.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

namespace tamis::io {
namespace {

constexpr std::int64_t piece = 1 << 20;
constexpr int gzip_or_zlib = 32 + MAX_WBITS;

}  // namespace

StreamInflater::StreamInflater(const MappedFile& file, std::int64_t start, std::stop_token cancel)
    : file_(&file), start_(start), cancel_(std::move(cancel)) {
  begin();
}

StreamInflater::~StreamInflater() { inflateEnd(&stream_); }

void StreamInflater::begin() {
  stream_ = {};
  if (inflateInit2(&stream_, gzip_or_zlib) != Z_OK) throw ResourceError("out of memory: zlib needs 64 KiB");
  in_ = start_;
  position_ = 0;
  ended_ = false;
}

void StreamInflater::restart() {
  inflateEnd(&stream_);
  begin();
}

std::int64_t StreamInflater::read(std::byte* out, std::int64_t count) {
  std::int64_t done = 0;
  while (done < count && !ended_) {
    const auto room = static_cast<uInt>(std::min(count - done, piece));
    stream_.next_out = reinterpret_cast<Bytef*>(out + done);
    stream_.avail_out = room;
    step();
    done += room - stream_.avail_out;
  }
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

/// A piece at most, so that a stop is noticed.
void StreamInflater::step() {
  if (cancel_.stop_requested()) throw Cancelled();
  const auto available = static_cast<uInt>(std::min(file_->size() - in_, piece));
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(file_->data() + in_));
  stream_.avail_in = available;
  const int status = inflate(&stream_, Z_NO_FLUSH);
  in_ += available - stream_.avail_in;
  if (status == Z_STREAM_END) {
    ended_ = in_ == file_->size();
    if (!ended_) inflateReset(&stream_);  // another member; what is no member is a data error at the next step
  } else if (status == Z_BUF_ERROR && in_ == file_->size() && stream_.avail_out > 0) {
    throw InputError(fmt::format("{}: truncated: it ends after {} bytes, within the compressed samples", file_->path(),
                                 file_->size()));
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    throw InputError(fmt::format("{}: corrupt compressed samples at byte {}: {}", file_->path(), in_,
                                 stream_.msg ? stream_.msg : "unknown reason"));
  }
}

}  // namespace tamis::io
