// The arithmetic of this folder on another device than the CPU: what a slab's samples are asked, and nothing else.
// Light: no CUDA header, so that the callers are compiled without CUDA too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <tamis/context.hpp>

#include "core/stage.hpp"
#include "threshold/pack_job.hpp"
#include "threshold/region.hpp"
#include "threshold/slabs.hpp"

namespace tamis::threshold_detail {

/// Minimum, maximum and sum of the samples of a band whose x is the same modulo lanes, in the order of rows and x.
struct LaneRange {
  static constexpr std::int64_t lanes = 8;
  std::uint64_t low = 0;  ///< samples, as bit patterns: see sample_bits()
  std::uint64_t high = 0;
  double sum = 0;
  std::uint64_t nan = 0;  ///< not 0: there is one
};

/// v goes to bin (v * unit - start) * scale, each operation rounded, the last bin being 255.
struct BinRule {
  double unit = 1;
  double start = 0;
  double scale = 1;
};

/// Where the bits of an object go: an image of the host, or memory of the device with the rows of all slices. Neither:
/// the samples are only checked.
struct ObjectBits {
  Image* host = nullptr;
  std::uint64_t* device = nullptr;

  [[nodiscard]] bool wanted() const { return host || device; }
};

struct PackedSlab {
  std::int64_t set = 0;     ///< samples in the object
  std::optional<Band> odd;  ///< the first row with a sample that counts and breaks the rule; those after it may be left
};

/// Works on slabs of one source. Each call returns when the slab is done with.
class DeviceSamples {
 public:
  virtual ~DeviceSamples() = default;

  /// Packs by the rule, complement and bounds of `job`.
  virtual PackedSlab pack(const Slab& slab, const PackJob& job, const ObjectBits& object, Stage& stage) = 0;
  /// Rows of the object that need no samples: `words` of the host to the rows from `first_row` on in `device`.
  virtual void write(std::uint64_t* device, std::int64_t first_row, const std::vector<std::uint64_t>& words) = 0;
  /// Counts samples of 1 or 2 bytes. patterns() are the counts so far, by bit pattern.
  virtual void count_patterns(const Slab& slab, Stage& stage) = 0;
  virtual std::vector<std::int64_t> patterns() = 0;
  /// Calls take(index of the band, its LaneRange::lanes ranges) for every band, in order.
  virtual void find_range(const Slab& slab, Stage& stage,
                          const std::function<void(std::int64_t, const LaneRange*)>& take) = 0;
  /// Counts samples of more than 2 bytes. bins() are the 256 counts so far.
  virtual void count_bins(const Slab& slab, const BinRule& rule, Stage& stage) = 0;
  virtual std::vector<std::int64_t> bins() = 0;
  /// All samples of the source are on the device and stay there: slabs need no data any more.
  [[nodiscard]] virtual bool holds_all() const = 0;
};

/// How often a source goes by.
enum class Passes : std::uint8_t { One, Several };

/// Null where the CPU does the work: without CUDA, for several GPUs, and unless the context asks for the GPU by name.
/// Device::Auto keeps samples of the host on the CPU, since packing them there costs one read and saves seven eighths
/// of the transfer or more. For several passes samples cross the bus once and stay, where the device's memory has room for them.
/// `layout` and `domain` have to outlive it.
[[nodiscard]] std::unique_ptr<DeviceSamples> device_samples(const Context& context, const Layout& layout,
                                                            const Domain& domain, Passes passes);

/// for_each_slab(), but what the device holds is not read again: then body has one slab without data.
void for_each_slab_on(const DeviceSamples* device, const Context& context, SliceSource& source,
                      const std::function<void(const Slab&)>& body);

}  // namespace tamis::threshold_detail
