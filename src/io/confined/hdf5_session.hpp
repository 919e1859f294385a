// HDF5 for C++: owned handles, one thread at a time, messages kept instead of printed.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <tamis/image.hpp>

namespace tamis::io {

/// While it lives this thread alone uses HDF5 from here (the library need not be built thread safe), and HDF5 prints
/// nothing. Make it before any handle.
class Hdf5Session {
 public:
  Hdf5Session();
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

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

}  // namespace tamis::io
