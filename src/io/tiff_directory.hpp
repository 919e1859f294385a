// Walks the chain of TIFF directories before libtiff does, because libtiff takes a broken chain for its end and so
// makes a shorter stack of a truncated one.
#pragma once

#include <cstdint>
#include <vector>

#include "io/mapped_file.hpp"

namespace tamis::io {

struct TiffChain {
  std::vector<std::uint64_t> directories;  ///< offset of each, in order
  bool big = false;                        ///< BigTIFF
  bool swapped = false;                    ///< byte order is not this machine's
};

/// Throws InputError unless every directory and every value a directory points to lies inside the file and the chain
/// ends as it should.
[[nodiscard]] TiffChain tiff_chain(const MappedFile& file);

}  // namespace tamis::io
