// libzstd and c-blosc, in the process that is confined.
#include <blosc.h>
#include <fmt/format.h>
#include <zstd.h>

#include "io/confined/decoder.hpp"

namespace tamis::io {
namespace {

std::string zstd(std::span<const std::byte> in, std::span<std::byte> out) {
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(got)) return fmt::format("zstd: {}", ZSTD_getErrorName(got));
  return got == out.size() ? std::string() : fmt::format("zstd: got {} bytes, wanted {}", got, out.size());
}

std::string blosc(std::span<const std::byte> in, std::span<std::byte> out) {
  std::size_t bytes = 0;
  if (in.size() < BLOSC_MIN_HEADER_LENGTH || blosc_cbuffer_validate(in.data(), in.size(), &bytes) != 0) {
    return "Blosc: no chunk of its";
  }
  if (bytes != out.size()) return fmt::format("Blosc: got {} bytes, wanted {}", bytes, out.size());
  const int got = blosc_decompress_ctx(in.data(), out.data(), out.size(), 1);
  if (got >= 0 && static_cast<std::size_t>(got) == out.size()) return {};
  const char* const library = blosc_cbuffer_complib(in.data());
  return fmt::format("Blosc ({}): damaged, or of a compression that it was built without", library ? library : "?");
}

}  // namespace

std::string decompress_here(Compression compression, std::span<const std::byte> in, std::span<std::byte> out) {
  switch (compression) {
    case Compression::Zstd:
      return zstd(in, out);
    case Compression::Blosc:
      return blosc(in, out);
  }
  return "of no compression that is known";
}

}  // namespace tamis::io
