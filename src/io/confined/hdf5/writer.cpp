#include "io/confined/hdf5/hdf5.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <new>

#include <tamis/error.hpp>

#include "io/units.hpp"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // where HDF5 1.14 keeps the interface of drivers
#endif

namespace tamis::io {

/// Where the bytes of the file go, and how far they reach.
struct Hdf5Writer::Output {
  Wire wire;
  haddr_t allocated = 0;
  haddr_t written = 0;
};

namespace {

/// What HDF5 holds as an open file; its own part comes first.
struct OutputFile {
  H5FD_t base;
  Hdf5Writer::Output* output;
};

Hdf5Writer::Output& output(H5FD_t* file) { return *reinterpret_cast<OutputFile*>(file)->output; }
const Hdf5Writer::Output& output(const H5FD_t* file) { return *reinterpret_cast<const OutputFile*>(file)->output; }

H5FD_t* open_output(const char*, unsigned, hid_t access, haddr_t) {
  const auto* const info = static_cast<Hdf5Writer::Output* const*>(H5Pget_driver_info(access));
  auto* const file = info ? new (std::nothrow) OutputFile{{}, *info} : nullptr;
  return file ? &file->base : nullptr;
}

herr_t close_output(H5FD_t* file) {
  delete reinterpret_cast<OutputFile*>(file);
  return 0;
}

herr_t query_output(const H5FD_t*, unsigned long* flags) {
  if (flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
  }
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return output(file).allocated; }
herr_t allocate(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  output(file).allocated = end;
  return 0;
}
haddr_t written(const H5FD_t* file, H5FD_mem_t) { return output(file).written; }

/// Asks tamis about a range of the file. Where tamis is gone there is nothing left to do.
const Wire& ask(const Hdf5Writer::Output& output, Reply request, haddr_t at, std::size_t count) {
  const Wire& wire = output.wire;
  if (!wire.put(request, static_cast<std::int64_t>(at), static_cast<std::int64_t>(count))) ::_exit(1);
  return wire;
}

herr_t read_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, void* out) {
  return ask(output(file), Reply::ReadOutput, at, count).receive(out, count) ? 0 : -1;
}

/// HDF5 cannot close a file whose writes fail: it keeps a broken one and crashes at exit. So every write succeeds here, and
/// tamis, which knows better, ends this process.
herr_t write_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, const void* bytes) {
  Hdf5Writer::Output& out = output(file);
  if (!ask(out, Reply::WriteOutput, at, count).send(bytes, count)) ::_exit(1);
  out.written = std::max(out.written, at + count);
  return 0;
}

herr_t truncate_output(H5FD_t* file, hid_t, hbool_t) {
  output(file).written = output(file).allocated;
  return 0;
}

hid_t register_driver() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(512);  // 256 to 511 are given out by the HDF Group
#endif
  driver.name = "tamis_output";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Hdf5Writer::Output*);
  driver.open = open_output;
  driver.close = close_output;
  driver.query = query_output;
  driver.get_eoa = allocated;
  driver.set_eoa = allocate;
  driver.get_eof = written;
  driver.read = read_output;
  driver.write = write_output;
  driver.truncate = truncate_output;
  constexpr H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), driver.fl_map);
  return H5FDregister(&driver);
}

}  // namespace

Hdf5Writer::Hdf5Writer(const Wire& wire, std::string path, const std::string& dataset, const Layout& layout,
                       const std::array<std::int64_t, 3>& chunk)
    : path_(std::move(path)),
      layout_(layout),
      output_(std::make_unique<Output>(Output{wire})),
      driver_(register_driver()),
      access_(H5Pcreate(H5P_FILE_ACCESS)) {
  const Output* const output = output_.get();
  H5Pset_driver(access_.get(), driver_, &output);  // copies the pointer
  file_ = Hdf5Id(H5Fcreate("output", H5F_ACC_TRUNC, H5P_DEFAULT, access_.get()));
  require(file_.valid());
  create_dataset(dataset, chunk);
  write_spacing();
}

