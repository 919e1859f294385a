// The kernels of Karas et al. (2015): a thread has a line, or a zone's part of it (section 4.3 and 5.1).
#pragma once

#include "papers/karas/gpu/openings.hpp"

namespace tamis::karas::gpu {

/// The lines at an angle (section 4.1): line c runs over columns c - shift[k] (rows, if it is shallow) at positions k.
struct AngleLines {
  const int* shift = nullptr;
  int steep = 0;
  int first = 0, last = 0;
};

struct Job {
  const std::uint8_t* from = nullptr;  ///< basic versions
  std::int64_t from_pitch = 0;
  cudaTextureObject_t texture = 0;  ///< optimised versions
  std::uint8_t* to = nullptr;       ///< a slice an angle
  std::int64_t to_pitch = 0, to_slice = 0;
  std::uint8_t* turned = nullptr;  ///< optimised versions: where shallow lines are written, columns as rows
  std::int64_t turned_pitch = 0, turned_slice = 0;
  int nx = 0, ny = 0;
  int length = 1, before = 0, after = 0;  ///< as Stretch has them at the border of the image
  int flip = 0;                           ///< 255: closings, as openings of the image upside down
  int zones = 1;
  int near_capacity = 0;
  const AngleLines* angles = nullptr;
  std::uint32_t* far = nullptr;
  std::int64_t far_stride = 0;
  int far_capacity = 0;
};

/// First position whose shift is above `bound` if shifts rise, and otherwise at or below it.
__device__ inline int first_beyond(const int* shift, int along, int bound, bool rising) {
  int low = 0;
  int high = along;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (rising ? shift[middle] > bound : shift[middle] <= bound) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

__device__ inline int warp_min(int value) {
  for (int distance = 16; distance > 0; distance /= 2) value = min(value, __shfl_xor_sync(~0U, value, distance));
  return value;
}

/// What a thread does. Threads without a line have an empty stretch before all positions.
struct Part {
  AngleLines angle;
  int line;
  Stretch read;
  int low = 0, high = 0;  ///< what it writes
  int begin, end;         ///< of all reads of the warp, so that its threads walk side by side

  __device__ explicit Part(const Job& job)
      : angle(job.angles[blockIdx.z]), line(angle.first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)) {
    const int along = angle.steep ? job.ny : job.nx;
    const int across = angle.steep ? job.nx : job.ny;
    const bool rising = angle.shift[along - 1] >= angle.shift[0];
    const int line_begin = first_beyond(angle.shift, along, rising ? line - across : line, rising);
    const int line_end = first_beyond(angle.shift, along, rising ? line : line - across, rising);
    const int own = (along + job.zones - 1) / job.zones;
    const int zone_begin = static_cast<int>(blockIdx.y) * own;
    low = max(line_begin, zone_begin);
    high = min(line_end, zone_begin + own);
    const bool works = line <= angle.last && low < high;
    const int overlap = job.length - 1;
    read = {-1, -1, 0, 0};
    if (works) {
      read.begin = max(line_begin, zone_begin - overlap);
      read.end = min(line_end, zone_begin + own + overlap);
      read.before = read.begin == line_begin ? job.before : 0;
      read.after = read.end == line_end ? job.after : 0;
    }
    begin = warp_min(works ? read.begin : along);
    end = -warp_min(-read.end);
  }

  [[nodiscard]] __device__ __forceinline__ bool has(int position) const {
    return position >= read.begin && position < read.end;
  }
  [[nodiscard]] __device__ __forceinline__ bool writes(int position) const {
    return position >= low && position < high;
  }
  [[nodiscard]] __device__ __forceinline__ int across(int position) const { return line - angle.shift[position]; }
};

template <bool optimised>
__device__ __forceinline__ int read_sample(const Job& job, const Part& part, int position) {
  const int across = part.across(position);
  const int x = part.angle.steep ? across : position;
  const int y = part.angle.steep ? position : across;
  int value = 0;
  if constexpr (optimised) {
    value = tex2D<unsigned char>(job.texture, static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F);
  } else {
    value = job.from[y * job.from_pitch + x];
  }
  return value ^ job.flip;
}

/// Section 5.3: optimised versions write shallow lines turned, so that a warp writes along a row.
template <bool optimised>
__device__ __forceinline__ void write_sample(const Job& job, const Part& part, int position, int value) {
  const int across = part.across(position);
  const auto sample = static_cast<std::uint8_t>(value ^ job.flip);
  if (part.angle.steep) {
    job.to[blockIdx.z * job.to_slice + position * job.to_pitch + across] = sample;
  } else if (optimised) {
    job.turned[blockIdx.z * job.turned_slice + position * job.turned_pitch + across] = sample;
  } else {
    job.to[blockIdx.z * job.to_slice + across * job.to_pitch + position] = sample;
  }
}

__device__ inline FarStore far_store(const Job& job) {
  const std::int64_t block = (std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  return {job.far + block * blockDim.x + threadIdx.x, job.far_stride, job.far_capacity};
}
__device__ inline NearStore near_store(const Job& job) {
  extern __shared__ std::uint32_t near[];
  return {near + threadIdx.x, static_cast<int>(blockDim.x), job.near_capacity, far_store(job)};
}

/// Reads and writes of a warp are at one position each: the warp is brought together at each, as it was by itself on
/// the GPUs of the paper.
template <bool optimised, class Queue>
__device__ void run_bartovsky(const Job& job, const Queue& queue) {
  const Part part(job);
  Bartovsky<Queue> opening(queue, part.read, job.length);
  for (int k = part.begin; k < part.end + job.length; ++k) {
    if (part.has(k)) {
      opening.take(read_sample<optimised>(job, part, k), k, k);
    } else if (k == part.read.end) {
      opening.end(part.read);
    }
    const int done = k - job.length;
    if (part.has(done)) {
      const int value = opening.emit(done);
      if (part.writes(done)) write_sample<optimised>(job, part, done, value);
    }
    __syncwarp();
  }
}

template <bool optimised, class Stack>
__device__ void run_morard(const Job& job, const Stack& stack) {
  const Part part(job);
  Morard<Stack> opening(stack, part.read, job.length);
  const auto write = [&](int position, int value) {
    if (part.writes(position)) write_sample<optimised>(job, part, position, value);
  };
  for (int k = part.begin; k < part.end; ++k) {
    if (part.has(k)) opening.take(read_sample<optimised>(job, part, k), k, write);
    __syncwarp();
  }
  opening.end(write);
}

__global__ void basic_bartovsky(const __grid_constant__ Job job) {
  run_bartovsky<false>(job, PlainQueue<FarStore>(far_store(job)));
}
__global__ void basic_morard(const __grid_constant__ Job job) {
  run_morard<false>(job, PlainStack<FarStore>(far_store(job)));
}
__global__ void optimised_bartovsky(const __grid_constant__ Job job) {
  run_bartovsky<true>(job, CachedQueue<NearStore>(near_store(job)));
}
__global__ void optimised_morard(const __grid_constant__ Job job) {
  run_morard<true>(job, CachedStack<NearStore>(near_store(job)));
}

constexpr int tile = 32;
constexpr int tile_rows = 8;

/// The transpose of the CUDA samples, a slice an angle; those of steep lines are there already.
__global__ void turn_back(const __grid_constant__ Job job) {
  if (job.angles[blockIdx.z].steep) return;
  __shared__ std::uint8_t block[tile][tile + 4];  // columns of words in different banks
  const int x0 = static_cast<int>(blockIdx.x) * tile;
  const int y0 = static_cast<int>(blockIdx.y) * tile;
  const std::uint8_t* const from = job.turned + blockIdx.z * job.turned_slice;
  for (int i = static_cast<int>(threadIdx.y); i < tile; i += tile_rows) {
    const int x = x0 + i;
    const int y = y0 + static_cast<int>(threadIdx.x);
    if (x < job.nx && y < job.ny) block[i][threadIdx.x] = from[x * job.turned_pitch + y];
  }
  __syncthreads();
  std::uint8_t* const to = job.to + blockIdx.z * job.to_slice;
  for (int i = static_cast<int>(threadIdx.y); i < tile; i += tile_rows) {
    const int x = x0 + static_cast<int>(threadIdx.x);
    const int y = y0 + i;
    if (x < job.nx && y < job.ny) to[y * job.to_pitch + x] = block[threadIdx.x][i];
  }
}

}  // namespace tamis::karas::gpu
