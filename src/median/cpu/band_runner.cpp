#include "median/cpu/band_runner.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "median/cpu/bisect/run.hpp"
#include "median/cpu/histogram/run.hpp"
#include "median/cpu/keys.hpp"
#include "median/cpu/network/run.hpp"
#include "median/cpu/rank_map.hpp"

namespace tamis::median_detail::cpu {
namespace {

/// Whether the window of a sample sees any other, or itself.
bool sees_any(const OffsetSet& window, const Shape& shape, const Offset& sample) {
  const auto inside = [](std::int64_t i, std::int64_t n) { return i >= 0 && i < n; };
  return std::any_of(window.runs().begin(), window.runs().end(), [&](const OffsetSet::Run& run) {
    const Offset first = sample + run.start;
    return inside(first.z, shape.z) && inside(first.y, shape.y) && first.x < shape.x && first.x + run.length > 0;
  });
}

bool any_unseen(const std::int32_t* ranks, std::int64_t nx) {
  std::int32_t least = 0;
  for (std::int64_t x = 0; x < nx; ++x) least = std::min(least, ranks[x]);
  return least < 0;
}

}  // namespace

template <class Sample>
BandRunner<Sample>::BandRunner(const Context& context, const RankStep& step, const Plan& plan, bool around_nan,
                               const Image& image, Image& out, std::atomic<bool>& met_nan)
    : simd_(context.simd),
      step_(step),
      plan_(plan),
      around_nan_(around_nan),
      image_(image),
      out_(out),
      met_nan_(met_nan),
      three_(!around_nan && three_can(plan.network, step, image)),
      network_(plan.network) {}

template <class Sample>
void BandRunner<Sample>::run(const Band& band) {
  if (met_nan_) return;
  if (three_) {
    if (!three_from_image<Sample>(simd_, step_, image_, band, out_)) met_nan_ = true;
    return;
  }
  if (slab_.template fill<Sample>(image_, step_, band, simd_) && !around_nan_) {
    met_nan_ = true;
    return;
  }
  if constexpr (std::is_same_v<Sample, float>) {
    if (around_nan_) {
      std::vector<std::int32_t> ranks = counts_present(slab_, step_, band, image_.shape());
      make_ranks(step_, image_.shape().x, ranks);
      return run_rows(band, ranks.data(), image_.shape().x);
    }
  }
  if (step_.shrinks()) return run_shrinking(band);
  run_rows(band, nullptr, 0);
}

template <class Sample>
void BandRunner<Sample>::run_shrinking(const Band& band) {
  for (const BandRows& rows : split_rows(step_.window.box(), band, image_.shape())) {
    const Band& part = rows.band;
    const Band counted = rows.alike ? Band{part.z0, part.z0 + 1, part.y0, part.y0 + 1} : part;
    std::vector<std::int32_t> ranks = counts_inside(step_, counted, image_.shape());
    make_ranks(step_, image_.shape().x, ranks);
    run_rows(part, ranks.data(), rows.alike ? 0 : image_.shape().x);
  }
}

template <class Sample>
void BandRunner<Sample>::run_rows(const Band& band, const std::int32_t* ranks, std::int64_t rank_stride) {
  BandTask<K> work;
  work.in = &slab_;
  work.step = &step_;
  work.band = band;
  work.nx = image_.shape().x;
  work.x1 = work.nx;
  work.out = out_.row<K>(band.z0, band.y0);
  work.row_stride = out_.row_bytes() / static_cast<std::int64_t>(sizeof(K));
  work.slice_stride = out_.slice_bytes() / static_cast<std::int64_t>(sizeof(K));
  work.ranks = ranks;
  work.rank_stride = rank_stride;
  work.simd = simd_;
  run_engines(work);
  put_samples(work);
}

template <class Sample>
void BandRunner<Sample>::run_engine(const BandTask<K>& work) {
  switch (plan_.engine) {
    case Engine::Bisection:
      return bisect_band(work);
    case Engine::Histogram:
      if constexpr (sizeof(K) == 1) {
        return histogram_band(work);
      } else {
        return buckets_.run(work);
      }
    case Engine::RankSet:
      return rank_set_band(work, plan_.slides);
  }
}

/// A network finds one rank only, but so fast that it may compute all results; engines then redo those of another rank.
template <class Sample>
void BandRunner<Sample>::run_engines(const BandTask<K>& work) {
  if (!plan_.by_network) return run_engine(work);
  if (!work.ranks) return network_.run(work);
  const Band& band = work.band;
  const bool alike = work.rank_stride == 0;
  const Band looked_at = alike ? Band{band.z0, band.z0 + 1, band.y0, band.y0 + 1} : band;
  const std::vector<BandPart> parts = varied_parts(work.ranks, looked_at, work.nx, step_.rank);
  std::int64_t count = 0;
  for (const BandPart& part : parts) count += part.count();
  if (2 * count > (looked_at.z1 - looked_at.z0) * (looked_at.y1 - looked_at.y0) * work.nx) {
    return run_engine(work);
  }
  BandTask<K> same = work;
  same.ranks = nullptr;
  network_.run(same);
  for (const BandPart& part : parts) run_part(work, alike ? band : part.band, part.x0, part.x1);
}

template <class Sample>
void BandRunner<Sample>::run_part(BandTask<K> work, const Band& band, std::int64_t x0, std::int64_t x1) {
  work.out = work.out_row(band.z0, band.y0);
  work.ranks = work.rank_row(band.z0, band.y0);
  work.band = band;
  work.x0 = x0;
  work.x1 = x1;
  run_engine(work);
}

/// Keys become samples where they lie.
template <class Sample>
void BandRunner<Sample>::put_samples(const BandTask<K>& work) const {
  bool unseen = work.ranks && work.rank_stride == 0 && any_unseen(work.ranks, work.nx);
  for (std::int64_t z = work.band.z0; z < work.band.z1; ++z) {
    for (std::int64_t y = work.band.y0; y < work.band.y1; ++y) {
      K* const keys = work.out_row(z, y);
      if constexpr (std::is_same_v<Sample, float>) {
        floats_of_keys(simd_, keys, work.nx);
      } else if constexpr (!std::is_same_v<K, Sample>) {
        for (std::int64_t x = 0; x < work.nx; ++x) {
          const Sample sample = sample_of<Sample>(keys[x]);
          std::memcpy(keys + x, &sample, sizeof(sample));
        }
      }
      if (work.ranks && work.rank_stride != 0) unseen = any_unseen(work.rank_row(z, y), work.nx);
      if (unseen) put_unseen(work, z, y);
    }
  }
}

/// Where windows see nothing of the image, the sample stays; where they see only NaN, the result is NaN.
template <class Sample>
void BandRunner<Sample>::put_unseen(const BandTask<K>& work, std::int64_t z, std::int64_t y) const {
  const std::int32_t* const ranks = work.rank_row(z, y);
  for (std::int64_t x = 0; x < work.nx; ++x) {
    if (ranks[x] >= 0) continue;
    K* const out = work.out_row(z, y) + x;
    step_.stop_if_cancelled();  // windows may be of very many runs
    // Other borders show samples of the image, however far away a window lies.
    if (around_nan_ && (!step_.shrinks() || sees_any(step_.window, image_.shape(), {z, y, x}))) {
      const Sample none = sample_of<Sample>(absent<K>);
      std::memcpy(out, &none, sizeof(none));
    } else {
      std::memcpy(out, image_.row<K>(z, y) + x, sizeof(K));
    }
  }
}

template class BandRunner<std::uint8_t>;
template class BandRunner<std::uint16_t>;
template class BandRunner<std::int16_t>;
template class BandRunner<float>;

}  // namespace tamis::median_detail::cpu
