// What tamis asks of GDCM, and how it travels to the process that asks (process.cpp).
//
// A process of its own, beside the one for pictures, because few files want it and its libraries take time to load.
#pragma once

#include <array>
#include <cstdint>

namespace tamis::io {

/// Behind the path of a file: what its elements say of the samples. The answer is all of them, as they are stored,
/// dense, in native byte order.
struct DicomQuestion {
  std::int64_t width = 1;  ///< bytes of a sample
  std::uint8_t is_signed = 0;
  std::array<std::int64_t, 3> sizes{};  ///< x first; z are the frames
};

}  // namespace tamis::io
