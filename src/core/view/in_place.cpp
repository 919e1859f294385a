// Filters of an image onto itself: bands of rows are filtered into memory that stays in the caches, and written over
// the image at once. Only the rows at the sides of a band, which the windows of its neighbours still look at, are kept
// until all bands are done. So nothing is copied before, and the image is read once and written once.
#include <algorithm>
#include <memory>

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
constexpr std::int64_t least_of_sides = 10;   // what is filtered twice is a fifth at most
constexpr std::int64_t bands_a_thread = 2;
constexpr std::int64_t most_band_bytes = 8 << 20;  // from here on engines write past the caches: a copy takes no longer

/// Some rows of each slice.
Image rows_of(const Image& image, std::int64_t first, std::int64_t count) {
  auto* const begin = const_cast<std::byte*>(image.row<std::byte>(0, first));
  const auto& [z, y, x, rank] = image.shape();
  Image rows = image_over(begin, image.type(), {z, count, x, rank}, image.row_bytes(), image.slice_bytes());
  rows.spacing = image.spacing;
  return rows;
}

}  // namespace

bool run_in_place(const Context& context, std::string_view what, Image& image, std::int64_t reach, const Run& run) {
  const Shape& shape = image.shape();
  const std::int64_t threads = thread_count(context), sides = std::max<std::int64_t>(reach, 1);
  const std::int64_t most = sides > shape.y ? 0 : shape.y / (least_of_sides * sides);
  const std::int64_t bands =
      std::min(most, std::max(image_bytes(image.type(), shape) / band_bytes, threads * bands_a_thread));
  if (bands < std::max<std::int64_t>(threads, 2)) return false;
  const std::int64_t bytes =
      (shape.y / bands + 1 + 2 * sides) * image_bytes(image.type(), {shape.z, 1, shape.x, shape.rank});
  if (bytes > most_band_bytes || (image.type() == Type::F32 && holds_nan(context, image))) return false;
  Image kept(image.type(), {shape.z, 2 * sides * bands, shape.x, shape.rank});
  require_memory(context, "what is filtered of an image onto itself at a time", threads * bytes + kept.bytes());
  const std::int64_t left = beside(context, threads * bytes + kept.bytes()).memory_bytes;
  Context one = context;
  one.device = Device::Cpu, one.threads = 1, one.memory_bytes = (left + threads - 1) / threads;
  one.on_progress = nullptr, one.on_stage = nullptr;  // bands do not report
  const auto put = [&](const Image& from, std::int64_t row, std::int64_t count, const Image& to, std::int64_t first) {
    Image there = rows_of(to, first, count);
    copy_samples(one, rows_of(from, row, count), there);
  };
  const auto edge = [&](std::int64_t band) { return shape.y * band / bands; };
  WorkspacePool<Buffer<std::byte>> pool([&] { return std::make_unique<Buffer<std::byte>>(bytes); });
  Stage stage(context, std::string(what), bands);
  parallel_for(context, bands, [&](std::int64_t band) {
    const std::int64_t begin = edge(band), end = edge(band + 1), from = std::max<std::int64_t>(begin - sides, 0);
    const Image seen = rows_of(image, from, std::min(end + sides, shape.y) - from);
    const Image* const read[] = {&seen};
    pool.with([&](Buffer<std::byte>& memory) {
      Image made = image_over(memory.data(), seen.type(), seen.shape());
      run(one, read, made);
      put(made, begin - from, sides, kept, 2 * sides * band);
      put(made, end - sides - from, sides, kept, 2 * sides * band + sides);
      put(made, begin + sides - from, end - begin - 2 * sides, image, begin + sides);
    });
    stage.advance();
  });
  parallel_for(context, bands, [&](std::int64_t band) {
    put(kept, 2 * sides * band, sides, image, edge(band));
    put(kept, 2 * sides * band + sides, sides, image, edge(band + 1) - sides);
  });
  return true;
}

}  // namespace tamis::view_detail
