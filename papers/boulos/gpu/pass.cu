#include "papers/boulos/gpu/pass.hpp"

#include <algorithm>

#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "papers/boulos/gpu/quads.cuh"

namespace tamis::boulos::gpu {
namespace {

using cuda::whole_warp;
using namespace quad_kernel;

/// The grid and its tiles as a kernel wants them.
struct Layout {
  unsigned batch, z, y, quads;
  int x;
  bool y_is_axis;
  unsigned width, across, rows, chunk, chunks;
};

/// Both operations as one body: how neighbours combine, and what stands outside.
template <PassStep step>
struct Operation {
  static constexpr unsigned outside = step == PassStep::ErodeNeutral ? ~0U : 0U;
  /// What a missing axis contributes: nothing.
  static constexpr unsigned identity = step == PassStep::Dilate ? 0U : ~0U;
  /// Whether the result can have bits outside the domain. An erosion lies within its centre.
  static constexpr bool leaks = step != PassStep::Erode;

  static __device__ __forceinline__ uint4 combine(uint4 a, uint4 b) { return step == PassStep::Dilate ? a | b : a & b; }
  static __device__ __forceinline__ unsigned combine(unsigned a, unsigned b) {
    return step == PassStep::Dilate ? a | b : a & b;
  }
};

/// The column of a thread, in the order of the march: slice s is z = s, or the last slice minus s. Quads are counted
/// modulo 2^32, in one register: 2^32 of them are 64 GiB, and an operation needs four such grids.
struct Column {
  unsigned first = 0;  ///< index of the quad at s = 0
  unsigned slice = 0;  ///< quads from s to s + 1
  unsigned domain_first = 0, domain_slice = 0;
  int begin = 0;          ///< first slice of the chunk
  int end = 0;            ///< where results end; 0 for a thread without a column
  unsigned readable = 0;  ///< where slices that the chunk needs end
  unsigned quad = 0;
  bool up = false, down = false;               ///< whether there are rows before and after
  bool left = false, right = false;            ///< whether there are quads before and after
  bool left_lane = false, right_lane = false;  ///< whether the neighbouring lane has them
};

__device__ Column column_of(const Layout& layout, const Pass& pass) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned tile = blockIdx.x % layout.across;
  const unsigned row = threadIdx.x / layout.width;
  const unsigned place = threadIdx.x - row * layout.width;
  const unsigned unit = blockIdx.x / layout.across * layout.rows + row;
  const unsigned rest = unit / layout.y;
  const unsigned y = unit - rest * layout.y;
  const unsigned item = rest / layout.chunks;
  const unsigned chunk = rest - item * layout.chunks;
  Column c;
  c.quad = tile * layout.width + place;
  const bool active = row < layout.rows && c.quad < layout.quads && item < layout.batch;
  const unsigned slice = layout.y * layout.quads;
  const unsigned in_slice = y * layout.quads + c.quad;
  // Descending, the items go backwards too, for the sake of the cache.
  const unsigned which = pass.descending ? layout.batch - 1 - item : item;
  const unsigned z = pass.descending ? layout.z - 1 : 0;
  c.first = (which * layout.z + z) * slice + in_slice;
  c.slice = pass.descending ? 0 - slice : slice;
  c.domain_first = which * pass.domain_item + z * pass.domain_slice + in_slice;
  c.domain_slice = pass.descending ? 0 - pass.domain_slice : pass.domain_slice;
  c.begin = static_cast<int>(chunk * layout.chunk);
  c.end = active ? static_cast<int>(min(layout.z, chunk * layout.chunk + layout.chunk)) : 0;
  c.readable = active ? min(layout.z, chunk * layout.chunk + layout.chunk + 1) : 0;
  c.up = active && layout.y_is_axis && y > 0;
  c.down = active && layout.y_is_axis && y + 1 < layout.y;
  c.left = c.quad > 0;
  c.right = c.quad + 1 < layout.quads;
  c.left_lane = lane > 0 && place > 0;
  c.right_lane = lane < 31 && place + 1 < layout.width;
  return c;
}

/// Reads quads of a column and its neighbours; what lies outside is filled in here and nowhere else.
template <PassStep step, bool has_domain>
class Reader {
 public:
  using Op = Operation<step>;

