#include "io/zarr/zarr.hpp"

#include <libdeflate.h>

#include <cstring>
#include <memory>

#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

struct Named {
  std::string_view name;
  Codec codec;
};
constexpr std::array<Named, 5> names{{{"gzip", Codec::Gzip},
                                      {"zlib", Codec::Zlib},
                                      {"zstd", Codec::Zstd},
                                      {"blosc", Codec::Blosc},
                                      {"crc32c", Codec::Crc32c}}};

constexpr std::string_view name_of(Codec codec) {
  for (const Named& named : names) {
    if (named.codec == codec) return named.name;
  }
  return {};
}

bool compresses(Codec codec) { return codec != Codec::Crc32c; }

struct Free {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

/// One member of gzip after the other, or one stream of zlib; empty if the bytes are used up and all are there.
std::string inflate(Codec codec, std::span<const std::byte> in, std::span<std::byte> out) {
  thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  const auto one = codec == Codec::Gzip ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
  const std::size_t wanted = out.size();
  const std::size_t stored = in.size();
  do {
    std::size_t used = 0;
    std::size_t made = 0;
    if (one(decompressor.get(), in.data(), in.size(), out.data(), out.size(), &used, &made) != LIBDEFLATE_SUCCESS) {
      return fmt::format("its {} bytes do not inflate to {}", stored, wanted);
    }
    in = in.subspan(used);
    out = out.subspan(made);
  } while (codec == Codec::Gzip && !in.empty());
  if (in.empty() && out.empty()) return {};
  return fmt::format("its {} bytes inflate to {}{}; wanted {}", stored, wanted - out.size(),
                     in.empty() ? "" : fmt::format(" with {} left over", in.size()), wanted);
}

void decompress(const std::string& path, Codec codec, std::span<const std::byte> in, Decompressor& decompressor,
                std::span<std::byte> out) {
  if (codec == Codec::Zstd) return decompressor.run(path, Compression::Zstd, in, out);
  if (codec == Codec::Blosc) return decompressor.run(path, Compression::Blosc, in, out);
  const std::string fault = inflate(codec, in, out);
  if (!fault.empty()) refuse("{}: corrupt chunk: {}", path, fault);
}

std::span<const std::byte> without_checksum(const std::string& path, std::span<const std::byte> stored) {
  if (stored.size() < crc32c_bytes) {
    refuse("{}: got {} bytes, wanted a checksum of {}", path, stored.size(), crc32c_bytes);
  }
  const std::span<const std::byte> rest = stored.first(stored.size() - crc32c_bytes);
  if (number_at<std::uint32_t>(stored.data() + rest.size(), !native_little) == crc32c(rest)) return rest;
  refuse("{}: corrupt chunk: its checksum is wrong", path);
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      made[i] = i;
      for (int bit = 0; bit < 8; ++bit) made[i] = made[i] >> 1 ^ (made[i] & 1U ? 0x82F63B78U : 0U);
    }
    return made;
  }();
  std::uint32_t sum = ~0U;
  for (const std::byte byte : bytes) sum = sum >> 8 ^ table[(sum ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  return ~sum;
}

bool Codecs::compressed() const { return std::any_of(steps.begin(), steps.end(), compresses); }

std::int64_t Codecs::stored_bytes(std::int64_t bytes) const {
  return bytes + static_cast<std::int64_t>(crc32c_bytes) * std::count(steps.begin(), steps.end(), Codec::Crc32c);
}

std::int64_t Codecs::most_bytes(std::int64_t bytes) const {
  constexpr std::int64_t heads = 1 << 16;
  return compressed() ? bytes + bytes / 8 + heads : stored_bytes(bytes);
}

std::string Codecs::words() const {
  std::string text;
  for (const Codec codec : steps) text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(codec));
  return text.empty() ? "not compressed" : text;
}

Codecs codecs_v2(const std::string& path, const Json& compressor) {
  Codecs codecs;
  if (compressor.is_null()) return codecs;
  const std::string name = word(compressor, "id");
  if (!add_codec(path, name, codecs) || !codecs.compressed()) {
    refuse("{}: compressed by {}; wanted null, gzip, zlib, zstd or blosc", path,
           name.empty() ? json_text(compressor) : name);
  }
  return codecs;
}

bool add_codec(const std::string& path, const std::string& name, Codecs& codecs) {
  constexpr std::size_t most_steps = 8;
  const auto found = std::find_if(names.begin(), names.end(), [&](const Named& named) { return named.name == name; });
  if (found == names.end()) return false;
  if ((compresses(found->codec) && codecs.compressed()) || codecs.steps.size() == most_steps) {
    refuse("{}: {} after {}; wanted one compression", path, name, codecs.words());
  }
  codecs.steps.push_back(found->codec);
  return true;
}

void decode(const std::string& path, const Codecs& codecs, std::span<const std::byte> stored,
            Decompressor& decompressor, std::vector<std::byte>& scratch, std::span<std::byte> out) {
  std::span<const std::byte> now = stored;
  for (std::size_t i = codecs.steps.size(); i-- > 0;) {
    if (codecs.steps[i] == Codec::Crc32c) {
      now = without_checksum(path, now);
      continue;
    }
    // Before it only checksums were added.
    const std::size_t bytes = out.size() + i * crc32c_bytes;
    if (i > 0) scratch.resize(bytes);
    const std::span<std::byte> to = i > 0 ? std::span(scratch) : out;
    decompress(path, codecs.steps[i], now, decompressor, to);
    now = to;
  }
  if (now.size() != out.size()) refuse("{}: got {} bytes of samples, wanted {}", path, now.size(), out.size());
  if (now.data() != out.data()) std::memcpy(out.data(), now.data(), out.size());
}

}  // namespace tamis::io
