#include "core/gpu/staging/upload.hpp"

#include <limits>

namespace tamis::cuda {

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

}  // namespace tamis::cuda
