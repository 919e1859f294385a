#include "morphology/gpu/kernels.hpp"

#include "core/gpu/launch.hpp"
#include "morphology/gpu/rows/cells.cuh"
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

/// Where a warp is in the image, and the word of its rows that a lane has.
struct Place {
  int y, z, end_z;
  int word;              ///< may lie outside
  bool first, last;      ///< at an end of the row, where no lane beside has what is beyond
  bool own;              ///< the word belongs to the result, not to the halo
  std::uint32_t inside;  ///< bits of the word that belong to the image
  bool edge_x, edge_y;   ///< some of what the warp sees lies outside

  __device__ __forceinline__ Place(const Walk& walk, int lane) {
    auto index = static_cast<int>(blockIdx.x);
    const int strip = index % walk.strips;
    index /= walk.strips;
    y = index % walk.groups * own_rows;
    z = index / walk.groups * walk.chunk;
    end_z = min(z + walk.chunk, walk.nz);
    word = strip * walk.own_words + lane - walk.halo_words;
    const int stored_words = (walk.nx + 63) / 64 * 2;
    first = walk.halo_words == 0 && lane == 0;
    last = walk.halo_words == 0 && lane == 31;
    // With && the compiler makes branches, and the kernel is 1 % longer.
    own = (lane >= walk.halo_words) & (lane < walk.halo_words + walk.own_words) & (word < stored_words);
    const int bits = word < 0 ? 0 : max(min(walk.nx - 32 * word, 32), 0);
    inside = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
    edge_x = 32 * (strip * walk.own_words - walk.halo_words) < 0 ||
             32 * (strip * walk.own_words - walk.halo_words + strip_words) > walk.nx;
    edge_y = y == 0 || y + own_rows + 1 > walk.ny;
  }
};

/// A lane's words of one slice: of all rows that the warp sees, and of those whose result it makes.
struct Rows {
  std::uint32_t word[all_rows];
};
struct OwnRows {
  std::uint32_t word[own_rows];
};

/// Where the lane's words lie in a slice. For those outside the image the nearest ones.
struct Offsets {
  std::int64_t row[all_rows];

  __device__ __forceinline__ Offsets(const Walk& walk, const Place& place) {
#pragma unroll
    for (int r = 0; r < all_rows; ++r) {
      const int y = max(min(place.y + r - 1, walk.ny - 1), 0);
      row[r] = y * walk.from.pitch + 4 * max(min(place.word, (walk.nx - 1) / 32), 0);
    }
  }
};

/// A slice as it lies in memory; the nearest one where there is none.
__device__ __forceinline__ Rows load(const Walk& walk, const Offsets& offsets, int slice) {
  const std::byte* const from = walk.from.data + max(min(slice, walk.nz - 1), 0) * walk.from.slice;
  Rows rows;
#pragma unroll
  for (int r = 0; r < all_rows; ++r) rows.word[r] = *reinterpret_cast<const std::uint32_t*>(from + offsets.row[r]);
  return rows;
}

/// Puts what the border shows where nothing is.
__device__ __forceinline__ void complete(const Walk& walk, const Place& place, Rows& rows, int slice) {
  if (place.edge_x) {
#pragma unroll
    for (int r = 0; r < all_rows; ++r) rows.word[r] = (rows.word[r] & place.inside) | (walk.outside & ~place.inside);
  }
  if (place.edge_y) {
#pragma unroll
    for (int r = 0; r < all_rows; ++r) {
      const int row = place.y + r - 1;
      rows.word[r] = row < 0 || row >= walk.ny ? walk.outside : rows.word[r];
    }
  }
  if (slice < 0 || slice >= walk.nz) {
#pragma unroll
    for (int r = 0; r < all_rows; ++r) rows.word[r] = walk.outside;
  }
}

/// Extremum over x - 1, x and x + 1.
template <Order order>
__device__ __forceinline__ std::uint32_t along_x(const Walk& walk, const Place& place, std::uint32_t row) {
  std::uint32_t before = __shfl_up_sync(whole_warp, row, 1);
  std::uint32_t behind = __shfl_down_sync(whole_warp, row, 1);
  before = place.first ? walk.outside : before;
  behind = place.last ? walk.outside : behind;
  return extremum_of_words<bool, order>(__funnelshift_l(before, row, 1), row, __funnelshift_r(row, behind, 1));
}

/// Extremum over the neighbours in the slice: 4, those of a box 8.
template <Order order, bool box>
__device__ __forceinline__ OwnRows in_slice(const Walk& walk, const Place& place, const Rows& rows) {
  OwnRows result;
  if constexpr (box) {
    Rows wide;
#pragma unroll
    for (int r = 0; r < all_rows; ++r) wide.word[r] = along_x<order>(walk, place, rows.word[r]);
#pragma unroll
    for (int r = 0; r < own_rows; ++r) {
      result.word[r] = extremum_of_words<bool, order>(wide.word[r], wide.word[r + 1], wide.word[r + 2]);
    }
  } else {
#pragma unroll
    for (int r = 0; r < own_rows; ++r) {
      result.word[r] =
          extremum_of_words<bool, order>(rows.word[r], along_x<order>(walk, place, rows.word[r + 1]), rows.word[r + 2]);
    }
  }
  return result;
}

/// What a slice adds to the slices beside it: its rows, those of a box with their neighbours in the slice.
template <bool box>
__device__ __forceinline__ OwnRows for_slices_beside(const Rows& rows, const OwnRows& middle) {
  OwnRows result;
#pragma unroll
  for (int r = 0; r < own_rows; ++r) result.word[r] = box ? middle.word[r] : rows.word[r + 1];
  return result;
}

