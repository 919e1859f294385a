// Copies within the host's memory, by all threads.
#pragma once

#include <cstdint>
#include <span>

#include <tamis/context.hpp>
#include <tamis/image.hpp>

namespace tamis {

/// Bytes to copy; the two places do not overlap.
struct HostCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::int64_t bytes = 0;
  /// Memory is not read before it is written, and what other threads have in the caches stays. For more than they hold.
  bool past_caches = false;
};

/// All of them side by side. Throws Cancelled.
void copy_bytes(const Context& context, std::span<const HostCopy> copies);

/// The samples of an image to another of its type and shape, whatever lies between their rows.
void copy_samples(const Context& context, const Image& from, Image& to);

/// Has the system make the pages of memory that nothing has touched yet, and keeps what is there. Threads that write to
/// one huge page for the first time at the same moment each fill it with zeros, and all but one in vain; here every
/// page has a thread to itself.
void make_pages(const Context& context, void* memory, std::int64_t bytes);

}  // namespace tamis
