// Compressed bytes that a process of its own turns into what they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <tamis/io.hpp>

namespace tamis::io {

/// The library that decodes.
enum class Compression : std::uint8_t { Zstd, Blosc };

/// In this process: `in` becomes `out`, all of it and not a byte more. Returns what is wrong, empty if nothing is.
[[nodiscard]] std::string decompress_here(Compression compression, std::span<const std::byte> in,
                                          std::span<std::byte> out);

class DecoderProcess;

/// The same in a process of its own, which the first call starts. One thread at a time.
class Decompressor {
 public:
  explicit Decompressor(const ReadOptions& options);
  Decompressor(Decompressor&&) noexcept;
  ~Decompressor();

  /// Throws InputError, naming `path`, where the bytes are damaged; ResourceError where there is no such process.
  void run(const std::string& path, Compression compression, std::span<const std::byte> in, std::span<std::byte> out);

 private:
  std::unique_ptr<DecoderProcess> process_;
};

}  // namespace tamis::io
