#include "core/gpu/callers/slab_plan.hpp"

#include <algorithm>

#include "core/shared/pieces.hpp"

namespace tamis::cuda {
namespace {

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Of slabs that are equal, and no thinner than that where there are several.
std::int64_t even(std::int64_t length, std::int64_t least) {
  return divided_up(length, std::max<std::int64_t>(length / least, 1));
}

/// Results of a slab so that copies and kernels overlap; all of them where that is not worth it.
std::int64_t overlapping_thickness(const ImageSlabs& slabs, std::size_t workers, const HostTuning& tuning) {
  constexpr std::int64_t slabs_each = 6;
  const std::int64_t whole = slabs.length() * slabs.stored_bytes();
  if (slabs.least() == slabs.length() || whole < tuning.cut_from) return slabs.length();
  const std::int64_t bytes =
      std::clamp(whole / (slabs_each * static_cast<std::int64_t>(workers)), tuning.least_slab, tuning.most_slab);
  const std::int64_t thickness =
      std::max(divided_up(bytes, slabs.stored_bytes()), tuning.results_of_reach * slabs.reach());
  return even(slabs.length(), thickness);
}

}  // namespace

SlabPlan plan_slabs(const ImageSlabs& slabs, std::int64_t images, std::int64_t budget, std::size_t workers,
                    const HostTuning& tuning) {
  constexpr std::int64_t more_images = 2, least_of_reach = 8;
  SlabPlan plan;
  plan.staged = slabs.length() * slabs.stored_bytes() >= tuning.staged_from;
  const std::int64_t wanted =
      std::min(overlapping_thickness(slabs, workers, tuning),
               std::max(slabs.least(), shared::fair_piece(slabs.length(), workers, slabs.reach())));
  plan.thickness = std::min(wanted, slabs.thickness(budget, images));
  if (plan.thickness == slabs.length() || !plan.staged) return plan;
  // Two at once where slabs need not become much thinner for it than what they see of each other.
  const std::int64_t of_two = std::min(wanted, slabs.thickness(budget, images + more_images));
  const bool fits = slabs.bytes(of_two) * (images + more_images) <= budget;
  if (!fits || (of_two < plan.thickness && of_two < least_of_reach * slabs.reach())) return plan;
  plan.thickness = of_two;
  plan.at_once = 2;
  return plan;
}

bool take_less(const ImageSlabs& slabs, SlabPlan& plan) {
  if (plan.thickness > slabs.least()) {
    plan.thickness = divided_up(plan.thickness, 2);
    return true;
  }
  if (plan.at_once == 1) return false;
  plan.at_once = 1;
  return true;
}

CopyPlan plan_copies(std::int64_t image_bytes, std::int64_t memory_limit, const HostTuning& tuning) {
  // So many pieces at least, or nothing would overlap; but to wake threads for less than that takes longer than to
  // copy.
  constexpr std::int64_t pieces_of_image = 8, least = std::int64_t{1} << 20, share_of_memory = 16;
  const std::int64_t most = image_bytes < tuning.large_pieces_from ? divided_up(tuning.piece, 2) : tuning.piece;
  std::int64_t bytes = std::min(most, std::max(image_bytes / pieces_of_image, least));
  if (memory_limit > 0) bytes = std::min(bytes, memory_limit / share_of_memory);
  return {std::max<std::int64_t>(bytes, 1), tuning.pieces, image_bytes >= tuning.uncached_from};
}

}  // namespace tamis::cuda
