#include "core/gpu/upload.hpp"

#include <algorithm>
#include <cstring>

#include "core/cpu/parallel.hpp"

namespace tamis::cuda {

Uploader::Uploader(const Stream& stream)
    : stream_(stream),
      staging_{PinnedBuffer<std::byte>(stream, static_cast<std::int64_t>(piece)),
               PinnedBuffer<std::byte>(stream, static_cast<std::int64_t>(piece))},
      free_{Event(stream.device()), Event(stream.device())} {}

void Uploader::copy(const Context& context, void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t share = std::size_t{256} << 10;
  int slot = 0;
  for (std::size_t done = 0; done < bytes; done += piece, slot ^= 1) {
    const std::size_t count = std::min(piece, bytes - done);
    free_[slot].wait();
    const std::byte* const source = static_cast<const std::byte*>(from) + done;
    parallel_for(context, static_cast<std::int64_t>((count + share - 1) / share), [&](std::int64_t i) {
      const std::size_t begin = static_cast<std::size_t>(i) * share;
      std::memcpy(staging_[slot].data() + begin, source + begin, std::min(share, count - begin));
    });
    check(cudaMemcpyAsync(static_cast<std::byte*>(to) + done, staging_[slot].data(), count, cudaMemcpyHostToDevice,
                          stream_.get()),
          "copy to the device");
    free_[slot].record(stream_);
  }
}

}  // namespace tamis::cuda
