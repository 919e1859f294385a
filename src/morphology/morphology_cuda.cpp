#include "morphology/morphology_cuda.hpp"

#include <utility>
#include <vector>

#include "core/cuda/device_image.hpp"
#include "core/cuda/find_nan.hpp"
#include "core/cuda/stream.hpp"
#include "morphology/plan_moves_cuda.hpp"

namespace tamis::morphology_detail {

bool run_cuda(const Context& context, const Plan& plan, const Image& image, Image& out) {
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  cuda::DeviceBuffer<unsigned> nan(stream, 1);
  nan.clear();
  const std::vector<Move> moves = moves_of(plan, image.type(), image.shape());
  DeviceStore now(stream, image.type(), image.shape());
  DeviceStore next(stream, image.type(), image.shape());
  now.fill(stream, image.data());
  const bool floats = image.type() == Type::F32;
  unsigned* flag = floats && look_for_nan(moves) ? nan.data() : nullptr;
  if (floats && flag == nullptr) cuda::find_nan(stream, now.get(), image.shape(), nan.data());
  for (const Move& move : moves) {
    move.run(stream, now.get(), next.get(), std::exchange(flag, nullptr));
    std::swap(now, next);
  }
  now.read(stream, out.data());
  unsigned found = 0;
  cuda::check(cudaMemcpyAsync(&found, nan.data(), sizeof(found), cudaMemcpyDeviceToHost, stream.get()), "read a flag");
  stream.synchronize();
  return found != 0;
}

}  // namespace tamis::morphology_detail
