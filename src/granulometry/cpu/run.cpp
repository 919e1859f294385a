// Slabs of a volume, or the slices of a stack, one after the other: distance, recursion, counting, map.
#include "granulometry/cpu/run.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "core/bits/bits.hpp"
#include "core/cpu/parallel.hpp"
#include "core/stage.hpp"
#include "granulometry/cpu/distance.hpp"
#include "granulometry/cpu/field.hpp"
#include "granulometry/cpu/map_writer.hpp"
#include "granulometry/cpu/recursion.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/request.hpp"

namespace tamis::granulometry_detail::cpu {
namespace {

/// Bytes for everything but the bits, which a limit includes.
std::int64_t budget_beside_bits(const Context& context, const Request& request) {
  const std::int64_t bits = request.object->bytes() + (request.domain ? request.domain->bytes() : 0);
  return memory_budget(context) - (context.memory_bytes > 0 ? bits : 0);
}

/// Thrown inside when a distance does not fit the lanes; the run starts again with wider ones.
struct LanesTooNarrow {};

template <class Lane>
class LaneRun {
 public:
  LaneRun(const Context& context, const Request& request, const MapOutput& map)
      : context_(context),
        request_(request),
        grid_(make_grid(request.object->shape(), request.options.element)),
        map_(map),
        writer_(context, request, map),
        tuning_(recursion_tuning(grid_.y, thread_count(context))),
        budget_(settled_budget()) {}

  Tally run() { return grid_.batch == 1 ? run_slabs() : run_batch(); }

 private:
  [[nodiscard]] bool neutral() const { return request_.options.border == DomainBorder::Neutral; }

  /// Fills the field with distances; returns the largest finite one.
  Lane measure(const Context& context, Field<Lane>& field, std::int64_t first_row, std::int64_t z0, Tally& tally) {
    DistanceTask task;
    task.object = request_.object;
    task.domain = neutral() ? request_.domain : nullptr;
    task.first_row = first_row;
    task.grid = grid_;
    task.z0 = z0;
    task.chessboard = is_chessboard(request_.options.element);
    task.neutral = neutral();
    const std::int64_t cap = request_.options.max_size.value_or(no_cap);
    task.cap = cap < std::int64_t{unreached<Lane>} - 1 ? static_cast<std::uint32_t>(cap + 1) : 0;
    Stage stage(context, "distance", 2 * field.z());
    const Lane largest = distance(context, task, field, stage);
    if (largest < unreached<Lane>) return largest;
    const bool cut = z0 > 0 || z0 + field.z() < grid_.z;
    if (cut) return largest;  // the halo will have to grow, which is the caller's business
    const std::int64_t bound = distance_bound(grid_, request_.options.border, request_.domain != nullptr);
    const bool may_be_finite = bound >= std::int64_t{unreached<Lane>} || request_.options.max_size;
    if (may_be_finite && sizeof(Lane) < 4) throw LanesTooNarrow{};
    tally.never += remove_unreached(field);
    return largest_peak(field, 0, field.z());
  }

  /// What is counted of these slices of a field that begins at slice z0 of image `batch` of the grid. Lanes beyond the
  /// image are 0.
  [[nodiscard]] FieldBox counted_of(Field<Lane>& field, const SliceRange& results, std::int64_t z0,
                                    std::int64_t batch) const {
    if (!request_.counted) return {results, {0, field.y()}, {0, field.lines() * Field<Lane>::line}};
    const auto& [z, y, x] = *request_.counted;
    const bool by_rows = grid_.y == 1;  // of images, and of the slices of a stack
    const CountedBox::Range& along = by_rows ? y : z;
    const SliceRange part{std::max(results.begin, along.begin - z0), std::min(results.end, along.end - z0)};
    if (by_rows && (batch < z.begin || batch >= z.end)) return {};
    return {part, by_rows ? SliceRange{0, 1} : SliceRange{y.begin, y.end}, {x.begin, x.end}};
  }

  void open(const Context& context, Field<Lane>& field, const SliceRange& slices, const FieldBox& results, Lane largest,
            Tally& tally) {
    {
      Stage stage(context, "openings", recursion_tasks(field, largest, tuning_));
      recursion(context, field, slices, is_chessboard(request_.options.element), largest, stage, tuning_);
    }
    Stage stage(context, "counting");
    Tally part;
    part.removed_by.resize(std::size_t{largest} + 1);
    count_values(context, field, results, part.removed_by.data(), largest);
    tally.add(part);
  }