  __device__ Reader(const Layout& layout, const Pass& pass, const Column& column)
      : pass_(pass),
        column_(column),
        tail_(tail_of(layout.x, static_cast<int>(column.quad))),
        quads_(layout.quads),
        beyond_y_(layout.y_is_axis ? Op::outside : Op::identity) {}

  [[nodiscard]] __device__ __forceinline__ bool has(int s) const {
    return static_cast<unsigned>(s) < column_.readable;  // s may be -1
  }
  [[nodiscard]] __device__ __forceinline__ uint4 centre(int s) const {
    return has(s) ? load(s, 0) : all_of(Op::outside);
  }
  [[nodiscard]] __device__ __forceinline__ uint4 up(int s) const {
    return column_.up && has(s) ? load(s, 0 - quads_) : all_of(beyond_y_);
  }
  [[nodiscard]] __device__ __forceinline__ uint4 down(int s) const {
    return column_.down && has(s) ? load(s, quads_) : all_of(beyond_y_);
  }
  /// The bits of the domain.
  [[nodiscard]] __device__ __forceinline__ uint4 mask(int s) const {
    if constexpr (!has_domain) return tail_;
    return has(s) ? __ldg(pass_.domain + (column_.domain_first + s * column_.domain_slice)) : all_of(0);
  }

  /// Combines a quad with its neighbours along x. `own` is the centre, or with rows = 3 the centre combined with the
  /// rows above and below; the words of neighbouring quads come from lanes, or where no lane has them, from memory.
  template <int rows>
  [[nodiscard]] __device__ __forceinline__ uint4 with_sides(uint4 own, int s) const {
    unsigned left = __shfl_up_sync(whole_warp, own.w, 1);
    unsigned right = __shfl_down_sync(whole_warp, own.x, 1);
    if (!column_.left_lane) left = column_.left ? side<rows>(s, -1) : Op::outside;
    if (!column_.right_lane) right = column_.right ? side<rows>(s, 4) : Op::outside;
    const uint4 from_left = {__funnelshift_l(left, own.x, 1), __funnelshift_l(own.x, own.y, 1),
                             __funnelshift_l(own.y, own.z, 1), __funnelshift_l(own.z, own.w, 1)};
    const uint4 from_right = {__funnelshift_r(own.x, own.y, 1), __funnelshift_r(own.y, own.z, 1),
                              __funnelshift_r(own.z, own.w, 1), __funnelshift_r(own.w, right, 1)};
    return Op::combine(Op::combine(from_left, from_right), own);
  }

 private:
  [[nodiscard]] __device__ __forceinline__ uint4 load(int s, unsigned offset) const {
    const uint4 bits = __ldg(pass_.in + (column_.first + s * column_.slice + offset));
    if constexpr (step != PassStep::ErodeNeutral) return bits;
    if constexpr (!has_domain) return bits | ~tail_;  // rows above and below end at the same place
    return bits | ~__ldg(pass_.domain + (column_.domain_first + s * column_.domain_slice + offset));
  }

  /// A word beside the quad: the one before it, or number `word` from its start.
  [[nodiscard]] __device__ __forceinline__ unsigned load_word(int s, unsigned offset, int word) const {
    const uint4* const quad = pass_.in + (column_.first + s * column_.slice + offset);
    const unsigned bits = __ldg(reinterpret_cast<const unsigned*>(quad) + word);
    // Without a domain the bit next to this quad always lies inside.
    if constexpr (step != PassStep::ErodeNeutral || !has_domain) return bits;
    const uint4* const inside = pass_.domain + (column_.domain_first + s * column_.domain_slice + offset);
    return bits | ~__ldg(reinterpret_cast<const unsigned*>(inside) + word);
  }

  template <int rows>
  [[nodiscard]] __device__ __forceinline__ unsigned side(int s, int word) const {
    if (!has(s)) return Op::outside;
    unsigned bits = load_word(s, 0, word);
    if constexpr (rows == 3) {
      bits = Op::combine(bits, column_.up ? load_word(s, 0 - quads_, word) : beyond_y_);
      bits = Op::combine(bits, column_.down ? load_word(s, quads_, word) : beyond_y_);
    }
    return bits;
  }

