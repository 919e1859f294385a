// Samples in a gzip, zlib or bzip2 stream that starts somewhere in a file.
#pragma once

#include <memory>

#include "io/format.hpp"
#include "io/mapped_file.hpp"
#include "io/medical/place.hpp"

namespace tamis::io {

/// Decodes the stream of a place to its end, so that checksums are verified and the length is what the header says,
/// before anything is allocated for it; throws InputError where that fails. Then it serves the samples in order; going
/// back starts again.
[[nodiscard]] std::unique_ptr<Source> open_stream(MappedFile file, const SamplePlace& place);

}  // namespace tamis::io
