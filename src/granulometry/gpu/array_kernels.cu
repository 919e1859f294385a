#include "granulometry/gpu/array_kernels.hpp"

#include <algorithm>

#include "core/gpu/array/strided.cuh"
#include "core/gpu/warp.cuh"

namespace tamis::granulometry_detail::gpu {
namespace {

using cuda::whole_warp;

// ---- census ------------------------------------------------------------------------------------------------------

struct CensusTask {
  const std::uint64_t* object;
  const std::uint64_t* domain;  ///< nullptr: everything
  bool same_domain;             ///< one slice for all
  bool z_is_axis;
  std::int64_t nz, ny, nx, words;
};

/// A word of the domain; outside the image there is none.
__device__ __forceinline__ std::uint64_t domain_word(const CensusTask& task, std::int64_t z, std::int64_t y,
                                                     std::int64_t word) {
  if (z < 0 || z >= task.nz || y < 0 || y >= task.ny || word < 0 || word >= task.words) return 0;
  if (task.domain) return task.domain[((task.same_domain ? 0 : z) * task.ny + y) * task.words + word];
  const std::int64_t left = task.nx - word * 64;
  return left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
}

__device__ __forceinline__ void add_up(unsigned count, unsigned long long* sum) {
  for (int distance = 16; distance > 0; distance /= 2) count += __shfl_down_sync(whole_warp, count, distance);
  if (threadIdx.x % 32 == 0 && count > 0) atomicAdd(sum, static_cast<unsigned long long>(count));
}

__global__ void __launch_bounds__(256) census_kernel(const CensusTask task, ArrayCensus* census) {
  unsigned object = 0;
  unsigned domain = 0;
  unsigned border = 0;
  const std::int64_t all = task.nz * task.ny * task.words;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const std::int64_t word = i % task.words;
    const std::int64_t y = i / task.words % task.ny;
    const std::int64_t z = i / task.words / task.ny;
    const std::uint64_t bits = task.object[i];
    const std::uint64_t here = domain_word(task, z, y, word);
    object += static_cast<unsigned>(__popcll(bits));
    domain += static_cast<unsigned>(__popcll(here));
    if (bits == 0) continue;
    std::uint64_t inner = here << 1 | domain_word(task, z, y, word - 1) >> 63;
    inner &= here >> 1 | domain_word(task, z, y, word + 1) << 63;
    inner &= domain_word(task, z, y - 1, word) & domain_word(task, z, y + 1, word);
    if (task.z_is_axis) inner &= domain_word(task, z - 1, y, word) & domain_word(task, z + 1, y, word);
    border += static_cast<unsigned>(__popcll(bits & ~inner));
  }
  add_up(object, &census->object);
  add_up(domain, &census->domain);
  add_up(border, &census->border);
}

// ---- map ---------------------------------------------------------------------------------------------------------

template <class From, class To, int most>
struct WriteMap {
  static constexpr int together = most;
  std::uint8_t* out;
  const std::uint8_t* map;
  const std::uint8_t* object;
  const std::uint8_t* domain;  ///< nullptr: everything
  To never;                    ///< 0: nothing never erodes, and the object need not be looked at