  const Pass& pass_;
  const Column& column_;
  uint4 tail_;
  unsigned quads_;
  unsigned beyond_y_;
};

/// Adds the results of a warp to the map. A lane's 128 counters are 256 bytes away from the next lane's, so the warp
/// passes the bits through shared memory and takes 8 counters a lane, side by side.
__device__ __forceinline__ void add_to_map(std::uint16_t* map, unsigned index, uint4 result) {
  __shared__ uint4 shared[warps][32];
  const unsigned lane = threadIdx.x % 32;
  uint4* const mine = shared[threadIdx.x / 32];
  __syncwarp();
  mine[lane] = result;
  __syncwarp();
#pragma unroll 4
  for (unsigned k = 0; k < 16; ++k) {
    const unsigned bits = reinterpret_cast<const std::uint8_t*>(mine)[32 * k + lane];
    const std::int64_t quad = __shfl_sync(whole_warp, index, static_cast<int>(2 * k + lane / 16));
    if (bits == 0) continue;
    uint4* const eight = reinterpret_cast<uint4*>(map + quad * quad_bits) + lane % 16;
    const auto pair = [&](unsigned i) { return (bits >> (2 * i) & 1U) | (bits >> (2 * i + 1) & 1U) << 16; };
    uint4 counters = *eight;
    counters.x += pair(0);
    counters.y += pair(1);
    counters.z += pair(2);
    counters.w += pair(3);
    *eight = counters;
  }
}

template <PassFinish finish>
class Output {
 public:
  __device__ Output(const Pass& pass, const Column& column) : pass_(pass), column_(column) {}

  __device__ __forceinline__ void take(int s, uint4 result) {
    const unsigned index = column_.first + s * column_.slice;
    const bool wanted = s < column_.end;
    if constexpr (finish == PassFinish::Store || finish == PassFinish::StoreAndCount) {
      if (wanted) pass_.out[index] = result;
    }
    if constexpr (finish != PassFinish::Store) ones_ += wanted ? count(result) : 0;
    if constexpr (finish == PassFinish::CountAndMap) add_to_map(pass_.map, index, wanted ? result : all_of(0));
  }
  __device__ void close() const {
    if constexpr (finish != PassFinish::Store) add_up(ones_, pass_.ones);
  }

