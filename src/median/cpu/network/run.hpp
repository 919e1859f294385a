// Medians and other ranks of full boxes by sorting networks: the same instructions for every pixel, on vectors of them.
#pragma once

#include <vector>

#include <tamis/image.hpp>

#include "core/memory.hpp"
#include "median/cpu/band.hpp"
#include "median/cpu/network/kernels.hpp"
#include "median/cpu/network/program.hpp"

namespace tamis::median_detail::cpu {

/// Whether a step's window is a box that networks are made for, of one rank everywhere.
[[nodiscard]] bool network_can(const RankStep& step);
/// A row of nx results, with the vectors that strips are made for.
[[nodiscard]] NetworkRow network_row(std::int64_t nx, std::int64_t key_bytes);
/// The network for such a step, fastest for such rows.
[[nodiscard]] NetworkProgram network_for(const RankStep& step, const NetworkRow& row = {});

/// Runs a network on one band after the other; keeps its memory.
template <class K>
class NetworkBands {
 public:
  explicit NetworkBands(const NetworkProgram& program) : program_(program) {}
  /// For work without `ranks`.
  void run(const BandTask<K>& work);

 private:
  /// Tiles `tile` ... `tile + tiles - 1` of each row of tiles.
  struct Strip {
    std::int64_t tile = 0, tiles = 0;
  };
  void prepare(const BandTask<K>& work);
  void run_strip(const BandTask<K>& work, const Strip& strip, std::int64_t z);
  void make_row(const BandTask<K>& work, const Strip& strip, std::int64_t z, std::int64_t y, K* row);
  template <class Run>
  void for_groups(std::int64_t first_lane, std::int64_t lanes, Run run_group);
  void run_program(const Program& program, std::int64_t first_lane, std::int64_t lanes);
  void write(const BandTask<K>& work, const Strip& strip, std::int64_t z, std::int64_t y) const;
  [[nodiscard]] std::int64_t lanes_of(const Strip& strip) const;

  const NetworkProgram& program_;
  NetworkKernels<K> kernels_;
  SquareKernels<K> square_;
  std::int64_t nx_ = -1;
  std::int64_t strip_tiles_ = 0, pitch_ = 0, group_lanes_ = 0;
  std::int64_t row_elements_ = 0;
  Buffer<K> scratch_, columns_, results_, rows_, slices_;
  std::vector<K*> at_;
};

// The median of 3 x 3 samples: so little work that reading and writing must not be more.

/// For work without `ranks` on a window of 3 x 3 samples and their median.
template <class K>
void three_band(const BandTask<K>& work);

/// Whether three_from_image() does what the network does: windows around their sample, borders that do not shrink.
[[nodiscard]] bool three_can(const NetworkProgram& network, const RankStep& step, const Image& image);
/// From image to image, without keys between. False: there is NaN, and what was written means nothing.
template <class Sample>
[[nodiscard]] bool three_from_image(Simd simd, const RankStep& step, const Image& image, const Band& band, Image& out);

}  // namespace tamis::median_detail::cpu
