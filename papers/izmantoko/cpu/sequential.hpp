// The paper's version for the CPU: one thread, pixel by pixel, plain C++.
#pragma once

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

namespace tamis::izmantoko::cpu {

/// What the paper's versions work on: one image of bytes 0 and 1.
[[nodiscard]] bool is_binary_image(const Image& image);

/// Erode, Dilate, Open or Close of an image of bytes 0 and 1 by the square of edge 2 * radius + 1; pixels outside are
/// left out. Erosions count the ones of a square, dilations write ones into it. O(N * edge^2).
[[nodiscard]] Image sequential(Operation operation, const Image& image, int radius);

}  // namespace tamis::izmantoko::cpu
