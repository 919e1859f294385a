// The header changes within the gzip stream most of the time: a change of the stream itself seldom passes its checksum.
#include "fuzz/mutate.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  const std::size_t changed = seed % 4 != 0 ? tamis::fuzz::mutate_gzip(data, size, max_size, 0) : 0;
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, max_size);
}
