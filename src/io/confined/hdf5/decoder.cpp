// HDF5 datasets of two or three dimensions: finding, describing, and reading what only HDF5 can read.
#include <algorithm>
#include <cstring>
#include <span>

#include "io/confined/hdf5/hdf5.hpp"
#include "io/samples.hpp"
#include "io/refuse.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

// Datasets may be sparse, so only what no compression could reach is refused.
constexpr std::int64_t hdf5_ratio = 100000;

/// Do the parts of a number lie within its bytes? HDF5 1.10 does not ask, and then reads what is beside them.
bool is_sound(hid_t number) {
  const std::size_t bits = H5Tget_precision(number);
  const int offset = H5Tget_offset(number);
  if (offset < 0 || bits == 0 || static_cast<std::size_t>(offset) + bits > 8 * H5Tget_size(number)) return false;
  if (H5Tget_class(number) != H5T_FLOAT) return true;
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  return H5Tget_fields(number, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) >= 0 && sign < bits &&
         exponent + exponent_bits <= bits && mantissa + mantissa_bits <= bits && exponent_bits > 0 && mantissa_bits > 0;
}

std::optional<Type> type_of(hid_t file_type) {
  const std::size_t bytes = H5Tget_size(file_type);
  switch (H5Tget_class(file_type)) {
    case H5T_ENUM:
      return bytes == 1 ? std::optional(Type::Bool) : std::nullopt;  // as h5py writes bool
    case H5T_FLOAT:
      if (!is_sound(file_type)) return std::nullopt;
      return bytes == 8 ? std::optional(Type::F64) : bytes <= 4 ? std::optional(Type::F32) : std::nullopt;
    case H5T_INTEGER:
      return is_sound(file_type) ? type_of_kind(H5Tget_sign(file_type) != H5T_SGN_NONE ? 'i' : 'u', bytes)
                                 : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Type and shape of a dataset if it is an image or a volume.
std::optional<Layout> layout_of(hid_t dataset) {
  const Hdf5Id type(H5Dget_type(dataset));
  if (!type.valid()) return std::nullopt;
  const std::optional<Type> sample = type_of(type.get());
  const std::vector<hsize_t> edges = hdf5_extent(dataset);
  const std::vector<std::size_t> axes = axes_of_image(std::span<const hsize_t>(edges));
  if (axes.empty() || !sample) return std::nullopt;
  const auto edge = [&](std::size_t from_last) { return static_cast<std::int64_t>(edges[axes[axes.size() - from_last]]); };
  return Layout{*sample, {axes.size() == 3 ? edge(3) : 1, edge(2), edge(1), static_cast<int>(axes.size())}, 1, {}};
}

/// Paths of all datasets that could be meant. Throws InputError where this HDF5 cannot follow the file's structure,
/// as with files of a later version.
std::vector<std::string> candidates(hid_t file, const std::string& path) {
  constexpr auto most_nested = 100;  // HDF5 looks every object up from the root: deep groups would take hours
  std::vector<std::string> found;
  const auto visit = [](hid_t root, const char* name, const H5O_info_t* info, void* out) -> herr_t {
    if (std::count(name, name + std::strlen(name), '/') > most_nested) return 1;  // ends the visit
    if (info->type != H5O_TYPE_DATASET) return 0;
    const Hdf5Id dataset(H5Dopen2(root, name, H5P_DEFAULT));
    if (!dataset.valid()) return -1;
    if (!layout_of(dataset.get())) return 0;
    try {
      static_cast<std::vector<std::string>*>(out)->push_back(std::string("/") + name);
    } catch (...) {
      return -1;  // no exception may pass through HDF5
    }
    return 0;
  };
  const herr_t status = H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &found, H5O_INFO_BASIC);
  if (status > 0) {
    refuse("{}: got groups nested more than {} deep, wanted fewer, or the name of a dataset, {}:DATASET", path,
           most_nested, path);
  }
  if (status < 0) {
    refuse("{}: corrupt HDF5 file, or of a later version than {}.{}: {}", path, H5_VERS_MAJOR, H5_VERS_MINOR,
           hdf5_message());
  }
  return found;
}

std::string list(const std::vector<std::string>& words) {
  const auto shown = std::min<std::ptrdiff_t>(std::ssize(words), 8);
  const std::string more = std::ssize(words) > shown ? fmt::format(" and {} more", std::ssize(words) - shown) : "";
  return fmt::format("{}{}", fmt::join(words.begin(), words.begin() + shown, ", "), more);
}

std::optional<std::vector<double>> numbers(hid_t dataset, const char* name) {
  if (H5Aexists(dataset, name) <= 0) return std::nullopt;
  const Hdf5Id attribute(H5Aopen(dataset, name, H5P_DEFAULT));
  const Hdf5Id space(H5Aget_space(attribute.get()));
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 1 || count > H5S_MAX_RANK) return std::nullopt;
  std::vector<double> values(static_cast<std::size_t>(count));
  if (H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()) < 0) return std::nullopt;
  const bool usable = std::all_of(values.begin(), values.end(), [](double v) { return v > 0 && v < 1e30; });
  return usable ? std::optional(values) : std::nullopt;
}

