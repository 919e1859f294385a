// HDF5 files, in which the dataset has to be found.
#include <algorithm>
#include <vector>

#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

#ifndef TAMIS_FUZZ_REPLAY
#include "core/system/mapped_file.hpp"
#include "io/confined/decoder.hpp"
#include "io/confined/hdf5/hdf5.hpp"

namespace {

using namespace tamis::io;

/// What tamis itself does with the chunks of a dataset: inflating them to their exact length.
void inflate_chunks(Hdf5Source& source) {
  const Hdf5Storage& storage = source.storage();
  constexpr std::int64_t most_samples = std::int64_t{1} << 20;
  constexpr std::int64_t most_layers = 8;
  const bool small = source.layout().shape.count() <= most_samples && storage.chunk_bytes() <= most_samples;
  if (storage.kind != Hdf5Storage::Kind::Chunked || !small) return;
  const tamis::MappedFile file(source.path());
  std::vector<std::byte> out;
  std::vector<std::byte> scratch;
  const std::int64_t layers = (source.layout().shape.z - 1) / storage.chunk[0] + 1;
  const auto across = storage.chunks_across(source.layout().shape.y, source.layout().shape.x);
  for (std::int64_t layer = 0; layer < std::min(layers, most_layers); ++layer) {
    for (const Hdf5Chunk& chunk : source.chunks(layer, 0, across[0])) {
      if (chunk.bytes <= 0 || chunk.offset < 0 || chunk.bytes > file.size() - chunk.offset) continue;
      static_cast<void>(unfilter(storage, chunk.filter_mask,
                                 {file.data() + chunk.offset, static_cast<std::size_t>(chunk.bytes)}, scratch, out));
    }
  }
}

}  // namespace
#endif

// Users' reading goes back and forth between two processes, too slow for a fuzzer: it calls both sides one by one. The
// replay goes the way of users.
TAMIS_FUZZ_TARGET(hdf5) {
  static tamis::fuzz::InputFile file("input.h5");
  file.put(bytes);
#ifdef TAMIS_FUZZ_REPLAY
  tamis::fuzz::read_all(file.path());
#else
  const std::unique_ptr<Source> source = open_hdf5(file.path(), "");
  inflate_chunks(dynamic_cast<Hdf5Source&>(*source));
  tamis::fuzz::read_source(*source);
#endif
}
