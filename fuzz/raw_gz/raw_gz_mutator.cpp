// Samples change within the gzip stream half of the time: a change of the stream itself seldom passes its checksum.
#include "fuzz/mutate.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  constexpr std::size_t head = 5;  // what raw_options() takes for a small shape
  const std::size_t changed = seed % 2 == 0 ? tamis::fuzz::mutate_gzip(data, size, max_size, head) : 0;
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, max_size);
}
