#include "io/tiff/strip_codec.hpp"

#include <libdeflate.h>
#include <tiff.h>
#include <zstd.h>

#include <memory>
#include <new>

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

}  // namespace

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

}  // namespace tamis::io
