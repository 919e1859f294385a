// Tiles painted from the largest ball to the smallest. A block sorts the boxes of a tile; then a warp takes 32 rows of
// 32 voxels, what is still uncovered of a row in a register of its lane, and goes through the boxes: 32 at a time are
// tried against the rows, those that touch them one or two at a time. Those that cover something are numbered, and
// voxels have the numbers in planes of bits until they get their squares at the end. No atomics, and the result has no
// order.
#include "core/gpu/launch.hpp"
#include "core/gpu/warp.cuh"
#include "granulometry/gpu/balls/boxes.hpp"
#include "granulometry/gpu/balls/root.cuh"
#include "granulometry/gpu/balls/sort.cuh"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using cuda::whole_warp;

/// From this square on it does not pay to find out first which patches a box touches: a few large balls cover a tile,
/// and most of its boxes are never asked for.
constexpr unsigned filtered_below = 1 << 9;

/// A number that the compiler must not compute again wherever it is asked for.
__device__ __forceinline__ float kept(float value) {
  asm("" : "+f"(value));
  return value;
}
__device__ __forceinline__ int kept(int value) { return value; }

template <class Lane>
struct Task {
  PaintingOf<Lane> painting;
  std::uint32_t tiles_x, tiles_y;  ///< there are fewer than 2^32 of all
};

__device__ __forceinline__ std::uint32_t ones_from(int bit) {
  std::uint32_t mask;
  asm("shl.b32 %0, %1, %2;" : "=r"(mask) : "r"(~0U), "r"(static_cast<unsigned>(max(bit, 0))));  // 0 from 32 on
  return mask;
}
/// All but so many bits at the upper end.
__device__ __forceinline__ std::uint32_t ones_without(int bits) {
  std::uint32_t mask;
  asm("shr.u32 %0, %1, %2;" : "=r"(mask) : "r"(~0U), "r"(static_cast<unsigned>(max(bits, 0))));
  return mask;
}

/// A box as a warp works on it.
template <Form form>
struct Touch {
  float4 ball;  ///< y and z of the middle in sides, the square less a half; steps from column 0 to the middle
  uint4 part;   ///< bits of rows, bits of columns, the square; steps from the middle to column 31
};

template <>
struct Touch<Form::Exact> {
  std::int64_t square;
  int y, z;  ///< of the middle, in sides
  std::uint32_t rows, columns;
  int x;  ///< of the middle
};
static_assert(sizeof(Touch<Form::Exact>) == sizeof(Touch<Form::Sides>));

constexpr int most_touches = 33;  // as many as lanes, and one to make them even
/// Of 16 bytes: where the ranks begin in a warp's stage, behind the touches.
constexpr int touches_room = most_touches * sizeof(Touch<Form::Sides>) / sizeof(uint4);
static_assert(touches_room + Ranks<std::uint16_t>::room <= 32 * stage_rows<std::uint16_t>);
static_assert(touches_room + Ranks<std::uint32_t>::room <= 32 * stage_rows<std::uint32_t>);
static_assert(touches_room + Ranks<std::uint64_t>::room <= 32 * stage_rows<std::uint64_t>);

struct Patch {
  int index;
  int y, z;  ///< of its first row in the tile
};

/// A box, and its square where that does not fit there.
template <class Lane>
struct Taken {
  BoxWords words;

  [[nodiscard]] __device__ __forceinline__ Lane square() const { return square_of<Lane>(box_of(words)); }
};
template <>
struct Taken<std::uint64_t> {
  BoxWords words;
  std::uint64_t beside;

  [[nodiscard]] __device__ __forceinline__ std::uint64_t square() const { return beside; }
};

/// The boxes of an order in turn, as many as a warp has lanes. `filtered`: those that touch the patch, whose indices
/// wait in a queue.
template <bool filtered>
class Queue {
 public:
  __device__ Queue(const Order& order, int patch, std::uint32_t* waiting)
      : order_(order), waiting_(waiting), patch_(patch) {}

