// How a dataset lies in its file, as HDF5 tells it.
#include <algorithm>
#include <span>

#include "io/confined/hdf5/hdf5.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// The number type of an enumeration's values; other types themselves.
Hdf5Id number_type(hid_t type) { return Hdf5Id(H5Tget_class(type) == H5T_ENUM ? H5Tget_super(type) : H5Tcopy(type)); }

/// Are the samples of the file ours, but for the order of bytes? Nothing where they are not.
std::optional<bool> swapped_of(hid_t dataset, Type type) {
  const Hdf5Id file_type(H5Dget_type(dataset));
  const Hdf5Id number = number_type(file_type.get());
  if (type == Type::Bool) return H5Tget_size(number.get()) == 1 ? std::optional(false) : std::nullopt;
  const Hdf5Id ours(H5Tcopy(hdf5_type(type)));
  for (const H5T_order_t order : {H5T_ORDER_LE, H5T_ORDER_BE}) {
    H5Tset_order(ours.get(), order);
    if (H5Tequal(number.get(), ours.get()) > 0) {
      return sample_bytes(type) > 1 && order != H5Tget_order(hdf5_type(type));
    }
  }
  return std::nullopt;
}

/// The filters, where we know them all and their order; false where not.
bool read_filters(hid_t properties, Hdf5Storage& storage) {
  storage.filter_count = H5Pget_nfilters(properties);
  if (storage.filter_count < 0 || storage.filter_count > static_cast<int>(Hdf5Storage::most_filters)) return false;
  bool deflated = false;
  for (std::int32_t i = 0; i < storage.filter_count; ++i) {
    unsigned flags = 0;
    std::size_t values = 1;
    unsigned value = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, &value, 0, nullptr, nullptr);
    Hdf5Filter& known = storage.filters[static_cast<std::size_t>(i)];
    if (filter == H5Z_FILTER_DEFLATE && !deflated) {
      known = Hdf5Filter::Deflate;
      deflated = true;
    } else if (filter == hdf5_lzf && !deflated) {
      known = Hdf5Filter::Lzf;
      deflated = true;
    } else if (filter == H5Z_FILTER_SHUFFLE && !deflated && values >= 1 && value == storage.sample_bytes) {
      known = Hdf5Filter::Shuffle;
    } else if (filter == H5Z_FILTER_FLETCHER32) {
      known = Hdf5Filter::Fletcher32;
    } else {
      return false;
    }
  }
  return true;
}

/// Edges of a chunk; none where HDF5 does not say them.
std::vector<hsize_t> chunk_edges(hid_t properties, std::size_t rank) {
  std::vector<hsize_t> edges(rank);
  if (H5Pget_chunk(properties, static_cast<int>(rank), edges.data()) != static_cast<int>(rank)) edges.clear();
  return edges;
}

/// Along z, y and x; of chunks that lie otherwise, all samples along x: as many, which is what inflating has to know.
bool read_chunk_shape(hid_t properties, const std::vector<hsize_t>& extent, Hdf5Storage& storage) {
  constexpr hsize_t longest = hsize_t{1} << 31;
  const std::vector<hsize_t> chunk = chunk_edges(properties, extent.size());
  if (chunk.empty()) return false;
  hsize_t samples = 1;
  for (const hsize_t edge : chunk) {
    if (edge == 0 || edge > longest) return false;
    samples *= edge;
    if (samples > 2 * longest / static_cast<hsize_t>(storage.sample_bytes)) return false;
  }
  const std::vector<std::size_t> axes = axes_of_image(std::span<const hsize_t>(extent));
  hsize_t rest = samples;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    storage.chunk[3 - axes.size() + i] = static_cast<std::int64_t>(chunk[axes[i]]);
    rest /= chunk[axes[i]];
  }
  if (rest != 1) storage.chunk = {1, 1, static_cast<std::int64_t>(samples)};
  return true;
}

/// Do they lie along the axes of the image alone? Along others, which are of one sample, they may be longer.
bool lie_in_image(hid_t properties, const std::vector<hsize_t>& extent) {
  const std::vector<hsize_t> chunk = chunk_edges(properties, extent.size());
  const std::vector<std::size_t> axes = axes_of_image(std::span<const hsize_t>(extent));
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    if (chunk[i] != 1 && std::find(axes.begin(), axes.end(), i) == axes.end()) return false;
  }
  return true;
}

bool read_fill(hid_t dataset, hid_t properties, Type type, Hdf5Storage& storage) {
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  if (H5Pfill_value_defined(properties, &defined) < 0) return false;
  if (defined != H5D_FILL_VALUE_USER_DEFINED) return true;
  if (type != Type::Bool) return H5Pget_fill_value(properties, hdf5_type(type), storage.fill.data()) >= 0;
  // HDF5 makes no number of an enumeration; its values here have a byte.
  const Hdf5Id file_type(H5Dget_type(dataset));
  return H5Tget_size(file_type.get()) == 1 && H5Pget_fill_value(properties, file_type.get(), storage.fill.data()) >= 0;
}

std::string file_number(hid_t object) {
  H5O_info_t info{};
  return H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0 ? std::to_string(info.fileno) : std::string();
}

}  // namespace

bool same_file(hid_t one, hid_t other) { return file_number(one) == file_number(other); }

bool read_chunking(hid_t properties, const std::vector<hsize_t>& extent, Hdf5Storage& storage) {
  unsigned options = 0;
  if (H5Pget_chunk_opts(properties, &options) < 0 || options != 0) return false;
  return read_chunk_shape(properties, extent, storage) && read_filters(properties, storage);
}

Hdf5Storage storage_of(hid_t dataset, const Layout& layout) {
  Hdf5Storage storage;
  storage.sample_bytes = sample_bytes(layout.type);
  const Hdf5Id properties(H5Dget_create_plist(dataset));
  const std::optional<bool> swapped = swapped_of(dataset, layout.type);
  // Addresses in a file with something in front of HDF5's part are counted from different places by its versions.
  const Hdf5Id file(H5Iget_file_id(dataset));
  const Hdf5Id creation(H5Fget_create_plist(file.get()));
  hsize_t in_front = 0;
  if (!swapped || H5Pget_userblock(creation.get(), &in_front) < 0 || in_front != 0) return storage;
  storage.swapped = *swapped ? 1 : 0;
  switch (H5Pget_layout(properties.get())) {
    case H5D_CONTIGUOUS: {
      const haddr_t offset = H5Dget_offset(dataset);
      if (H5Pget_external_count(properties.get()) != 0 || offset == HADDR_UNDEF) return storage;
      storage.offset = static_cast<std::int64_t>(offset);
      storage.kind = Hdf5Storage::Kind::Contiguous;
      return storage;
    }
    case H5D_CHUNKED:
      if (read_fill(dataset, properties.get(), layout.type, storage) &&
          read_chunking(properties.get(), hdf5_extent(dataset), storage) &&
          lie_in_image(properties.get(), hdf5_extent(dataset))) {
        const std::int64_t columns = storage.chunks_across(layout.shape.y, layout.shape.x)[1];
        if (columns <= Hdf5Storage::most_at_once) storage.kind = Hdf5Storage::Kind::Chunked;
      }
      return storage;
    default:
      return storage;
  }
}

}  // namespace tamis::io
