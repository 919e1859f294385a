// A dataset of a new HDF5 file, written in the process that has HDF5. The bytes of the file go to tamis, which alone
// writes them: so disks that are full, stops and hidden names are what they are for every other format.
#pragma once

#include <hdf5.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <tamis/image.hpp>

#include "io/confined/decoder.hpp"
#include "io/confined/hdf5_session.hpp"
#include "io/confined/wire.hpp"

namespace tamis::io {

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