  /// The next box of each of the first `taken()` lanes. The other lanes have some box: a condition would have them wait
  /// for the load at once.
  template <class Lane>
  __device__ __forceinline__ Taken<Lane> take(const ListsOf<Lane>& lists) {
    std::uint32_t at = 0;
    if constexpr (filtered) {
      at = take_waiting();
    } else {
      at = min(next_ + lane(), order_.count - 1);
      taken_ = min(order_.count - min(next_, order_.count), 32U);
      next_ += 32;
    }
    const std::uint32_t place = order_.places[at];
    Taken<Lane> taken;
    taken.words = reinterpret_cast<const BoxWords*>(lists.boxes)[place];
    if constexpr (sizeof(Lane) == 8) taken.beside = lists.squares[place];
    return taken;
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t taken() const { return taken_; }

 private:
  __device__ __forceinline__ static std::uint32_t lane() { return threadIdx.x % 32; }

  __device__ __forceinline__ std::uint32_t take_waiting() {
    while (end_ - begin_ < 32 && next_ < order_.count) {
      const std::uint32_t at = next_ + lane();
      const bool touches = at < order_.count && (order_.patches[at] >> patch_ & 1);
      const unsigned mask = __ballot_sync(whole_warp, touches);
      if (touches) waiting_[(end_ + __popc(mask & ((1U << lane()) - 1))) % 64] = at;
      end_ += static_cast<unsigned>(__popc(mask));
      next_ += 32;
    }
    __syncwarp();
    taken_ = min(end_ - begin_, 32U);
    const std::uint32_t at = lane() < taken_ ? waiting_[(begin_ + lane()) % 64] : 0U;
    __syncwarp();
    begin_ += taken_;
    return at;
  }

  const Order& order_;
  std::uint32_t* waiting_;  ///< 64 of them
  int patch_;
  std::uint32_t next_ = 0;  ///< of the order
  std::uint32_t taken_ = 0;
  unsigned begin_ = 0, end_ = 0;
};

/// What is left to cover: rows, and the columns that some row of each slice has.
struct Open {
  std::uint32_t rows;
  std::uint32_t columns[patch_z];
};

__device__ __forceinline__ Open open_of(std::uint32_t uncovered) {
  Open open;
  open.rows = __ballot_sync(whole_warp, uncovered != 0);
#pragma unroll
  for (int step = 1; step < patch_y; step *= 2) uncovered |= __shfl_xor_sync(whole_warp, uncovered, step);
#pragma unroll
  for (int z = 0; z < patch_z; ++z) open.columns[z] = __shfl_sync(whole_warp, uncovered, z * patch_y);
  return open;
}

/// What the bits of the sum below are more than the number of voxels.
constexpr int bits_of_zero = 0x4b000000;

/// How many voxels a row reaches of a ball to either side, `left` being the square that its distance leaves, less a
/// half, and above 0; `bits_of_zero` more.
template <bool cubic>
__device__ __forceinline__ int half_bits(float left, float per_side) {
  if (cubic) return __float_as_int(fast_root(left) + 8388607.5F);
  // Numbers below a quarter are rounded to less than 0.
  return max(__float_as_int(fmaf(fast_root(left), per_side, 8388607.5F)), bits_of_zero);
}

/// The rows of a patch that a box touches, and the columns of them that it may have; no rows: nothing. Columns are
/// those of the ball where it comes nearest to the rows.
template <Form form>
__device__ __forceinline__ void touch(const Box& box, Number<form> square, const Sides& sides, float per_side,
                                      const Patch& patch, const Open& open, std::uint32_t& rows,
                                      std::uint32_t& columns) {
  constexpr bool cubic = form == Form::Cubic;
  rows = 0;
  const int y0 = max(box.first_y - patch.y, 0), y1 = min(box.last_y - patch.y, patch_y - 1);
  const int z0 = max(box.first_z - patch.z, 0), z1 = min(box.last_z - patch.z, patch_z - 1);
  if (y0 > y1 || z0 > z1) return;
  int dy = max(max(y0 + patch.y - box.y, box.y - patch.y - y1), 0);
  int dz = max(max(z0 + patch.z - box.z, box.z - patch.z - z1), 0);
  if (!cubic) {
    dy *= sides.y;
    dz *= sides.z;
  }
  const Number<form> left = square - Number<form>{dy} * dy - Number<form>{dz} * dz;
  if (left <= 0) return;
  int half = 0;
  if constexpr (form == Form::Exact) {
    half = steps_below(left, sides.x, per_side);
  } else {
    half = half_bits<cubic>(static_cast<float>(left) - 0.5F, per_side) - bits_of_zero;
  }
  columns = ones_from(max(box.x - half, int{box.first_x})) & ones_without(31 - min(box.x + half, int{box.last_x}));
  std::uint32_t some = 0;
#pragma unroll
  for (int z = 0; z < patch_z; ++z) some |= z >= z0 && z <= z1 ? open.columns[z] : 0U;
  if ((columns & some) == 0) return;
  std::uint32_t in_y = (2U << y1) - (1U << y0);
#pragma unroll
  for (int k = patch_y; k < 32; k *= 2) in_y |= in_y << k;
  rows = in_y & (~0U << (patch_y * z0)) & (~0U >> (patch_y * (patch_z - 1 - z1))) & open.rows;
}

/// The larger squares of two words, which have one or two.
template <class Lane>
__device__ __forceinline__ std::uint32_t larger_of(std::uint32_t a, std::uint32_t b) {
  return sizeof(Lane) == 2 ? __vmaxu2(a, b) : max(a, b);
}
/// The same of four words, which stay in the first.
template <class Lane>
__device__ __forceinline__ void keep_larger(uint4& a, const uint4& b) {
  if constexpr (sizeof(Lane) == 8) {
    if (b.y > a.y || (b.y == a.y && b.x > a.x)) a.x = b.x, a.y = b.y;
    if (b.w > a.w || (b.w == a.w && b.z > a.z)) a.z = b.z, a.w = b.w;
  } else {
    a.x = larger_of<Lane>(a.x, b.x);
    a.y = larger_of<Lane>(a.y, b.y);
    a.z = larger_of<Lane>(a.z, b.z);
    a.w = larger_of<Lane>(a.w, b.w);
  }
}

/// Writes a patch: the larger of what was painted and what is there, which is a voxel's own ball.
template <class Lane>
__device__ __forceinline__ void store(const SquareRows<Lane>& squares, const Ranks<Lane>& ranks, std::int64_t x,
                                      std::int64_t y, std::int64_t z) {
  constexpr int pieces = Ranks<Lane>::pieces;  // as many lanes to a row
  constexpr int rounds = 4;                    // whose loads are on their way together
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int first = 0; first < pieces; first += rounds) {
    uint4 own[rounds];
    uint4* to[rounds];
#pragma unroll
    for (int k = 0; k < rounds; ++k) {
      const int row = (first + k) * (32 / pieces) + lane / pieces;
      const std::int64_t at_y = y + row % patch_y;
      const std::int64_t at_z = z + row / patch_y;
      to[k] = nullptr;
      own[k] = make_uint4(0, 0, 0, 0);
      if (at_y >= squares.y || at_z >= squares.z) continue;
      to[k] = reinterpret_cast<uint4*>(squares.data + (at_z * squares.y + at_y) * squares.pitch + x) + lane % pieces;
      own[k] = *to[k];
    }
#pragma unroll
    for (int k = 0; k < rounds; ++k) {
      uint4 painted = ranks.squares((first + k) * (32 / pieces) + lane / pieces, lane % pieces);
      keep_larger<Lane>(painted, own[k]);
      if (to[k]) *to[k] = painted;
    }
  }
  __syncwarp();
}

