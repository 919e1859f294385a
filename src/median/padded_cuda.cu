#include "median/padded_cuda.hpp"

#include <algorithm>

#include "core/cuda/border.cuh"
#include "core/cuda/launch.hpp"

namespace tamis::median_detail {
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

std::int64_t up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

PaddedImage::PaddedImage(const cuda::Stream& stream, const GpuStep& task, const OffsetBox& window, bool inside) {
  // The sample itself is asked for where a window sees nothing.
  const auto low = [](std::int64_t n) { return std::min<std::int64_t>(n, 0); };
  const auto high = [](std::int64_t n) { return std::max<std::int64_t>(n, 0); };
  const int per_byte = task.type == Type::Bool ? 8 : 1;
  constexpr std::int64_t strip = 32;  // samples, all of which are read where some are in the image
  PadTask pad;
  pad.from = task.from;
  pad.low_z = low(window.low.z);
  pad.low_y = low(window.low.y);
  pad.left = up(up(-low(window.low.x), per_byte) / per_byte, piece);
  const std::int64_t right = high(window.high.x) + 2 * strip;
  pitch_ = up(pad.left + up(up(task.shape.x, strip) + right, per_byte) / per_byte, piece);
  pad.pitch = pitch_;
  pad.ny = task.shape.y + high(window.high.y) - pad.low_y;
  pad.rows = pad.ny * (task.shape.z + high(window.high.z) - pad.low_z);
  pad.shape_x = task.shape.x;
  pad.shape_y = task.shape.y;
  pad.shape_z = task.shape.z;
  pad.border = task.border.kind;
  pad.outside = task.border.kind == Border::Kind::Constant ? static_cast<std::uint8_t>(task.border.value) : 0;
  pad.inside = inside;
  slice_ = pitch_ * pad.ny;
  memory_ = cuda::DeviceBuffer<std::byte>(stream, pitch_ * pad.rows + 2 * piece);
  pad.to = memory_.data();
  origin_ = memory_.data() - pad.low_z * slice_ - pad.low_y * pitch_ + pad.left;
  constexpr int threads = 256;
  const std::int64_t blocks = (pitch_ / piece * pad.rows + threads - 1) / threads;
  const cuda::LaunchShape shape{dim3(static_cast<unsigned>(blocks)), dim3(threads)};
  if (per_byte == 8) {
    cuda::launch(stream, shape, "pad an image", pad_kernel<8>, pad);
  } else {
    cuda::launch(stream, shape, "pad an image", pad_kernel<1>, pad);
  }
}

}  // namespace tamis::median_detail
