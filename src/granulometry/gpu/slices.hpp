// Bits of some slices of a volume in the memory of a GPU, for processes that hand slices to each other from one GPU to
// the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <tamis/context.hpp>
#include <tamis/gpu/binary.hpp>
#include <tamis/image.hpp>

#include "granulometry/census.hpp"
#include "granulometry/request.hpp"

namespace tamis::granulometry_detail {

/// What openings remove of some slices, and the largest distance in them and in half of what is around them.
struct SlicesTally {
  Tally tally;
  std::int64_t largest = 0;
};
/// Of slices [begin, end) of an object, without a map. Nothing where it takes another way: where the object fills its
/// domain.
[[nodiscard]] std::optional<SlicesTally> tally_of_slices(const Context& context, const GpuBinary& object,
                                                         const GranulometryOptions& options, std::int64_t begin,
                                                         std::int64_t end);

class GpuSlices {
 public:
  /// Bits that are all 0, rows as in an Image of type Bool, on the GPU of the context. `slices`: the layout of these,
  /// of which the first is number `first` of the volume. The memory is one that other processes can be shown, which
  /// that of the library's pool is not. Throws ResourceError without a GPU or memory.
  GpuSlices(const Context& context, const Layout& slices, std::int64_t first);
  ~GpuSlices();
  GpuSlices(GpuSlices&&) noexcept;
  GpuSlices& operator=(GpuSlices&&) noexcept;

  /// Makes the GPU the one of this thread, which is what transfers between GPUs want.
  static void use_gpu(const Context& context);

  /// Device memory.
  [[nodiscard]] std::uint64_t* slice(std::int64_t z) const;
  /// Copies slices that lie one after the other, on the host or on this GPU. Waits.
  void put(std::int64_t z, std::int64_t count, const std::uint64_t* from) const;
  /// The other way: all slices, to the host. Waits.
  void get(std::uint64_t* to) const;

  /// Slices [begin, end) as an object inside of a domain, which has the same slices or one for all; none: everything
  /// counts. Bits are copied. Waits.
  [[nodiscard]] GpuBinary cut_out(const Context& context, std::int64_t begin, std::int64_t end,
                                  const GpuSlices* domain) const;
  /// What take_census() says of these slices.
  [[nodiscard]] Census census(std::int64_t begin, std::int64_t end, const GpuSlices* domain, bool z_is_axis) const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tamis::granulometry_detail
