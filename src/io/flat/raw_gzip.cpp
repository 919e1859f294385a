// Headerless samples, compressed with gzip: slices come in order, going back starts again.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/flat/raw_name.hpp"
#include "io/format.hpp"
#include "io/inflater.hpp"
#include "io/mapped_file.hpp"
#include "io/output/file_sink.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::int64_t piece = 1 << 20;

class GzipSource final : public Source {
 public:
  GzipSource(MappedFile file, const Layout& layout, bool swapped, std::string description,
             const std::stop_token& cancel)
      : Source(file.path(), layout, std::move(description)),
        file_(std::move(file)),
        inflater_(file_, 0, cancel),
        swapped_(swapped) {}

  /// Inflates everything where the trailer's length says that something is wrong: an error then names both lengths.
  void check_length(std::int64_t wanted) {
    if (trailer_length() == static_cast<std::uint32_t>(wanted)) return;
    inflater_.skip((Checked(wanted) + piece).value_or(wanted));
    if (inflater_.position() != wanted) {
      throw InputError(fmt::format("{}: got {} bytes{} after decompression, wanted {} ({} {})", path(),
                                   inflater_.position(), inflater_.position() > wanted ? " or more" : "", wanted,
                                   to_string(layout().shape), name(layout().type)));
    }
    inflater_.restart();
  }

 private:
  [[nodiscard]] std::uint32_t trailer_length() const {
    std::uint32_t length = 0;
    for (int i = 0; i < 4 && i < file_.size(); ++i) {
      length = length << 8 | std::to_integer<std::uint32_t>(file_.data()[file_.size() - 1 - i]);
    }
    return length;
  }

  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const std::int64_t start = z0 * slice_bytes();
    if (inflater_.position() > start) inflater_.restart();
    inflater_.skip(start - inflater_.position());
    const std::int64_t end = start + count * slice_bytes();
    if (inflater_.position() != start || inflater_.read(out, end - start) != end - start) {
      throw InputError(
          fmt::format("{}: got {} bytes after decompression, wanted {} at least", path(), inflater_.position(), end));
    }
    if (z0 + count == layout().shape.z) require_end();
    const std::int64_t width = sample_bytes(layout().type);
    if (swapped_) swap_bytes(out, count * slice_bytes() / width, width);
    if (layout().type == Type::Bool) normalise_bool(out, count * slice_bytes());
  }

  /// Reads past the last sample, which also verifies the checksum.
  void require_end() {
    std::byte extra{};
    const std::int64_t wanted = inflater_.position();
    if (inflater_.read(&extra, 1) != 0) {
      throw InputError(fmt::format("{}: got more than {} bytes after decompression, wanted as many", path(), wanted));
    }
  }

  MappedFile file_;
  StreamInflater inflater_;
  bool swapped_;
};

std::unique_ptr<Source> open_raw_gzip(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  MappedFile file(path);
  const Layout layout = raw_layout(path, options);
  check_expansion(path, layout, file.size(), deflate_ratio);
  const bool little = options.byte_order == ByteOrder::Little;
  const bool wide = sample_bytes(layout.type) > 1;
  const char* const order = !wide ? "" : little ? ", little endian" : ", big endian";
  auto source = std::make_unique<GzipSource>(std::move(file), layout, wide && little != native_little,
                                             fmt::format("raw, x fastest{}, gzip", order), options.cancel);
  source->check_length(checked_bytes(path, layout));
  return source;
}

/// Compresses on the way out, at the fastest level: level 6 takes four times as long for a few per cent.
class GzipSink final : public FileSink {
 public:
  GzipSink(const Target& target, const Layout& layout)
      : FileSink(target, layout), out_(static_cast<std::size_t>(piece)) {
    if (deflateInit2(&stream_, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw ResourceError("out of memory: zlib needs 256 KiB");
    }
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
      if (!native_little) swap_bytes(buffer_.data(), static_cast<std::int64_t>(buffer_.size()) / width, width);
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

  std::vector<std::byte> buffer_;
  std::vector<std::byte> out_;
  z_stream stream_{};
};

std::unique_ptr<SliceSink> create_raw_gzip(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "raw", layout);
  require_true_name(path, layout);
  return std::make_unique<GzipSink>(target, layout);
}

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

}  // namespace

extern const Format raw_gzip_format{"gzip", {".raw.gz", ".vol.gz"}, is_gzip, open_raw_gzip, create_raw_gzip};

}  // namespace tamis::io
