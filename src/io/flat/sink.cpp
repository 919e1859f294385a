
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "io/flat/flat.hpp"
#include "io/output/output.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

class FlatSink final : public FileSink {
 public:
  FlatSink(const Target& target, const Layout& layout, FlatRecipe recipe)
      : FileSink(target, layout, true), recipe_(std::move(recipe)) {
    if (taken() == 0) file().write(recipe_.head);
  }

 private:
  void write_slices(const std::byte* slices, std::int64_t count) override {
    const std::int64_t row = layout().shape.x * layout().channels * sample_bytes(layout().type);
    const std::int64_t rows = layout().shape.y * count;
    std::vector<std::byte> turned(static_cast<std::size_t>(recipe_.bottom_up ? rows * row : 0));
    if (recipe_.bottom_up) {
      copy_row(row, slices + (rows - 1) * row, -row, turned.data(), row, rows);
      slices = turned.data();
    }
    if (!converts()) {
      file().write(slices, rows * row);
      return;
    }
    const std::int64_t batch = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / row);
    for (std::int64_t y = 0; y < rows; y += batch) convert_rows(slices + y * row, std::min(batch, rows - y));
  }

  void write_end() override {
    if (recipe_.tail) file().write(recipe_.tail(display()));
  }

  [[nodiscard]] bool swaps() const { return recipe_.big_endian == native_little && sample_bytes(layout().type) > 1; }
  [[nodiscard]] bool converts() const {
    return swaps() || (layout().type == Type::Bool && recipe_.bool_as != FlatRecipe::Bool::ZeroOne);
  }

  void convert_rows(const std::byte* rows, std::int64_t count) {
    const std::int64_t samples = layout().shape.x * layout().channels;
    const std::int64_t width = sample_bytes(layout().type);
    buffer_.assign(rows, rows + count * samples * width);
    if (swaps()) swap_bytes(buffer_.data(), count * samples, width);
    if (layout().type == Type::Bool && recipe_.bool_as == FlatRecipe::Bool::Zero255) {
      for (std::byte& sample : buffer_) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
    }
    if (layout().type == Type::Bool && recipe_.bool_as == FlatRecipe::Bool::PackedBlackIsOne) {
      for (std::byte& sample : buffer_) sample = static_cast<std::byte>(sample == std::byte{0});
      const std::int64_t packed = (samples + 7) / 8;
      // Row by row to the left, in place: packed rows never reach the samples still to be read.
      for (std::int64_t y = 0; y < count; ++y) {
        row_.resize(static_cast<std::size_t>(packed));
        pack_bits(buffer_.data() + y * samples, samples, row_.data());
        std::memcpy(buffer_.data() + y * packed, row_.data(), row_.size());
      }
      buffer_.resize(static_cast<std::size_t>(packed * count));
    }
    file().write(buffer_.data(), static_cast<std::int64_t>(buffer_.size()));
  }

  FlatRecipe recipe_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> row_;
};

/// Compresses on the way out, at the fastest level: level 6 takes four times as long for a few per cent.
class GzipSink final : public FileSink {
  static constexpr std::int64_t piece = 1 << 20;

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

/// Bytes of so many slices in the file, with what is before them.
std::int64_t bytes_until(const Layout& layout, const FlatRecipe& recipe, std::int64_t slices) {
  const std::int64_t samples = layout.shape.x * layout.channels;
  const bool packed = layout.type == Type::Bool && recipe.bool_as == FlatRecipe::Bool::PackedBlackIsOne;
  const std::int64_t row = packed ? (samples + 7) / 8 : samples * sample_bytes(layout.type);
  return static_cast<std::int64_t>(recipe.head.size()) + slices * layout.shape.y * row;
}

}  // namespace

std::unique_ptr<SliceSink> create_flat(const Target& target, const Layout& layout, FlatRecipe recipe) {
  if (target.resumption && target.resumption->taken) {
    for (const Ledger::Slab& slab : target.resumption->taken->slabs) {
      const std::int64_t wanted = bytes_until(layout, recipe, slab.slices);
      if (slab.bytes == wanted) continue;
      refuse("{}: got {} bytes for {} slices, wanted {}", ledger_name(target.path), slab.bytes, slab.slices, wanted);
    }
  }
  return std::make_unique<FlatSink>(target, layout, std::move(recipe));
}

std::unique_ptr<SliceSink> create_gzip(const Target& target, const Layout& layout, std::string_view head) {
  return std::make_unique<GzipSink>(target, layout, head);
}

}  // namespace tamis::io
