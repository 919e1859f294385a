#include "granulometry/gpu/slices.hpp"

#include <algorithm>

#include "core/gpu/callers/prepared.hpp"
#include "granulometry/gpu/array_kernels.hpp"
#include "threshold/gpu/binary.hpp"

namespace tamis::granulometry_detail {
namespace {

/// Memory that cudaMalloc has given: what other processes can be shown. That of a pool is not.
class SharedMemory {
 public:
  SharedMemory(int gpu, std::size_t bytes) : gpu_(gpu) {
    const cuda::DeviceScope scope(gpu);
    cuda::check(cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)), "allocate memory");
  }
  ~SharedMemory() {
    const cuda::DeviceScope scope(gpu_);
    static_cast<void>(cudaFree(data_));
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] std::uint64_t* data() const { return static_cast<std::uint64_t*>(data_); }

 private:
  int gpu_;
  void* data_ = nullptr;
};

}  // namespace

struct GpuSlices::Work {
  Work(int gpu, const Layout& slices, std::int64_t first_slice)
      : layout(slices),
        first(first_slice),
        words_of_row((slices.shape.x + 63) / 64),
        words(slices.shape.y * words_of_row),
        stream(gpu),
        memory(gpu, bytes(slices.shape.z)) {}

  [[nodiscard]] std::size_t bytes(std::int64_t slices) const { return static_cast<std::size_t>(slices * words) * 8; }
  [[nodiscard]] std::uint64_t* slice(std::int64_t z) const { return memory.data() + (z - first) * words; }
  /// Where slices from z on begin, if there is one for each.
  [[nodiscard]] const std::uint64_t* from(std::int64_t z) const {
    return layout.shape.z == 1 ? memory.data() : slice(z);
  }
  /// Of so many slices that are looked at.
  [[nodiscard]] std::int64_t count(std::int64_t slices) const { return layout.shape.z == 1 ? 1 : slices; }
  [[nodiscard]] Shape shape_of(std::int64_t slices) const {
    Shape shape = layout.shape;
    shape.z = slices;
    return shape;
  }
  void copy(void* to, const void* from, std::int64_t slices) const {
    cuda::check(cudaMemcpyAsync(to, from, bytes(slices), cudaMemcpyDefault, stream.get()), "copy bits");
    stream.synchronize();
  }

  Layout layout;
  std::int64_t first;
  std::int64_t words_of_row, words;  ///< of a slice
  cuda::Stream stream;
  SharedMemory memory;
};

GpuSlices::GpuSlices(const Context& context, const Layout& slices, std::int64_t first) {
  const cuda::DeviceScope scope(cuda::usable_gpu(context));
  work_ = std::make_unique<Work>(context.gpu, slices, first);
  const Work& w = *work_;
  cuda::check(cudaMemsetAsync(w.memory.data(), 0, w.bytes(slices.shape.z), w.stream.get()), "clear bits");
  w.stream.synchronize();
}

GpuSlices::~GpuSlices() = default;
GpuSlices::GpuSlices(GpuSlices&&) noexcept = default;
GpuSlices& GpuSlices::operator=(GpuSlices&&) noexcept = default;

void GpuSlices::use_gpu(const Context& context) {
  cuda::check(cudaSetDevice(cuda::usable_gpu(context)), "choose a GPU");
  cuda::check(cudaFree(nullptr), "start a GPU");
}

std::uint64_t* GpuSlices::slice(std::int64_t z) const { return work_->slice(z); }

void GpuSlices::put(std::int64_t z, std::int64_t count, const std::uint64_t* from) const {
  const cuda::DeviceScope scope(work_->stream.device());
  work_->copy(work_->slice(z), from, count);
}

void GpuSlices::get(std::uint64_t* to) const {
  const cuda::DeviceScope scope(work_->stream.device());
  work_->copy(to, work_->memory.data(), work_->layout.shape.z);
}

GpuBinary GpuSlices::cut_out(const Context& context, std::int64_t begin, std::int64_t end,
                             const GpuSlices* domain) const {
  const int gpu = work_->stream.device();
  const cuda::DeviceScope scope(gpu);
  Layout layout = work_->layout;
  layout.shape.z = end - begin;
  const auto binary = std::make_shared<GpuBinary::Work>(gpu, layout);
  work_->copy(binary->object.words.data(), work_->slice(begin), end - begin);
  const Census counted = census(begin, end, domain, true);
  binary->facts.volume = counted.object;
  binary->facts.domain_volume = counted.domain;
  if (domain) {
    const std::int64_t slices = domain->work_->count(end - begin);
    binary->facts.domain = Image(Type::Bool, domain->work_->shape_of(slices));
    domain->work_->copy(binary->facts.domain.data(), domain->work_->from(begin), slices);
    binary->take_domain(context);
  }
  return GpuBinary(binary);
}

Census GpuSlices::census(std::int64_t begin, std::int64_t end, const GpuSlices* domain, bool z_is_axis) const {
  const cuda::DeviceScope scope(work_->stream.device());
  const gpu::BitImage object{work_->slice(begin), work_->words_of_row, end - begin};
  gpu::BitImage inside;
  if (domain) inside = {domain->work_->from(begin), work_->words_of_row, domain->work_->count(end - begin)};
  const gpu::ArrayCensus all = gpu::census_of(work_->stream, work_->shape_of(end - begin), object, inside, z_is_axis);
  return {static_cast<std::int64_t>(all.object), static_cast<std::int64_t>(all.domain),
          static_cast<std::int64_t>(all.border), 0};
}

}  // namespace tamis::granulometry_detail
