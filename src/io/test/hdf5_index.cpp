// One byte of an index of HDF5 chunks is another: refused, or the very samples. HDF5 gives the fill value for chunks
// that a version 1 B-tree, which has no checksum, no longer names.
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <set>

#include "io/confined/decoder.hpp"
#include "io/test/testing.hpp"

namespace tamis::io {
namespace {

constexpr std::array<hsize_t, 3> extent{8, 16, 20};
constexpr std::array<hsize_t, 3> chunk{4, 8, 10};

struct Kind {
  std::string name;
  std::vector<std::string> blocks{"TREE\1"};  ///< what the blocks of the index begin with
  std::array<hsize_t, 3> most = extent;
  std::array<hsize_t, 3> part = chunk;
  bool later = true;  ///< the later format, whose indexes have checksums
  bool deflated = false;
  bool early = false;
  std::array<hsize_t, 3> written = extent;
  hsize_t in_front = 0;
  /// How many of the changed bytes no reader can tell: addresses that are moved to bytes that nothing claims, and
  /// chunks of a sparse dataset that are moved to another empty place.
  int unknowable = 0;
};

std::vector<Kind> kinds() {
  constexpr hsize_t any = H5S_UNLIMITED;
  return {{.name = "tree", .later = false, .unknowable = 8},
          {.name = "deflated tree behind something", .later = false, .deflated = true, .in_front = 512},
          {.name = "sparse tree", .later = false, .written = {4, 8, 20}, .unknowable = 2},
          {.name = "fixed array", .blocks = {"FAHD", "FADB"}},
          {.name = "extensible array", .blocks = {"EAHD", "EAIB", "EADB"}, .most = {any, 16, 20}},
          {.name = "version 2 tree", .blocks = {"BTHD", "BTLF"}, .most = {any, any, 20}, .deflated = true},
          {.name = "single", .blocks = {"OHDR"}, .part = extent, .deflated = true},
          {.name = "implicit", .blocks = {"OHDR"}, .early = true}};
}

/// Samples that have few values, for deflate, and tell chunks apart.
std::vector<std::uint16_t> telling_samples(const Kind& kind) {
  std::vector<std::uint16_t> samples(kind.written[0] * kind.written[1] * kind.written[2]);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::uint16_t>(1 + i / 7);
  return samples;
}

void write_kind(const Kind& kind, const std::string& path) {
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_istore_k(creation, 2);  // nodes of at most four children: three levels
  H5Pset_userblock(creation, kind.in_front);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (kind.later) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 3, kind.part.data());
  if (kind.early) H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  if (kind.deflated) {
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 4);
  }
  const hid_t space = H5Screate_simple(3, extent.data(), kind.most.data());
  const hid_t dataset = H5Dcreate2(file, "data", H5T_STD_U16LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  const std::array<hsize_t, 3> start{};
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, kind.written.data(), nullptr);
  const hid_t memory = H5Screate_simple(3, kind.written.data(), nullptr);
  const std::vector<std::uint16_t> samples = telling_samples(kind);
  H5Dwrite(dataset, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, samples.data());
  for (const hid_t id : {memory, space}) H5Sclose(id);
  for (const hid_t id : {properties, access, creation}) H5Pclose(id);
  H5Dclose(dataset);
  H5Fclose(file);
}

/// Where the bytes of an index lie: from every sign that a block of it begins to where nothing but zeros follows. The
/// last object header is that of the dataset.
std::set<std::size_t> places_of_index(const Kind& kind, const std::string& bytes) {
  constexpr std::size_t nothing = 48;
  constexpr std::size_t most = 400;
  std::set<std::size_t> places;
  for (const std::string& sign : kind.blocks) {
    std::size_t at = sign == "OHDR" ? bytes.rfind(sign) : bytes.find(sign);
    for (; at != std::string::npos; at = bytes.find(sign, at + 1)) {
      const std::size_t end = std::min({bytes.find(std::string(nothing, '\0'), at), bytes.size(), at + most});
      for (std::size_t i = at; i < end; ++i) places.insert(i);
    }
  }
  return places;
}

/// By HDF5 in `process`, or, without one, as users read.
std::optional<std::vector<std::uint8_t>> read_by(const SharedDecoder& process, const std::string& path) {
  try {
    return process ? delivered(*open_remote(Decoder::Hdf5, path, {}, process)) : delivered(*open_file(path));
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return std::nullopt;
  }
}

