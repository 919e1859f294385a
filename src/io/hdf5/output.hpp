// HDF5 writing through a descriptor of ours. HDF5 cannot close a file whose writes fail: it keeps a broken one and
// crashes at exit. So to HDF5 every write succeeds, and the first error is kept here.
#pragma once

#include <hdf5.h>

#include <memory>

#include "io/hdf5/session.hpp"

namespace tamis::io {

class Hdf5Output {
 public:
  /// The descriptor is open for reading and writing, of an empty file, and outlives this.
  explicit Hdf5Output(int descriptor);
  Hdf5Output(const Hdf5Output&) = delete;
  Hdf5Output& operator=(const Hdf5Output&) = delete;
  ~Hdf5Output();

  /// To be given to H5Fcreate; the name given there only serves HDF5's messages.
  [[nodiscard]] hid_t access() const { return access_.get(); }
  /// errno of the first write that failed; 0 if none did.
  [[nodiscard]] int error() const { return state_->error; }

  struct State {
    int descriptor = -1;
    int error = 0;
  };

 private:
  std::unique_ptr<State> state_;
  hid_t driver_;
  Hdf5Id access_;
};

}  // namespace tamis::io
