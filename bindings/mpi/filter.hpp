// A filter that ranks share: each filters slabs of slices in turn, and the first one writes the results in order.
#pragma once

#include <tamis/operations/slabs.hpp>

#include "cli/command/shared_work.hpp"
#include "mpi/ranks.hpp"

namespace tamis::mpi {

/// Called on all ranks with the same call, but for the sources, of which each has its own, and the sink, which the
/// first one has (null on the others). The results are those of filter_slabs(), bit for bit. The file's slices are read
/// once, by one rank each; those of halos go from rank to rank. Memory: each rank keeps to its context's limit; the
/// first one has, beside its slab, the results of all ranks' slabs twice. Throws on all ranks what goes wrong on one,
/// and InputError for a filter whose results may depend on the whole volume, and for an image of one slice.
SlabReport filter(const Ranks& ranks, const Context& context, const cli::FilterCall& call, SliceSink* sink);

}  // namespace tamis::mpi
