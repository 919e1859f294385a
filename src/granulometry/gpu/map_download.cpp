#include "granulometry/gpu/map_download.hpp"

#include <algorithm>
#include <cstring>

#include "core/cpu/parallel.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

constexpr std::int64_t target_bytes = std::int64_t{16} << 20;

template <class Sample>
void fill_never(Sample* row, const std::uint64_t* bits, std::int64_t count, Sample value) {
  for (std::int64_t x = 0; x < count; ++x) {
    if (row[x] == 0 && ((bits[x / 64] >> (x % 64)) & 1U)) row[x] = value;
  }
}

}  // namespace

MapDownload::MapDownload(const Context& context, const cuda::Stream& stream, const Shape& shape,
                         const BitVolume& object, int sample, std::int64_t never_value)
    : context_(context),
      stream_(stream),
      shape_(shape),
      object_(object),
      sample_(sample),
      never_value_(never_value),
      slices_(std::clamp<std::int64_t>(target_bytes / (shape.y * shape.x * 2), 1, shape.z)),
      arrived_(stream, slices_ * shape.y * shape.x * 2),
      dense_(static_cast<std::size_t>(slices_ * shape.y * shape.x * sample)) {
  if (object.on_gpu && never_value != 0) {
    arrived_object_ = cuda::PinnedBuffer<std::uint64_t>(stream, slices_ * object.words_of_slice);
  }
}

/// The object's rows on the host, where they are looked at.
const std::uint64_t* MapDownload::object_of(std::int64_t z, std::int64_t count) {
  if (!object_.on_gpu || never_value_ == 0) return object_.slice(z);
  cuda::check(cudaMemcpyAsync(arrived_object_.data(), object_.slice(z),
                              static_cast<std::size_t>(count * object_.words_of_slice) * 8, cudaMemcpyDeviceToHost,
                              stream_.get()),
              "read the object");
  return arrived_object_.data();
}

void MapDownload::run(const WindowRun& run, std::int64_t from, std::int64_t z0, std::int64_t count,
                      const MapSink& sink) {
  const Shape& shape = shape_;
  const auto width = static_cast<std::size_t>(shape.x * run.sample());
  const bool as_is = run.sample() == sample_ && never_value_ == 0;
  for (std::int64_t done = 0; done < count; done += slices_) {
    const std::int64_t slices = std::min(slices_, count - done);
    cuda::check(cudaMemcpy2DAsync(arrived_.data(), width, run.map() + (from + done) * shape.y * run.map_pitch(),
                                  static_cast<std::size_t>(run.map_pitch()), width,
                                  static_cast<std::size_t>(slices * shape.y), cudaMemcpyDeviceToHost, stream_.get()),
                "read the size map");
    const std::uint64_t* const object = object_of(z0 + done, slices);
    stream_.synchronize();
    if (!as_is) {
      parallel_for(context_, slices, [&](std::int64_t i) {
        for (std::int64_t y = 0; y < shape.y; ++y) {
          const std::int64_t row = i * shape.y + y;
          finish_row(arrived_.data() + row * static_cast<std::int64_t>(width), run.sample(),
                     dense_.data() + row * shape.x * sample_, object + row * (object_.words_of_slice / shape.y));
        }
      });
    }
    sink(as_is ? arrived_.data() : dense_.data(), z0 + done, slices);
  }
}

void MapDownload::finish_row(std::byte* row, int device_sample, std::byte* out, const std::uint64_t* bits) const {
  const std::int64_t count = shape_.x;
  if (device_sample == sample_) {
    std::memcpy(out, row, static_cast<std::size_t>(count * sample_));
  } else if (sample_ == 2) {
    auto* const wide = reinterpret_cast<std::uint16_t*>(out);
    for (std::int64_t x = 0; x < count; ++x) wide[x] = static_cast<std::uint16_t>(row[x]);
  } else {  // the planes followed a bound, the samples what was met
    const auto* const wide = reinterpret_cast<const std::uint16_t*>(row);
    for (std::int64_t x = 0; x < count; ++x) out[x] = static_cast<std::byte>(wide[x]);
  }
  if (never_value_ == 0) return;
  if (sample_ == 1) {
    fill_never(reinterpret_cast<std::uint8_t*>(out), bits, count, static_cast<std::uint8_t>(never_value_));
  } else {
    fill_never(reinterpret_cast<std::uint16_t*>(out), bits, count, static_cast<std::uint16_t>(never_value_));
  }
}

}  // namespace tamis::granulometry_detail::gpu
