// A stream of a device, the memory ordered by it, and pinned memory of the host. Nothing here touches the default
// stream or synchronises a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>
#include <tamis/context.hpp>
#include <tamis/error.hpp>

namespace tamis::cuda {

// CUDA errors become the typed errors of tamis.

/// The GPU has too little memory for a request. Callers that can work in slabs catch it.
class OutOfMemory : public ResourceError {
 public:
  using ResourceError::ResourceError;
};

/// Throws if a call of the CUDA runtime failed; `what` says what was attempted.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // the next call must not report this one again
  const std::string message = std::string("GPU: ") + what + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory(message);
  throw ResourceError(message);
}

/// Makes a device current for this thread, and the former one again at the end.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int device_;
  int former_ = 0;
};

/// A stream of its own, or one that the caller owns. Its memory comes from a pool of tamis on that device, which keeps
/// what it has between operations, so that a second run allocates nothing from the driver.
class Stream {
 public:
  /// A new stream that does not wait for the default one.
  explicit Stream(int device);
  /// The caller's stream, on its device. Not owned.
  Stream(int device, cudaStream_t stream);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  [[nodiscard]] int device() const { return device_; }

  /// Device memory, usable by work that is queued after this call. Throws OutOfMemory.
  [[nodiscard]] void* allocate(std::size_t bytes) const;
  void release(void* memory) const;
  /// Waits for everything queued here.
  void synchronize() const;

 private:
  int device_;
  bool owned_;
  cudaStream_t stream_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
};

/// Bytes an operation may take on the device: the context's limit, or most of what the device has free, the pool's
/// unused memory included.
[[nodiscard]] std::int64_t device_memory_budget(const Context& context, int device);

/// Gives the memory that the pool of this device keeps back to the driver.
void trim_pool(int device);

/// An array in device memory that belongs to a stream.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const Stream& stream, std::int64_t count)
      : stream_(&stream),
        count_(count),
        data_(static_cast<T*>(stream.allocate(static_cast<std::size_t>(count) * sizeof(T)))) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() {
    if (data_) stream_->release(data_);
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }

  /// The same memory for other samples, which are no wider.
  template <class Other>
  [[nodiscard]] DeviceBuffer<Other> as() && {
    static_assert(sizeof(Other) <= sizeof(T));
    DeviceBuffer<Other> other;
    other.stream_ = stream_;
    other.count_ = count_;
    other.data_ = reinterpret_cast<Other*>(std::exchange(data_, nullptr));
    return other;
  }

  /// Queues zeros.
  void clear() const {
    if (count_ > 0) check(cudaMemsetAsync(data_, 0, bytes(), stream_->get()), "clear memory");
  }

 private:
  template <class>
  friend class DeviceBuffer;

  void swap(DeviceBuffer& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
  }
  const Stream* stream_ = nullptr;
  std::int64_t count_ = 0;
  T* data_ = nullptr;
};

/// Whether this is page-locked memory of the host, which a GPU reads and writes by itself.
[[nodiscard]] bool is_pinned(const void* memory);

/// Page-locked memory from a store of the process: at least so many bytes that no copy of any stream still touches.
[[nodiscard]] void* take_pinned(const Stream& stream, std::size_t bytes);
/// Back to the store, which gives it out again when the stream has come to where it is now. Waits for nothing.
void put_pinned(const Stream& stream, void* memory);

/// Page-locked memory of the host: what copies that overlap with kernels need.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  /// For copies of this stream only, which may still be under way when the buffer goes; neither end of its life waits.
  PinnedBuffer(const Stream& stream, std::int64_t count)
      : stream_(&stream),
        count_(count),
        data_(static_cast<T*>(take_pinned(stream, static_cast<std::size_t>(count) * sizeof(T)))) {}
  /// For any stream. Its end waits for the device.
  explicit PinnedBuffer(std::int64_t count) : count_(count) {
    check(cudaMallocHost(reinterpret_cast<void**>(&data_), static_cast<std::size_t>(count) * sizeof(T)),
          "allocate pinned memory");
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept { swap(other); }
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    PinnedBuffer(std::move(other)).swap(*this);
    return *this;
  }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() {
    if (!data_) return;
    if (stream_) {
      put_pinned(*stream_, data_);
    } else {
      static_cast<void>(cudaFreeHost(data_));
    }
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return count_; }
  T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  void swap(PinnedBuffer& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
  }
  const Stream* stream_ = nullptr;
  std::int64_t count_ = 0;
  T* data_ = nullptr;
};

// A point in a stream that the host or another stream can wait for.

class Event {
 public:
  /// For streams of this device.
  explicit Event(int device) {
    const DeviceScope scope(device);
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "create an event");
  }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Marks what is queued on the stream so far.
  void record(const Stream& stream) const { check(cudaEventRecord(event_, stream.get()), "record an event"); }
  /// The host waits for the mark; at once if there is none.
  void wait() const { check(cudaEventSynchronize(event_), "wait for the device"); }
  /// Whether the host need not wait for the mark, or there is none.
  [[nodiscard]] bool has_come() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());  // which is no error
      return false;
    }
    check(status, "ask the device");
    return true;
  }
  /// Later work of the stream waits for the mark.
  void hold(const Stream& stream) const { check(cudaStreamWaitEvent(stream.get(), event_, 0), "order two streams"); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace tamis::cuda