  Tally run_slabs() {
    Tally tally;
    std::int64_t halo = first_halo;
    const bool in_slabs = fitting_slices() < grid_.z;
    if (map_ && in_slabs) {  // the map's type is settled before its first slice
      Lane largest = 0;
      for (Slab slab; slab.end < grid_.z;) {
        slab = take_slab(slab.end, halo, tally);
        largest = std::max(largest, largest_inside(slab));
      }
      writer_.start(largest);  // what never erodes would have asked for all slices at once
      tally = {};
    }
    for (Slab slab; slab.end < grid_.z;) {
      slab = take_slab(slab.end, halo, tally);
      const SliceRange inner{slab.inner_from() - slab.from, slab.inner_to() - slab.from};
      const SliceRange results{slab.begin - slab.from, slab.end - slab.from};
      const Lane largest = largest_inside(slab);
      if (map_ && !in_slabs) writer_.start(std::int64_t{largest} + (tally.never > 0 ? 1 : 0));
      open(context_, field_, inner, counted_of(field_, results, slab.from, 0), largest, tally);
      if (!map_) continue;
      Stage stage(context_, "size map");
      const auto never_value = static_cast<Lane>(tally.never > 0 ? largest + 1 : 0);
      writer_.write(field_, results.begin, results.end, slab.begin * grid_.y, never_value);
    }
    return tally;
  }

  /// The largest of the distances that are exact.
  Lane largest_inside(const Slab& slab) {
    return largest_peak(field_, slab.inner_from() - slab.from, slab.inner_to() - slab.from);
  }

  /// The next slab, its distances in field_, with a halo that suffices for them; `halo` grows as needed.
  Slab take_slab(std::int64_t begin, std::int64_t& halo, Tally& tally) {
    for (;; halo *= 2) {
      const std::int64_t fit = fitting_slices();
      const Slab slab = next_slab(begin, grid_.z, halo, fit);
      if (slab.end == slab.begin) {
        const std::int64_t least = std::min(2 * halo + 1, grid_.z);
        throw ResourceError("memory: structures up to size " + std::to_string(halo / 2) + " need " +
                            std::to_string((slab_bytes(least) >> 20) + 1) + " MiB beside the bits, got " +
                            std::to_string(std::max<std::int64_t>(budget_, 0) >> 20) +
                            " MiB; wanted a larger memory limit, or `max_size N`");
      }
      if (field_.allocated_z() < slab.to - slab.from) {
        field_ = {};
        field_ = Field<Lane>(slab.to - slab.from, grid_.y, grid_.x);
      }
      field_.use_slices(slab.to - slab.from);
      measure(context_, field_, 0, slab.from, tally);
      const Lane inner = largest_inside(slab);
      if (!halo_suffices(slab, grid_.z, inner)) continue;
      if (inner == unreached<Lane> && sizeof(Lane) < 4) throw LanesTooNarrow{};
      return slab;
    }
  }

  /// Bytes for a slab of z slices, the program itself and the map's buffer included.
  [[nodiscard]] std::int64_t slab_bytes(std::int64_t z) const {
    constexpr std::int64_t reserve = std::int64_t{4} << 20;
    const std::int64_t map_buffer = map_ ? MapWriter<Lane>::target_bytes : 0;
    return reserve + map_buffer + Field<Lane>::bytes(z, grid_.y, grid_.x) +
           recursion_bytes<Lane>(context_, grid_, z, is_chessboard(request_.options.element), tuning_);
  }

  /// To ask the system takes longer than a small image does.
  [[nodiscard]] std::int64_t settled_budget() const {
    constexpr std::int64_t small = std::int64_t{64} << 20;
    if (context_.memory_bytes == 0 && slab_bytes(grid_.z) <= small) return small;
    return budget_beside_bits(context_, request_);
  }

  [[nodiscard]] std::int64_t fitting_slices() const {
    const std::int64_t fixed = slab_bytes(0);
    return std::max<std::int64_t>(budget_ - fixed, 0) / (slab_bytes(1) - fixed);
  }

  /// The slices of a stack are independent: one thread each.
  Tally run_batch() {
    Context single = context_;
    single.threads = 1;
    single.on_progress = {};
    single.on_stage = {};
    const std::int64_t group = std::min<std::int64_t>(grid_.batch, 2L * thread_count(context_));
    std::vector<Field<Lane>> fields(static_cast<std::size_t>(group));
    for (Field<Lane>& field : fields) field = Field<Lane>(grid_.z, 1, grid_.x);
    // A map needs to know of all slices before the first one is written.
    Extremes extremes;
    const bool at_once = grid_.batch <= group;
    if (map_ && !at_once && (neutral() || background_may_be_wide())) extremes = extremes_of_all(single, fields);
    Tally tally;
    Stage stage(context_, "openings", grid_.batch);
    for (std::int64_t first = 0; first < grid_.batch; first += group) {
      const std::int64_t count = std::min(group, grid_.batch - first);
      std::vector<Tally> parts(static_cast<std::size_t>(count));
      parallel_for(context_, count, [&](std::int64_t i) {
        Tally& part = parts[static_cast<std::size_t>(i)];
        Field<Lane>& field = fields[static_cast<std::size_t>(i)];
        const Lane largest = measure(single, field, (first + i) * grid_.z, 0, part);
        open(single, field, {0, grid_.z}, counted_of(field, {0, grid_.z}, 0, first + i), largest, part);
        stage.advance();
      });
      if (at_once) {
        for (const Tally& part : parts) extremes.add(part);
      }
      if (map_ && first == 0) writer_.start(extremes.top());
      for (std::int64_t i = 0; i < count; ++i) {
        tally.add(parts[static_cast<std::size_t>(i)]);
        if (!map_) continue;
        writer_.write(fields[static_cast<std::size_t>(i)], 0, grid_.z, (first + i) * grid_.z, extremes.never_value());
      }
    }
    return tally;
  }

