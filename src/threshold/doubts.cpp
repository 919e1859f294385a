#include "threshold/binarise.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <tamis/distance.hpp>
#include <tamis/error.hpp>

#include "core/visit_type.hpp"

namespace tamis::threshold_detail {
namespace {

/// body(z, samples) for every `step`-th slice.
template <class Body>
void for_slices(const Context& context, SliceSource& source, std::int64_t step, const Body& body) {
  const Layout& layout = source.layout();
  std::vector<std::byte> slice(static_cast<std::size_t>(layout.shape.y * layout.shape.x * sample_bytes(layout.type)));
  for (std::int64_t z = step / 2; z < layout.shape.z; z += step) {
    if (context.cancel.stop_requested()) throw Cancelled();
    source.read(z, 1, slice.data());
    visit_type(layout.type, [&](auto sample) { body(z, reinterpret_cast<const decltype(sample)*>(slice.data())); });
  }
}

bool inside(const Domain& domain, std::int64_t z, std::int64_t y, std::int64_t x) {
  const std::uint64_t* const row = domain.row(z, y);
  return !row || (row[x / 64] >> (x % 64) & 1U) != 0;
}

void tell_range(const Context& context, SliceSource& source, const Domain& domain, Phase phase, const Binary& binary) {
  const Shape& shape = source.layout().shape;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for_slices(context, source, 1, [&](std::int64_t z, const auto* samples) {
    for (std::int64_t i = 0; i < shape.y * shape.x; ++i) {
      if (!inside(domain, z, i / shape.x, i % shape.x)) continue;
      low = std::min(low, static_cast<double>(samples[i]));
      high = std::max(high, static_cast<double>(samples[i]));
    }
  });
  const bool band = binary.method == ThresholdMethod::Band;
  context.on_note(fmt::format("the {} phase is {}: bright is above {:.10g}{}, and samples are {:.10g} to {:.10g}",
                              phase == Phase::Dark ? "dark" : "bright", binary.volume == 0 ? "empty" : "everything",
                              binary.threshold, band ? fmt::format(" and not above {:.10g}", binary.high) : "", low,
                              high));
}

/// How far each sample of the region's slice is from what is outside; 0 there.
std::vector<float> depths_in(const Context& context, const Image& region) {
  Context quiet = context;
  quiet.device = Device::Cpu;
  quiet.memory_bytes = 0;
  quiet.on_progress = {}, quiet.on_stage = {};
  std::vector<float> depths(static_cast<std::size_t>(region.shape().count()));
  read_distances(squared_distance(quiet, region), 0, 1, depths.data());
  return depths;
}

struct Ring {
  std::int64_t samples = 0;
  std::int64_t object = 0;
  [[nodiscard]] double share() const {
    return static_cast<double>(object) / static_cast<double>(std::max<std::int64_t>(samples, 1));
  }
};

/// A sample that is smaller than the region leaves a ring around it. It ends where the object is nearer to what it is
/// in the inner half of the region than to what it is along the rim.
void tell_ring(const Context& context, SliceSource& source, const Domain& domain, Phase phase, const Binary& binary) {
  constexpr std::int64_t slices_wanted = 16;
  const Shape& shape = source.layout().shape;
  const std::vector<float> depths = depths_in(context, domain.bits);
  std::vector<Ring> rings(static_cast<std::size_t>(*std::max_element(depths.begin(), depths.end())));
  const double up_to = binary.method == ThresholdMethod::Band ? binary.high : std::numeric_limits<double>::infinity();
  for_slices(context, source, std::max<std::int64_t>(1, shape.z / slices_wanted),
             [&](std::int64_t, const auto* samples) {
               for (std::size_t i = 0; i < depths.size(); ++i) {
                 if (depths[i] == 0) continue;
                 const auto value = static_cast<double>(samples[i]);
                 Ring& ring = rings[static_cast<std::size_t>(depths[i]) - 1];
                 ++ring.samples;
                 ring.object += (value > binary.threshold && value <= up_to) != (phase == Phase::Dark) ? 1 : 0;
               }
             });
  Ring all, inner;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    all.samples += rings[i].samples, all.object += rings[i].object;
    if (i >= rings.size() / 3) inner.samples += rings[i].samples, inner.object += rings[i].object;
  }
  const double rim = rings.front().share();
  if (rim <= 0.5 || rim - inner.share() < 0.1) return;
  Ring outside;
  std::size_t wide = 0;
  for (; wide < rings.size() && rings[wide].share() > (rim + inner.share()) / 2; ++wide)
    outside.object += rings[wide].object;
  context.on_note(fmt::format(
      "the object lies along {:.0f} % of the rim of the region, and {:.3g} % of it in a ring of {} samples there: "
      "where "
      "the region is larger than the sample, what is around it counts; wanted a mask of the sample, `roi FILE`",
      100 * rim, 100 * static_cast<double>(outside.object) / static_cast<double>(all.object), wide));
}

}  // namespace

void tell_doubts(const Context& context, SliceSource& source, const Domain& domain, Phase phase, const Binary& binary) {
  if (!context.on_note) return;
  const bool told = binary.method == ThresholdMethod::Value || binary.method == ThresholdMethod::Band;
  const bool full_mask = phase == Phase::Bright && binary.threshold == 0;
  const bool full = told && binary.volume == binary.domain_volume && !full_mask;
  if (binary.volume == 0 || full) return tell_range(context, source, domain, phase, binary);
  const bool each_slice = !domain.bits.empty() && domain.bits.shape().z == 1;
  if (each_slice) tell_ring(context, source, domain, phase, binary);
}

}  // namespace tamis::threshold_detail
