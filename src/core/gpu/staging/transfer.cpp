#include "core/gpu/staging/transfer.hpp"

#include <algorithm>
#include <limits>

#include "core/gpu/stream.hpp"

namespace tamis::cuda {
namespace {

/// The driver takes no pitch above 2^31, which a part that is one long row may exceed: that is copied without one.
void queue(const Stream& stream, void* to, std::int64_t to_pitch, const void* from, std::int64_t from_pitch,
           const Patch& patch) {
  const auto row_bytes = static_cast<std::size_t>(patch.row_bytes);
  check(patch.rows == 1
            ? cudaMemcpyAsync(to, from, row_bytes, cudaMemcpyDefault, stream.get())
            : cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                                row_bytes, static_cast<std::size_t>(patch.rows), cudaMemcpyDefault, stream.get()),
        "copy an image");
}

}  // namespace

Patch patch_after(const DeviceRows& rows, std::int64_t done, std::int64_t most) {
  const std::int64_t left = rows.bytes() - done;
  if (rows.pitch == rows.row_bytes) {
    const std::int64_t bytes = std::min(most, left);
    return {done, bytes, 1, rows.data + done, bytes};
  }
  const std::int64_t in_row = done % rows.row_bytes;
  std::byte* const on_device = rows.data + done / rows.row_bytes * rows.pitch + in_row;
  // A row that is longer than a piece crosses in several, none of which has bytes of the next row.
  if (rows.row_bytes > most) return {done, std::min(most, rows.row_bytes - in_row), 1, on_device, rows.pitch};
  return {done, rows.row_bytes, std::min(most, left) / rows.row_bytes, on_device, rows.pitch};
}

void queue_up(const Stream& stream, const Patch& patch, const std::byte* dense) {
  queue(stream, patch.on_device, patch.pitch, dense, patch.row_bytes, patch);
}

void queue_down(const Stream& stream, const Patch& patch, std::byte* dense) {
  queue(stream, dense, patch.row_bytes, patch.on_device, patch.pitch, patch);
}

Uploader::Uploader(const Stream& stream, std::int64_t piece_bytes, int pieces)
    : stream_(stream), piece_bytes_(piece_bytes) {
  for (int i = 0; i < pieces; ++i) pieces_.emplace_back(stream.device());
}

void Uploader::copy(const Context& context, void* to, const void* from, std::size_t bytes) {
  const auto row = static_cast<std::int64_t>(bytes);
  start(static_cast<const std::byte*>(from), {static_cast<std::byte*>(to), row, row, 1}, false);
  while (!is_queued()) {
    const HostCopy piece = next_copy();
    copy_bytes(context, {&piece, 1});
    queue_copied();
  }
}

void Uploader::start(const std::byte* from, const DeviceRows& to, bool is_pinned) {
  from_ = from;
  to_ = to;
  done_ = 0;
  if (!is_pinned) return;
  queue_up(stream_, patch_after(to_, 0, std::numeric_limits<std::int64_t>::max()), from_);
  done_ = to_.bytes();
}

bool Uploader::can_go_on() const { return !is_queued() && pieces_[turn_].free.has_come(); }

HostCopy Uploader::next_copy() {
  Piece& piece = pieces_[turn_];
  piece.free.wait();
  if (piece.memory.size() == 0) piece.memory = PinnedBuffer<std::byte>(stream_, piece_bytes_);
  patch_ = patch_after(to_, done_, piece_bytes_);
  return {piece.memory.data(), from_ + patch_.begin, patch_.bytes()};
}

void Uploader::queue_copied() {
  const Piece& piece = pieces_[turn_];
  queue_up(stream_, patch_, piece.memory.data());
  piece.free.record(stream_);
  done_ += patch_.bytes();
  turn_ = (turn_ + 1) % pieces_.size();
}

Downloader::Downloader(const Stream& stream, std::int64_t piece_bytes, int pieces, bool past_caches)
    : stream_(stream), piece_bytes_(piece_bytes), past_caches_(past_caches) {
  for (int i = 0; i < pieces; ++i) pieces_.emplace_back(stream.device());
}

void Downloader::add(const DeviceRows& from, std::byte* to, bool is_pinned, const Event& ready, const Event& queued) {
  waiting_.push_back({from, to, is_pinned, &ready, &queued});
  queue_pieces();
}

bool Downloader::can_go_on() const { return under_way_ > 0 && pieces_[turn_].arrived.has_come(); }

HostCopy Downloader::next_copy() const {
  const Piece& piece = pieces_[turn_];
  return {piece.to, piece.memory.data(), piece.bytes, past_caches_};
}

void Downloader::finish_copied() {
  if (pieces_[turn_].is_last) ++finished_;
  turn_ = (turn_ + 1) % pieces_.size();
  --under_way_;
  queue_pieces();
}

void Downloader::queue_pieces() {
  while (under_way_ < pieces_.size() && !waiting_.empty()) {
    Result& result = waiting_.front();
    queue_piece(pieces_[(turn_ + under_way_) % pieces_.size()], result);
    ++under_way_;
    if (result.done < result.from.bytes()) continue;
    result.queued->record(stream_);
    ++queued_;
    waiting_.pop_front();
  }
}

void Downloader::queue_piece(Piece& piece, Result& result) {
  if (result.done == 0) result.ready->hold(stream_);
  const Patch patch =
      patch_after(result.from, result.done, result.is_pinned ? std::numeric_limits<std::int64_t>::max() : piece_bytes_);
  if (!result.is_pinned && piece.memory.size() == 0) piece.memory = PinnedBuffer<std::byte>(stream_, piece_bytes_);
  queue_down(stream_, patch, result.is_pinned ? result.to : piece.memory.data());
  piece.arrived.record(stream_);
  piece.bytes = result.is_pinned ? 0 : patch.bytes();
  piece.to = result.to + patch.begin;
  result.done += patch.bytes();
  piece.is_last = result.done == result.from.bytes();
}

}  // namespace tamis::cuda
