// A step on bands of samples, one after the other.
#pragma once

#include <atomic>
#include <type_traits>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

#include "median/cpu/band.hpp"
#include "median/cpu/bucket/run.hpp"
#include "median/cpu/engines.hpp"
#include "median/cpu/network/run.hpp"

namespace tamis::median_detail::cpu {

/// Samples become keys, engines find results among them, and these become samples again. Keeps its memory.
template <class Sample>
class BandRunner {
 public:
  /// `around_nan`: there may be NaN, which is left out. Otherwise NaN may set `met_nan`, and end the work.
  BandRunner(const Context& context, const RankStep& step, const Plan& plan, bool around_nan, const Image& image,
             Image& out, std::atomic<bool>& met_nan);
  void run(const Band& band);

 private:
  using K = Key<Sample>;
  void run_rows(const Band& band, const std::int32_t* ranks, std::int64_t rank_stride);
  void run_shrinking(const Band& band);
  void run_engines(const BandTask<K>& work);
  void run_engine(const BandTask<K>& work);
  void run_part(BandTask<K> work, const Band& band, std::int64_t x0, std::int64_t x1);
  void put_samples(const BandTask<K>& work) const;
  void put_unseen(const BandTask<K>& work, std::int64_t z, std::int64_t y) const;

  Simd simd_;
  const RankStep& step_;
  const Plan& plan_;
  bool around_nan_;
  const Image& image_;
  Image& out_;
  std::atomic<bool>& met_nan_;
  bool three_;  ///< 3x3 straight from the image, without a slab of keys
  KeySlab<K> slab_;
  NetworkBands<K> network_;
  BucketBands<std::conditional_t<sizeof(K) == 1, std::uint16_t, K>> buckets_;  ///< bytes have none
};

}  // namespace tamis::median_detail::cpu
