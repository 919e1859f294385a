#include "io/itk_inflate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t piece = 1 << 20;
constexpr std::int64_t deflate_ratio = 1032;  // deflate cannot do better than 258 bytes for 2 bits
constexpr int gzip_or_zlib = 32 + MAX_WBITS;

class StreamSource final : public Source {
 public:
  StreamSource(MappedFile file, const ItkPlace& place)
      : Source(place.path, place.layout, place.description),
        file_(std::move(file)),
        inflater_(file_, place.offset),
        skipped_(place.skipped),
        swapped_(place.swapped) {}

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t start = skipped_ + z0 * slice_bytes();
    if (inflater_.position() > start) inflater_.restart();
    inflater_.skip(start - inflater_.position());
    // The whole stream has been decoded once, so a short one means that the file was changed in between.
    if (inflater_.position() != start || inflater_.read(out, count * slice_bytes()) != count * slice_bytes()) {
      throw InputError(fmt::format("{}: got {} bytes after decompression, wanted {} at least", path(),
                                   inflater_.position(), start + count * slice_bytes()));
    }
    const std::int64_t width = sample_bytes(layout().type);
    if (swapped_) swap_bytes(out, count * slice_bytes() / width, width);
  }

  MappedFile file_;
  StreamInflater inflater_;
  std::int64_t skipped_;
  bool swapped_;
};

}  // namespace

StreamInflater::StreamInflater(const MappedFile& file, std::int64_t start) : file_(&file), start_(start) { begin(); }

StreamInflater::~StreamInflater() { inflateEnd(&stream_); }

void StreamInflater::begin() {
  stream_ = {};
  if (inflateInit2(&stream_, gzip_or_zlib) != Z_OK) throw EnvironmentError("out of memory: zlib needs 64 KiB");
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
    const auto room = static_cast<uInt>(std::min(count - done, std::int64_t{1} << 30));
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

void StreamInflater::step() {
  const auto available = static_cast<uInt>(std::min(file_->size() - in_, std::int64_t{1} << 30));
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

void check_stream(const MappedFile& file, const ItkPlace& place) {
  check_expansion(place.data, place.layout, file.size(), deflate_ratio);
  const std::int64_t wanted = place.skipped + checked_bytes(place.path, place.layout);
  StreamInflater inflater(file, place.offset);
  inflater.skip(wanted + 1);  // one more, so that the end and its checksum are reached
  if (inflater.position() == wanted) return;
  throw InputError(fmt::format("{}: got {}{} bytes after decompression, wanted {} ({} {})", place.data,
                               inflater.position() > wanted ? "at least " : "", inflater.position(), wanted,
                               to_string(place.layout.shape), name(place.layout.type)));
}

std::unique_ptr<Source> open_stream(MappedFile file, const ItkPlace& place) {
  return std::make_unique<StreamSource>(std::move(file), place);
}

}  // namespace tamis::io
