// An image that lies on a GPU is eroded there, on a stream of the caller.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <tamis/gpu.hpp>
#include <tamis/gpu/array.hpp>

int main() {
  if (const std::string why = tamis::why_no_gpu(); !why.empty()) {
    std::cerr << why << '\n';
    return 77;
  }
  const tamis::Shape shape{.z = 1, .y = 100, .x = 120, .rank = 2};
  std::vector<std::uint8_t> samples(static_cast<std::size_t>(shape.count()), 9);
  samples[0] = 3;
  cudaStream_t stream = nullptr;
  void *image = nullptr, *eroded = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess || cudaMalloc(&image, samples.size()) != cudaSuccess ||
      cudaMalloc(&eroded, samples.size()) != cudaSuccess) {
    std::cerr << "no memory on the GPU\n";
    return 1;
  }
  try {
    tamis::Context context;
    context.stream = stream;
    cudaMemcpyAsync(image, samples.data(), samples.size(), cudaMemcpyHostToDevice, stream);
    // Queued after the copy; returns at once.
    tamis::erode(context, tamis::dense_gpu_array<const void>(image, tamis::Type::U8, shape),
                 tamis::dense_gpu_array<void>(eroded, tamis::Type::U8, shape), {.element = "square:3"});
    cudaMemcpyAsync(samples.data(), eroded, samples.size(), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    std::int64_t low = 0;
    for (const std::uint8_t sample : samples) low += sample == 3 ? 1 : 0;
    std::cout << low << " samples see the low one\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  cudaFree(eroded);
  cudaFree(image);
  cudaStreamDestroy(stream);
}
