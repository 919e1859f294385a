// HDF5 takes what a file lacks for zeros, or for what lies in memory: datasets that are not whole are refused here.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "io/confined/hdf5/hdf5.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

namespace fs = std::filesystem;

/// Virtual datasets of virtual datasets: deeper ones are nobody's data.
constexpr int deepest = 8;

std::int64_t bytes_of_file(hid_t object) {
  const Hdf5Id file(H5Iget_file_id(object));
  hsize_t bytes = 0;
  return H5Fget_filesize(file.get(), &bytes) >= 0 ? static_cast<std::int64_t>(bytes) : 0;
}

std::string file_of(hid_t object) {
  std::string name(4096, '\0');
  const ssize_t length = H5Fget_name(object, name.data(), name.size());
  name.resize(static_cast<std::size_t>(std::clamp<ssize_t>(length, 0, 4095)));
  return name;
}

/// Throws where a dataset is larger than it may become, or than what is stored of it in one piece, or has chunks of
/// another number of directions: HDF5 1.10 reads what lies in memory behind that.
void require_extent(const std::string& path, hid_t dataset, hid_t properties) {
  const Hdf5Id space(H5Dget_space(dataset));
  std::array<hsize_t, H5S_MAX_RANK> extent{};
  std::array<hsize_t, H5S_MAX_RANK> most{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extent.data(), most.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(rank, 0)); ++i) {
    if (extent[i] <= most[i]) continue;
    refuse("{}: corrupt HDF5 file: a dataset is larger than the most that it says it may become", path);
  }
  const H5D_layout_t layout = H5Pget_layout(properties);
  std::array<hsize_t, H5S_MAX_RANK> edges{};
  if (layout == H5D_CHUNKED && H5Pget_chunk(properties, H5S_MAX_RANK, edges.data()) != rank) {
    refuse("{}: corrupt HDF5 file: chunks have another number of directions than their dataset", path);
  }
  if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) return;
  const Hdf5Id type(H5Dget_type(dataset));
  const auto wanted =
      static_cast<hsize_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get()))) * H5Tget_size(type.get());
  const hsize_t got = H5Dget_storage_size(dataset);  // 0: nothing was ever written, which is the fill value
  if (got == 0 || got >= wanted) return;
  refuse("{}: corrupt HDF5 file: got {} bytes of a dataset's samples, wanted {}", path, got, wanted);
}

/// Files of raw samples outside of HDF5.
std::int64_t require_external(const std::string& path, hid_t dataset, hid_t properties) {
  std::int64_t total = 0;
  hsize_t wanted = H5Dget_storage_size(dataset);
  const int count = H5Pget_external_count(properties);
  for (int i = 0; i < count; ++i) {
    std::string name(4096, '\0');
    off_t offset = 0;
    hsize_t bytes = 0;
    if (H5Pget_external(properties, static_cast<unsigned>(i), name.size(), name.data(), &offset, &bytes) < 0) break;
    name.resize(name.find('\0'));
    struct stat status {};
    const std::string file = name.starts_with('/') ? name : (fs::path(file_of(dataset)).parent_path() / name).string();
    if (::stat(file.c_str(), &status) != 0) {
      refuse("{}: its samples are in {}, which is missing; wanted it in the same folder", path, name);
    }
    const hsize_t part = std::min(bytes, wanted);
    const auto there = static_cast<hsize_t>(std::max<off_t>(0, status.st_size - std::max<off_t>(0, offset)));
    if (offset < 0 || there < part) {
      refuse("{}: its samples are in {}, which has {} bytes for it; wanted {}", path, name, there, part);
    }
    wanted -= part;
    total += status.st_size;
  }
  return total;
}

