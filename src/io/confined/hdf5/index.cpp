#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/system/descriptor.hpp"
#include "io/checked.hpp"
#include "io/confined/hdf5/hdf5.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

/// The two forms of an object header: how long its parts are.
struct HeaderForm {
  std::size_t prefix = 16;     ///< in front of the first message
  std::uint64_t messages = 0;  ///< all of the first block
  std::size_t around = 0;      ///< in front of the messages of a later block, and behind those of each
  std::size_t kind = 2;        ///< of the number that says what a message is
  std::size_t head = 8;        ///< of a message
};

HeaderForm form_of(const Hdf5Bytes& file, std::uint64_t address) {
  constexpr std::uint64_t longest_prefix = 34;
  const std::vector<std::byte> bytes = file.read({address, longest_prefix});
  HeaderForm form;
  if (std::memcmp(bytes.data(), "OHDR", 4) != 0) {
    form.messages = hdf5_number(bytes.data() + 8, 4);
    return form;
  }
  const std::uint64_t flags = hdf5_number(bytes.data() + 5, 1);
  const std::size_t width = std::size_t{1} << (flags & 3U);
  const std::size_t at = 6 + ((flags & 0x20U) != 0 ? 16U : 0U) + ((flags & 0x10U) != 0 ? 4U : 0U);
  form.messages = hdf5_number(bytes.data() + at, width);
  form.prefix = at + width;
  form.around = 4;
  form.kind = 1;
  form.head = (flags & 4U) != 0 ? 6 : 4;
  return form;
}

}  // namespace

Hdf5Bytes::Hdf5Bytes(std::string path, hid_t dataset) : path_(std::move(path)) {
  const Hdf5Id file(H5Iget_file_id(dataset));
  const Hdf5Id creation(H5Fget_create_plist(file.get()));
  void* descriptor = nullptr;
  hsize_t in_front = 0;
  unsigned half = 0;
  struct stat status {};
  if (H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &descriptor) < 0 || !descriptor ||
      H5Pget_userblock(creation.get(), &in_front) < 0 ||
      H5Pget_sizes(creation.get(), &address_width_, &length_width_) < 0 || H5Pget_istore_k(creation.get(), &half) < 0 ||
      std::max(address_width_, length_width_) > 8 || ::fstat(file_ = *static_cast<int*>(descriptor), &status) != 0) {
    refuse(hdf5_message());
  }
  haddr_t image = HADDR_UNDEF;
  hsize_t image_bytes = 0;
  if (H5Fget_mdc_image_info(file.get(), &image, &image_bytes) >= 0 && image != HADDR_UNDEF) {
    io::refuse("{}: got HDF5 with an image of a cache, wanted one without, as h5repack writes it", path_);
  }
  in_front_ = in_front;
  bytes_ = status.st_size;
  most_children_ = 2 * std::uint64_t{half};
}

void Hdf5Bytes::refuse(const std::string& what) const { io::refuse("{}: corrupt HDF5 file: {}", path_, what); }

void Hdf5Bytes::require_within(const Hdf5Part& part) const {
  if (within(Checked(in_front_) + part.address, part.bytes, bytes_)) return;
  refuse(fmt::format("got {} bytes at {} that belong to a dataset, wanted them within the file's {}", part.bytes,
                     part.address, bytes_));
}

std::vector<std::byte> Hdf5Bytes::read(const Hdf5Part& part) const {
  require_within(part);
  std::vector<std::byte> bytes(part.bytes);
  const auto place = static_cast<std::int64_t>(in_front_ + part.address);
  if (read_at(file_, bytes.data(), std::ssize(bytes), place) != std::ssize(bytes)) {
    refuse("it cannot be read, or was shortened meanwhile");
  }
  return bytes;
}

std::vector<std::byte> hdf5_layout_message(const Hdf5Bytes& file, hid_t dataset, std::vector<Hdf5Part>& parts) {
  constexpr std::uint64_t layout_kind = 8;
  constexpr std::uint64_t continuation_kind = 16;
  H5O_info_t info{};
  if (H5Oget_info2(dataset, &info, H5O_INFO_BASIC) < 0) file.refuse(hdf5_message());
  const HeaderForm form = form_of(file, info.addr);
  parts.push_back({info.addr, form.prefix + form.messages + form.around});
  std::vector<Hdf5Part> blocks{{info.addr + form.prefix, form.messages}};
  std::vector<std::byte> layout;
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    file.require_within({0, total += blocks[b].bytes});  // blocks that refer to one another would never end
    const std::vector<std::byte> block = file.read(blocks[b]);
    for (std::size_t at = 0; at + form.head <= block.size();) {
      const std::uint64_t kind = hdf5_number(block.data() + at, form.kind);
      const std::uint64_t bytes = hdf5_number(block.data() + at + form.kind, 2);
      at += form.head;
      if (bytes > block.size() - at) file.refuse("a message of an object header is longer than its block");
      const std::byte* const message = block.data() + at;
      at += bytes;
      if (kind == layout_kind) layout.assign(message, message + bytes);
      if (kind != continuation_kind || bytes < file.address_width() + file.length_width()) continue;
      parts.push_back({hdf5_number(message, file.address_width()),
                       hdf5_number(message + file.address_width(), file.length_width())});
      file.require_within(parts.back());
      if (parts.back().bytes < 2 * form.around) file.refuse("a block of an object header has no room");
      blocks.push_back({parts.back().address + form.around, parts.back().bytes - 2 * form.around});
    }
  }
  return layout;
}

