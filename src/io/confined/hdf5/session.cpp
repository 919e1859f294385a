#include "io/confined/hdf5/hdf5.hpp"

#include <algorithm>

#include "core/visit_type.hpp"

namespace tamis::io {
namespace {

hid_t native(std::uint8_t) { return H5T_NATIVE_UINT8; }
hid_t native(std::uint16_t) { return H5T_NATIVE_UINT16; }
hid_t native(std::uint32_t) { return H5T_NATIVE_UINT32; }
hid_t native(std::uint64_t) { return H5T_NATIVE_UINT64; }
hid_t native(std::int8_t) { return H5T_NATIVE_INT8; }
hid_t native(std::int16_t) { return H5T_NATIVE_INT16; }
hid_t native(std::int32_t) { return H5T_NATIVE_INT32; }
hid_t native(std::int64_t) { return H5T_NATIVE_INT64; }
hid_t native(float) { return H5T_NATIVE_FLOAT; }
hid_t native(double) { return H5T_NATIVE_DOUBLE; }

/// As HDF5 calls a filter: it takes a chunk as it is stored and gives back its samples, 0 where that fails.
std::size_t lzf_filter(unsigned flags, std::size_t count, const unsigned* values, std::size_t bytes,
                       std::size_t* size, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0 || count < 3) return 0;
  const std::size_t wanted = values[2];  // that of a chunk
  // Three bytes become at most 264.
  if (wanted / 100 > bytes) return 0;
  void* const samples = H5allocate_memory(wanted, false);
  if (!samples) return 0;
  if (!unpack_lzf({static_cast<const std::byte*>(*buffer), bytes}, {static_cast<std::byte*>(samples), wanted})) {
    H5free_memory(samples);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = samples;
  *size = wanted;
  return wanted;
}

constexpr H5Z_class2_t lzf_class{H5Z_CLASS_T_VERS, hdf5_lzf, 0, 1, "lzf", nullptr, nullptr, lzf_filter};

}  // namespace

void add_lzf() { H5Zregister(&lzf_class); }

bool Hdf5Id::close() {
  const hid_t id = std::exchange(id_, H5I_INVALID_HID);
  if (id < 0) return true;
  const H5I_type_t kind = H5Iget_type(id);
  if (kind == H5I_FILE) return H5Fclose(id) >= 0;
  if (kind == H5I_DATASET) return H5Dclose(id) >= 0;
  return H5Idec_ref(id) >= 0;
}

std::string hdf5_message() {
  std::string text;
  const auto keep_first = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    auto* const message = static_cast<std::string*>(out);
    if (message->empty() && error->desc) *message = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "unknown reason" : text;
}

std::vector<hsize_t> hdf5_extent(hid_t dataset) {
  const Hdf5Id space(H5Dget_space(dataset));
  std::vector<hsize_t> edges(H5S_MAX_RANK);
  const int rank = space.valid() ? H5Sget_simple_extent_dims(space.get(), edges.data(), nullptr) : 0;
  edges.resize(static_cast<std::size_t>(std::max(rank, 0)));
  return edges;
}

hid_t hdf5_type(Type type) {
  return visit_type(type, [](auto sample) { return native(sample); });
}

Hdf5Id hdf5_slab_cache(const hsize_t* chunk, const Layout& layout) {
  constexpr std::size_t most = std::size_t{1} << 30;
  const Shape& shape = layout.shape;
  const int rank = shape.rank;
  const hsize_t* const plane = chunk + rank - 2;
  const auto chunks_in = [](std::int64_t edge, hsize_t part) { return (static_cast<hsize_t>(edge) + part - 1) / part; };
  const hsize_t count = chunks_in(shape.y, plane[0]) * chunks_in(shape.x, plane[1]);
  const hsize_t depth = rank == 3 ? std::min(chunk[0], static_cast<hsize_t>(shape.z)) : 1;
  const double bytes = static_cast<double>(count) * static_cast<double>(depth) * static_cast<double>(plane[0]) *
                       static_cast<double>(plane[1]) * static_cast<double>(sample_bytes(layout.type));
  Hdf5Id access(H5Pcreate(H5P_DATASET_ACCESS));
  // A hash with few collisions wants many more slots than chunks; 0.75 is HDF5's own policy of eviction.
  const std::size_t slots = static_cast<std::size_t>(std::clamp<hsize_t>(count * 10, 521, 1'000'003)) | 1U;
  const auto cache = static_cast<std::size_t>(std::clamp(bytes + 1e6, 1e6, static_cast<double>(most)));
  H5Pset_chunk_cache(access.get(), slots, cache, 0.75);
  return access;
}

}  // namespace tamis::io
