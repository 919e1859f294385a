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
#include "threshold/keys.hpp"
#include "threshold/pack_job.hpp"
#include "threshold/slabs.hpp"

namespace tamis::threshold_detail {

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
  /// Of samples of 1 or 2 bytes, whatever the question is: counts how often each bit pattern occurs.
  virtual void count(const Slab& slab, const Question& question, Stage& stage) = 0;
  /// So many numbers came of all slabs; the next pass begins with zeros.
  virtual std::vector<std::int64_t> counts(std::int64_t size) = 0;
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
