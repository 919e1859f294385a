// The whole file but the samples is known beforehand, so it is a head, the samples and a tail. libtiff would put a
// directory behind each slice; ImageJ and memory maps want the slices in one piece.
// Compressed: strips in their order, then the directories, which only then are known, and at last the head, which says
// where they are.
#include <libdeflate.h>
#include <tiff.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "core/cpu/parallel.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/output/output.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/tiff/written_directory.hpp"

namespace tamis::io {
namespace {

constexpr int deflate_level = 3;
constexpr int zstd_level = 3;

struct FreeDeflate {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
struct FreeZstd {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};

std::vector<std::byte> deflate(std::span<const std::byte> bytes) {
  thread_local const std::unique_ptr<libdeflate_compressor, FreeDeflate> compressor(
      libdeflate_alloc_compressor(deflate_level));
  if (!compressor) throw std::bad_alloc();
  std::vector<std::byte> packed(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
  packed.resize(
      libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

std::vector<std::byte> zstd(std::span<const std::byte> bytes) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  std::vector<std::byte> packed(ZSTD_compressBound(bytes.size()));
  const std::size_t got =
      ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size(), zstd_level);
  // The room is enough for anything, so all that can fail is to have memory.
  if (ZSTD_isError(got)) throw std::bad_alloc();
  packed.resize(got);
  return packed;
}

/// From the right, so that every sample is still there when its neighbour wants it.
template <class Sample>
void take_differences(std::byte* row, std::int64_t samples, int channels) {
  auto* const first = reinterpret_cast<Sample*>(row);
  for (std::int64_t i = samples - 1; i >= channels; --i) first[i] = static_cast<Sample>(first[i] - first[i - channels]);
}

// Strips of samples as bytes of a compressed TIFF file.
struct StripCodec {
  TiffCompression compression = TiffCompression::Deflate;
  Type type = Type::U8;
  std::int64_t row_samples = 1;
  int channels = 1;
  bool differences = false;  ///< each sample as its difference from the one on its left, the predictor 2 of TIFF

  /// The tag of the compression.
  [[nodiscard]] std::uint16_t tag() const;
  /// Threads may call it at once.
  [[nodiscard]] std::vector<std::byte> compressed(std::span<const std::byte> rows) const;
};

/// Do differences make this strip smaller? Never for samples other than integers of 8 and 16 bits, whose differences every
/// reader of TIFF knows.
[[nodiscard]] bool differences_help(StripCodec codec, std::span<const std::byte> rows);

std::uint16_t StripCodec::tag() const {
  return compression == TiffCompression::Deflate ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_ZSTD;
}

std::vector<std::byte> StripCodec::compressed(std::span<const std::byte> rows) const {
  thread_local std::vector<std::byte> changed;
  if (type == Type::Bool || differences) {
    changed.assign(rows.begin(), rows.end());
    rows = changed;
  }
  if (type == Type::Bool) {
    for (std::byte& sample : changed) sample = sample == std::byte{0} ? std::byte{0} : std::byte{255};
  }
  if (differences) {
    const auto row_bytes = static_cast<std::size_t>(row_samples * sample_bytes(type));
    for (std::size_t at = 0; at < changed.size(); at += row_bytes) {
      if (sample_bytes(type) == 1) {
        take_differences<std::uint8_t>(changed.data() + at, row_samples, channels);
      } else {
        take_differences<std::uint16_t>(changed.data() + at, row_samples, channels);
      }
    }
  }
  return compression == TiffCompression::Deflate ? deflate(rows) : zstd(rows);
}

bool differences_help(StripCodec codec, std::span<const std::byte> rows) {
  if (sample_bytes(codec.type) > 2) return false;
  const std::size_t plain = codec.compressed(rows).size();
  codec.differences = true;
  return codec.compressed(rows).size() < plain;
}

/// Of samples: enough strips for all threads, and enough in each for the codec.
constexpr std::int64_t strip_bytes = std::int64_t{512} << 10;
/// What is compressed before it is written.
constexpr std::int64_t batch_bytes = std::int64_t{16} << 20;

/// Refuses a pipe before it is opened, which would wait for somebody who reads it.
const Target& no_pipe(const Target& target) {
  if (!output_place(target.path).direct) return target;
  refuse("{}: a compressed TIFF cannot be written to a pipe or device, whose start is gone when its end is known; wanted a file, or no `compress`", target.path);
}

class CompressedTiffSink final : public FileSink {
 public:
  CompressedTiffSink(const Target& target, const Layout& layout)
      : FileSink(no_pipe(target), layout),
        row_bytes_(layout.shape.x * layout.channels * sample_bytes(layout.type)),
        codec_{*target.options.compress, layout.type, layout.shape.x * layout.channels, layout.channels} {
    tiff_.compression = codec_.tag();
    tiff_.strip_rows = std::clamp<std::int64_t>(strip_bytes / row_bytes_, 1, layout.shape.y);
    file().write(std::string(tiff_head_bytes, '\0'));
  }

 private:
  void write_slices(const std::byte* slices, std::int64_t count) override {
    const std::int64_t height = layout().shape.y;
    const std::int64_t strips = (height - 1) / tiff_.strip_rows + 1;  // of a slice
    const auto strip = [&](std::int64_t i) {
      const std::int64_t row = i % strips * tiff_.strip_rows;
      const std::int64_t rows = std::min(tiff_.strip_rows, height - row);
      const std::byte* const first = slices + (i / strips * height + row) * row_bytes_;
      return std::span(first, static_cast<std::size_t>(rows * row_bytes_));
    };
    if (tiff_.strip_offsets.empty()) choose_predictor(strip(count * strips / 2));
    const std::int64_t batch = std::max<std::int64_t>(1, batch_bytes / (tiff_.strip_rows * row_bytes_));
    std::vector<std::vector<std::byte>> packed;
    for (std::int64_t i = 0; i < count * strips; i += batch) {
      file().check_cancel();
      packed.resize(static_cast<std::size_t>(std::min(batch, count * strips - i)));
      parallel_for(Context{}, static_cast<std::int64_t>(packed.size()), [&](std::int64_t k) {
        packed[static_cast<std::size_t>(k)] = codec_.compressed(strip(i + k));
      });
      for (const std::vector<std::byte>& bytes : packed) {
        tiff_.strip_offsets.push_back(end_);
        tiff_.strip_bytes.push_back(bytes.size());
        append(bytes.data(), bytes.size());
      }
    }
  }

  void write_end() override {
    const std::string padding((8 - end_ % 8) % 8, '\0');
    append(padding.data(), padding.size());
    tiff_.big = needs_big_tiff(layout(), end_, static_cast<std::int64_t>(tiff_.strip_offsets.size()));
    const std::string head = tiff_head(tiff_.big, end_);
    file().write(tiff_directories(layout(), display(), tiff_, end_));
    file().write_at(0, reinterpret_cast<const std::byte*>(head.data()), static_cast<std::int64_t>(head.size()));
  }

  void choose_predictor(std::span<const std::byte> rows) {
    codec_.differences = differences_help(codec_, rows);
    if (codec_.differences) tiff_.predictor = 2;
  }

  void append(const void* bytes, std::size_t count) {
    file().write(bytes, static_cast<std::int64_t>(count));
    end_ += count;
  }

  std::int64_t row_bytes_;
  StripCodec codec_;
  WrittenTiff tiff_;
  std::uint64_t end_ = tiff_head_bytes;
};

}  // namespace

std::unique_ptr<SliceSink> create_tiff(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  const std::int64_t samples = checked_bytes(path, layout);
  if (layout.shape.x > INT32_MAX || layout.shape.y > INT32_MAX) {
    refuse("{}: got slices of {}, wanted edges below 2^31 for TIFF", path, to_string(layout.shape));
  }
  if (target.options.compress) return create_compressed_tiff(target, layout);
  const std::int64_t page = samples / layout.shape.z;
  const std::uint64_t end = tiff_head_bytes + static_cast<std::uint64_t>(samples);
  const std::uint64_t directories = (end + 15) / 16 * 16;
  const bool big = needs_big_tiff(layout, end, layout.shape.z);
  FlatRecipe recipe;
  recipe.big_endian = !native_little;
  recipe.head = tiff_head(big, directories);
  recipe.tail = [=](const std::optional<Display>& display) {
    WrittenTiff file;
    file.big = big;
    file.strip_rows = layout.shape.y;
    for (std::int64_t z = 0; z < layout.shape.z; ++z) {
      file.strip_offsets.push_back(tiff_head_bytes + static_cast<std::uint64_t>(z * page));
      file.strip_bytes.push_back(static_cast<std::uint64_t>(page));
    }
    return std::string(directories - end, '\0') + tiff_directories(layout, display, file, directories);
  };
  return create_flat(target, layout, std::move(recipe));
}

std::unique_ptr<SliceSink> create_compressed_tiff(const Target& target, const Layout& layout) {
  return std::make_unique<CompressedTiffSink>(target, layout);
}

}  // namespace tamis::io
