// Histograms that slide with the window, 32 neighbouring values of which are kept up to date.
#pragma once

#include <tamis/context.hpp>

#include "median/cpu/histogram/kernels.hpp"

namespace tamis::median_detail::cpu {

/// Bytes of scratch, aligned to 64.
[[nodiscard]] std::int64_t span_scratch_bytes(const HistogramTask& task);

/// As run_histograms(); false if windows are too large, or vectors of the instruction set too small.
[[nodiscard]] bool run_spans(Simd simd, const HistogramTask& task, std::byte* scratch);

}  // namespace tamis::median_detail::cpu