template <Order order>
__device__ __forceinline__ OwnRows extremum(const OwnRows& a, const OwnRows& b) {
  OwnRows result;
#pragma unroll
  for (int r = 0; r < own_rows; ++r) result.word[r] = extremum_of_words<bool, order>(a.word[r], b.word[r]);
  return result;
}

/// The rows of the result, slice after slice.
class Target {
 public:
  __device__ __forceinline__ Target(const Walk& walk, const Place& place)
      : walk_(walk),
        place_(place),
        to_(walk.to.data + place.z * walk.to.slice + place.y * walk.to.pitch + (place.own ? 4 * place.word : 0)) {}

  __device__ __forceinline__ void store(const OwnRows& result) {
    std::byte* row = to_;
#pragma unroll
    for (int r = 0; r < own_rows; ++r) {
      if (place_.own && place_.y + r < walk_.ny) {
        *reinterpret_cast<std::uint32_t*>(row) = result.word[r] & place_.inside;
      }
      row += walk_.to.pitch;
    }
    to_ += walk_.to.slice;
  }

 private:
  const Walk& walk_;
  const Place& place_;
  std::byte* to_;
};

/// Neighbours in the plane: slices are images of their own.
template <Order order, bool box>
__device__ __forceinline__ void walk_images(const Walk& walk, const Place& place, const Offsets& offsets,
                                            Target& target) {
  Rows next = load(walk, offsets, place.z);
#pragma unroll 1
  for (int slice = place.z; slice < place.end_z; ++slice) {
    Rows rows = next;
    next = load(walk, offsets, slice + 1);
    complete(walk, place, rows, slice);
    target.store(in_slice<order, box>(walk, place, rows));
  }
}

/// Neighbours in space: a result waits for what the slice behind adds, and that slice for what this one does.
template <Order order, bool box>
__device__ __forceinline__ void walk_volume(const Walk& walk, const Place& place, const Offsets& offsets,
                                            Target& target) {
  Rows rows = load(walk, offsets, place.z - 1);
  Rows next = load(walk, offsets, place.z);
  complete(walk, place, rows, place.z - 1);
  OwnRows middle = in_slice<order, box>(walk, place, rows);
  OwnRows from_before = for_slices_beside<box>(rows, middle);
  rows = next;
  next = load(walk, offsets, place.z + 1);
  complete(walk, place, rows, place.z);
  middle = in_slice<order, box>(walk, place, rows);
  OwnRows from_last = for_slices_beside<box>(rows, middle);
#pragma unroll 1
  for (int slice = place.z; slice < place.end_z; ++slice) {
    const OwnRows partial = extremum<order>(middle, from_before);
    from_before = from_last;
    rows = next;
    next = load(walk, offsets, slice + 2);
    complete(walk, place, rows, slice + 1);
    middle = in_slice<order, box>(walk, place, rows);
    from_last = for_slices_beside<box>(rows, middle);
    target.store(extremum<order>(partial, from_last));
  }
}

/// A warp goes through the slices with 8 rows of them, and the next slice is on its way from memory meanwhile.
template <Order order, bool box, bool volume>
__global__ void __launch_bounds__(32) unit_bits_kernel(const __grid_constant__ Walk walk) {
  const Place place(walk, static_cast<int>(threadIdx.x));
  const Offsets offsets(walk, place);
  Target target(walk, place);
  if constexpr (volume) {
    walk_volume<order, box>(walk, place, offsets, target);
  } else {
    walk_images<order, box>(walk, place, offsets, target);
  }
}

template <Order order>
auto kernel_of(const UnitSteps& steps) {
  if (steps.box) return steps.volume ? unit_bits_kernel<order, true, true> : unit_bits_kernel<order, true, false>;
  return steps.volume ? unit_bits_kernel<order, false, true> : unit_bits_kernel<order, false, false>;
}

void one_step(const cuda::Stream& stream, const UnitSteps& steps, const StepTask& task, const DeviceImage& from,
              const DeviceImage& to) {
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
  const auto kernel = task.order == Order::Min ? kernel_of<Order::Min>(steps) : kernel_of<Order::Max>(steps);
  const std::int64_t columns = std::int64_t{walk.strips} * walk.groups;
  walk.chunk = chunk_rows(walk.nz, steps.volume ? 3 : 1, columns, cuda::resident_blocks(stream, kernel, 32, 0));
  cuda::LaunchShape shape;
  shape.threads = dim3(32);
  shape.blocks = dim3(static_cast<unsigned>(columns * ((walk.nz + walk.chunk - 1) / walk.chunk)));
  cuda::launch(stream, shape, "neighbours", kernel, walk);
}

}  // namespace

void unit_bits_extremum(const cuda::Stream& stream, const UnitSteps& steps, const StepTask& task) {
  DeviceImage from = task.from;
  cuda::DeviceBuffer<std::byte> memory;
  DeviceImage between = task.to;
  if (steps.count > 1) {
    memory = cuda::DeviceBuffer<std::byte>(stream, task.to.slice * task.shape.z);
    between.data = memory.data();
  }
  for (int left = steps.count; left > 0; --left) {
    // The last step ends in `to`.
    const DeviceImage& to = left % 2 == 1 ? task.to : between;
    one_step(stream, steps, task, from, to);
    from = to;
  }
}

}  // namespace tamis::morphology_detail::gpu
