#include "granulometry/gpu/balls/invasion.hpp"

#include <cmath>
#include <utility>

#include <tamis/gpu_array.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/upload.hpp"
#include "core/stage.hpp"
#include "distance/gpu/download.hpp"
#include "distance/gpu/samples.hpp"
#include "granulometry/balls/convention.hpp"
#include "granulometry/gpu/balls/engine.hpp"
#include "granulometry/gpu/balls/painter.hpp"
#include "granulometry/gpu/balls/squares.hpp"
#include "granulometry/gpu/balls/tables.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

cuda::DeviceBuffer<std::uint64_t> upload(const Context& context, const cuda::Stream& stream, const Image& bits) {
  cuda::DeviceBuffer<std::uint64_t> copy(stream, bits.bytes() / 8);
  cuda::Uploader(stream).copy(context, copy.data(), bits.data(), copy.bytes());
  return copy;
}

GpuOutput array_of(const SquareRows<std::uint16_t>& rows, const Shape& shape, int gpu) {
  GpuOutput array = dense_gpu_array<void>(rows.data, Type::U16, shape, gpu);
  array.stride_y = 2 * rows.pitch;
  array.stride_z = 2 * rows.slice();
  return array;
}

}  // namespace

Invasion::Invasion(const Context& context, const InvasionTask& task)
    : context_(context), shape_(task.object->shape()), scope_(context.gpu), stream_(context.gpu) {
  make_squares(task);
  into_convention(task.options.convention);
  if (task.options.pores) {
    const cuda::DeviceBuffer<std::uint16_t> copy(stream_, squares_.narrow.size());
    cuda::check(cudaMemcpyAsync(copy.data(), squares_.narrow.data(), copy.bytes(), cudaMemcpyDeviceToDevice,
                                stream_.get()),
                "copy squares");
    SquareRows<std::uint16_t> all = rows();
    all.data = copy.data();
    pores_ = paint(all, object_.data(), task);
  }
  reach(*task.inlet);
  const cuda::DeviceBuffer<std::uint64_t> reached(stream_, object_.size());
  pack_positive(stream_, rows(), reached.data());
  invaded_ = paint(rows(), reached.data(), task);
  if (task.outlet) find_widest(*task.outlet);
}

SquareRows<std::uint16_t> Invasion::rows() const { return squares_.rows<std::uint16_t>(); }

void Invasion::make_squares(const InvasionTask& task) {
  Stage stage(context_, "distance", shape_.z);
  object_ = upload(context_, stream_, *task.object);
  distance_detail::gpu::Task distances;
  distances.plan = distance_detail::make_plan(shape_, task.sides, {task.options.border, task.options.inlet});
  constexpr std::int64_t most_voxels = std::int64_t{1} << 31;  // lists of boxes have indices of 32 bits
  const bool too_many = shape_.z * shape_.y * distance_detail::gpu::pitch_of(shape_.x) > most_voxels;
  if (too_many || !distance_detail::gpu::can_hold(distances.plan)) throw TooWide();
  cuda::DeviceBuffer<std::uint64_t> domain;
  distances.object = {object_.data(), shape_.z};
  if (task.domain) {
    domain = upload(context_, stream_, *task.domain);
    distances.domain = {domain.data(), task.domain->shape().z};
  }
  distances.neutral = task.options.border == DomainBorder::Neutral;
  squares_ = distance_detail::gpu::squares_of(stream_, distances);
  if (!squares_.is_narrow() || squares_.unbounded) throw TooWide();
  largest_ = squares_.largest;
  stage.advance(shape_.z);
}

void Invasion::into_convention(BallConvention convention) {
  if (convention == BallConvention::Tamis) return;
  const auto change_of = [&](std::uint64_t square) {
    return granulometry_detail::into_convention(square, convention, false);
  };
  change(stream_, rows(), table_of(stream_, change_of).data());
  largest_ = largest_ == 0 ? 0 : change_of(largest_);
}

BallTally Invasion::paint(const SquareRows<std::uint16_t>& squares, const std::uint64_t* object,
                          const InvasionTask& task) {
  Stage stage(context_, "balls", shape_.z);
  const bool flat = shape_.rank == 2;
  Painter(stream_).paint({squares, object, task.sides, flat, largest_});
  BallTally tally = tally_of(stream_, squares, {task.sides.least(flat ? 2 : 3)});
  stage.advance(shape_.z);
  return tally;
}

/// Squares become the greatest that a path from the inlet keeps: what a reconstruction under them builds.
void Invasion::reach(const Image& inlet) {
  Stage stage(context_, "access", 1);
  const cuda::DeviceBuffer<std::uint64_t> bits = upload(context_, stream_, inlet);
  cuda::DeviceBuffer<std::uint16_t> marker(stream_, squares_.narrow.size());
  SquareRows<std::uint16_t> reached = rows();
  reached.data = marker.data();
  mark(stream_, rows(), bits.data(), reached.data);
  Context on_stream = context_;
  on_stream.device = Device::Cuda;
  on_stream.stream = stream_.get();
  const GpuOutput out = array_of(reached, shape_, context_.gpu);
  const GpuOutput mask = array_of(rows(), shape_, context_.gpu);
  const auto as_input = [](const GpuOutput& array) {
    return GpuArray{array.data, array.type, array.shape, array.stride_z, array.stride_y, array.stride_x, array.gpu};
  };
  reconstruct(on_stream, as_input(out), as_input(mask), out,
              {ReconstructOptions::By::Dilation, Connectivity::Face});
  std::swap(squares_.narrow, marker);
  stream_.synchronize();  // the former squares go
  stage.advance();
}

void Invasion::find_widest(const Faces& outlet) {
  const cuda::DeviceBuffer<unsigned> largest(stream_, 1);
  const cuda::PinnedBuffer<unsigned> host(stream_, 1);
  largest.clear();
  find_largest_of_face(stream_, rows(), outlet, largest.data());
  cuda::check(cudaMemcpyAsync(host.data(), largest.data(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream_.get()),
              "read the largest square");
  stream_.synchronize();
  widest_ = host[0];
}

void Invasion::deliver(const MapSink& sink) const {
  Stage stage(context_, "invasion map", shape_.z);
  const cuda::DeviceBuffer<std::uint16_t> table = table_of(stream_, [](std::uint64_t square) { return square; });
  distance_detail::gpu::Download(context_, stream_, shape_, Type::U16)
      .run(rows(), reinterpret_cast<const std::byte*>(table.data()), 0, sink, stage);
}

}  // namespace tamis::granulometry_detail::gpu::balls
