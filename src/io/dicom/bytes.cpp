#include "io/dicom/dicom.hpp"

#include <algorithm>

namespace tamis::io {

void DicomBytes::inflate(std::int64_t start, std::int64_t most, const std::stop_token& cancel) {
  if (!inflater_) {
    inflated_ = file_.text().substr(0, static_cast<std::size_t>(start));
    inflater_.emplace(file_, start, cancel, Packing::RawDeflate);
  }
  // Memory grows with what has come: what a file says of its size costs nothing.
  constexpr std::int64_t least = std::int64_t{1} << 20;
  whole_ = false;
  for (std::int64_t held = size(); !whole_ && held < most; held = size()) {
    const std::int64_t wanted = std::min(most - held, std::max(held, least));
    inflated_.resize(static_cast<std::size_t>(held + wanted));
    const std::int64_t got = inflater_->read(reinterpret_cast<std::byte*>(inflated_.data()) + held, wanted);
    inflated_.resize(static_cast<std::size_t>(held + got));
    whole_ = got < wanted;
  }
}

}  // namespace tamis::io