template <Form form>
__device__ __forceinline__ Touch<form> touch_of(const Box& box, Number<form> square, const Sides& sides,
                                                std::uint32_t rows, std::uint32_t columns) {
  const int y = form == Form::Cubic ? box.y : box.y * sides.y;
  const int z = form == Form::Cubic ? box.z : box.z * sides.z;
  if constexpr (form == Form::Exact) {
    return {square, y, z, rows, columns, box.x};
  } else {
    return {make_float4(static_cast<float>(y), static_cast<float>(z), static_cast<float>(square) - 0.5F,
                        __int_as_float(bits_of_zero + box.x)),
            make_uint4(rows, columns, static_cast<std::uint32_t>(square),
                       static_cast<std::uint32_t>(bits_of_zero + 31 - box.x))};
  }
}

template <Form form>
__device__ __forceinline__ Number<form> square_of(const Touch<form>& touch) {
  if constexpr (form == Form::Exact) {
    return touch.square;
  } else {
    return static_cast<int>(touch.part.z);
  }
}

/// A lane's row: its bit among those of the patch, and its place in sides.
template <Form form>
struct Row {
  using Length = std::conditional_t<form == Form::Exact, int, float>;
  std::uint32_t bit;
  Length y, z;
};

/// The voxels of a row that a ball covers. No branch: the root of what is below 0 costs less than to jump over it, and
/// is not looked at.
template <Form form>
__device__ __forceinline__ std::uint32_t covered_by(const Touch<form>& touch, const Row<form>& row, int /*side*/,
                                                    float per_side) {
  const float4 ball = touch.ball;
  const uint4 part = touch.part;
  const float dy = row.y - ball.x;
  const float dz = row.z - ball.y;
  const float left = fmaf(-dz, dz, fmaf(-dy, dy, ball.z));
  const int half = half_bits<form == Form::Cubic>(left, per_side);
  const std::uint32_t covered =
      part.y & ones_from(__float_as_int(ball.w) - half) & ones_without(static_cast<int>(part.w) - half);
  return (part.x & row.bit) != 0 && left > 0 ? covered : 0U;
}
template <>
__device__ __forceinline__ std::uint32_t covered_by(const Touch<Form::Exact>& touch, const Row<Form::Exact>& row,
                                                    int side, float per_side) {
  const int dy = row.y - touch.y;
  const int dz = row.z - touch.z;
  const std::int64_t left = touch.square - std::int64_t{dy} * dy - std::int64_t{dz} * dz;
  const int half = steps_below(left, side, per_side);
  const std::uint32_t covered = touch.columns & ones_from(touch.x - half) & ones_without(31 - touch.x - half);
  return (touch.rows & row.bit) != 0 && left > 0 ? covered : 0U;
}

