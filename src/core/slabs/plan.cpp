// How thick slabs are: as thick as memory allows, because every slab reads and filters its halo again.
#include <algorithm>

#include <fmt/format.h>
#include <tamis/image/channels.hpp>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>
#include <tamis/operations/slabs.hpp>

#include "core/door.hpp"
#include "core/slabs/free_memory.hpp"

namespace tamis {
namespace {

/// What a filter and what lies around it take of memory.
class Need {
 public:
  Need(const OperationDescription& operation, const Arguments& arguments, const Layout& layout, std::size_t sources,
       bool batch)
      : operation_(operation), arguments_(arguments), layout_(layout), sources_(static_cast<std::int64_t>(sources)) {
    if (batch) layout_.shape.rank = 2;
  }

  /// In one piece: a result takes the place of a channel of the last image.
  [[nodiscard]] std::int64_t whole() const {
    const std::int64_t result = image_bytes(layout_.type, layout_.shape);
    return sources_ * bytes_of_channels(layout_) + std::max(result + between(layout_.shape), bytes_of_copy(layout_));
  }

  /// Of slabs with so many slices in all: one that is filtered and one that is being read, a result and one that is
  /// being written.
  [[nodiscard]] std::int64_t in_slabs(std::int64_t slices) const {
    Layout slab = layout_;
    slab.shape.z = slices;
    return (2 * sources_ + 2) * bytes_of_channels(slab) + between(slab.shape) + 2 * bytes_of_copy(slab);
  }

 private:
  [[nodiscard]] std::int64_t between(const Shape& shape) const {
    return operation_.filter.bytes_between(arguments_, layout_.type, shape);
  }

  const OperationDescription& operation_;
  const Arguments& arguments_;
  Layout layout_;
  std::int64_t sources_;
};

[[noreturn]] void refuse(const OperationDescription& operation, const Layout& layout, std::string_view how,
                         std::int64_t bytes, std::int64_t limit) {
  throw ResourceError(fmt::format("{} of {} {}{} takes {} MiB of memory, got {} MiB; wanted more memory or a part of the image",
                                  operation.name, to_string(layout.shape), name(layout.type), how, (bytes >> 20) + 1,
                                  limit >> 20));
}

/// The thickest slab whose bytes are within the limit; 0 if none is.
std::int64_t thickest(const Need& need, const SlabPlan& plan, std::int64_t limit) {
  std::int64_t fits = 0;
  std::int64_t least_too_many = plan.slices + 1;
  while (fits + 1 < least_too_many) {
    const std::int64_t middle = fits + (least_too_many - fits) / 2;
    const bool enough = need.in_slabs(std::min(plan.slices, middle + 2 * plan.halo)) <= limit;
    (enough ? fits : least_too_many) = middle;
  }
  return fits;
}

/// Of a volume that memory has room for: large ones are cut all the same, so that reading, filtering and writing
/// overlap, and every slab's memory is used again. 1290x1290x2580 u8 by open ball:3 takes half the time so. Slices that
/// are read and filtered twice are one in ten at most.
SlabPlan overlapping(const Need& need, SlabPlan plan, std::int64_t limit) {
  constexpr std::int64_t comfortable = std::int64_t{1} << 30;
  constexpr std::int64_t least_of_halo = 20;
  if (plan.bytes <= comfortable) return plan;
  const std::int64_t thickness =
      std::max(thickest(need, plan, std::min(limit, comfortable)), least_of_halo * plan.halo);
  const std::int64_t bytes = need.in_slabs(std::min(plan.slices, thickness + 2 * plan.halo));
  if (thickness == 0 || thickness >= plan.slices / 2 || bytes > limit) return plan;
  plan.thickness = thickness;
  plan.bytes = bytes;
  return plan;
}

}  // namespace

SlabPlan plan_slabs(const Context& context, const OperationDescription& operation, const Arguments& arguments,
                    const Layout& layout, std::size_t sources, const SlabOptions& options) {
  if (!operation.filter) throw InputError(operation.name + ": no filter; wanted one");
  require_layout(layout, operation.name);
  require_in({0, static_cast<double>(layout.shape.z)}, static_cast<double>(options.begin), "begin");
  require_in({0, {}}, static_cast<double>(options.most), "most");
  return door::enter(context, operation.name, [&] {
    // What takes less is never refused: a tiny limit only asks for the thinnest slabs.
    constexpr std::int64_t never_refused = std::int64_t{1} << 20;
    const Need need(operation, arguments, layout, sources, options.batch);
    SlabPlan plan;
    plan.slices = plan.thickness = layout.shape.z;
    plan.bytes = need.whole();
    Shape shape = layout.shape;
    if (options.batch) shape.rank = 2;
    const Offset reach = operation.filter.reach(arguments, layout.type, shape);
    plan.halo = options.batch ? 0 : std::min(reach.z, plan.slices - 1);
    const bool limited = context.memory_bytes > 0;
    const std::int64_t limit = limited ? std::max(context.memory_bytes, never_refused) : free_memory() / 5 * 4;
    const bool few = options.most > 0 && options.most < plan.slices;
    const bool local = options.batch || (layout.shape.rank == 3 && reach.z != whole_axis);
    if (plan.bytes <= limit && !(few && local)) {
      if (local) plan = overlapping(need, plan, limit);
      return plan;
    }
    if (layout.shape.rank == 2 && !options.batch) refuse(operation, layout, ", which cannot be cut,", plan.bytes, limit);
    if (!local) {
      refuse(operation, layout, ", where a result may depend on the whole volume,", plan.bytes, limit);
    }
    plan.thickness = thickest(need, plan, limit);
    if (few) plan.thickness = std::min(plan.thickness, options.most);
    if (plan.thickness == 0) {
      const std::int64_t least = need.in_slabs(std::min(plan.slices, 1 + 2 * plan.halo));
      refuse(operation, layout, fmt::format(" in slabs of one slice and {} on either side", plan.halo), least, limit);
    }
    plan.bytes = need.in_slabs(std::min(plan.slices, plan.thickness + 2 * plan.halo));
    return plan;
  });
}

}  // namespace tamis
