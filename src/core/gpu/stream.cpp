#include "core/gpu/stream.hpp"

#include <cstdint>
#include <map>
#include <mutex>

namespace tamis::cuda {
namespace {

/// One pool per device for the life of the process. The driver frees it; a destructor of ours could run after it.
cudaMemPool_t pool_of(int device) {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  const std::lock_guard lock(mutex);
  cudaMemPool_t& pool = pools[device];
  if (pool) return pool;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t created = nullptr;
  check(cudaMemPoolCreate(&created, &properties), "create a memory pool");
  std::uint64_t keep_all = UINT64_MAX;
  check(cudaMemPoolSetAttribute(created, cudaMemPoolAttrReleaseThreshold, &keep_all), "set up a memory pool");
  return pool = created;
}

std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = 0;
  check(cudaMemPoolGetAttribute(pool, which, &value), "ask a memory pool");
  return value;
}

}  // namespace

DeviceScope::DeviceScope(int device) : device_(device) {
  check(cudaGetDevice(&former_), "find the current device");
  check(cudaSetDevice(device), "select a device");
}

DeviceScope::~DeviceScope() {
  if (former_ != device_) static_cast<void>(cudaSetDevice(former_));
}

Stream::Stream(int device) : device_(device), owned_(true) {
  const DeviceScope scope(device);
  pool_ = pool_of(device);
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
}

Stream::Stream(int device, cudaStream_t stream)
    : device_(device), owned_(false), stream_(stream), pool_(pool_of(device)) {}

Stream::~Stream() {
  if (owned_) static_cast<void>(cudaStreamDestroy(stream_));
}

void* Stream::allocate(std::size_t bytes) const {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  check(cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_), "allocate memory");
  return memory;
}

void Stream::release(void* memory) const { static_cast<void>(cudaFreeAsync(memory, stream_)); }

void Stream::synchronize() const { check(cudaStreamSynchronize(stream_), "wait for the device"); }

std::int64_t device_memory_budget(const Context& context, int device) {
  if (context.device_memory_bytes > 0) return context.device_memory_bytes;
  const DeviceScope scope(device);
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "ask for free memory");
  const cudaMemPool_t pool = pool_of(device);
  const std::uint64_t kept =
      attribute(pool, cudaMemPoolAttrReservedMemCurrent) - attribute(pool, cudaMemPoolAttrUsedMemCurrent);
  return static_cast<std::int64_t>((free + kept) / 10 * 9);
}

void trim_pool(int device) {
  const DeviceScope scope(device);
  check(cudaMemPoolTrimTo(pool_of(device), 0), "trim a memory pool");
}

}  // namespace tamis::cuda
