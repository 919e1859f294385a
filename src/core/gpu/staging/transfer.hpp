// Rows that cross the bus, a piece at a time, through page-locked memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include <tamis/context.hpp>
#include <tamis/error.hpp>

#include "core/cpu/copy.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

/// The system locks no more pages. Callers that can copy pageable memory catch it; a GPU's memory has nothing to do
/// with it, so it is no OutOfMemory.
class OutOfPinnedMemory : public ResourceError {
 public:
  using ResourceError::ResourceError;
};

/// Rows on a device, which are dense on the host.
struct DeviceRows {
  std::byte* data = nullptr;
  std::int64_t pitch = 0;  ///< bytes from a row to the next, on the device
  std::int64_t row_bytes = 0;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t bytes() const { return row_bytes * count; }
};

/// Part of rows that one copy of the driver moves: whole ones, or some bytes of one.
struct Patch {
  std::int64_t begin = 0;  ///< its first byte, among the dense ones of the host
  std::int64_t row_bytes = 0;
  std::int64_t rows = 0;
  std::byte* on_device = nullptr;
  std::int64_t pitch = 0;

  [[nodiscard]] std::int64_t bytes() const { return row_bytes * rows; }
};

/// What follows the first `done` bytes, at most `most` bytes of it. `done` is 0 or where a part ended.
[[nodiscard]] Patch patch_after(const DeviceRows& rows, std::int64_t done, std::int64_t most);

/// Queue a copy; `dense` is where the part's first byte lies on the host.
void queue_up(const Stream& stream, const Patch& patch, const std::byte* dense);
void queue_down(const Stream& stream, const Patch& patch, std::byte* dense);

// Host memory to a device, through page-locked memory: the driver's own way from pageable memory is several times
// slower, as one thread goes it, and the host waits meanwhile.

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

// A device's results to the host, through page-locked memory, for the reasons given above.

/// Results come down one after the other: while pieces cross the bus, threads copy what has arrived to where it is
/// wanted. Nobody but the caller's calls move anything on.
class Downloader {
 public:
  /// `stream`: the one that all copies are on. Pieces are taken from the store when they are first wanted.
  /// `past_caches`: results are more than the caches hold.
  Downloader(const Stream& stream, std::int64_t piece_bytes, int pieces, bool past_caches = false);

  /// Rows that are on the device when `ready` has come. `queued` is recorded when all of their copies are on the
  /// stream; both have to live until then. Page-locked memory is written by the device itself.
  void add(const DeviceRows& from, std::byte* to, bool is_pinned, const Event& ready, const Event& queued);

  /// Results of which all copies are on the stream, and those that lie where they are wanted, since the beginning.
  [[nodiscard]] std::int64_t queued() const { return queued_; }
  [[nodiscard]] std::int64_t finished() const { return finished_; }
  /// Whether the oldest piece has arrived.
  [[nodiscard]] bool can_go_on() const;
  /// What the caller has to copy next, from a piece that has arrived.
  [[nodiscard]] HostCopy next_copy() const;
  /// It has: another piece is queued.
  void finish_copied();

 private:
  struct Result {
    DeviceRows from;
    std::byte* to;
    bool is_pinned;
    const Event* ready;
    const Event* queued;
    std::int64_t done = 0;  ///< bytes that are queued
  };
  struct Piece {
    explicit Piece(int device) : arrived(device) {}
    Event arrived;
    PinnedBuffer<std::byte> memory;
    std::int64_t bytes = 0;  ///< to be copied from it; none where the device writes the result itself
    std::byte* to = nullptr;
    bool is_last = false;  ///< of its result
  };

  void queue_pieces();
  void queue_piece(Piece& piece, Result& result);

  const Stream& stream_;
  std::int64_t piece_bytes_;
  bool past_caches_;
  std::deque<Piece> pieces_;  ///< take turns
  std::size_t turn_ = 0;      ///< the oldest under way
  std::size_t under_way_ = 0;
  std::deque<Result> waiting_;  ///< not, or not all, queued
  std::int64_t queued_ = 0, finished_ = 0;
};

}  // namespace tamis::cuda