std::string word(hid_t dataset, const char* name) {
  if (H5Aexists(dataset, name) <= 0) return {};
  const Hdf5Id attribute(H5Aopen(dataset, name, H5P_DEFAULT));
  const Hdf5Id type(H5Aget_type(attribute.get()));
  const Hdf5Id space(H5Aget_space(attribute.get()));
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) return {};
  const Hdf5Id memory(H5Tcopy(H5T_C_S1));
  if (H5Tis_variable_str(type.get()) > 0) {
    H5Tset_size(memory.get(), H5T_VARIABLE);
    H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
    char* text = nullptr;
    if (H5Aread(attribute.get(), memory.get(), &text) < 0 || !text) return {};
    std::string result(text);
    H5free_memory(text);
    return result;
  }
  std::string text(std::min<std::size_t>(H5Tget_size(type.get()), 64) + 1, '\0');
  H5Tset_size(memory.get(), text.size());
  H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
  if (H5Aread(attribute.get(), memory.get(), text.data()) < 0) return {};
  return text.substr(0, text.find('\0'));
}

/// Where there is a length for each axis of the dataset, those of the image; otherwise the last ones.
Spacing spacing_of(hid_t dataset, int rank) {
  std::string unit = unit_of(word(dataset, "unit"));
  std::optional<std::vector<double>> edges = numbers(dataset, "spacing");
  if (!edges || unit.empty()) {
    unit = "um";
    edges = numbers(dataset, "element_size_um");  // the convention of ilastik and BigDataViewer
  }
  if (!edges) return {};
  const std::vector<hsize_t> extent = hdf5_extent(dataset);
  if (edges->size() == extent.size()) {
    std::vector<double> kept;
    for (const std::size_t axis : axes_of_image(std::span<const hsize_t>(extent))) kept.push_back((*edges)[axis]);
    edges = kept;
  }
  const std::size_t n = edges->size();
  if (n == 1 || n < static_cast<std::size_t>(rank)) return {};
  return {rank == 3 ? (*edges)[n - 3] : 1.0, (*edges)[n - 2], (*edges)[n - 1], unit};
}

/// The dataset that is meant: the one asked for, or the only one.
std::string choose(hid_t file, const std::string& path, const std::string& asked) {
  if (!asked.empty() && H5Oexists_by_name(file, asked.c_str(), H5P_DEFAULT) > 0) {
    const Hdf5Id object(H5Oopen(file, asked.c_str(), H5P_DEFAULT));
    if (H5Iget_type(object.get()) == H5I_DATASET) return asked;
  }
  const std::vector<std::string> found = candidates(file, path);
  if (asked.empty() && found.size() == 1) return found.front();
  const std::string wanted = found.empty()   ? "a numeric dataset of 2 or 3 dimensions of more than one sample; there is none, and sparse matrices are not read"
                             : asked.empty() ? fmt::format("one of {}:DATASET with {}", path, list(found))
                                             : fmt::format("one of {}", list(found));
  refuse("{}: got {}, wanted {}", path,
         asked.empty() ? fmt::format("{} datasets", found.size()) : "no dataset " + asked, wanted);
}

