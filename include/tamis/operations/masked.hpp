// Filters that see a part of an image only.
#pragma once

#include <tamis/compiler.hpp>

#include <memory>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/operations.hpp>

namespace TAMIS_PUBLIC tamis {

/// Filters of one image that can leave NaN out can leave out anything.
[[nodiscard]] bool takes_a_mask(const OperationDescription& filter);

/// A filter of one image that sees the samples of `mask` only, a Bool image of the image's shape, or one slice for all of
/// a volume: what lies outside counts as NaN that is ignored does. A median is that of the samples of the mask that its
/// window sees; an erosion and a dilation leave out what is outside, in each step. The result is there everywhere; where
/// no sample of the mask is seen it is the sample itself. NaN within the mask is what the parameter `nan` says.
/// `filter` takes a mask, and `arguments` are its own; not those of openings and closings by reconstruction. On the CPU
/// or the GPU, as the context says. Memory: the image and the result as F32, and what the filter takes of F32. Throws
/// InputError for other filters, masks of another shape or type, and what the filter throws it for.
FilterDone filter_in_mask(const Context& context, const OperationDescription& filter, const Image& image,
                          const Image& mask, const Arguments& arguments, Image& out);

/// The same as a filter of two images, of which the first is the mask, so that it goes through volumes in slabs
/// (filter_slabs) with mask_source(). Refusals of NaN do not say where it is.
[[nodiscard]] OperationDescription in_mask(const OperationDescription& filter);

/// The mask of images of a layout: as many slices and channels of bool, 1 where `mask` is not 0. `mask` has their width
/// and height and as many slices, or one for all, and one channel; it has to outlive the source. Throws InputError
/// otherwise, and for NaN when it is read.
[[nodiscard]] std::unique_ptr<SliceSource> mask_source(SliceSource& mask, const Layout& layout);

}  // namespace tamis