Hdf5Writer::~Hdf5Writer() = default;  // the members close what is open, the last first

void Hdf5Writer::require(bool fine) const {
  if (!fine) throw ResourceError("could not write " + path_ + ": " + hdf5_message());
}

std::int64_t Hdf5Writer::finish() {
  const bool closed = dataset_.close() && file_.close();
  require(closed);
  return static_cast<std::int64_t>(output_->allocated);
}

void Hdf5Writer::write(const Hdf5Slab& part, const std::byte* samples) {
  const std::array<hsize_t, 3> extent{static_cast<hsize_t>(part.slices), static_cast<hsize_t>(part.rows),
                                      static_cast<hsize_t>(layout_.shape.x)};
  const std::array<hsize_t, 3> start{static_cast<hsize_t>(part.z0), static_cast<hsize_t>(part.y0), 0};
  const std::size_t skip = 3 - static_cast<std::size_t>(layout_.shape.rank);
  const Hdf5Id file_space(H5Dget_space(dataset_.get()));
  const Hdf5Id memory_space(H5Screate_simple(layout_.shape.rank, extent.data() + skip, nullptr));
  require(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data() + skip, nullptr, extent.data() + skip,
                              nullptr) >= 0);
  require(H5Dwrite(dataset_.get(), hdf5_type(layout_.type), memory_space.get(), file_space.get(), H5P_DEFAULT,
                   samples) >= 0);
}

void Hdf5Writer::create_dataset(const std::string& name, const std::array<std::int64_t, 3>& usual_chunk) {
  const Shape& s = layout_.shape;
  const std::array<hsize_t, 3> edges{static_cast<hsize_t>(s.z), static_cast<hsize_t>(s.y), static_cast<hsize_t>(s.x)};
  std::array<hsize_t, 3> chunk{};
  for (std::size_t i = 0; i < 3; ++i) chunk[i] = std::min(edges[i], static_cast<hsize_t>(usual_chunk[i]));
  const std::size_t skip = 3 - static_cast<std::size_t>(s.rank);
  const Hdf5Id space(H5Screate_simple(s.rank, edges.data() + skip, nullptr));
  const Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE));
  require(H5Pset_chunk(properties.get(), s.rank, chunk.data() + skip) >= 0);
  H5Pset_shuffle(properties.get());
  H5Pset_deflate(properties.get(), 1);
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links.get(), 1);
  const Hdf5Id access = hdf5_slab_cache(chunk.data() + skip, layout_);
  dataset_ = Hdf5Id(H5Dcreate2(file_.get(), name.c_str(), hdf5_type(layout_.type), space.get(), links.get(),
                               properties.get(), access.get()));
  require(dataset_.valid());
}

void Hdf5Writer::write_spacing() {
  const Spacing& s = layout_.spacing;
  if (!s.known()) return;
  const std::array<double, 3> edges{s.z, s.y, s.x};
  const auto rank = static_cast<std::size_t>(layout_.shape.rank);
  write_numbers("spacing", edges.data() + 3 - rank, rank);
  const Hdf5Id scalar(H5Screate(H5S_SCALAR));
  const Hdf5Id text(H5Tcopy(H5T_C_S1));
  H5Tset_size(text.get(), s.unit.size());
  H5Tset_cset(text.get(), H5T_CSET_UTF8);
  const Hdf5Id unit(H5Acreate2(dataset_.get(), "unit", text.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT));
  require(H5Awrite(unit.get(), text.get(), s.unit.c_str()) >= 0);
  // The convention of ilastik and BigDataViewer.
  if (const std::optional<double> um = micrometres(s.unit)) {
    const std::array<double, 3> size{s.z * *um, s.y * *um, s.x * *um};
    write_numbers("element_size_um", size.data(), size.size());
  }
}

void Hdf5Writer::write_numbers(const char* name, const double* values, hsize_t count) {
  const Hdf5Id space(H5Screate_simple(1, &count, nullptr));
  const Hdf5Id attribute(H5Acreate2(dataset_.get(), name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  require(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, values) >= 0);
}

}  // namespace tamis::io
