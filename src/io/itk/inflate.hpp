// Samples in a gzip or zlib stream that starts somewhere in a file.
#pragma once

#include <memory>

#include "io/format.hpp"
#include "io/itk/place.hpp"
#include "io/mapped_file.hpp"

namespace tamis::io {

/// Decodes the stream of a place to its end, so that checksums are verified and the length is what the header says,
/// before anything is allocated for it. Throws InputError where that fails.
void check_stream(const MappedFile& file, const ItkPlace& place);
/// Serves the samples in order; going back starts again.
[[nodiscard]] std::unique_ptr<Source> open_stream(MappedFile file, const ItkPlace& place);

}  // namespace tamis::io