/// Throws InputError for a compression this HDF5 does not have.
void require_filters(const std::string& path, hid_t dataset) {
  const Hdf5Id properties(H5Dget_create_plist(dataset));
  for (int i = 0; i < H5Pget_nfilters(properties.get()); ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t filter = H5Pget_filter2(properties.get(), static_cast<unsigned>(i), &flags, &values, nullptr,
                                               name.size(), name.data(), nullptr);
    if (filter >= 0 && H5Zfilter_avail(filter) > 0) continue;
    refuse("{}: got the HDF5 filter {} ({}), wanted one that is installed, such as gzip", path, name.data(), filter);
  }
}

/// Opens a dataset with a cache of one layer of chunks, and its files of raw samples beside it rather than where tamis
/// was started.
Hdf5Id open_dataset(hid_t file, const std::string& name) {
  Hdf5Id plain(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  const std::optional<Layout> layout = plain.valid() ? layout_of(plain.get()) : std::nullopt;
  if (!layout) return {};
  const Hdf5Id properties(H5Dget_create_plist(plain.get()));
  std::vector<hsize_t> edges = hdf5_extent(plain.get());
  const std::vector<std::size_t> axes = axes_of_image(std::span<const hsize_t>(edges));
  const int rank = static_cast<int>(edges.size());
  const bool chunked = H5Pget_layout(properties.get()) == H5D_CHUNKED &&
                       H5Pget_chunk(properties.get(), rank, edges.data()) == rank &&
                       *std::min_element(edges.begin(), edges.end()) > 0;
  std::vector<hsize_t> chunk;
  for (const std::size_t axis : axes) chunk.push_back(edges[axis]);
  const Hdf5Id access = chunked ? hdf5_slab_cache(chunk.data(), *layout) : Hdf5Id(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_efile_prefix(access.get(), "${ORIGIN}");
  H5Pset_virtual_view(access.get(), H5D_VDS_FIRST_MISSING);
  plain.close();  // an open dataset keeps the settings it was opened with
  return Hdf5Id(H5Dopen2(file, name.c_str(), access.get()));
}

std::string storage_words(hid_t dataset) {
  const Hdf5Id properties(H5Dget_create_plist(dataset));
  switch (H5Pget_layout(properties.get())) {
    case H5D_CHUNKED:
      return H5Pget_nfilters(properties.get()) > 0 ? "chunked, filtered" : "chunked";
    case H5D_VIRTUAL:
      return "virtual";
    default:
      return H5Pget_external_count(properties.get()) > 0 ? "samples in other files" : "contiguous";
  }
}

/// The chunk that begins with a sample, by an index that HDF5 checks; of 0 bytes where none is stored.
Hdf5Chunk chunk_at(const std::string& path, hid_t dataset, const hsize_t* sample) {
  unsigned mask = 0;
  haddr_t offset = HADDR_UNDEF;
  hsize_t bytes = 0;
  if (H5Dget_chunk_info_by_coord(dataset, sample, &mask, &offset, &bytes) < 0) {
    refuse("{}: corrupt HDF5 file: {}", path, hdf5_message());
  }
  if (offset == HADDR_UNDEF) return {};
  return {static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes), mask};
}

}  // namespace

Hdf5Source::Hdf5Source(const std::string& path, const Layout& layout, std::string description, Hdf5Id file,
                       Hdf5Id dataset)
    : Source(path, layout, std::move(description)), file_(std::move(file)), dataset_(std::move(dataset)) {
  const std::vector<hsize_t> extent = hdf5_extent(dataset_.get());
  rank_ = extent.size();
  axes_ = axes_of_image(std::span<const hsize_t>(extent));
  // Through a link the dataset may lie in another file than the one that was named.
  if (same_file(file_.get(), dataset_.get())) storage_ = storage_of(dataset_.get(), layout);
}

