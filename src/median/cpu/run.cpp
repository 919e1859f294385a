#include "median/cpu/run.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include <fmt/format.h>

#include "core/border.hpp"
#include "core/cpu/parallel.hpp"
#include "core/cpu/simd.hpp"
#include "median/cpu/band_runner.hpp"
#include "median/cpu/bits/run.hpp"
#include "median/cpu/bucket/run.hpp"
#include "median/cpu/engines.hpp"

namespace tamis::median_detail::cpu {
namespace {

/// Bytes that a thread takes for what a band sees, unless the window alone needs more.
std::int64_t slab_bytes(const Context& context) {
  constexpr std::int64_t most = std::int64_t{64} << 20, share = 4;
  if (context.memory_bytes == 0) return most;
  return std::min(most, context.memory_bytes / (share * thread_count(context)));
}

/// Of `total`, a share of at most `most` that gives each of the threads as many shares.
std::int64_t even_share(std::int64_t total, std::int64_t most, std::int64_t threads) {
  if (total <= most) return total;
  const std::int64_t rounds = (total + most * threads - 1) / (most * threads);
  return (total + rounds * threads - 1) / (rounds * threads);
}

/// Slices and rows of a band: enough that what lies around them is little beside them, and not so many that a band
/// takes long, for no one can stop it, or much memory, or that threads have nothing to share.
std::vector<Band> bands_of(const Context& context, const RankStep& step, const Shape& shape, std::int64_t key_bytes,
                           double nanoseconds, const Offset& tile = {}) {
  constexpr std::int64_t least_rows = 64, around = 16;
  constexpr double most_nanoseconds = 2e8;
  constexpr double least_nanoseconds = 2e4;  // as much as it takes to wake a thread, several times over
  const OffsetBox& box = step.window.box();
  const Offset reach = box.high - box.low;
  const auto in_time = static_cast<std::int64_t>(most_nanoseconds / nanoseconds) / shape.x;
  const std::int64_t share = std::max((shape.z * shape.y + thread_count(context) - 1) / thread_count(context),
                                      static_cast<std::int64_t>(least_nanoseconds / nanoseconds) / shape.x);
  const std::int64_t most_rows = std::max<std::int64_t>(std::min(in_time, share), 1);
  const std::int64_t seen_rows = slab_bytes(context) / ((shape.x + reach.x) * key_bytes);
  const auto wanted = [](std::int64_t most, std::int64_t part) {
    return part == 0 ? most : std::max<std::int64_t>(most / part, 1) * part;
  };
  std::int64_t rows = std::min({shape.y, wanted(std::max(least_rows, around * reach.y), tile.y), most_rows,
                                std::max(seen_rows / (reach.z + 1) - reach.y, reach.y + 1)});
  const bool is_shared = shape.z == 1 && rows < shape.y;
  if (tile.y == 0) rows = even_share(shape.y, rows, is_shared ? thread_count(context) : 1);
  std::int64_t slices = std::min(shape.z, reach.z == 0 ? 1 : wanted(around * reach.z, tile.z));
  while (slices > 1 && (slices * rows > most_rows || (slices + reach.z) * (rows + reach.y) > seen_rows)) {
    slices = (slices + 1) / 2;
  }
  std::vector<Band> bands;
  for (std::int64_t z = 0; z < shape.z; z += slices) {
    for (std::int64_t y = 0; y < shape.y; y += rows) {
      bands.push_back({z, std::min(z + slices, shape.z), y, std::min(y + rows, shape.y)});
    }
  }
  return bands;
}

/// make_worker() for each thread; what it gives runs one band after the other and keeps its memory.
template <class MakeWorker>
void share_bands(const Context& context, const std::vector<Band>& bands, Stage& stage, const MakeWorker& make_worker) {
  std::atomic<std::size_t> next{0};
  const std::int64_t workers = std::min<std::int64_t>(thread_count(context), static_cast<std::int64_t>(bands.size()));
  parallel_for(context, workers, [&](std::int64_t) {
    auto worker = make_worker();
    for (std::size_t i = next++; i < bands.size(); i = next++) {
      worker.run(bands[i]);
      stage.advance((bands[i].z1 - bands[i].z0) * (bands[i].y1 - bands[i].y0));
    }
  });
}

/// False: there is NaN that is not left out.
template <class Sample>
bool run_samples(const Context& context, const RankStep& step, const Plan& plan, bool around_nan, const Image& image,
                 Image& out, Stage& stage) {
  const bool tiles = sizeof(Sample) > 1 && plan.engine == Engine::Histogram && !plan.by_network;
  const Offset tile = tiles ? bucket_tile_extent(step, image.shape(), sizeof(Sample)) : Offset{};
  const std::vector<Band> bands = bands_of(context, step, image.shape(), sizeof(Sample), plan.nanoseconds, tile);
  std::atomic<bool> met_nan{false};
  share_bands(context, bands, stage,
              [&] { return BandRunner<Sample>(context, step, plan, around_nan, image, out, met_nan); });
  return !met_nan;
}

bool run_bits(const Context& context, const RankStep& step, const Image& image, Image& out, Stage& stage) {
  constexpr std::int64_t bytes = 1;  // eight times too many, but with planes of sums beside them
  const std::vector<Band> bands = bands_of(context, step, image.shape(), bytes, bits_nanoseconds(step));
  share_bands(context, bands, stage, [&] { return BitBands(context, step, image, out); });
  return true;
}

/// On an image with what the border shows around it. What lies beyond reaches only results that are cut off.
bool run_laid_out(const Context& context, const RankStep& step, const Plan& plan, bool around_nan, const Image& image,
                  Image& out, Stage& stage) {
  RankStep within = step;
  within.border = Border::reflect();
  const Extent extent = extent_of(image.shape(), step.window.box());
  const Image wide = extended(context, image, extent, step.border.kind);
  Image result(wide.type(), wide.shape());
  if (!run(context, within, plan, around_nan, wide, result, stage)) return false;
  cut_out(context, result, extent, out);
  return true;
}

}  // namespace

Shape worked_on(const RankStep& step, const Shape& shape) {
  return is_laid_out(step.border) ? extent_of(shape, step.window.box()).shape : shape;
}

bool run(const Context& context, const RankStep& step, const Plan& plan, bool around_nan, const Image& image,
         Image& out, Stage& stage) {
  if (is_laid_out(step.border)) return run_laid_out(context, step, plan, around_nan, image, out, stage);
  const Type type = image.type();
  if (type == Type::Bool) return run_bits(context, step, image, out, stage);
  if (type == Type::U16) return run_samples<std::uint16_t>(context, step, plan, false, image, out, stage);
  if (type == Type::I16) return run_samples<std::int16_t>(context, step, plan, false, image, out, stage);
  if (type == Type::F32) return run_samples<float>(context, step, plan, around_nan, image, out, stage);
  return run_samples<std::uint8_t>(context, step, plan, false, image, out, stage);
}

bool looks_for_nan(const RankStep& step, const Plan& plan, const Image& image) {
  return image.type() == Type::F32 && plan.by_network && step.window.contains({});
}

std::string describe(const Context& context, const RankStep& step, const Plan& plan, Type type) {
  const std::size_t runs = step.window.runs().size();
  const std::string window = fmt::format("{} samples in {} {}", step.count, runs, runs == 1 ? "row" : "rows");
  const std::string where = fmt::format("{} on {}", name(type), simd_name(context.simd));
  if (type == Type::Bool) {
    return fmt::format("{}: {} ({})", window, sums_bits(step) ? "sums of packed bits" : "packed bits counted", where);
  }
  return fmt::format("{}: {} ({})", window, plan.text(step.shrinks()), where);
}

}  // namespace tamis::median_detail::cpu