/// What a node says of the chunk that a child is, or begins with. Behind the last child stands a key that has none.
struct Hdf5Index::Key {
  std::uint64_t place = 0;  ///< its number in the order of the tree
  bool inside = true;       ///< of the dataset as it is now
  std::uint32_t bytes = 0;
  std::uint32_t mask = 0;
};

Hdf5Index::Hdf5Index(const std::string& path, hid_t dataset) : file_(path, dataset) {
  const std::vector<std::byte> layout = hdf5_layout_message(file_, dataset, parts_);
  require(layout.size() > 3, "no message of where the samples lie");
  const std::uint64_t version = hdf5_number(layout.data(), 1);
  if (version > 3) return;  // it has other indexes
  // Version 3 begins with itself, the class and the number of edges, the others with themselves, that number, the
  // class and 5 bytes.
  const std::size_t head = version == 3 ? 3 : 8;
  const std::uint64_t edges = hdf5_number(layout.data() + (version == 3 ? 2 : 1), 1);
  const std::size_t width = file_.address_width();
  require(layout.size() >= head + width + 4 * edges, "a message too short for the edges of chunks");
  const std::byte* const root = layout.data() + head;
  read_shape(dataset, root + width, edges);
  const Hdf5Id properties(H5Dget_create_plist(dataset));
  read_filters(properties.get());
  is_tree_ = true;
  const bool is_written = std::any_of(root, root + width, [](std::byte b) { return b != std::byte{0xff}; });
  if (is_written) walk(hdf5_number(root, width), nullptr, nullptr, -1);
  std::uint64_t all = 1;
  for (const std::uint64_t count : counts_) all *= count;
  require(chunks_.size() == all || !begins_whole(properties.get()), "fewer chunks than the dataset began with");
  require_apart();
}

/// Are all chunks there from the beginning? A damaged file may hold any number, which the type of HDF5 cannot.
bool Hdf5Index::begins_whole(hid_t properties) const {
  H5D_alloc_time_t when = H5D_ALLOC_TIME_ERROR;
  const bool told = H5Pget_alloc_time(properties, &when) >= 0;
  int number = 0;
  static_assert(sizeof when == sizeof number);
  std::memcpy(&number, &when, sizeof number);
  require(told && number >= H5D_ALLOC_TIME_DEFAULT && number <= H5D_ALLOC_TIME_INCR, "no time at which chunks come");
  return number == H5D_ALLOC_TIME_EARLY;
}

void Hdf5Index::require(bool holds, const char* what) const {
  if (holds) return;
  file_.refuse(
      fmt::format("got {} in the index of a dataset's chunks, wanted one that agrees with itself and the "
                  "file",
                  what));
}

void Hdf5Index::read_shape(hid_t dataset, const std::byte* edges, std::size_t count) {
  const Hdf5Id space(H5Dget_space(dataset));
  std::array<hsize_t, H5S_MAX_RANK + 1> extent{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  require(rank > 0 && count == static_cast<std::size_t>(rank) + 1, "another number of directions");
  Checked places = 1;
  Checked bytes = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t edge = hdf5_number(edges + 4 * i, 4);
    require(edge > 0, "no room for samples");
    edges_.push_back(edge);
    counts_.push_back(i + 1 == count ? 1 : extent[i] / edge + (extent[i] % edge != 0 ? 1 : 0));
    places = places * (Checked(counts_.back()) + 1);
    bytes = bytes * edge;
  }
  require(places.ok() && bytes.ok(), "more chunks than any file has");
  chunk_bytes_ = static_cast<std::uint64_t>(bytes.value_or(0));
}

void Hdf5Index::read_filters(hid_t properties) {
  for (int i = 0; i < std::min(H5Pget_nfilters(properties), 32); ++i) {
    unsigned flags = 0;
    std::size_t values = 1;
    unsigned width = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, &width, 0, nullptr, nullptr);
    filters_ |= 1U << i;
    if (filter != H5Z_FILTER_SHUFFLE) continue;
    shuffles_ |= 1U << i;
    require(width == edges_.back(), "a shuffle of samples of another size");
  }
}

Hdf5Index::Key Hdf5Index::key(const std::byte* raw) const {
  Key key;
  key.bytes = static_cast<std::uint32_t>(hdf5_number(raw, 4));
  key.mask = static_cast<std::uint32_t>(hdf5_number(raw + 4, 4));
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const std::uint64_t sample = hdf5_number(raw + 8 + 8 * i, 8);
    require(sample % edges_[i] == 0, "a chunk that begins within another");
    // All that lies behind the dataset counts as the next place: the order stays.
    const std::uint64_t step = std::min(sample / edges_[i], counts_[i]);
    key.inside = key.inside && step < counts_[i];
    key.place = key.place * (counts_[i] + 1) + step;
  }
  return key;
}