  /// What the values of a map depend on, of all slices.
  struct Extremes {
    std::int64_t largest = 0;  ///< distance
    bool never = false;        ///< there is something that never erodes

    [[nodiscard]] std::int64_t top() const { return largest + (never ? 1 : 0); }
    [[nodiscard]] Lane never_value() const { return static_cast<Lane>(never ? top() : 0); }
    void add(const Tally& part) {
      largest = std::max(largest, static_cast<std::int64_t>(part.removed_by.size()) - 1);
      never |= part.never > 0;
    }
  };

  /// Too wide for the narrowest lanes, or for a map of bytes.
  [[nodiscard]] bool background_may_be_wide() const {
    return distance_bound(grid_, DomainBorder::Background, false) >= std::int64_t{unreached<std::uint8_t>};
  }

  /// Measures every slice and keeps only the extremes.
  Extremes extremes_of_all(const Context& single, std::vector<Field<Lane>>& fields) {
    const auto group = static_cast<std::int64_t>(fields.size());
    Extremes extremes;
    for (std::int64_t first = 0; first < grid_.batch; first += group) {
      const std::int64_t count = std::min(group, grid_.batch - first);
      std::vector<Tally> parts(static_cast<std::size_t>(count));
      parallel_for(context_, count, [&](std::int64_t i) {
        const auto slot = static_cast<std::size_t>(i);
        const Lane largest = measure(single, fields[slot], (first + i) * grid_.z, 0, parts[slot]);
        parts[slot].removed_by.resize(std::size_t{largest} + 1);
      });
      for (const Tally& part : parts) extremes.add(part);
    }
    return extremes;
  }

  static constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max() - 1;
  static constexpr std::int64_t first_halo = 64;

  const Context& context_;
  const Request& request_;
  Grid grid_;
  const MapOutput& map_;
  MapWriter<Lane> writer_;
  RecursionTuning tuning_;
  std::int64_t budget_;  ///< settled once: what the run itself takes must not make the next slab smaller
  Field<Lane> field_;
};

template <class Lane>
std::optional<Tally> try_lanes(const Context& context, const Request& request, const MapOutput& map) {
  try {
    return LaneRun<Lane>(context, request, map).run();
  } catch (const LanesTooNarrow&) {
    return std::nullopt;
  }
}

Tally run_recursion(const Context& context, const Request& request, const MapOutput& map) {
  if (auto tally = try_lanes<std::uint8_t>(context, request, map)) return *tally;
  if (auto tally = try_lanes<std::uint16_t>(context, request, map)) return *tally;
  return LaneRun<std::uint32_t>(context, request, map).run();
}

/// An object that fills its domain under a neutral border is the same after every opening.
Sizes run_full(const Context& context, const Request& request, const MapOutput& map) {
  const Image& object = *request.object;
  Sizes sizes;
  sizes.volume = {count_ones(context.simd, object.row<std::uint64_t>(0, 0), object.bytes() / 8)};
  sizes.never_empties = true;
  if (!map) return sizes;
  Field<std::uint16_t> slice(1, object.shape().y, object.shape().x);
  MapWriter<std::uint16_t> writer(context, request, map);
  const auto value = static_cast<std::uint16_t>(request.options.max_size.value_or(0) + 1);
  writer.start(value);
  for (std::int64_t z = 0; z < object.shape().z; ++z) writer.write(slice, 0, 1, z * object.shape().y, value);
  return sizes;
}

}  // namespace

std::vector<std::int64_t> removed_in(const Context& context, const Image& object, const GranulometryOptions& options,
                                     const CountedBox& box) {
  Request request{&object, nullptr, &box, options, false};
  return run_recursion(context, request, {}).removed_by;
}

Sizes run(const Context& context, const Request& request, const MapOutput& map) {
  if (request.never_erodes) return run_full(context, request, map);
  return sizes_of(run_recursion(context, request, map), request.options);
}

}  // namespace tamis::granulometry_detail::cpu
