// HDF5, in the process that has it.
#pragma once

#include <hdf5.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tamis/image.hpp>

#include "io/confined/decoder.hpp"
#include "io/confined/hdf5/storage.hpp"
#include "io/confined/wire.hpp"
#include "io/format.hpp"

namespace tamis::io {

// HDF5 for C++: owned handles, in a process of one thread.

/// Owner of an HDF5 identifier of any kind.
class Hdf5Id {
 public:
  Hdf5Id() = default;
  explicit Hdf5Id(hid_t id) : id_(id) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;
  ~Hdf5Id() { close(); }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  /// False if what was still to be written could not be.
  bool close();

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// The cause of the last failure in HDF5's own words, on one line.
[[nodiscard]] std::string hdf5_message();

/// The filter that h5py brings, by its registered number.
constexpr H5Z_filter_t hdf5_lzf = 32000;
/// Lets HDF5 read chunks that h5py has packed by it (virtual datasets, other byte orders); most are unpacked without HDF5.
void add_lzf();
/// The edges of a dataset, none where it has no extent.
[[nodiscard]] std::vector<hsize_t> hdf5_extent(hid_t dataset);
/// The memory type of our samples; bytes for Bool.
[[nodiscard]] hid_t hdf5_type(Type type);
/// Access to a dataset with a cache that holds one layer of chunks, so that a chunk that spans many slices is
/// (de)compressed once when slices come in order.
[[nodiscard]] Hdf5Id hdf5_slab_cache(const hsize_t* chunk, const Layout& layout);

// The bytes of an HDF5 file, for what HDF5 itself does not check.

/// A number of `width` bytes, the lowest first.
[[nodiscard]] inline std::uint64_t hdf5_number(const std::byte* bytes, std::size_t width) {
  std::uint64_t number = 0;
  for (std::size_t i = width; i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return number;
}

/// A part of a file, by HDF5's addresses: they begin behind what may stand in front of HDF5's part.
struct Hdf5Part {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// The file that a dataset lies in, to be used while the dataset is open.
class Hdf5Bytes {
 public:
  Hdf5Bytes(std::string path, hid_t dataset);

  /// These throw InputError for what does not lie within the file.
  [[nodiscard]] std::vector<std::byte> read(const Hdf5Part& part) const;
  void require_within(const Hdf5Part& part) const;
  [[noreturn]] void refuse(const std::string& what) const;

  [[nodiscard]] std::size_t address_width() const { return address_width_; }
  [[nodiscard]] std::size_t length_width() const { return length_width_; }
  /// The most children of a node of a version 1 B-tree of chunks.
  [[nodiscard]] std::uint64_t most_children() const { return most_children_; }

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t in_front_ = 0;
  std::int64_t bytes_ = 0;
  std::size_t address_width_ = 0;
  std::size_t length_width_ = 0;
  std::uint64_t most_children_ = 0;
};

/// The message of a dataset's object header that says how its samples lie; what the header takes is added to `parts`.
[[nodiscard]] std::vector<std::byte> hdf5_layout_message(const Hdf5Bytes& file, hid_t dataset,
                                                         std::vector<Hdf5Part>& parts);

// Where the chunks of a dataset lie, by the version 1 B-tree that says so.

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

// An HDF5 dataset, opened with HDF5, in the process that decodes.

class Hdf5Source final : public Source {
 public:
  Hdf5Source(const std::string& path, const Layout& layout, std::string description, Hdf5Id file, Hdf5Id dataset);

  [[nodiscard]] const Hdf5Storage& storage() const { return storage_; }
  /// The chunks with index `layer` along z, `rows` rows of them from `row` on. Only where the storage is chunked.
  [[nodiscard]] std::vector<Hdf5Chunk> chunks(std::int64_t layer, std::int64_t row, std::int64_t rows);

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override;
  /// A place or a size in all axes of the dataset.
  [[nodiscard]] std::vector<hsize_t> in_dataset(const std::array<hsize_t, 3>& zyx, hsize_t others) const;

  Hdf5Id file_;
  Hdf5Id dataset_;
  std::size_t rank_ = 0;           // of the dataset
  std::vector<std::size_t> axes_;  // of it, that are z, y and x
  Hdf5Storage storage_;
  std::optional<Hdf5Index> index_;
  bool verified_ = false;
};

[[nodiscard]] Hdf5Storage storage_of(hid_t dataset, const Layout& layout);
/// Chunks and filters of a chunked dataset in their order; false where they are not all known here.
[[nodiscard]] bool read_chunking(hid_t properties, const std::vector<hsize_t>& extent, Hdf5Storage& storage);
/// Do two objects lie in one file?
[[nodiscard]] bool same_file(hid_t one, hid_t other);
/// Throws InputError where files that a dataset takes samples from are missing or too short: HDF5 would give zeros.
/// Returns the bytes of all files that hold samples of it.
[[nodiscard]] std::int64_t require_complete(const std::string& path, hid_t dataset);
/// Throws InputError where an index of chunks is damaged, or a chunk of the dataset, or of one that it takes samples
/// from, does not inflate to its exact length: HDF5 would read past its end. Inflates all chunks; for datasets that
/// HDF5 reads itself.
void require_exact_chunks(const std::string& path, hid_t dataset);

// A dataset of a new HDF5 file, written in the process that has HDF5. The bytes of the file go to tamis, which alone
// writes them: so disks that are full, stops and hidden names are what they are for every other format.

class Hdf5Writer {
 public:
  /// Chunked, shuffled, deflated. `chunk`: as many edges as the image has axes count, the last ones.
  /// `path`: for messages.
  Hdf5Writer(const Wire& wire, std::string path, const std::string& dataset, const Layout& layout,
             const std::array<std::int64_t, 3>& chunk);
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  void write(const Hdf5Slab& part, const std::byte* samples);
  /// Nothing more is written. Returns the length of the file.
  [[nodiscard]] std::int64_t finish();

  struct Output;

 private:
  void create_dataset(const std::string& name, const std::array<std::int64_t, 3>& chunk);
  void write_spacing();
  /// Throws what HDF5 says.
  void require(bool fine) const;
  void write_numbers(const char* name, const double* values, hsize_t count);

  std::string path_;
  Layout layout_;
  std::unique_ptr<Output> output_;
  hid_t driver_;
  Hdf5Id access_;
  Hdf5Id file_;
  Hdf5Id dataset_;
};

}  // namespace tamis::io
