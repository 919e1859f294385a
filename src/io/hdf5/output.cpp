#include "io/hdf5/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>  // where HDF5 1.14 keeps the interface of drivers
#endif

namespace tamis::io {
namespace {

/// What HDF5 holds as an open file; its own part comes first.
struct OutputFile {
  H5FD_t base;
  Hdf5Output::State* state;
  haddr_t allocated;
  haddr_t written;
};

OutputFile& output(H5FD_t* file) { return *reinterpret_cast<OutputFile*>(file); }
const OutputFile& output(const H5FD_t* file) { return *reinterpret_cast<const OutputFile*>(file); }

H5FD_t* open_output(const char*, unsigned, hid_t access, haddr_t) {
  const auto* const info = static_cast<Hdf5Output::State* const*>(H5Pget_driver_info(access));
  auto* const file = info ? new (std::nothrow) OutputFile{{}, *info, 0, 0} : nullptr;
  return file ? &file->base : nullptr;
}

herr_t close_output(H5FD_t* file) {
  delete &output(file);
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

herr_t read_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, void* out) {
  auto* next = static_cast<char*>(out);
  while (count > 0) {
    const ssize_t got = ::pread(output(file).state->descriptor, next, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {  // allocated, not written yet
      std::memset(next, 0, count);
      return 0;
    }
    next += got;
    at += static_cast<haddr_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, const void* bytes) {
  OutputFile& out = output(file);
  const auto* next = static_cast<const char*>(bytes);
  while (count > 0 && out.state->error == 0) {
    const ssize_t put = ::pwrite(out.state->descriptor, next, count, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      out.state->error = errno;
      break;
    }
    next += put;
    at += static_cast<haddr_t>(put);
    count -= static_cast<std::size_t>(put);
  }
  out.written = std::max(out.written, at + count);
  return 0;
}

herr_t truncate_output(H5FD_t* file, hid_t, hbool_t) {
  OutputFile& out = output(file);
  if (out.state->error == 0 && ::ftruncate(out.state->descriptor, static_cast<off_t>(out.allocated)) != 0) {
    out.state->error = errno;
  }
  out.written = out.allocated;
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
  driver.fapl_size = sizeof(Hdf5Output::State*);
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

Hdf5Output::Hdf5Output(int descriptor)
    : state_(std::make_unique<State>()), driver_(register_driver()), access_(H5Pcreate(H5P_FILE_ACCESS)) {
  state_->descriptor = descriptor;
  const State* const state = state_.get();
  H5Pset_driver(access_.get(), driver_, &state);  // copies the pointer
}

Hdf5Output::~Hdf5Output() {
  access_.close();
  H5FDunregister(driver_);
}

}  // namespace tamis::io
