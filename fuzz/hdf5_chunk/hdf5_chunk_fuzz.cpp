// Chunks of HDF5, whose filters tamis undoes itself.
#include <algorithm>
#include <array>
#include <vector>

#include "fuzz/harness.hpp"
#include "io/confined/hdf5/storage.hpp"

namespace {

using tamis::fuzz::expect;
using namespace tamis::io;

std::string undo(const Hdf5Storage& storage, std::uint32_t mask, tamis::fuzz::Bytes stored,
                 std::vector<std::byte>& out) {
  std::vector<std::byte> scratch;
  return unfilter(storage, mask, std::as_bytes(stored), scratch, out);
}

}  // namespace

/// The first bytes: the number of filters, the filters (two bits each), which of them were left out, the width of a
/// sample and the edges of the chunk.
TAMIS_FUZZ_TARGET(hdf5_chunk) {
  constexpr std::size_t head = 8;
  if (bytes.size() < head) return;
  Hdf5Storage storage;
  storage.kind = Hdf5Storage::Kind::Chunked;
  storage.filter_count = bytes[0] % (static_cast<int>(Hdf5Storage::most_filters) + 1);
  const unsigned kinds = bytes[1] | static_cast<unsigned>(bytes[2]) << 8;
  for (std::size_t i = 0; i < Hdf5Storage::most_filters; ++i) {
    storage.filters[i] = static_cast<Hdf5Filter>((kinds >> (2 * i) & 3U) % 3);
  }
  constexpr std::array<std::int64_t, 4> widths{1, 2, 4, 8};
  storage.sample_bytes = widths[bytes[4] % widths.size()];
  for (std::size_t i = 0; i < 3; ++i) storage.chunk[i] = 1 + bytes[5 + i] % 32;
  const auto size = static_cast<std::size_t>(storage.chunk_bytes());
  std::vector<std::byte> first(size, std::byte{0x55});
  std::vector<std::byte> second(size, std::byte{0xaa});
  const std::string fault = undo(storage, bytes[3], bytes.subspan(head), first);
  expect(undo(storage, bytes[3], bytes.subspan(head), second) == fault, "a chunk that is right only at times");
  if (fault.empty()) expect(first == second, "a sample that was never written");
}
