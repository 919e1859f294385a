#include <optional>
#include <vector>

#include "core/gpu/stream.hpp"
#include "morphology/gpu/kernels.hpp"
#include "papers/izmantoko/cpu/sequential.hpp"
#include "papers/izmantoko/gpu/kernels.hpp"
#include "papers/izmantoko/study/gpu_study.hpp"

namespace tamis::izmantoko {

using cuda::check;
using morphology_detail::Order;
using morphology_detail::gpu::DeviceImage;

namespace {

using namespace gpu;

std::vector<Order> halves_of(Operation operation) {
  if (operation == Operation::Erode) return {Order::Min};
  if (operation == Operation::Dilate) return {Order::Max};
  if (operation == Operation::Open) return {Order::Min, Order::Max};
  return {Order::Max, Order::Min};
}

std::optional<Kernel> kernel_of(const std::string& version) {
  for (const Kernel kernel : {Kernel::Naive, Kernel::Global, Kernel::Shared}) {
    if (version == name(kernel)) return kernel;
  }
  return std::nullopt;
}

class TimingEvent {
 public:
  TimingEvent() { check(cudaEventCreate(&event_), "create an event"); }
  ~TimingEvent() { static_cast<void>(cudaEventDestroy(event_)); }
  TimingEvent(const TimingEvent&) = delete;
  TimingEvent& operator=(const TimingEvent&) = delete;
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

struct GpuStudy::Parts {
  Parts(int gpu, const Image& image)
      : device(gpu),
        stream(gpu),
        shape(image.shape()),
        pitch((shape.x + 15) / 16 * 16),
        bytes(pitch * shape.y * shape.z),
        binary(cpu::is_binary_image(image)),
        input(stream, bytes),
        between(stream, bytes),
        output(stream, bytes) {
    check(cudaMemcpy2DAsync(input.data(), static_cast<std::size_t>(pitch), image.data(),
                            static_cast<std::size_t>(shape.x), static_cast<std::size_t>(shape.x),
                            static_cast<std::size_t>(shape.y * shape.z), cudaMemcpyHostToDevice, stream.get()),
          "copy an image");
    stream.synchronize();
  }

  [[nodiscard]] BinaryPixels pixels(const cuda::DeviceBuffer<std::uint8_t>& memory) const {
    return {memory.data(), static_cast<int>(pitch), static_cast<int>(shape.x), static_cast<int>(shape.y)};
  }
  [[nodiscard]] DeviceImage image(const cuda::DeviceBuffer<std::uint8_t>& memory) const {
    return {reinterpret_cast<std::byte*>(memory.data()), pitch, pitch * shape.y};
  }

  void paper_step(Kernel kernel, Order order, std::int64_t edge, const cuda::DeviceBuffer<std::uint8_t>& from,
                  const cuda::DeviceBuffer<std::uint8_t>& to) const {
    (order == Order::Min ? erode : dilate)(stream, kernel, pixels(from), pixels(to), static_cast<int>(edge / 2));
  }
  void our_step(Order order, std::int64_t edge, const cuda::DeviceBuffer<std::uint8_t>& from,
                const cuda::DeviceBuffer<std::uint8_t>& to) const {
    morphology_detail::gpu::BoxTask task;
    task.order = order;
    task.nx = shape.x;
    task.ny = shape.y;
    task.nz = shape.z;
    task.low_x = task.low_y = -edge / 2;
    task.high_x = task.high_y = edge / 2;
    task.from = image(from);
    task.to = image(to);
    morphology_detail::gpu::box_extremum(stream, task);
  }

  cuda::DeviceScope device;
  cuda::Stream stream;
  Shape shape;
  std::int64_t pitch, bytes;
  bool binary;  ///< what the paper's kernels take
  cuda::DeviceBuffer<std::uint8_t> input, between, output;
  TimingEvent start, stop;
};

GpuStudy::GpuStudy(int gpu, const Image& image) : parts_(std::make_unique<Parts>(gpu, image)) {}
GpuStudy::~GpuStudy() = default;

bool GpuStudy::has(const std::string& version, const Case& what) const {
  if (version == "tamis_gpu") return true;
  const std::optional<Kernel> kernel = kernel_of(version);
  return kernel && parts_->binary && has_radius(*kernel, static_cast<int>(what.edge / 2));
}

void GpuStudy::queue(const std::string& version, const Case& what) {
  const std::optional<Kernel> kernel = kernel_of(version);
  const std::vector<Order> halves = halves_of(what.operation);
  const cuda::DeviceBuffer<std::uint8_t>* from = &parts_->input;
  for (const Order& order : halves) {
    const bool last = &order == &halves.back();
    const cuda::DeviceBuffer<std::uint8_t>& to = last ? parts_->output : parts_->between;
    if (kernel) {
      parts_->paper_step(*kernel, order, what.edge, *from, to);
    } else {
      parts_->our_step(order, what.edge, *from, to);
    }
    from = &to;
  }
}

Image GpuStudy::result() const {
  Image out(Type::U8, parts_->shape);
  const auto row = static_cast<std::size_t>(parts_->shape.x);
  check(cudaMemcpy2DAsync(out.data(), row, parts_->output.data(), static_cast<std::size_t>(parts_->pitch), row,
                          static_cast<std::size_t>(parts_->shape.y * parts_->shape.z), cudaMemcpyDeviceToHost,
                          parts_->stream.get()),
        "copy an image");
  parts_->stream.synchronize();
  return out;
}

double GpuStudy::seconds_of(const std::function<void()>& work) const {
  check(cudaEventRecord(parts_->start.get(), parts_->stream.get()), "record an event");
  work();
  check(cudaEventRecord(parts_->stop.get(), parts_->stream.get()), "record an event");
  check(cudaEventSynchronize(parts_->stop.get()), "wait for the device");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, parts_->start.get(), parts_->stop.get()), "read a time");
  return static_cast<double>(milliseconds) / 1000;
}

}  // namespace tamis::izmantoko
