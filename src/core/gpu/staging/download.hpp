// A device's results to the host, through page-locked memory, for the reasons that upload.hpp gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/cpu/copy.hpp"
#include "core/gpu/event.hpp"
#include "core/gpu/staging/rows.hpp"
#include "core/gpu/stream.hpp"

namespace tamis::cuda {

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
