// A store of page-locked memory. Taking it from the driver and giving it back stops the whole device.
#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/gpu/staging/transfer.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {
namespace {

struct Block {
  void* memory = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  cudaEvent_t done = nullptr;  ///< the last copy; an event belongs to a device, and so does the block
};

Block new_block(int device, std::size_t bytes) {
  const DeviceScope scope(device);
  Block block{nullptr, bytes, device, nullptr};
  check(cudaEventCreateWithFlags(&block.done, cudaEventDisableTiming), "create an event");
  try {
    check(cudaMallocHost(&block.memory, bytes), "allocate pinned memory");
  } catch (const OutOfMemory& error) {
    static_cast<void>(cudaEventDestroy(block.done));
    throw OutOfPinnedMemory(error.what());
  }
  return block;
}

bool is_done(const Block& block) {
  const bool done = cudaEventQuery(block.done) == cudaSuccess;
  if (!done) static_cast<void>(cudaGetLastError());  // "not ready" is no error
  return done;
}

class Store {
 public:
  void* take(int device, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.begin(), idle_.end(), [&](const Block& block) {
      return block.device == device && block.bytes == bytes && is_done(block);
    });
    Block block;
    if (found != idle_.end()) {
      block = *found;
      idle_.erase(found);
    } else {
      block = new_block(device, bytes);
    }
    lent_[block.memory] = block;
    return block.memory;
  }

  void put(const Stream& stream, void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = lent_.find(memory);
    static_cast<void>(cudaEventRecord(found->second.done, stream.get()));
    idle_.push_back(found->second);
    lent_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::vector<Block> idle_;
  std::unordered_map<void*, Block> lent_;
};

/// For the life of the process. The driver frees what it holds; a destructor of ours could run after it.
Store& store() {
  static Store& only = *new Store;
  return only;
}

}  // namespace

bool is_pinned(const void* memory) {
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  return attributes.type == cudaMemoryTypeHost;
}

void* take_pinned(const Stream& stream, std::size_t bytes) {
  constexpr std::size_t least = 4096;
  return store().take(stream.device(), std::bit_ceil(std::max(bytes, least)));
}

void put_pinned(const Stream& stream, void* memory) { store().put(stream, memory); }

}  // namespace tamis::cuda
