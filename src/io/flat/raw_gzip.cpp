// Headerless samples, compressed with gzip: slices come in order, going back starts again.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "core/system/mapped_file.hpp"
#include "io/output/output.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t piece = 1 << 20;

std::unique_ptr<Source> open_raw_gzip(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const Layout layout = raw_layout(path, options);
  const bool little = options.byte_order == ByteOrder::Little;
  const bool wide = sample_bytes(layout.type) > 1;
  const char* const order = !wide ? "" : little ? ", little endian" : ", big endian";
  StreamPlace place;
  place.skipped = options.skip;
  place.length = (Checked(options.skip) + checked_bytes(path, layout)).value(path, "the end of its samples");
  place.swapped = wide && little != native_little;
  place.trusts_trailer = true;
  return open_stream(std::move(file), place, layout, fmt::format("raw, x fastest{}, gzip{}", order, skip_words(options)), options.cancel);
}

/// Compresses on the way out, at the fastest level: level 6 takes four times as long for a few per cent.
class GzipSink final : public FileSink {
 public:
  GzipSink(const Target& target, const Layout& layout, std::string_view head)
      : FileSink(target, layout), swaps_(!native_little && head.empty()), out_(static_cast<std::size_t>(piece)) {
    if (deflateInit2(&stream_, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw ResourceError("out of memory: zlib needs 256 KiB");
    }
    const auto bytes = std::as_bytes(std::span(head));
    buffer_.assign(bytes.begin(), bytes.end());
    compress(Z_NO_FLUSH);
  }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  ~GzipSink() override { deflateEnd(&stream_); }

 private:
  void write_slices(const std::byte* slices, std::int64_t count) override {
    const std::int64_t bytes = count * layout().shape.y * layout().shape.x * sample_bytes(layout().type);
    for (std::int64_t at = 0; at < bytes; at += piece) {
      buffer_.assign(slices + at, slices + std::min(at + piece, bytes));
      if (layout().type == Type::Bool) {
        for (std::byte& sample : buffer_) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
      }
      const std::int64_t width = sample_bytes(layout().type);
      if (swaps_) swap_bytes(buffer_.data(), static_cast<std::int64_t>(buffer_.size()) / width, width);
      compress(Z_NO_FLUSH);
    }
  }

  void write_end() override {
    buffer_.clear();
    compress(Z_FINISH);
  }

  void compress(int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(buffer_.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, flush);
      file().write(out_.data(), static_cast<std::int64_t>(out_.size()) - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  bool swaps_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> out_;
  z_stream stream_{};
};

std::unique_ptr<SliceSink> create_raw_gzip(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "raw", layout);
  require_true_name(path, layout);
  return create_gzip(target, layout, {});
}

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

}  // namespace

std::unique_ptr<SliceSink> create_gzip(const Target& target, const Layout& layout, std::string_view head) {
  return std::make_unique<GzipSink>(target, layout, head);
}

extern const Format raw_gzip_format{"gzip", {".raw.gz", ".vol.gz"}, is_gzip, open_raw_gzip, create_raw_gzip};

}  // namespace tamis::io
