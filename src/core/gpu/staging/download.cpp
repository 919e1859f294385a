#include "core/gpu/staging/download.hpp"

#include <limits>

namespace tamis::cuda {

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