/// A source of a virtual dataset: beside the file that names it, or that file itself.
Hdf5Id open_virtual_source(hid_t dataset, const std::string& name) {
  const std::string here = file_of(dataset);
  if (name == ".") return Hdf5Id(H5Fopen(here.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const std::string beside = (fs::path(here).parent_path() / name).string();
  struct stat status {};
  const bool found = ::stat(beside.c_str(), &status) == 0;
  return Hdf5Id(H5Fopen(found ? beside.c_str() : name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
}

/// A name of a source in which %b stands for a number, and %% for %.
std::string numbered(const std::string& name, std::size_t number) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_number = name[i] == '%' && name.substr(i + 1, 1) == "b";
    if (name[i] == '%' && i + 1 < name.size()) ++i;
    text += is_number ? std::to_string(number) : name.substr(i, 1);
  }
  return text;
}

/// Calls `use` with every source of a virtual dataset, opened.
template <class Use>
void for_each_source(const std::string& path, hid_t dataset, hid_t properties, const Use& use) {
  std::size_t count = 0;
  if (H5Pget_virtual_count(properties, &count) < 0) return;
  std::string last;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name(4096, '\0');
    std::string source(4096, '\0');
    H5Pget_virtual_filename(properties, i, name.data(), name.size());
    H5Pget_virtual_dsetname(properties, i, source.data(), source.size());
    name.resize(std::min(name.size(), name.find('\0')));
    source.resize(std::min(source.size(), source.find('\0')));
    if (name + ":" + source == last) continue;  // several parts of one source
    last = name + ":" + source;
    // Names with a number in them stand for as many sources as there are; the first missing one ends the dataset.
    const bool many = numbered(name, 0) != numbered(name, 1) || numbered(source, 0) != numbered(source, 1);
    for (std::size_t number = 0; number == 0 || many; ++number) {
      const Hdf5Id file = open_virtual_source(dataset, numbered(name, number));
      const std::string here = numbered(source, number);
      const Hdf5Id part(file.valid() ? H5Dopen2(file.get(), here.c_str(), H5P_DEFAULT) : H5I_INVALID_HID);
      if (!part.valid() && many) break;
      if (!part.valid()) {
        refuse("{}: a virtual dataset whose source {}:{} is missing or cannot be opened; wanted all of its sources",
               path, name, source);
      }
      use(part.get());
    }
  }
}

/// Inflates every chunk once.
void inflate_all(const std::string& path, hid_t dataset, const Hdf5Storage& storage, const Hdf5Index& index) {
  std::vector<std::byte> scratch;
  std::vector<std::byte> samples;
  const auto inflate = [&](const Hdf5Chunk& chunk, const std::vector<std::byte>& stored) {
    const std::string fault = unfilter(storage, chunk.filter_mask, stored, scratch, samples);
    if (!fault.empty()) refuse("{}: corrupt HDF5 chunk: {}", path, fault);
  };
  if (index.is_tree()) return index.for_each(inflate);
  const Hdf5Id space(H5Dget_space(dataset));
  std::vector<std::byte> stored;
  hsize_t count = 0;
  bool sound = H5Dget_num_chunks(dataset, space.get(), &count) >= 0;
  for (hsize_t i = 0; sound && i < count; ++i) {
    std::array<hsize_t, H5S_MAX_RANK> place{};
    Hdf5Chunk chunk;
    haddr_t offset = HADDR_UNDEF;
    hsize_t bytes = 0;
    sound = H5Dget_chunk_info(dataset, space.get(), i, place.data(), &chunk.filter_mask, &offset, &bytes) >= 0 &&
            bytes <= static_cast<hsize_t>(bytes_of_file(dataset));
    if (!sound) break;
    stored.resize(static_cast<std::size_t>(bytes));
    sound = H5Dread_chunk(dataset, H5P_DEFAULT, place.data(), &chunk.filter_mask, stored.data()) >= 0;
    if (sound) inflate(chunk, stored);
  }
  if (!sound) refuse("{}: corrupt or truncated HDF5 file: {}", path, hdf5_message());
}

void require_exact_chunks(const std::string& path, hid_t dataset, int depth) {
  if (depth > deepest) return;
  const Hdf5Id properties(H5Dget_create_plist(dataset));
  const Hdf5Id type(H5Dget_type(dataset));
  Hdf5Storage storage;
  storage.sample_bytes = static_cast<std::int64_t>(H5Tget_size(type.get()));
  switch (H5Pget_layout(properties.get())) {
    case H5D_VIRTUAL:
      return for_each_source(path, dataset, properties.get(),
                             [&](hid_t source) { require_exact_chunks(path, source, depth + 1); });
    case H5D_CHUNKED: {
      const Hdf5Index index(path, dataset);
      if (read_chunking(properties.get(), hdf5_extent(dataset), storage)) inflate_all(path, dataset, storage, index);
      return;
    }
    default:
      return;
  }
}

std::int64_t require_complete(const std::string& path, hid_t dataset, int depth) {
  if (depth > deepest) refuse("{}: virtual datasets of virtual datasets, {} deep", path, depth);
  const Hdf5Id properties(H5Dget_create_plist(dataset));
  const std::int64_t own = bytes_of_file(dataset);
  require_extent(path, dataset, properties.get());
  switch (H5Pget_layout(properties.get())) {
    case H5D_CONTIGUOUS:
      return own + require_external(path, dataset, properties.get());
    case H5D_VIRTUAL: {
      std::int64_t total = own;
      for_each_source(path, dataset, properties.get(),
                      [&](hid_t source) { total += require_complete(path, source, depth + 1); });
      return total;
    }
    default:
      return own;
  }
}

}  // namespace

std::int64_t require_complete(const std::string& path, hid_t dataset) { return require_complete(path, dataset, 0); }

void require_exact_chunks(const std::string& path, hid_t dataset) { require_exact_chunks(path, dataset, 0); }

}  // namespace tamis::io
