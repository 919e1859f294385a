#include "median/gpu/padded.hpp"

#include <algorithm>

#include "core/gpu/border.cuh"
#include "core/gpu/launch.hpp"

namespace tamis::median_detail::gpu {
namespace {

constexpr int piece = 16;  // bytes that a thread makes

struct PadTask {
  cuda::DeviceImage from;
  std::byte* to = nullptr;  ///< the first byte of all
  std::int64_t pitch = 0;
  std::int64_t rows = 0;
  std::int64_t ny = 0;                ///< padded rows of a slice
  std::int64_t low_z = 0, low_y = 0;  ///< of the first row
  std::int64_t left = 0;              ///< bytes before byte 0 of a row
  std::int64_t shape_x = 0, shape_y = 0, shape_z = 0;
  Border::Kind border = Border::Kind::Reflect;
  std::uint8_t outside = 0;
  bool inside = false;
};

struct Bytes {
  std::uint8_t of[piece];
};

/// Bytes of a row of bytes from x on, where some are not in the image.
__device__ Bytes bytes_beside(const PadTask& task, const std::byte* row, std::int64_t x) {
  Bytes bytes;
  for (int i = 0; i < piece; ++i) {
    const std::int64_t from = cuda::seen_at(x + i, task.shape_x, task.border);
    bytes.of[i] = from < 0 || !row ? task.outside : static_cast<std::uint8_t>(row[from]);
  }
  return bytes;
}

/// The same of a row of bits, from bit 8 x on.
__device__ Bytes bits_beside(const PadTask& task, const std::byte* row, std::int64_t x) {
  Bytes bytes;
  for (int i = 0; i < piece; ++i) {
    unsigned byte = 0;
    for (int k = 0; k < 8; ++k) {
      const std::int64_t from = cuda::seen_at(8 * (x + i) + k, task.shape_x, task.border);
      const unsigned bit = from < 0 || !row ? task.outside
                           : task.inside    ? 1
                                            : static_cast<unsigned>(row[from / 8]) >> (from % 8) & 1;
      byte |= bit << k;
    }
    bytes.of[i] = static_cast<std::uint8_t>(byte);
  }
  return bytes;
}

/// A thread makes 16 bytes. `per_byte` samples are in one: 1, or 8 bits.
template <int per_byte>
__global__ void pad_kernel(PadTask task) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * piece;
  const std::int64_t row = at / task.pitch;
  if (row >= task.rows) return;
  const std::int64_t x = at % task.pitch - task.left;
  const std::int64_t z = cuda::seen_at(task.low_z + row / task.ny, task.shape_z, task.border);
  const std::int64_t y = cuda::seen_at(task.low_y + row % task.ny, task.shape_y, task.border);
  const std::byte* const from = z < 0 || y < 0 ? nullptr : task.from.data + z * task.from.slice + y * task.from.pitch;
  auto* const to = reinterpret_cast<uint4*>(task.to + at);
  if (from && !task.inside && x >= 0 && (x + piece) * per_byte <= task.shape_x) {
    *to = *reinterpret_cast<const uint4*>(from + x);
    return;
  }
  const Bytes bytes = per_byte == 1 ? bytes_beside(task, from, x) : bits_beside(task, from, x);
  memcpy(to, bytes.of, piece);
}

int samples_per_byte(Type type) { return type == Type::Bool ? 8 : 1; }

std::int64_t up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

Padding::Padding(const cuda::Stream& stream, const Step& step)
    : stream_(stream), type_(step.type), shape_(step.shape), border_(step.border) {
  // The sample itself is asked for where a window sees nothing.
  const auto low = [](std::int64_t n) { return std::min<std::int64_t>(n, 0); };
  const auto high = [](std::int64_t n) { return std::max<std::int64_t>(n, 0); };
  const OffsetBox& window = step.rank.window.box();
  const int per_byte = samples_per_byte(type_);
  constexpr std::int64_t strip = 32;  // samples, all of which are read where some are in the image
  low_z_ = low(window.low.z);
  low_y_ = low(window.low.y);
  left_ = up(up(-low(window.low.x), per_byte) / per_byte, piece);
  const std::int64_t right = high(window.high.x) + 2 * strip;
  pitch_ = up(left_ + up(up(shape_.x, strip) + right, per_byte) / per_byte, piece);
  ny_ = shape_.y + high(window.high.y) - low_y_;
  rows_ = ny_ * (shape_.z + high(window.high.z) - low_z_);
  slice_ = pitch_ * ny_;
  bytes_ = pitch_ * rows_ + 2 * piece;
  origin_ = left_ - low_z_ * slice_ - low_y_ * pitch_;
}

void Padding::fill(const cuda::DeviceImage& from, std::byte* memory) const { fill(from, false, memory); }
void Padding::fill_inside(std::byte* memory) const {
  const cuda::DeviceImage not_read{memory, 0, 0};
  fill(not_read, true, memory);
}

void Padding::fill(const cuda::DeviceImage& from, bool inside, std::byte* memory) const {
  PadTask pad;
  pad.from = from;
  pad.to = memory;
  pad.pitch = pitch_;
  pad.rows = rows_;
  pad.ny = ny_;
  pad.low_z = low_z_;
  pad.low_y = low_y_;
  pad.left = left_;
  pad.shape_x = shape_.x;
  pad.shape_y = shape_.y;
  pad.shape_z = shape_.z;
  pad.border = border_.kind;
  pad.outside = border_.kind == Border::Kind::Constant ? static_cast<std::uint8_t>(border_.value) : 0;
  pad.inside = inside;
  constexpr int threads = 256;
  const std::int64_t blocks = (pitch_ / piece * rows_ + threads - 1) / threads;
  cuda::launch(stream_, {dim3(static_cast<unsigned>(blocks)), dim3(threads)}, "pad an image",
               samples_per_byte(type_) == 8 ? pad_kernel<8> : pad_kernel<1>, pad);
}

}  // namespace tamis::median_detail::gpu
