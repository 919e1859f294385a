// Uncompressed samples of which the first axis is the fastest, as Fortran and MATLAB have them.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "io/format.hpp"
#include "core/system/mapped_file.hpp"

namespace tamis::io {

/// Serves samples of a mapped file, all of which lie inside it from `offset` on: z fastest, then y, then x. `swapped`: bytes
/// are in the other order than this machine's. Slices are read 128 at a time. `cancel` ends reading.
[[nodiscard]] std::unique_ptr<Source> open_columns(MappedFile file, std::int64_t offset, bool swapped,
                                                   const Layout& layout, std::string description,
                                                   std::stop_token cancel);

}  // namespace tamis::io
