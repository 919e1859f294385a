// Where the chunks of a dataset lie, by the version 1 B-tree that says so.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/confined/hdf5_bytes.hpp"
#include "io/confined/hdf5_storage.hpp"

namespace tamis::io {

/// The chunks of a dataset. A version 1 B-tree has no checksum: HDF5 believes whatever it says, and gives the fill
/// value for a chunk that it does not find there. So the tree is read here, to its last key, before HDF5 may use it.
class Hdf5Index {
 public:
  /// Throws InputError where a tree contradicts itself, the dataset or the file. To be used while that is open.
  Hdf5Index(const std::string& path, hid_t dataset);

  /// False: an index of another kind, whose checksums HDF5 looks at. Nothing of it is known here.
  [[nodiscard]] bool is_tree() const { return is_tree_; }
  /// The chunk that begins with this sample; of 0 bytes where none is stored.
  [[nodiscard]] Hdf5Chunk find(const hsize_t* sample) const;
  /// Calls `use` with every chunk and its bytes.
  template <class Use>
  void for_each(const Use& use) const {
    for (const auto& [place, chunk] : chunks_) {
      use(chunk, file_.read({static_cast<std::uint64_t>(chunk.offset), static_cast<std::uint64_t>(chunk.bytes)}));
    }
  }

 private:
  struct Key;

  void read_shape(hid_t dataset, const std::byte* edges, std::size_t count);
  void read_filters(hid_t properties);
  [[nodiscard]] bool begins_whole(hid_t properties) const;
  [[nodiscard]] Key key(const std::byte* raw) const;
  void walk(std::uint64_t address, const Key* left, const Key* right, int level);
  void take(const Key& key, std::uint64_t address);
  void require_no_node_for_a_chunk() const;
  void require_apart();
  void require(bool holds, const char* what) const;

  Hdf5Bytes file_;
  bool is_tree_ = false;
  std::vector<std::uint64_t> edges_;   ///< of a chunk; the bytes of a sample are one direction more, as in the file
  std::vector<std::uint64_t> counts_;  ///< of chunks in each direction
  std::uint64_t chunk_bytes_ = 1;
  std::uint32_t filters_ = 0;                                ///< a bit for each
  std::uint32_t shuffles_ = 0;                               ///< for each of these
  std::vector<std::pair<std::uint64_t, Hdf5Chunk>> chunks_;  ///< by the numbers of their places, which rise
  std::vector<Hdf5Part> parts_;                              ///< of the file, whose owner is known
};

}  // namespace tamis::io
