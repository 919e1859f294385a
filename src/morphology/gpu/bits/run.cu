#include "morphology/gpu/bits/run.hpp"

#include <algorithm>
#include <utility>

#include "core/gpu/launch.hpp"
#include "morphology/gpu/rows/walk_chunks.hpp"
#include "morphology/gpu/samples.cuh"

namespace tamis::morphology_detail::gpu {
namespace {

constexpr unsigned whole_warp = ~0U;
constexpr int own_rows = 8;             // of a warp
constexpr int all_rows = own_rows + 2;  // with those beside
constexpr int strip_words = 32;         // a word a lane

struct Walk {
  DeviceImage from, to;
  int nx = 0, ny = 0, nz = 0;
  int strips = 0, own_words = 0, halo_words = 0;  ///< without a halo a strip is the whole row
  int groups = 0;                                 ///< of rows
  int chunk = 0;                                  ///< slices of the result that a warp makes
  std::uint32_t outside = 0;
};

/// The rows of one slice that a warp sees.
struct Rows {
  std::uint32_t word[all_rows];
};

template <Order order>
__device__ __forceinline__ std::uint32_t of_three(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return order == Order::Min ? a & b & c : a | b | c;
}

/// A warp goes through the slices with 8 rows of them, and remembers what the next slices still need.
template <Order order, bool box, bool volume>
__global__ void __launch_bounds__(32) unit_bits_kernel(const __grid_constant__ Walk walk) {
  const auto lane = static_cast<int>(threadIdx.x);
  auto index = static_cast<int>(blockIdx.x);
  const int strip = index % walk.strips;
  index /= walk.strips;
  const int y = index % walk.groups * own_rows;
  const int z = index / walk.groups * walk.chunk;
  const int end_z = min(z + walk.chunk, walk.nz);
  const int word = strip * walk.own_words + lane - walk.halo_words;
  const int stored_words = (walk.nx + 63) / 64 * 2;
  const bool first = walk.halo_words == 0 && lane == 0;
  const bool last = walk.halo_words == 0 && lane == 31;
  const bool own = lane >= walk.halo_words && lane < walk.halo_words + walk.own_words && word < stored_words;
  const int inside = word < 0 ? 0 : max(min(walk.nx - 32 * word, 32), 0);
  const auto keep = static_cast<std::uint32_t>((std::uint64_t{1} << inside) - 1);
  const bool edge_x = 32 * (strip * walk.own_words - walk.halo_words) < 0 ||
                      32 * (strip * walk.own_words - walk.halo_words + strip_words) > walk.nx;
  const bool edge_y = y == 0 || y + own_rows + 1 > walk.ny;
  std::int64_t offset[all_rows];
#pragma unroll
  for (int r = 0; r < all_rows; ++r) {
    const int row = max(min(y + r - 1, walk.ny - 1), 0);
    offset[r] = row * walk.from.pitch + 4 * max(min(word, (walk.nx - 1) / 32), 0);
  }

  const auto load = [&](int slice) {
    const std::byte* const from = walk.from.data + max(min(slice, walk.nz - 1), 0) * walk.from.slice;
    Rows rows;
#pragma unroll
    for (int r = 0; r < all_rows; ++r) rows.word[r] = *reinterpret_cast<const std::uint32_t*>(from + offset[r]);
    return rows;
  };
  const auto complete = [&](Rows& rows, int slice) {
    if (edge_x) {
#pragma unroll
      for (int r = 0; r < all_rows; ++r) rows.word[r] = (rows.word[r] & keep) | (walk.outside & ~keep);
    }
    if (edge_y) {
#pragma unroll
      for (int r = 0; r < all_rows; ++r) {
        const int row = y + r - 1;
        rows.word[r] = row < 0 || row >= walk.ny ? walk.outside : rows.word[r];
      }
    }
    if (slice < 0 || slice >= walk.nz) {
#pragma unroll
      for (int r = 0; r < all_rows; ++r) rows.word[r] = walk.outside;
    }
  };
  /// Over x - 1, x and x + 1.
  const auto along_x = [&](std::uint32_t row) {
    std::uint32_t before = __shfl_up_sync(whole_warp, row, 1);
    std::uint32_t behind = __shfl_down_sync(whole_warp, row, 1);
    before = first ? walk.outside : before;
    behind = last ? walk.outside : behind;
    return of_three<order>(__funnelshift_l(before, row, 1), row, __funnelshift_r(row, behind, 1));
  };
  /// What a slice gives to itself; of a box, to its neighbours too.
  const auto in_slice = [&](const Rows& rows, std::uint32_t(&result)[own_rows]) {
    if constexpr (box) {
      std::uint32_t wide[all_rows];
#pragma unroll
      for (int r = 0; r < all_rows; ++r) wide[r] = along_x(rows.word[r]);
#pragma unroll
      for (int r = 0; r < own_rows; ++r) result[r] = of_three<order>(wide[r], wide[r + 1], wide[r + 2]);
    } else {
#pragma unroll
      for (int r = 0; r < own_rows; ++r) {
        result[r] = of_three<order>(rows.word[r], along_x(rows.word[r + 1]), rows.word[r + 2]);
      }
    }
  };
  std::byte* to = walk.to.data + z * walk.to.slice + y * walk.to.pitch + (own ? 4 * word : 0);
  const auto store = [&](const std::uint32_t(&result)[own_rows]) {
    std::byte* row = to;
#pragma unroll
    for (int r = 0; r < own_rows; ++r) {
      if (own && y + r < walk.ny) *reinterpret_cast<std::uint32_t*>(row) = result[r] & keep;
      row += walk.to.pitch;
    }
    to += walk.to.slice;
  };

  if constexpr (!volume) {
    Rows next = load(z);
#pragma unroll 1
    for (int slice = z; slice < end_z; ++slice) {
      Rows rows = next;
      next = load(slice + 1);
      complete(rows, slice);
      std::uint32_t result[own_rows];
      in_slice(rows, result);
      store(result);
    }
  } else {
    // Of the slice before: what it gives the middle one. Of the middle one: what has come together.
    std::uint32_t before[own_rows];
    std::uint32_t middle[own_rows];
    std::uint32_t given[own_rows];
    const auto give = [&](const Rows& rows, const std::uint32_t(&inner)[own_rows]) {
#pragma unroll
      for (int r = 0; r < own_rows; ++r) given[r] = box ? inner[r] : rows.word[r + 1];
    };
    Rows rows = load(z - 1);
    Rows next = load(z);
    complete(rows, z - 1);
    in_slice(rows, middle);
    give(rows, middle);
#pragma unroll
    for (int r = 0; r < own_rows; ++r) before[r] = given[r];
    rows = next;
    next = load(z + 1);
    complete(rows, z);
    in_slice(rows, middle);
    give(rows, middle);
#pragma unroll 1
    for (int slice = z; slice < end_z; ++slice) {
      // `middle` and `given` are those of this slice.
      std::uint32_t partial[own_rows], own_given[own_rows];
#pragma unroll
      for (int r = 0; r < own_rows; ++r) {
        partial[r] = order == Order::Min ? middle[r] & before[r] : middle[r] | before[r];
        own_given[r] = given[r];
      }
      rows = next;
      next = load(slice + 2);
      complete(rows, slice + 1);
      in_slice(rows, middle);
      give(rows, middle);
#pragma unroll
      for (int r = 0; r < own_rows; ++r) {
        partial[r] = order == Order::Min ? partial[r] & given[r] : partial[r] | given[r];
        before[r] = own_given[r];
      }
      store(partial);
    }
  }
}

template <Order order>
auto kernel_of(const UnitSteps& steps) {
  if (steps.box) return steps.volume ? unit_bits_kernel<order, true, true> : unit_bits_kernel<order, true, false>;
  return steps.volume ? unit_bits_kernel<order, false, true> : unit_bits_kernel<order, false, false>;
}

void one_step(const cuda::Stream& stream, const UnitBitsTask& task, const DeviceImage& from, const DeviceImage& to) {
  Walk walk;
  walk.from = from;
  walk.to = to;
  walk.nx = static_cast<int>(task.shape.x);
  walk.ny = static_cast<int>(task.shape.y);
  walk.nz = static_cast<int>(task.shape.z);
  const int words = (walk.nx + 63) / 64 * 2;
  walk.halo_words = words <= strip_words ? 0 : 1;
  walk.own_words = strip_words - 2 * walk.halo_words;
  walk.strips = (words + walk.own_words - 1) / walk.own_words;
  walk.groups = (walk.ny + own_rows - 1) / own_rows;
  // Where samples are shown, the one beyond the image is one that is in the set anyway.
  const bool ones = task.border.kind == Border::Kind::Constant ? task.border.value != 0 : task.order == Order::Min;
  walk.outside = ones ? ~0U : 0U;
  const auto kernel = task.order == Order::Min ? kernel_of<Order::Min>(task.steps) : kernel_of<Order::Max>(task.steps);
  const std::int64_t columns = std::int64_t{walk.strips} * walk.groups;
  walk.chunk = chunk_rows(walk.nz, task.steps.volume ? 3 : 1, columns, cuda::resident_blocks(stream, kernel, 32, 0));
  cuda::LaunchShape shape;
  shape.threads = dim3(32);
  shape.blocks = dim3(static_cast<unsigned>(columns * ((walk.nz + walk.chunk - 1) / walk.chunk)));
  cuda::launch(stream, shape, "neighbours", kernel, walk);
}

}  // namespace

void unit_bits_extremum(const cuda::Stream& stream, const UnitBitsTask& task) {
  DeviceImage from = task.from;
  cuda::DeviceBuffer<std::byte> memory;
  DeviceImage between = task.to;
  if (task.steps.count > 1) {
    memory = cuda::DeviceBuffer<std::byte>(stream, task.to.slice * task.shape.z);
    between.data = memory.data();
  }
  for (int left = task.steps.count; left > 0; --left) {
    // The last step ends in `to`.
    const DeviceImage& to = left % 2 == 1 ? task.to : between;
    one_step(stream, task, from, to);
    from = to;
  }
}

}  // namespace tamis::morphology_detail::gpu
