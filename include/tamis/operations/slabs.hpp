// Filters of volumes that do not fit into memory: slices come from sources and go to a sink, a slab at a time. While one
// slab is filtered the next one is read and the one before it is written.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/operations.hpp>

namespace TAMIS_PUBLIC tamis {

struct SlabOptions {
  bool batch = false;      ///< the slices are images of their own, not a volume
  std::int64_t begin = 0;  ///< slices that the sink has already, from an earlier run; at most those that there are
  std::int64_t most = 0;   ///< results of at most so many slices at a time; 0: as many as memory allows
};

/// How a volume is cut: results of `thickness` slices at a time, from these and up to `halo` more on either side.
struct SlabPlan {
  std::int64_t slices = 1;     ///< of the volume
  std::int64_t thickness = 1;  ///< as many: it is not cut
  std::int64_t halo = 0;
  std::int64_t bytes = 0;      ///< of memory that the work takes at most, all slabs under way together

  [[nodiscard]] bool whole() const { return thickness >= slices; }
  [[nodiscard]] std::int64_t count() const { return (slices + thickness - 1) / thickness; }
};

/// How a filter of images of this layout is cut so that it keeps to context.memory_bytes; without a limit, so that it
/// takes at most four fifths of the memory that is free now. What takes more than a gibibyte is cut if it can be, so
/// that reading, filtering and writing overlap. `sources` as many images are read at a time.
/// Throws ResourceError, with the figures, where the thinnest slabs take more, or where the filter cannot be cut: one
/// image of rank 2, or a filter that is not local along z (reconstructions). Throws InputError for what the filter refuses.
[[nodiscard]] SlabPlan plan_slabs(const Context& context, const OperationDescription& operation,
                                  const Arguments& arguments, const Layout& layout, std::size_t sources,
                                  const SlabOptions& options = {});

/// What was done, and the seconds that each kind of work took: with several slabs they ran side by side.
struct SlabReport {
  SlabPlan plan;
  FilterDone done;
  double reading = 0;
  double filtering = 0;
  double writing = 0;
};

/// Filters the images of `sources`, which have one type, shape and number of channels, channel by channel, into `sink`,
/// and finishes it; what comes of other types than filters compute with is SampleTypes::result (types.hpp). The results
/// are those of the whole images, bit for bit, however they are cut. Borders are those of the whole volume. Memory: what plan_slabs() says. Time: that of the filter, and of as many slices again as halos hold.
/// Throws what the filter, the sources and the sink throw, and Cancelled.
SlabReport filter_slabs(const Context& context, const OperationDescription& operation, const Arguments& arguments,
                        std::span<SliceSource* const> sources, SliceSink& sink, const SlabOptions& options = {});

}  // namespace tamis
