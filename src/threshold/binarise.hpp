// Thresholds of a whole source, wherever the bits go.
#pragma once

#include <tamis/threshold.hpp>

#include "threshold/slabs.hpp"

namespace tamis::threshold_detail {

/// Chosen from a histogram.
[[nodiscard]] bool is_automatic(ThresholdMethod method);
/// Throws InputError for colour.
void require_one_channel(const Layout& layout);
/// Throws InputError for values that separate nothing: not finite, or a band whose ends are in the wrong order.
void require_options(const ThresholdOptions& options);

/// binarise(). With `device_bits`, memory of the GPU context.gpu for the rows of all slices, which are 0, the bits go
/// there and the object of the result is empty; the context has to ask for the GPU then. With `bytes` they go there as
/// bytes 0 and 1, by the CPU.
[[nodiscard]] Binary binarise_to(const Context& context, SliceSource& source, const ThresholdOptions& options,
                                 const Region& region, std::uint64_t* device_bits,
                                 const ImageRows* bytes = nullptr);

// What people should know of an object before they believe its figures.

/// Tells Context::on_note that one phase is everything, with the range of the samples; and that the object lies along
/// most of the rim of a region that is the same in every slice, which then holds more than the sample does. Reads the
/// source once more for the first, and at most 16 slices of it for the second.
void tell_doubts(const Context& context, SliceSource& source, const Domain& domain, Phase phase, const Binary& binary);

}  // namespace tamis::threshold_detail
