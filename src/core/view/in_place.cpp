// Filters of an image onto itself: bands of rows, or of slices, are filtered into memory that stays in the caches, and
// written over the image at once. Only the lines at the sides of a band, which the windows of its neighbours still look
// at, are kept until all bands are done. So nothing is copied before, and the image is read once and written once.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <tamis/memory.hpp>

#include "core/cpu/copy.hpp"
#include "core/cpu/parallel.hpp"
#include "core/cpu/workspace_pool.hpp"
#include "core/image_over.hpp"
#include "core/memory.hpp"
#include "core/operation/filter_image.hpp"
#include "core/stage.hpp"
#include "core/view/view.hpp"

namespace tamis::view_detail {
namespace {

constexpr std::int64_t band_bytes = 1 << 20;  // results that an L2 holds, and many times what a call costs
constexpr std::int64_t least_of_sides = 24;   // what is filtered twice is a twelfth at most
constexpr std::int64_t bands_a_thread = 2;

/// An image that is cut along z where results depend on other slices, otherwise along y, each slice alone. A line is
/// what cuts run between: a slice, or a row.
struct Cuts {
  bool along_z;
  Shape shape;
  std::int64_t sides, lines, line_bytes;
  std::int64_t in_part = 0;  ///< bands of the volume, or of each slice; 0: windows are too large

  Cuts(const Image& image, const Offset& reach, std::int64_t threads) : along_z(reach.z > 0), shape(image.shape()) {
    sides = std::max<std::int64_t>(along_z ? reach.z : reach.y, 1);
    lines = along_z ? shape.z : shape.y;
    line_bytes = (along_z ? shape.y : 1) * shape.x * sample_bytes(image.type());
    const std::int64_t wanted = std::max(lines * line_bytes / band_bytes, threads * bands_a_thread / parts());
    if (sides <= lines / least_of_sides)
      in_part = std::clamp<std::int64_t>(wanted, 1, lines / (least_of_sides * sides));
  }

  [[nodiscard]] std::int64_t parts() const { return along_z ? 1 : shape.z; }
  [[nodiscard]] std::int64_t bands() const { return in_part * parts(); }
  [[nodiscard]] std::int64_t edge(std::int64_t band) const { return lines * band / in_part; }
  [[nodiscard]] std::int64_t most_seen() const { return lines / in_part + 1 + 2 * sides; }
  /// Of so many lines.
  [[nodiscard]] Shape shape_of(std::int64_t count) const {
    return along_z ? Shape{count, shape.y, shape.x, shape.rank} : Shape{1, count, shape.x, shape.rank};
  }
  /// Some lines of an image that is cut so.
  [[nodiscard]] Image some(const Image& of, std::int64_t part, std::int64_t first, std::int64_t count) const {
    const std::byte* const begin = along_z ? of.row<std::byte>(first, 0) : of.row<std::byte>(part, first);
    Image image =
        image_over(const_cast<std::byte*>(begin), of.type(), shape_of(count), of.row_bytes(), of.slice_bytes());
    image.spacing = of.spacing;
    return image;
  }
};

/// For one of several threads, which share what is left beside `bytes`.
Context alone(const Context& context, std::int64_t bytes, std::int64_t threads) {
  Context one = beside(context, bytes);
  one.device = Device::Cpu;
  one.threads = 1;
  one.memory_bytes = (one.memory_bytes + threads - 1) / threads;
  one.on_progress = nullptr;
  one.on_stage = nullptr;
  return one;
}

}  // namespace

bool run_in_place(const Context& context, std::string_view what, Image& image, const Offset& reach, const Run& run) {
  const std::int64_t threads = thread_count(context);
  const Cuts cuts(image, reach, threads);
  const std::int64_t bands = cuts.bands(), sides = cuts.sides;
  if (bands < std::max<std::int64_t>(threads, 2)) return false;
  if (image.type() == Type::F32 && holds_nan(context, image)) return false;
  const std::int64_t bytes = (threads * cuts.most_seen() + 2 * sides * bands) * cuts.line_bytes;
  require_memory(context, "what is filtered of an image onto itself at a time", bytes);
  const Context one = alone(context, bytes, threads);
  const auto put = [&](const Image& from, std::int64_t line, std::int64_t count, Image& to, std::int64_t part,
                       std::int64_t first) {
    Image there = cuts.some(to, part, first, count);
    copy_samples(one, cuts.some(from, 0, line, count), there);
  };
  Image kept(image.type(), cuts.shape_of(2 * sides * bands));
  using Memory = Buffer<std::byte>;
  WorkspacePool<Memory> pool([&] { return std::make_unique<Memory>(cuts.most_seen() * cuts.line_bytes); });
  Stage stage(context, std::string(what), bands);
  parallel_for(context, bands, [&](std::int64_t i) {
    const std::int64_t part = i / cuts.in_part, begin = cuts.edge(i % cuts.in_part),
                       end = cuts.edge(i % cuts.in_part + 1);
    const std::int64_t from = std::max<std::int64_t>(begin - sides, 0), to = std::min(end + sides, cuts.lines);
    pool.with([&](Memory& memory) {
      const Image seen = cuts.some(image, part, from, to - from);
      const Image* const read[] = {&seen};
      Image made = image_over(memory.data(), seen.type(), seen.shape());
      run(one, read, made);
      put(made, begin - from, sides, kept, 0, 2 * sides * i);
      put(made, end - sides - from, sides, kept, 0, 2 * sides * i + sides);
      put(made, begin + sides - from, end - begin - 2 * sides, image, part, begin + sides);
    });
    stage.advance();
  });
  parallel_for(context, 2 * bands, [&](std::int64_t side) {
    const std::int64_t part = side / 2 / cuts.in_part, edge = cuts.edge(side / 2 % cuts.in_part + side % 2);
    put(kept, side * sides, sides, image, part, edge - side % 2 * sides);
  });
  return true;
}

}  // namespace tamis::view_detail
