// Where the queues and stacks of Karas et al. (2015) keep their entries. One thread works on one line; entries of
// neighbouring threads lie side by side, so that a warp that moves in step reads whole rows of memory.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define KARAS_DEVICE __device__ __forceinline__
#else
#define KARAS_DEVICE inline
#endif

namespace tamis::karas::gpu {

/// A plateau: its value (8 bits), and its last position on the line (queue) or its first one (stack).
struct Node {
  int value;
  int position;
};
KARAS_DEVICE std::uint32_t pack(const Node& node) {
  return static_cast<std::uint32_t>(node.value) << 24 | static_cast<std::uint32_t>(node.position);
}
KARAS_DEVICE Node unpack(std::uint32_t word) {
  return {static_cast<int>(word >> 24), static_cast<int>(word & 0xFFFFFF)};
}

/// Entries in global memory alone; a power of two of them, in a ring.
class FarStore {
 public:
  KARAS_DEVICE FarStore(std::uint32_t* first, std::int64_t stride, int capacity)
      : first_(first), stride_(stride), mask_(capacity - 1) {}

  KARAS_DEVICE Node load(int i) const { return unpack(get(first_ + (i & mask_) * stride_)); }
  KARAS_DEVICE void store(int i, int /*head*/, const Node& node) { put(first_ + (i & mask_) * stride_, pack(node)); }

 private:
#ifdef __CUDA_ARCH__
  // Said in full, as near entries are: where both are reached through one object, nvcc 13.0 takes these for shared
  // memory.
  KARAS_DEVICE static std::uint32_t get(const std::uint32_t* place) {
    std::uint32_t word;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(place)) : "memory");
    return word;
  }
  KARAS_DEVICE static void put(std::uint32_t* place, std::uint32_t word) {
    asm volatile("st.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(place)), "r"(word) : "memory");
  }
#else
  KARAS_DEVICE static std::uint32_t get(const std::uint32_t* place) { return *place; }
  KARAS_DEVICE static void put(std::uint32_t* place, std::uint32_t word) { *place = word; }
#endif

  std::uint32_t* first_;
  std::int64_t stride_;
  int mask_;
};

/// Section 5.2, figure 7: the last entries in shared memory, in a ring of a power of two, older ones in global memory.
class NearStore {
 public:
  KARAS_DEVICE NearStore(std::uint32_t* near, int near_stride, int near_capacity, const FarStore& far)
      : near_(near), near_stride_(near_stride), near_capacity_(near_capacity), far_(far) {}

  KARAS_DEVICE Node load(int i) const { return i < moved_ ? far_.load(i) : unpack(near_load(i)); }

  /// Entry i becomes the last one; those before `head` are not needed any more.
  KARAS_DEVICE void store(int i, int head, const Node& node) {
    if (moved_ > i) moved_ = i;
    if (moved_ < head) moved_ = head;
    for (; i - moved_ >= near_capacity_; ++moved_) far_.store(moved_, head, unpack(near_load(moved_)));
    near_store(i, pack(node));
  }

 private:
  KARAS_DEVICE std::uint32_t* near_at(int i) const { return near_ + (i & (near_capacity_ - 1)) * near_stride_; }
#ifdef __CUDA_ARCH__
  KARAS_DEVICE std::uint32_t near_load(int i) const {
    std::uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];"
                 : "=r"(word)
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(near_at(i))))
                 : "memory");
    return word;
  }
  KARAS_DEVICE void near_store(int i, std::uint32_t word) {
    asm volatile("st.shared.u32 [%0], %1;"
                 :
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(near_at(i)))), "r"(word)
                 : "memory");
  }
#else
  KARAS_DEVICE std::uint32_t near_load(int i) const { return *near_at(i); }
  KARAS_DEVICE void near_store(int i, std::uint32_t word) { *near_at(i) = word; }
#endif

  std::uint32_t* near_;
  int near_stride_, near_capacity_;
  FarStore far_;
  int moved_ = 0;  ///< entries before this one are in global memory
};

