// A file of its own, for fuzzers have another one (fuzz/stand_ins.cpp).
#include <cstring>

#include "io/confined/decoder.hpp"

namespace tamis::io {

void Decompressor::run(const std::string& path, Compression compression, std::span<const std::byte> in,
                       std::span<std::byte> out) {
  const auto in_bytes = static_cast<std::int64_t>(in.size());
  const auto out_bytes = static_cast<std::int64_t>(out.size());
  process_.begin(path, in_bytes, in_bytes + out_bytes);
  // Both lie in the memory that the processes share: a process that does not listen cannot make this one wait.
  const std::byte* const memory = process_.memory(in_bytes + out_bytes);
  process_.put(in);
  process_.ask(Question::Decompress, compression, path, in_bytes, out_bytes);
  std::memcpy(out.data(), memory + in_bytes, out.size());
}

}  // namespace tamis::io
