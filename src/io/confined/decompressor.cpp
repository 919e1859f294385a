#include "io/confined/decompressor.hpp"

#include <cstring>

#include "io/confined/decoder.hpp"
#include "io/confined/process.hpp"

namespace tamis::io {

Decompressor::Decompressor(const ReadOptions& options)
    : process_(std::make_unique<DecoderProcess>(Decoders::Pictures, options)) {}

Decompressor::Decompressor(Decompressor&&) noexcept = default;

Decompressor::~Decompressor() = default;

void Decompressor::run(const std::string& path, Compression compression, std::span<const std::byte> in,
                       std::span<std::byte> out) {
  const auto in_bytes = static_cast<std::int64_t>(in.size());
  const auto out_bytes = static_cast<std::int64_t>(out.size());
  process_->begin(path, in_bytes, in_bytes + out_bytes);
  // Both lie in the memory that the processes share: a process that does not listen cannot make this one wait.
  const std::byte* const memory = process_->memory(in_bytes + out_bytes);
  process_->put(in);
  process_->ask(Question::Decompress, compression, path, in_bytes, out_bytes);
  std::memcpy(out.data(), memory + in_bytes, out.size());
}

}  // namespace tamis::io
