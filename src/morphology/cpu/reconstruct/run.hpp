// Reconstruction on the CPU.
#pragma once

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "core/stage.hpp"
#include "morphology/reconstruct_cells.hpp"

namespace tamis::morphology_detail::cpu {

/// Of images of one type, one that filters take or U32 or U64, and one shape, into `out`, which is of the same. Where
/// there are faults, `out` is not written.
[[nodiscard]] ReconstructFaults reconstruct(const Context& context, const Image& marker, const Image& mask,
                                            const ReconstructForm& form, Image& out, Stage& stage);

/// The same in bands of this many rows (slices): for tests.
[[nodiscard]] ReconstructFaults reconstruct_in_bands(const Context& context, const Image& marker, const Image& mask,
                                                     const ReconstructForm& form, std::int64_t band_rows, Image& out,
                                                     Stage& stage);

}  // namespace tamis::morphology_detail::cpu