template <class Lane, bool filtered, Form form>
__device__ __forceinline__ void paint_patch(const PaintingOf<Lane>& painting, const Order& order, const Patch& patch,
                                            std::int64_t x, std::int64_t tile_first_y, std::int64_t tile_first_z,
                                            uint4* stage, std::uint32_t* waiting) {
  constexpr bool cubic = form == Form::Cubic;
  auto* const touches = reinterpret_cast<Touch<form>*>(stage);
  Ranks<Lane> ranks(stage + touches_room);
  const SquareRows<Lane>& squares = painting.squares;
  const Sides& sides = painting.sides;
  const int lane = threadIdx.x % 32;
  const int own_y = patch.y + lane % patch_y;
  const int own_z = patch.z + lane / patch_y;
  const std::int64_t y = tile_first_y + own_y;
  const std::int64_t z = tile_first_z + own_z;
  const bool inside = y < squares.y && z < squares.z;
  const std::int64_t words_of_row = squares.pitch / 32;
  const std::int64_t word = (z * squares.y + y) * words_of_row + x / 32;
  std::uint32_t uncovered = inside ? painting.object[word] : 0U;
  Open open = open_of(uncovered);
  if (open.rows == 0) return;
  using Length = typename Row<form>::Length;
  const Row<form> row{1U << lane, kept(static_cast<Length>(cubic ? own_y : own_y * sides.y)),
                      kept(static_cast<Length>(cubic ? own_z : own_z * sides.z))};
  const float per_side = cubic ? 1.0F : 1.0F / static_cast<float>(sides.x);
  Queue<filtered> queue(order, patch.index, waiting);
  Taken<Lane> next = queue.take(painting.lists);
  for (bool full = true; full;) {
    full = false;
    ranks.clear();
    const std::uint32_t wanted = uncovered;
    while (queue.taken() > 0) {
      const Taken<Lane> taken = next;
      const Box box = box_of(taken.words);
      const bool some = lane < static_cast<int>(queue.taken());
      next = queue.take(painting.lists);  // on its way while this one is painted
      std::uint32_t rows = 0;
      std::uint32_t columns = 0;
      if (some)
        touch<form>(box, static_cast<Number<form>>(taken.square()), sides, per_side, patch, open, rows, columns);
      const unsigned touching = __ballot_sync(whole_warp, rows != 0);
      if (touching == 0) continue;
      if (rows != 0) {
        touches[__popc(touching & ((1U << lane) - 1))] =
            touch_of<form>(box, static_cast<Number<form>>(taken.square()), sides, rows, columns);
      }
      const int touched = __popc(touching);
      if (touched % 2 != 0 && lane == 0) touches[touched] = {};  // covers nothing
      __syncwarp();
      const int before = ranks.count();
      const auto cover = [&](std::uint32_t hit, Number<form> square) {
        ranks.add(uncovered, static_cast<Lane>(square));
        uncovered ^= hit;
      };
      // Where most boxes that are tried cover nothing more, two at a time: their roots do not wait for each other.
      constexpr int step = filtered ? 1 : 2;
      for (int i = 0; i < touched; i += step) {
        const std::uint32_t first = covered_by(touches[i], row, sides.x, per_side);
        const std::uint32_t second = step == 2 ? covered_by(touches[i + 1], row, sides.x, per_side) : 0U;
        if (!__any_sync(whole_warp, (first | second) & uncovered)) continue;
        cover(first & uncovered, square_of(touches[i]));
        if (step == 2 && __any_sync(whole_warp, second & uncovered))
          cover(second & uncovered, square_of(touches[i + 1]));
      }
      __syncwarp();
      if (ranks.count() == before) continue;
      open = open_of(uncovered);
      if (open.rows == 0) break;
      full = ranks.count() > Ranks<Lane>::most - most_touches;
      if (full) break;
    }
    if (ranks.count() == 0) return;
    ranks.settle(wanted & ~uncovered);
    store(squares, ranks, x, tile_first_y + patch.y, tile_first_z + patch.z);
  }
}

