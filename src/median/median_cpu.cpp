#include "median/median_cpu.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/cpu/parallel.hpp"
#include "median/band_work.hpp"
#include "median/rank_map.hpp"
#include "median/select_cpu.hpp"

namespace tamis::median_detail {
namespace {

std::vector<Band> bands_of(const Shape& shape) {
  constexpr std::int64_t rows = 64;
  std::vector<Band> bands;
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; y += rows) bands.push_back({z, z + 1, y, std::min(y + rows, shape.y)});
  }
  return bands;
}

/// Where windows see nothing of the image the sample stays; where they see only NaN, NaN. `keys` are results.
template <class K>
void put_unseen(const BandWork<K>& work, const Image& image, std::int64_t z, std::int64_t y, K* keys) {
  const std::int32_t* const ranks = work.rank_row(z, y);
  const Shape& shape = image.shape();
  const auto inside = [](std::int64_t i, std::int64_t n) { return i >= 0 && i < n; };
  for (std::int64_t x = 0; x < work.nx; ++x) {
    if (ranks[x] >= 0) continue;
    const auto& runs = work.step->window.runs();
    const bool sees = std::any_of(runs.begin(), runs.end(), [&](const OffsetSet::Run& run) {
      const std::int64_t first = x + run.start.x;
      return inside(z + run.start.z, shape.z) && inside(y + run.start.y, shape.y) && first < shape.x &&
             first + run.length > 0;
    });
    keys[x] = absent<K>;
    if (!sees) std::memcpy(keys + x, image.row<K>(z, y) + x, sizeof(K));
  }
}

template <class Sample>
class BandRunner {
 public:
  using K = Key<Sample>;
  BandRunner(const Context& context, const RankStep& step, bool around_nan, const Image& image, Image& out)
      : simd_(context.simd), step_(step), varies_(around_nan || step.shrinks()), image_(image), out_(out) {}

  void run(const Band& band) {
    slab_.template fill<Sample>(image_, step_.window.box(), step_.border, band);
    BandWork<K> work;
    work.in = &slab_;
    work.step = &step_;
    work.band = band;
    work.nx = image_.shape().x;
    work.out = out_.row<K>(band.z0, band.y0);
    work.row_stride = work.nx;
    work.slice_stride = work.nx * image_.shape().y;
    work.simd = simd_;
    std::vector<std::int32_t> ranks;
    if (varies_) {
      ranks = ranks_of(slab_, step_, band, image_.shape());
      work.ranks = ranks.data();
    }
    select_band(work);
    finish(work);
  }

 private:
  /// Keys become samples where they lie.
  void finish(const BandWork<K>& work) const {
    for (std::int64_t z = work.band.z0; z < work.band.z1; ++z) {
      for (std::int64_t y = work.band.y0; y < work.band.y1; ++y) {
        K* const keys = work.out_row(z, y);
        for (std::int64_t x = 0; x < work.nx; ++x) {
          const Sample sample = sample_of<Sample>(keys[x]);
          std::memcpy(keys + x, &sample, sizeof(sample));
        }
        if (work.ranks) put_unseen_samples(work, z, y, keys);
      }
    }
  }
  void put_unseen_samples(const BandWork<K>& work, std::int64_t z, std::int64_t y, K* keys) const {
    put_unseen(work, image_, z, y, keys);
  }

  Simd simd_;
  const RankStep& step_;
  bool varies_;
  const Image& image_;
  Image& out_;
  KeySlab<K> slab_;
};

template <class Sample>
void run_samples(const Context& context, const RankStep& step, bool around_nan, const Image& image, Image& out,
                 Stage& stage) {
  const std::vector<Band> bands = bands_of(image.shape());
  std::atomic<std::size_t> next{0};
  // Each worker keeps its slab from band to band.
  parallel_for(context, thread_count(context), [&](std::int64_t) {
    BandRunner<Sample> runner(context, step, around_nan, image, out);
    for (std::size_t i = next++; i < bands.size(); i = next++) {
      runner.run(bands[i]);
      stage.advance((bands[i].z1 - bands[i].z0) * (bands[i].y1 - bands[i].y0));
    }
  });
}

/// Bits as bytes of 0 and 1, and back.
Image bytes_of(const Context& context, const Image& bits) {
  Image bytes(Type::U8, bits.shape());
  parallel_for(context, bits.shape().z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < bits.shape().y; ++y) {
      for (std::int64_t x = 0; x < bits.shape().x; ++x) bytes.row<std::uint8_t>(z, y)[x] = bits.bit(z, y, x) ? 1 : 0;
    }
  });
  return bytes;
}
void put_bits(const Context& context, const Image& bytes, Image& bits) {
  parallel_for(context, bits.shape().z, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < bits.shape().y; ++y) {
      auto* const words = bits.row<std::uint64_t>(z, y);
      std::fill_n(words, bits.row_bytes() / 8, std::uint64_t{0});
      for (std::int64_t x = 0; x < bits.shape().x; ++x) {
        words[x / 64] |= std::uint64_t{bytes.row<std::uint8_t>(z, y)[x]} << (x % 64);
      }
    }
  });
}

}  // namespace

void run_cpu(const Context& context, const RankStep& step, bool around_nan, const Image& image, Image& out,
             Stage& stage) {
  switch (image.type()) {
    case Type::Bool: {
      Image result(Type::U8, image.shape());
      run_samples<std::uint8_t>(context, step, false, bytes_of(context, image), result, stage);
      return put_bits(context, result, out);
    }
    case Type::U16:
      return run_samples<std::uint16_t>(context, step, false, image, out, stage);
    case Type::I16:
      return run_samples<std::int16_t>(context, step, false, image, out, stage);
    case Type::F32:
      return run_samples<float>(context, step, around_nan, image, out, stage);
    default:
      return run_samples<std::uint8_t>(context, step, false, image, out, stage);
  }
}

std::string describe_cpu(const Context&, const RankStep& step, Type, const Shape&) {
  return fmt::format("quick selection among {} samples", step.count);
}

}  // namespace tamis::median_detail
