// The paper's reference and naive median on one thread of the CPU.
#pragma once

#include <tamis/image.hpp>

namespace tamis::perrot {

/// Reads and writes each sample of a U16 image.
void sequential_identity(const Image& image, Image& out);
/// A histogram of 256 grey levels for each pixel, the edge repeated at the border.
void sequential_histogram(const Image& image, int edge, Image& out);

}  // namespace tamis::perrot