std::vector<Hdf5Chunk> Hdf5Source::chunks(std::int64_t layer, std::int64_t row, std::int64_t rows) {
  if (!index_) index_.emplace(path(), dataset_.get());
  const Shape& shape = layout().shape;
  const auto& chunk = storage_.chunk;
  std::vector<Hdf5Chunk> found;
  for (std::int64_t y = row * chunk[1]; y < (row + rows) * chunk[1]; y += chunk[1]) {
    for (std::int64_t x = 0; x < shape.x; x += chunk[2]) {
      const std::vector<hsize_t> at = in_dataset({static_cast<hsize_t>(layer * chunk[0]), static_cast<hsize_t>(y),
                                                  static_cast<hsize_t>(x)}, 0);
      found.push_back(index_->is_tree() ? index_->find(at.data()) : chunk_at(path(), dataset_.get(), at.data()));
    }
  }
  return found;
}

std::vector<hsize_t> Hdf5Source::in_dataset(const std::array<hsize_t, 3>& zyx, hsize_t others) const {
  std::vector<hsize_t> all(rank_, others);
  for (std::size_t i = 0; i < axes_.size(); ++i) all[axes_[i]] = zyx[3 - axes_.size() + i];
  return all;
}

void Hdf5Source::read_slices(std::int64_t z0, std::int64_t count, std::byte* out) {
  if (!verified_) require_exact_chunks(path(), dataset_.get());
  verified_ = true;
  const Shape& shape = layout().shape;
  const std::vector<hsize_t> whole =
      in_dataset({static_cast<hsize_t>(count), static_cast<hsize_t>(shape.y), static_cast<hsize_t>(shape.x)}, 1);
  const std::vector<hsize_t> start = in_dataset({static_cast<hsize_t>(z0), 0, 0}, 0);
  const Hdf5Id file_space(H5Dget_space(dataset_.get()));
  const Hdf5Id memory_space(H5Screate_simple(static_cast<int>(rank_), whole.data(), nullptr));
  herr_t status = H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, whole.data(),
                                      nullptr);
  const bool is_bool = layout().type == Type::Bool;
  const Hdf5Id file_type(H5Dget_type(dataset_.get()));
  const Hdf5Id native(is_bool ? H5Tget_native_type(file_type.get(), H5T_DIR_DEFAULT)
                              : H5Tcopy(hdf5_type(layout().type)));
  // HDF5 leaves what no chunk holds as it was in memory where a file says that no fill value is ever written.
  if (status >= 0) status = H5Dfill(storage_.fill.data(), native.get(), out, native.get(), memory_space.get());
  if (status >= 0) {
    status = H5Dread(dataset_.get(), native.get(), memory_space.get(), file_space.get(), H5P_DEFAULT, out);
  }
  if (status < 0) refuse("{}: corrupt or truncated HDF5 dataset: {}", path(), hdf5_message());
}

std::unique_ptr<Source> open_hdf5(const std::string& file_path, const std::string& asked) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // it prints nothing; hdf5_message() says what was wrong
  H5PLset_loading_state(0);  // no filter is loaded because a file asks for it
  add_lzf();
  Hdf5Id file(H5Fopen(file_path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!file.valid()) refuse("{}: not readable as HDF5: {}", file_path, hdf5_message());
  const std::string name = choose(file.get(), file_path, asked);
  const std::string path = asked.empty() ? file_path : file_path + ":" + asked;
  Hdf5Id dataset = open_dataset(file.get(), name);
  std::optional<Layout> layout = dataset.valid() ? layout_of(dataset.get()) : std::nullopt;
  if (!layout) refuse("{}:{} is not an image; wanted integers, floats or bools in 2 or 3 dimensions", file_path, name);
  require_filters(path, dataset.get());
  check_expansion(path, *layout, require_complete(path, dataset.get()), hdf5_ratio);
  layout->spacing = spacing_of(dataset.get(), layout->shape.rank);
  std::string description = fmt::format("HDF5, {}, {}", name, storage_words(dataset.get()));
  return std::make_unique<Hdf5Source>(path, *layout, std::move(description), std::move(file), std::move(dataset));
}

}  // namespace tamis::io