 private:
  const Pass& pass_;
  const Column& column_;
  int ones_ = 0;
};

/// The pass of Boulos et al.: threads march along z with the slices before, here and after in registers. The 2-D tile
/// that the paper keeps in shared memory is exchanged by lanes along x and through the L1 cache along y: a row's
/// neighbours have just loaded it. So warps never wait for each other, and two slices ahead are always on their way.
/// All lanes stay to the end, since lanes read each other.
template <PassStep step, bool chessboard, bool has_domain, PassFinish finish>
__global__ void __launch_bounds__(block_threads, 1024 / block_threads)
    pass_kernel(const Layout layout, const Pass pass) {
  using Op = Operation<step>;
  const Column column = column_of(layout, pass);
  const Reader<step, has_domain> read(layout, pass, column);
  Output<finish> output(pass, column);
  // More would not fit into the registers of four blocks a multiprocessor.
  constexpr int unroll = chessboard && has_domain ? 1 : chessboard || step != PassStep::Dilate ? 2 : 4;
  const int begin = column.begin;
  const auto chunk = static_cast<int>(layout.chunk);
  if constexpr (chessboard) {
    const auto box = [&](uint4 centre, int s) {
      return read.template with_sides<3>(Op::combine(Op::combine(centre, read.up(s)), read.down(s)), s);
    };
    uint4 ahead[2] = {read.centre(begin + 1), read.centre(begin + 2)};
    uint4 before = box(read.centre(begin - 1), begin - 1);
    uint4 here = box(read.centre(begin), begin);
#pragma unroll unroll
    for (int k = 0; k < chunk; ++k) {
      const int s = begin + k;
      const uint4 later = read.centre(s + 3);
      const uint4 after = box(ahead[0], s + 1);
      uint4 result = Op::combine(Op::combine(before, here), after);
      if constexpr (Op::leaks) result = result & read.mask(s);
      output.take(s, result);
      before = here;
      here = after;
      ahead[0] = ahead[1];
      ahead[1] = later;
    }
  } else {
    uint4 before = read.centre(begin - 1);
    uint4 here = read.centre(begin);
    uint4 ahead[2] = {read.centre(begin + 1), read.centre(begin + 2)};
#pragma unroll unroll
    for (int k = 0; k < chunk; ++k) {
      const int s = begin + k;
      const uint4 later = read.centre(s + 3);
      uint4 result = read.template with_sides<1>(here, s);
      result = Op::combine(Op::combine(result, read.up(s)), read.down(s));
      result = Op::combine(Op::combine(result, before), ahead[0]);
      if constexpr (Op::leaks) result = result & read.mask(s);
      output.take(s, result);
      before = here;
      here = ahead[0];
      ahead[0] = ahead[1];
      ahead[1] = later;
    }
  }
  output.close();
}

using PassKernel = void (*)(Layout, Pass);

template <PassStep step, PassFinish finish>
PassKernel pass_kernel_for(bool chessboard, bool has_domain) {
  if (has_domain) return chessboard ? pass_kernel<step, true, true, finish> : pass_kernel<step, false, true, finish>;
  return chessboard ? pass_kernel<step, true, false, finish> : pass_kernel<step, false, false, finish>;
}

PassKernel pass_kernel_for(const Pass& pass) {
  const bool has_domain = pass.domain != nullptr;
  switch (pass.step) {
    case PassStep::Erode:  // within its centre, so within the domain
      return pass_kernel_for<PassStep::Erode, PassFinish::StoreAndCount>(pass.chessboard, false);
    case PassStep::ErodeNeutral:
      return pass_kernel_for<PassStep::ErodeNeutral, PassFinish::StoreAndCount>(pass.chessboard, has_domain);
    case PassStep::Dilate:
      break;
  }
  switch (pass.finish) {
    case PassFinish::Store:
    case PassFinish::StoreAndCount:
      return pass_kernel_for<PassStep::Dilate, PassFinish::Store>(pass.chessboard, has_domain);
    case PassFinish::Count:
      return pass_kernel_for<PassStep::Dilate, PassFinish::Count>(pass.chessboard, has_domain);
    case PassFinish::CountAndMap:
      break;
  }
  return pass_kernel_for<PassStep::Dilate, PassFinish::CountAndMap>(pass.chessboard, has_domain);
}

}  // namespace

std::int64_t resident_blocks(int device) {
  const cuda::DeviceScope scope(device);
  int processors = 0;
  int blocks = 0;
  cuda::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "ask a device");
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &blocks, pass_kernel<PassStep::Dilate, false, false, PassFinish::Store>, block_threads, 0),
              "ask for the occupancy");
  return std::max(1, processors * blocks);
}

void queue_pass(const cuda::Stream& stream, const granulometry_detail::Grid& grid, const Tiles& tiles,
                const Pass& pass) {
  Layout layout = {};
  layout.batch = static_cast<unsigned>(grid.batch);
  layout.z = static_cast<unsigned>(grid.z);
  layout.y = static_cast<unsigned>(grid.y);
  layout.quads = static_cast<unsigned>(quads_of(grid.x));
  layout.x = static_cast<int>(grid.x);
  layout.y_is_axis = grid.y_is_axis;
  layout.width = static_cast<unsigned>(tiles.width);
  layout.across = static_cast<unsigned>(tiles.across);
  layout.rows = static_cast<unsigned>(tiles.rows);
  layout.chunk = static_cast<unsigned>(tiles.chunk);
  layout.chunks = static_cast<unsigned>(tiles.chunks);
  cuda::launch(stream, {dim3(static_cast<unsigned>(tiles.blocks)), dim3(block_threads)}, "a pass of algorithm paper",
               pass_kernel_for(pass), layout, pass);
}

}  // namespace tamis::boulos::gpu
