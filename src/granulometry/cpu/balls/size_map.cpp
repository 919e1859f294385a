// Layers of tiles: balls are selected some layers ahead of those that are painted, so that squares are still there
// where they are asked for, and lists are of a few layers only.
#include "granulometry/cpu/balls/size_map.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/cpu/workspace_pool.hpp"
#include "granulometry/cpu/balls/paint.hpp"
#include "granulometry/cpu/balls/select.hpp"

namespace tamis::granulometry_detail::cpu::balls {
namespace {

template <class Lane>
class Layers {
 public:
  Layers(const Context& context, const Setting<Lane>& setting, Lane largest, Stage& stage)
      : context_(context),
        setting_(setting),
        largest_(largest),
        stage_(stage),
        ahead_(layers_ahead()),
        selectors_([this] { return make_selector(); }),
        painters_([this] { return std::make_unique<Painter<Lane>>(setting_); }) {}

  void run() {
    std::int64_t selected = 0;
    for (std::int64_t layer = 0; layer < setting_.layers(); ++layer) {
      for (; selected < std::min(setting_.layers(), layer + ahead_ + 1); ++selected) select(selected);
      parallel_for(context_, setting_.tiles_y() * setting_.tiles_x(), [&](std::int64_t tile) {
        painters_.with([&](Painter<Lane>& painter) { painter.paint(lists_, layer, tile, largest_); });
      });
      for (const auto& list : lists_) list->clear(layer);
      stage_.advance(std::min(edge, setting_.view.z - layer * edge));
    }
  }

 private:
  /// Layers that a ball reaches beyond its own, at least one: selection looks one slice further.
  [[nodiscard]] std::int64_t layers_ahead() const {
    if (setting_.flat) return 1;
    const std::int64_t reach = root(std::uint64_t{largest_}) / setting_.sides.z;
    return std::max<std::int64_t>(1, std::min((reach + edge - 1) / edge, setting_.layers()));
  }

  void select(std::int64_t layer) {
    parallel_for(context_, setting_.tiles_y(), [&](std::int64_t strip) {
      selectors_.with([&](Selector<Lane>& selector) { selector.select(layer, strip); });
    });
  }

  std::unique_ptr<Selector<Lane>> make_selector() {
    const std::lock_guard lock(guard_);
    lists_.push_back(std::make_unique<Lists<Lane>>(2 * ahead_ + 2, setting_.tiles_y() * setting_.tiles_x()));
    return std::make_unique<Selector<Lane>>(setting_, *lists_.back());
  }

  const Context& context_;
  const Setting<Lane>& setting_;
  Lane largest_;
  Stage& stage_;
  std::int64_t ahead_;
  std::mutex guard_;
  std::vector<std::unique_ptr<Lists<Lane>>> lists_;  ///< one for each thread that has selected
  WorkspacePool<Selector<Lane>> selectors_;
  WorkspacePool<Painter<Lane>> painters_;
};

}  // namespace

template <class Lane>
void size_map(const Context& context, const View<Lane>& view, const WholeSides& sides, bool flat, Lane largest,
              Stage& stage) {
  if (largest < 2) {  // every ball is its own voxel
    stage.advance(view.z);
    return;
  }
  const WholeSides reached = reached_sides(sides, largest);
  const Setting<Lane> setting{view, reached, flat, kernels(context.simd), inclusion_tables(reached, largest, flat)};
  Layers<Lane>(context, setting, largest, stage).run();
}

template void size_map(const Context&, const View<std::uint16_t>&, const WholeSides&, bool, std::uint16_t, Stage&);
template void size_map(const Context&, const View<std::uint32_t>&, const WholeSides&, bool, std::uint32_t, Stage&);
template void size_map(const Context&, const View<std::uint64_t>&, const WholeSides&, bool, std::uint64_t, Stage&);

std::int64_t size_map_tasks(std::int64_t slices) { return slices; }

std::int64_t list_bytes(std::int64_t row_samples, std::int64_t rows, std::int64_t slices, std::int64_t lane_bytes) {
  // Six layers at a time, and a ball of 12 to 24 bytes for every fourth voxel.
  return row_samples * rows * std::min<std::int64_t>(slices, 6 * edge) * (lane_bytes == 2 ? 3 : 6);
}

}  // namespace tamis::granulometry_detail::cpu::balls