TEST(Hdf5Index, any_changed_byte_is_refused_or_changes_no_sample) {
  const Scratch scratch;
  const std::string path = scratch / "a.h5";
  const auto process = std::make_shared<DecoderProcess>(Decoders::Pictures, ReadOptions{});
  int count = 0;
  Sampled some(13);
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    write_kind(kind, path);
    const std::string bytes = bytes_of_file(path);
    const std::optional<std::vector<std::uint8_t>> whole = read_by(process, path);
    ASSERT_TRUE(whole);
    std::set<std::size_t> places = places_of_index(kind, bytes);
    ASSERT_GT(places.size(), 40U);
    std::erase_if(places, [&](std::size_t) { return some.skips(); });
    // Any change is one too many for a checksum.
    const std::vector<int> changes = kind.later ? std::vector{1, 0xff} : std::vector{1, 5, 8, 0x80, 0xff};
    int refused = 0;
    int lies = 0;
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    const auto put = [&](std::size_t place, int byte) {
      file.seekp(static_cast<std::streamoff>(place)).put(static_cast<char>(byte)).flush();
    };
    for (const std::size_t place : places) {
      for (const int change : changes) {
        put(place, bytes[place] ^ change);
        const std::optional<std::vector<std::uint8_t>> samples = read_by(process, path);
        if (!samples) ++refused;
        if (samples && *samples != *whole) ++lies;
        // HDF5 has read these samples. Mostly tamis does so itself, but starts a process for each file.
        if (++count % 128 != 0) continue;
        EXPECT_EQ(read_by(nullptr, path), samples) << place << " changed by " << change;
      }
      put(place, bytes[place]);
    }
    EXPECT_LE(lies, kind.unknowable);
    EXPECT_GT(refused, static_cast<int>(places.size()));
  }
}

/// Datasets that were made larger and smaller, written and written again: HDF5 moves chunks and takes them out of the
/// tree.
TEST(Hdf5Index, trees_with_a_history_are_read_as_hdf5_reads_them) {
  const Scratch scratch;
  const std::string path = scratch / "a.h5";
  const auto process = std::make_shared<DecoderProcess>(Decoders::Pictures, ReadOptions{});
  std::mt19937 random(3);
  const auto number = [&](hsize_t low, hsize_t high) {
    return std::uniform_int_distribution<hsize_t>(low, high)(random);
  };
  for (int i = 0; i < 40; ++i) {
    Kind kind{
        .name = "history", .most = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED}, .part = {2, 3, 4}, .later = false};
    kind.deflated = i % 2 == 0;
    kind.early = i % 3 == 0;
    write_kind(kind, path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "data", H5P_DEFAULT);
    std::array<hsize_t, 3> now = extent;
    for (int step = 0; step < 6; ++step) {
      now = {number(1, 9), number(1, 20), number(1, 24)};
      H5Dset_extent(dataset, now.data());
      const std::array<hsize_t, 3> start{number(0, now[0] - 1), number(0, now[1] - 1), number(0, now[2] - 1)};
      const std::array<hsize_t, 3> size{now[0] - start[0], now[1] - start[1], number(1, now[2] - start[2])};
      const std::vector<std::uint16_t> samples(size[0] * size[1] * size[2], static_cast<std::uint16_t>(number(1, 9)));
      const hid_t space = H5Dget_space(dataset);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
      const hid_t memory = H5Screate_simple(3, size.data(), nullptr);
      H5Dwrite(dataset, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, samples.data());
      for (const hid_t id : {memory, space}) H5Sclose(id);
    }
    std::vector<std::uint8_t> wanted(2 * now[0] * now[1] * now[2]);
    H5Dread(dataset, H5T_STD_U16LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, wanted.data());
    H5Dclose(dataset);
    H5Fclose(file);
    EXPECT_EQ(read_by(process, path), wanted) << i;
    EXPECT_EQ(read_by(nullptr, path), wanted) << i;
  }
}

TEST(Hdf5Index, layout_messages_of_hdf5_before_1_6_are_read) {
  const Scratch scratch;
  const std::string path = scratch / "a.h5";
  write_kind({.name = "tree", .later = false}, path);
  const auto whole = read_by(nullptr, path);
  std::string bytes = bytes_of_file(path);
  const std::size_t at = bytes.find(std::string("\3\2\4", 3));  // version 3, chunked, four edges
  ASSERT_NE(at, std::string::npos);
  const std::string address_and_edges = bytes.substr(at + 3, 8 + 4 * 4);
  bytes.replace(at, 8 + 8 + 4 * 4, std::string("\1\4\2\0\0\0\0\0", 8) + address_and_edges);
  put_file(path, bytes);
  EXPECT_EQ(read_by(nullptr, path), whole);
  bytes[bytes.rfind("TREE") + 6] ^= 1;
  put_file(path, bytes);
  EXPECT_EQ(read_by(nullptr, path), std::nullopt);
}

/// What HDF5 has in such an image is not where the file says.
TEST(Hdf5Index, an_image_of_a_cache_is_refused_in_words) {
  const Scratch scratch;
  const std::string path = scratch / "a.h5";
  write_kind({.name = "tree"}, path);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5AC_cache_image_config_t image{H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION, true, false,
                                  H5AC__CACHE_IMAGE__ENTRY_AGEOUT__NONE};
  H5Pset_mdc_image_config(access, &image);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
  H5Dclose(H5Dopen2(file, "data", H5P_DEFAULT));
  H5Fclose(file);
  H5Pclose(access);
  expect_says(refusal([&] { static_cast<void>(read(path)); }), {"a.h5", "image of a cache", "h5repack"});
}

}  // namespace
}  // namespace tamis::io
