// The slices of a volume that a rank has, as a volume of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/threshold.hpp>

#include "mpi/ranks.hpp"
#include "threshold/slabs.hpp"

namespace tamis::mpi {

/// Some slices of a source, as a source.
class Slices final : public SliceSource {
 public:
  Slices(SliceSource& source, const Ranks::Range& range);
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override;
  [[nodiscard]] std::optional<MappedSlices> mapped() const override;

 private:
  SliceSource& source_;
  Ranks::Range range_;
  Layout layout_;
};

/// The region in some slices of a volume. A mask that has a slice for each is cut with it, and may have nothing inside.
class OwnRegion {
 public:
  OwnRegion(const Region& region, const Layout& layout, const Ranks::Range& range);
  OwnRegion(const OwnRegion&) = delete;
  OwnRegion& operator=(const OwnRegion&) = delete;

  [[nodiscard]] static bool varies_in(const Region& region, const Layout& layout);
  [[nodiscard]] const Region& region() const { return region_; }
  /// Bits of the cut mask; nothing where it is the same for all slices.
  [[nodiscard]] std::optional<threshold_detail::Domain> bits(const Context& context, const Layout& slices);

 private:
  Region region_;
  bool varies_;
  std::optional<Slices> cut_;
};

/// Of so many slices the share of each rank, one after the other.
[[nodiscard]] std::vector<Ranks::Range> shares(std::int64_t slices, int ranks);

}  // namespace tamis::mpi