/// Whether everything was written into the lists. Where it was not nothing is painted, and the host tries again.
template <class Lane>
__device__ __forceinline__ bool fit(const ListsOf<Lane>& lists) {
  return lists.cursors->boxes <= lists.room && lists.cursors->most_segments <= lists.segment_room;
}

/// Exact numbers take more registers.
template <class Lane, Form form>
constexpr int resident = form == Form::Exact ? 6
                         : sizeof(Lane) == 2 ? 9
                                             : 8;

template <class Lane, bool filtered, Form form>
__global__ void __launch_bounds__(paint_threads, cuda::blocks_of_processor(resident<Lane, form>, paint_threads))
    paint_kernel(const Task<Lane> task) {
  constexpr int stage = 32 * stage_rows<Lane>;  // of a warp
  __shared__ SortSpace<filtered> space;
  __shared__ uint4 stages[paint_warps * stage];
  __shared__ std::uint32_t waiting[paint_warps][filtered ? 64 : 1];
  __shared__ int next_patch;
  if (!fit(task.painting.lists)) return;
  const std::uint32_t tile = blockIdx.x;
  if (threadIdx.x == 0) {
    next_patch = paint_warps;
    space.histogram = reinterpret_cast<std::uint32_t*>(stages);
  }
  __syncthreads();
  const PaintingOf<Lane>& painting = task.painting;
  Sorter<Lane, form, filtered> sorter(painting.lists, tile, painting.sides, space);
  const Order order = sorter.run(painting.largest);
  if (order.count == 0) return;  // every voxel has its square
  const std::uint32_t line = tile / task.tiles_x;
  const std::int64_t x = std::int64_t{tile - line * task.tiles_x} * tile_x;
  const std::int64_t z = std::int64_t{line / task.tiles_y} * tile_z;
  const std::int64_t y = std::int64_t{line % task.tiles_y} * tile_y;
  const int warp = threadIdx.x / 32;
  for (int index = warp; index < patches;) {
    constexpr unsigned across = tile_y / patch_y;
    const auto at = static_cast<unsigned>(index);
    const Patch patch{index, static_cast<int>(at % across) * patch_y, static_cast<int>(at / across) * patch_z};
    paint_patch<Lane, filtered, form>(task.painting, order, patch, x, y, z, stages + warp * stage, waiting[warp]);
    if (threadIdx.x % 32 == 0) index = atomicAdd(&next_patch, 1);
    index = __shfl_sync(whole_warp, index, 0);
  }
}

template <bool filtered, Form form, class Lane>
void launch(const cuda::Stream& stream, const PaintingOf<Lane>& painting) {
  const Tiles tiles(painting.squares);
  const Task<Lane> task{painting, static_cast<std::uint32_t>(tiles.x), static_cast<std::uint32_t>(tiles.y)};
  const cuda::LaunchShape shape{dim3(static_cast<unsigned>(tiles.count())), dim3(paint_threads)};
  cuda::launch(stream, shape, "paint balls", paint_kernel<Lane, filtered, form>, task);
}

template <bool filtered, class Lane>
void launch_small(const cuda::Stream& stream, const PaintingOf<Lane>& painting) {
  if (painting.sides.cubic()) return launch<filtered, Form::Cubic>(stream, painting);
  launch<filtered, Form::Sides>(stream, painting);
}

}  // namespace

void paint(const cuda::Stream& stream, const Painting& painting) {
  if (painting.largest < filtered_below) return launch_small<true>(stream, painting);
  launch_small<false>(stream, painting);
}

void paint(const cuda::Stream& stream, const PaintingOf<std::uint32_t>& painting) {
  if (painting.largest < least_exact) return launch_small<false>(stream, painting);
  launch<false, Form::Exact>(stream, painting);
}

void paint(const cuda::Stream& stream, const PaintingOf<std::uint64_t>& painting) {
  launch<false, Form::Exact>(stream, painting);
}

}  // namespace tamis::granulometry_detail::gpu::balls