/// A node and what is below it. `left` is the key in front of it in its parent, `right` the one behind, where a node
/// follows there. Parents have levels one higher, so this ends.
void Hdf5Index::walk(std::uint64_t address, const Key* left, const Key* right, int level) {
  const std::size_t width = file_.address_width();
  const std::size_t key_bytes = 8 + 8 * edges_.size();
  const std::uint64_t most = file_.most_children();
  const Hdf5Part head{address, 8 + 2 * width};
  parts_.push_back({address, head.bytes + most * width + (most + 1) * key_bytes});
  file_.require_within(parts_.back());
  const std::vector<std::byte> start = file_.read(head);
  const int own_level = static_cast<int>(hdf5_number(start.data() + 5, 1));
  const std::uint64_t count = hdf5_number(start.data() + 6, 2);
  const bool is_root = level < 0;
  require(std::memcmp(start.data(), "TREE\1", 5) == 0, "a node that is none");
  require(is_root || own_level == level, "a node of another level");
  require(count <= most && (count > 0 || is_root), "a wrong number of children");
  const std::vector<std::byte> keys = file_.read({address + head.bytes, count * (key_bytes + width) + key_bytes});
  Key now = key(keys.data());
  if (count == 0) return require(now.bytes == 0, "chunks that no count tells of");
  require(!left || now.place == left->place, "a node that begins with another chunk than its parent says");
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::byte* const child = keys.data() + i * (key_bytes + width) + key_bytes;
    const Key next = key(child + width);
    const std::uint64_t at = hdf5_number(child, width);
    if (own_level == 0) {
      take(now, at);
    } else {
      walk(at, &now, right || i + 1 < count ? &next : nullptr, own_level - 1);
    }
    now = next;
  }
  if (right) {
    require(now.place == right->place, "a node that ends before the next begins");
  } else {
    require(now.place > chunks_.back().first && (now.bytes == 0 || !now.inside), "a last key that has a chunk");
  }
  if (is_root && own_level == 0) require_no_node_for_a_chunk();
}

void Hdf5Index::take(const Key& key, std::uint64_t address) {
  require(key.inside, "a chunk outside of the dataset");
  require(chunks_.empty() || key.place > chunks_.back().first, "chunks that are not in their order");
  // Shuffling cannot fail, so HDF5 leaves it out of no chunk.
  require(key.mask == ~std::uint32_t{0} || (key.mask & ~(filters_ & ~shuffles_)) == 0,
          "a chunk without filters that it must have");
  const bool is_plain = (key.mask & filters_) == filters_;
  require(is_plain ? key.bytes == chunk_bytes_ : key.bytes > 0, "a chunk of a wrong size");
  parts_.push_back({address, key.bytes});
  file_.require_within(parts_.back());
  chunks_.emplace_back(key.place, Hdf5Chunk{static_cast<std::int64_t>(address), key.bytes, key.mask});
}

/// A root whose level became 0 would give nodes for chunks; of other nodes the parent knows the level.
void Hdf5Index::require_no_node_for_a_chunk() const {
  if (chunk_bytes_ < 5 || chunks_.front().second.bytes < 5) return;
  const auto address = static_cast<std::uint64_t>(chunks_.front().second.offset);
  require(std::memcmp(file_.read({address, 5}).data(), "TREE\1", 5) != 0, "a node in the place of a chunk");
}

/// Nothing lies where something else does: an address that has changed mostly leads there.
void Hdf5Index::require_apart() {
  const std::size_t width = file_.address_width();
  const std::uint64_t version = hdf5_number(file_.read({8, 1}).data(), 1);
  // Early superblocks have four addresses and an entry for the root group, later ones four addresses and a checksum.
  const std::uint64_t of_root = file_.length_width() + width + 24;
  parts_.push_back({0, 4 * width + (version > 1 ? 16 : 24 + 4 * version + of_root)});
  std::sort(parts_.begin(), parts_.end(), [](const Hdf5Part& a, const Hdf5Part& b) { return a.address < b.address; });
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    require(parts_[i - 1].address + parts_[i - 1].bytes <= parts_[i].address, "what lies where something else does");
  }
  parts_ = {};
}

Hdf5Chunk Hdf5Index::find(const hsize_t* sample) const {
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const std::uint64_t step = i + 1 < edges_.size() ? sample[i] / edges_[i] : 0;
    place = place * (counts_[i] + 1) + step;
  }
  const auto found = std::lower_bound(chunks_.begin(), chunks_.end(), place,
                                      [](const auto& chunk, std::uint64_t wanted) { return chunk.first < wanted; });
  return found != chunks_.end() && found->first == place ? found->second : Hdf5Chunk{};
}

}  // namespace tamis::io
