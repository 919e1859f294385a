// Pictures whose last channel says how much of the page each pixel covers.
#pragma once

#include <memory>

#include "io/format.hpp"

namespace tamis::io {

/// Without that channel where it is opaque everywhere. Where all else is black, the picture lies in it alone, as the
/// ink of a scanned page: then the page as it looks on white, one channel; where all else is white, as it looks on
/// black. Other pictures, stacks, and those of which one channel was asked for, stay as they are. Looks at all samples,
/// of u8 and u16.
[[nodiscard]] std::unique_ptr<Source> without_alpha(std::unique_ptr<Source> picture, const ReadOptions& options);

}  // namespace tamis::io
