// Times of the versions of Izmantoko and Choi (2013) and of tamis.
#pragma once

#include <string>
#include <vector>

#include <tamis/morphology.hpp>

namespace tamis::izmantoko {

struct Measured {
  std::string image;  ///< u8, 0 and 1 for the paper's versions
  std::vector<Operation> operations;
  int edge = 7;  ///< of the square, odd
  /// sequential, tamis_cpu, and with a GPU naive, global, shared, tamis_gpu (device memory to device memory),
  /// tamis_transfers (host memory to host memory); those that there are for this image.
  std::vector<std::string> versions;
};

/// A line of JSON for each operation and version. Answers are compared with those of tamis on the CPU before anything
/// is timed.
void measure(const Measured& what);

}  // namespace tamis::izmantoko
