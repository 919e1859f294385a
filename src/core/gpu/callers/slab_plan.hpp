// How an image of the host goes through a GPU: whole or in slabs, and how many of them at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/gpu/callers/image_slabs.hpp"

namespace tamis::cuda {

/// From which size on copies are arranged, in bytes; core/gpu/NOTES.md has the measurements that chose them.
/// Tests make everything small.
struct HostTuning {
  /// Smaller images are copied by the driver, which is done before threads have woken up.
  std::int64_t staged_from = std::int64_t{4} << 20;
  /// Larger images are cut even where they fit, so that copies either way and kernels run side by side.
  std::int64_t cut_from = std::int64_t{32} << 20;
  /// Of such slabs. With less the GPU waits for launches; with more, the first copy up and the last one down, beside
  /// which nothing else is done, show.
  std::int64_t least_slab = std::int64_t{8} << 20;
  std::int64_t most_slab = std::int64_t{64} << 20;
  /// Results of such a slab for each sample that it sees beyond them: what neighbours both see is filtered twice, which
  /// is then a twentieth of the work at most.
  std::int64_t results_of_reach = 40;
  /// Of page-locked memory: a piece that threads fill or empty while others cross the bus, and how many in each
  /// direction. To lock a megabyte takes the driver about half a millisecond, once in a process: images that are not
  /// much larger than all pieces together have smaller ones.
  std::int64_t piece = std::int64_t{8} << 20;
  std::int64_t large_pieces_from = std::int64_t{256} << 20;
  int pieces = 3;
  /// Results of larger images are written past the caches, which would not hold them anyway.
  std::int64_t uncached_from = std::int64_t{128} << 20;
};

struct SlabPlan {
  std::int64_t thickness = 0;
  /// Slabs that have room on the device, so that one is copied while another is filtered.
  int at_once = 1;
  /// Copies go through page-locked memory, by threads.
  bool staged = false;
};

/// `images`: what a filter holds of one slab, the image and its result among them; each slab more at once adds two.
/// `workers`: GPUs that share the image. The plan exceeds `budget` only where slabs cannot be thin enough.
[[nodiscard]] SlabPlan plan_slabs(const ImageSlabs& slabs, std::int64_t images, std::int64_t budget,
                                  std::size_t workers, const HostTuning& tuning);

/// After a plan that took more memory than there is. False if no plan takes less.
[[nodiscard]] bool take_less(const ImageSlabs& slabs, SlabPlan& plan);

/// How an image of so many bytes is copied.
struct CopyPlan {
  std::int64_t piece_bytes = 0;
  int pieces = 1;            ///< in each direction
  bool past_caches = false;  ///< the results
};
/// `memory_limit`: of the host's memory, 0 for none.
[[nodiscard]] CopyPlan plan_copies(std::int64_t image_bytes, std::int64_t memory_limit, const HostTuning& tuning);

}  // namespace tamis::cuda
