// Host memory to a device, through page-locked memory: the driver's own way from pageable memory is several times
// slower, as one thread goes it, and the host waits meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include <tamis/context.hpp>

#include "core/cpu/copy.hpp"
#include "core/gpu/event.hpp"
#include "core/gpu/staging/rows.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// Copies pageable memory with all threads into one piece of page-locked memory while others cross the bus.
class Uploader {
 public:
  static constexpr std::int64_t usual_piece = std::int64_t{8} << 20;

  /// `stream`: the one that all copies are on. Pieces are taken from the store when they are first wanted.
  explicit Uploader(const Stream& stream, std::int64_t piece_bytes = usual_piece, int pieces = 2);

  /// Returns when `from` has been read; the copies on the stream may still be under way.
  void copy(const Context& context, void* to, const void* from, std::size_t bytes);

  /// The same in steps, for a caller that has other things to do: what was started before has to be queued. Rows of
  /// page-locked memory are queued at once, and read by the device itself.
  void start(const std::byte* from, const DeviceRows& to, bool is_pinned);
  /// Whether everything is on the stream.
  [[nodiscard]] bool is_queued() const { return done_ == to_.bytes(); }
  /// Whether there is something to copy and a piece is free, so that next_copy() need not wait for one.
  [[nodiscard]] bool can_go_on() const;
  /// What the caller has to copy next, into a piece.
  [[nodiscard]] HostCopy next_copy();
  /// It has: the piece is queued.
  void queue_copied();

 private:
  struct Piece {
    explicit Piece(int device) : free(device) {}
    Event free;
    PinnedBuffer<std::byte> memory;
  };

  const Stream& stream_;
  std::int64_t piece_bytes_;
  std::deque<Piece> pieces_;  ///< take turns
  std::size_t turn_ = 0;
  const std::byte* from_ = nullptr;
  DeviceRows to_;
  std::int64_t done_ = 0;
  Patch patch_;  ///< what next_copy() told
};

}  // namespace tamis::cuda