  template <int count>
  __device__ void run(const std::int64_t (&at)[4]) const {
    const auto in = *reinterpret_cast<const cuda::Together<From, count>*>(map + at[1]);
    cuda::Together<To, count> values;
#pragma unroll
    for (int k = 0; k < count; ++k) values.sample[k] = static_cast<To>(in.sample[k]);
    if (never != 0) {
      const auto own = *reinterpret_cast<const cuda::Together<std::uint8_t, count>*>(object + at[2]);
      cuda::Together<std::uint8_t, count> inside = own;
      if (domain) inside = *reinterpret_cast<const cuda::Together<std::uint8_t, count>*>(domain + at[3]);
#pragma unroll
      for (int k = 0; k < count; ++k) {
        if (values.sample[k] == 0 && own.sample[k] != 0 && inside.sample[k] != 0) values.sample[k] = never;
      }
    }
    *reinterpret_cast<cuda::Together<To, count>*>(out + at[0]) = values;
  }
};

/// Strides of the domain through all slices; those of the object where there is none.
cuda::Strides domain_strides(const GpuArray& object, const GpuArray& domain) {
  if (domain.empty()) return cuda::strides_of(object);
  cuda::Strides strides = cuda::strides_of(domain);
  if (domain.shape.z < object.shape.z) strides.z = 0;
  return strides;
}

template <class Function>
void visit_map_type(std::int64_t bytes, const Function& function) {
  if (bytes == 1) return function(std::uint8_t{});
  if (bytes == 2) return function(std::uint16_t{});
  function(std::uint32_t{});
}

template <class From, class To>
void launch_write_map(const cuda::Stream& stream, const MapRows& map, const GpuArray& object, const GpuArray& domain,
                      std::int64_t never_value, const GpuOutput& out) {
  constexpr int most_together = 4;
  const cuda::Strides rows{map.pitch * object.shape.y, map.pitch, map.sample};
  // An object that is not looked at must not stand in the way: it has the place of the output.
  const bool looks = never_value != 0;
  const cuda::Strides own = cuda::strides_of(out);
  const cuda::Strides strides[] = {own, rows, looks ? cuda::strides_of(object) : own,
                                   looks ? domain_strides(object, domain) : own};
  const cuda::StridedWalk<4> walk = cuda::plan_walk(object.shape, strides);
  const auto run = [&](auto operation) {
    operation.out = static_cast<std::uint8_t*>(out.data);
    operation.map = static_cast<const std::uint8_t*>(map.samples);
    operation.object = static_cast<const std::uint8_t*>(object.data);
    operation.domain = static_cast<const std::uint8_t*>(domain.data);
    operation.never = static_cast<To>(never_value);
    cuda::run_walk(stream, walk, operation, "write the size map");
  };
  const std::int64_t byte = looks ? 1 : sizeof(To);
  const std::int64_t sizes[] = {sizeof(To), sizeof(From), byte, byte};
  const void* const addresses[] = {out.data, map.samples, looks ? object.data : out.data,
                                   !looks           ? out.data
                                   : domain.empty() ? object.data
                                                    : domain.data};
  if (cuda::can_take_together(walk, sizes, addresses, most_together)) {
    run(WriteMap<From, To, most_together>{});
  } else {
    run(WriteMap<From, To, 1>{});
  }
}

}  // namespace

void count_bits(const cuda::Stream& stream, const Shape& shape, const BitImage& object, const BitImage& domain,
                bool z_is_axis, ArrayCensus* census) {
  constexpr std::int64_t threads = 256;
  constexpr std::int64_t most_blocks = 4096;  // that add to the sums
  const CensusTask task{
      object.words, domain.words, domain.slices == 1, z_is_axis, shape.z, shape.y, shape.x, object.words_of_row};
  const std::int64_t words = shape.z * shape.y * object.words_of_row;
  const auto blocks = std::clamp<std::int64_t>((words + threads - 1) / threads, 1, most_blocks);
  cuda::launch(stream, {dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads))}, "count voxels",
               census_kernel, task, census);
}

ArrayCensus census_of(const cuda::Stream& stream, const Shape& shape, const BitImage& object, const BitImage& domain,
                      bool z_is_axis) {
  const cuda::DeviceBuffer<ArrayCensus> counts(stream, 1);
  const cuda::PinnedBuffer<ArrayCensus> host(stream, 1);
  counts.clear();
  count_bits(stream, shape, object, domain, z_is_axis, counts.data());
  cuda::check(cudaMemcpyAsync(host.data(), counts.data(), sizeof(ArrayCensus), cudaMemcpyDeviceToHost, stream.get()),
              "read counts");
  stream.synchronize();
  return host[0];
}

void write_map(const cuda::Stream& stream, const MapRows& map, const GpuArray& object, const GpuArray& domain,
               std::int64_t never_value, const GpuOutput& out) {
  visit_map_type(map.sample, [&](auto from) {
    using From = decltype(from);
    if constexpr (sizeof(From) <= 2) {
      visit_map_type(sample_bytes(out.type), [&](auto to) {
        launch_write_map<From, decltype(to)>(stream, map, object, domain, never_value, out);
      });
    }
  });
}

}  // namespace tamis::granulometry_detail::gpu