/// A queue that is read and written where it lies.
template <class Store>
class PlainQueue {
 public:
  KARAS_DEVICE explicit PlainQueue(const Store& store) : store_(store) {}

  [[nodiscard]] KARAS_DEVICE int count() const { return tail_ - head_; }
  [[nodiscard]] KARAS_DEVICE Node front() const { return store_.load(head_); }
  [[nodiscard]] KARAS_DEVICE Node back() const { return store_.load(tail_ - 1); }
  [[nodiscard]] KARAS_DEVICE Node before() const { return store_.load(tail_ - 2); }
  KARAS_DEVICE void push(const Node& node) { store_.store(tail_++, head_, node); }
  KARAS_DEVICE void set_back(const Node& node) { store_.store(tail_ - 1, head_, node); }
  KARAS_DEVICE void pop_back() { --tail_; }
  KARAS_DEVICE void pop_front() { ++head_; }

 private:
  Store store_;
  int head_ = 0, tail_ = 0;
};

/// The same with the first and the last two entries in registers. The store has all but the last two.
template <class Store>
class CachedQueue {
 public:
  KARAS_DEVICE explicit CachedQueue(const Store& store) : store_(store) {}

  [[nodiscard]] KARAS_DEVICE int count() const { return tail_ - head_; }
  [[nodiscard]] KARAS_DEVICE Node front() const { return front_; }
  [[nodiscard]] KARAS_DEVICE Node back() const { return back_; }
  [[nodiscard]] KARAS_DEVICE Node before() const { return before_; }
  KARAS_DEVICE void push(const Node& node) {
    if (count() == 0) front_ = node;
    if (count() > 1) store_.store(tail_ - 2, head_, before_);
    before_ = back_;
    back_ = node;
    ++tail_;
  }
  KARAS_DEVICE void set_back(const Node& node) {
    back_ = node;
    if (count() == 1) front_ = node;
  }
  KARAS_DEVICE void pop_back() {
    --tail_;
    back_ = before_;
    if (count() > 1) before_ = store_.load(tail_ - 2);
  }
  KARAS_DEVICE void pop_front() {
    ++head_;
    if (count() > 2) {
      front_ = store_.load(head_);
    } else {
      front_ = count() == 2 ? before_ : back_;
    }
  }

 private:
  Store store_;
  int head_ = 0, tail_ = 0;
  Node front_{}, back_{}, before_{};
};

/// A stack that is read and written where it lies.
template <class Store>
class PlainStack {
 public:
  KARAS_DEVICE explicit PlainStack(const Store& store) : store_(store) {}

  [[nodiscard]] KARAS_DEVICE int count() const { return count_; }
  [[nodiscard]] KARAS_DEVICE Node at(int i) const { return store_.load(i); }
  [[nodiscard]] KARAS_DEVICE Node top() const { return store_.load(count_ - 1); }
  KARAS_DEVICE void push(const Node& node) { store_.store(count_++, 0, node); }
  KARAS_DEVICE void pop() { --count_; }

 private:
  Store store_;
  int count_ = 0;
};

/// The same with the top in a register.
template <class Store>
class CachedStack {
 public:
  KARAS_DEVICE explicit CachedStack(const Store& store) : store_(store) {}

  [[nodiscard]] KARAS_DEVICE int count() const { return count_; }
  [[nodiscard]] KARAS_DEVICE Node at(int i) const { return i == count_ - 1 ? top_ : store_.load(i); }
  [[nodiscard]] KARAS_DEVICE Node top() const { return top_; }
  KARAS_DEVICE void push(const Node& node) {
    if (count_ > 0) store_.store(count_ - 1, 0, top_);
    top_ = node;
    ++count_;
  }
  KARAS_DEVICE void pop() {
    --count_;
    if (count_ > 0) top_ = store_.load(count_ - 1);
  }

 private:
  Store store_;
  int count_ = 0;
  Node top_{};
};

}  // namespace tamis::karas::gpu
