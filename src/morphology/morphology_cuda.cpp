#include "morphology/morphology_cuda.hpp"

#include <optional>
#include <utility>

#include "core/cuda/stream.hpp"
#include "morphology/box_cuda.hpp"
#include "morphology/linear_cuda.hpp"
#include "morphology/program_cuda.hpp"

namespace tamis::morphology_detail {
namespace {

/// An image on the device, rows at multiples of 16 bytes.
class OnDevice {
 public:
  OnDevice(const cuda::Stream& stream, const Image& like)
      : rows_(like.shape().y * like.shape().z), row_bytes_(like.row_bytes()) {
    constexpr std::int64_t alignment = 16;
    image_.pitch = (row_bytes_ + alignment - 1) / alignment * alignment;
    image_.slice = image_.pitch * like.shape().y;
    memory_ = cuda::DeviceBuffer<std::byte>(stream, image_.pitch * rows_);
    image_.data = memory_.data();
  }
  [[nodiscard]] const DeviceImage& get() const { return image_; }

  void upload(const cuda::Stream& stream, const Image& from) const {
    copy(stream, image_.data, image_.pitch, from.data(), row_bytes_, cudaMemcpyHostToDevice);
  }
  void download(const cuda::Stream& stream, Image& to) const {
    copy(stream, to.data(), row_bytes_, image_.data, image_.pitch, cudaMemcpyDeviceToHost);
  }

 private:
  void copy(const cuda::Stream& stream, void* to, std::int64_t to_pitch, const void* from, std::int64_t from_pitch,
            cudaMemcpyKind kind) const {
    cuda::check(
        cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                          static_cast<std::size_t>(row_bytes_), static_cast<std::size_t>(rows_), kind, stream.get()),
        "copy an image");
  }
  std::int64_t rows_, row_bytes_;
  DeviceImage image_;
  cuda::DeviceBuffer<std::byte> memory_;
};

/// A box as one in the slices and one across them.
struct BoxTasks {
  std::optional<BoxTask> in_slices, across;
};

BoxTasks tasks_of(const Step& step, const Border& border, Type type, const Shape& shape) {
  const OffsetBox& box = step.set.box();
  BoxTasks tasks;
  BoxTask task;
  task.order = step.order;
  task.type = type;
  task.border = border;
  if (box.low.x != 0 || box.high.x != 0 || box.low.y != 0 || box.high.y != 0) {
    task.nx = shape.x;
    task.ny = shape.y;
    task.nz = shape.z;
    task.low_x = box.low.x;
    task.high_x = box.high.x;
    task.low_y = box.low.y;
    task.high_y = box.high.y;
    tasks.in_slices = task;
  }
  if (box.low.z != 0 || box.high.z != 0) {
    task.nz = 1;
    task.ny = shape.z;
    task.low_x = task.high_x = 0;
    task.low_y = box.low.z;
    task.high_y = box.high.z;
    tasks.across = task;  // nx follows from the pitch: a slice is a row
  }
  return tasks;
}

class PlanRun {
 public:
  PlanRun(const cuda::Stream& stream, const Plan& plan, const Image& image)
      : stream_(stream),
        plan_(plan),
        type_(image.type()),
        shape_(image.shape()),
        now_(stream, image),
        next_(stream, image) {}

  void run(const Image& image, Image& out, unsigned* nan) {
    now_.upload(stream_, image);
    if (nan) find_nan(stream_, now_.get(), shape_, nan);
    for (const Pass& pass : plan_.passes) {
      for (const Step& step : pass) {
        if (!run_box(step)) {
          run_program(stream_, step, plan_.border, plan_.rank, type_, shape_, now_.get(), next_.get());
          std::swap(now_, next_);
        }
      }
    }
    now_.download(stream_, out);
  }

 private:
  bool run_box(const Step& step) {
    if (type_ == Type::Bool || !step.set.is_box()) return false;
    BoxTasks tasks = tasks_of(step, plan_.border, type_, shape_);
    if (tasks.in_slices && !box_extremum_can(*tasks.in_slices)) return false;
    if (tasks.in_slices) run_task(*tasks.in_slices);
    if (tasks.across) {
      BoxTask& task = *tasks.across;
      task.nx = now_.get().slice / sample_bytes(type_);
      run_task(task, now_.get().slice);
    }
    return true;
  }
  void run_task(BoxTask task, std::int64_t pitch = 0) {
    task.from = now_.get();
    task.to = next_.get();
    if (pitch > 0) task.from.pitch = task.to.pitch = pitch;
    box_extremum(stream_, task);
    std::swap(now_, next_);
  }

  const cuda::Stream& stream_;
  const Plan& plan_;
  Type type_;
  Shape shape_;
  OnDevice now_, next_;
};

}  // namespace

bool run_cuda(const Context& context, const Plan& plan, const Image& image, Image& out) {
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  cuda::DeviceBuffer<unsigned> nan(stream, 1);
  nan.clear();
  PlanRun(stream, plan, image).run(image, out, image.type() == Type::F32 ? nan.data() : nullptr);
  unsigned found = 0;
  cuda::check(cudaMemcpyAsync(&found, nan.data(), sizeof(found), cudaMemcpyDeviceToHost, stream.get()), "read a flag");
  stream.synchronize();
  return found != 0;
}

}  // namespace tamis::morphology_detail
