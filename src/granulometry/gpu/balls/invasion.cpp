#include "granulometry/gpu/balls/invasion.hpp"

#include <utility>

#include <tamis/gpu/array.hpp>
#include <tamis/morphology.hpp>

#include "core/gpu/staging/transfer.hpp"
#include "core/stage.hpp"
#include "distance/gpu/download.hpp"
#include "distance/gpu/samples.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/gpu/balls/engine.hpp"
#include "granulometry/gpu/balls/painter.hpp"
#include "granulometry/gpu/balls/squares.hpp"
#include "granulometry/gpu/balls/wide.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

cuda::DeviceBuffer<std::uint64_t> upload(const Context& context, const cuda::Stream& stream, const Image& bits) {
  cuda::DeviceBuffer<std::uint64_t> copy(stream, bits.bytes() / 8);
  cuda::Uploader(stream).copy(context, copy.data(), bits.data(), copy.bytes());
  return copy;
}

template <class Lane>
cuda::DeviceBuffer<Lane> copy_of(const cuda::Stream& stream, const cuda::DeviceBuffer<Lane>& squares) {
  cuda::DeviceBuffer<Lane> copy(stream, squares.size());
  cuda::check(cudaMemcpyAsync(copy.data(), squares.data(), copy.bytes(), cudaMemcpyDeviceToDevice, stream.get()),
              "copy squares");
  return copy;
}

/// Squares as an array that is rebuilt.
template <class Lane>
GpuOutput array_of(const SquareRows<Lane>& rows, const Shape& shape, int gpu) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(Lane));
  const Type type = bytes == 2 ? Type::U16 : bytes == 4 ? Type::U32 : Type::U64;
  GpuOutput array = dense_gpu_array<void>(rows.data, type, shape, gpu);
  array.stride_y = bytes * rows.pitch;
  array.stride_z = bytes * rows.slice();
  return array;
}

/// Balls may cover what no path leads to: over what is outside of a domain, as nothing is there.
bool reaches_over(const InvasionTask& task) {
  return task.domain != nullptr && task.options.border == DomainBorder::Neutral;
}

}  // namespace

Invasion::Invasion(const Context& context, const InvasionTask& task)
    : context_(context), shape_(task.object->shape()), scope_(context.gpu), stream_(context.gpu) {
  make_squares(task);
  visit_square_type(squares_.type(), [&](auto square) { invade(task, squares_.buffer<decltype(square)>()); });
}

template <class Lane>
SquareRows<Lane> Invasion::rows_of(const cuda::DeviceBuffer<Lane>& squares) const {
  SquareRows<Lane> rows = squares_.rows<Lane>();
  rows.data = squares.data();
  return rows;
}

void Invasion::make_squares(const InvasionTask& task) {
  Stage stage(context_, "distance", shape_.z);
  object_ = upload(context_, stream_, *task.object);
  distance_detail::gpu::Task distances;
  distances.plan = distance_detail::make_plan(shape_, task.sides, {task.options.border, task.options.inlet});
  if (!distance_detail::gpu::can_hold(distances.plan)) throw TooWide{distance_detail::gpu::too_large};
  cuda::DeviceBuffer<std::uint64_t> domain;
  distances.object = {object_.data(), shape_.z};
  if (task.domain) {
    domain = upload(context_, stream_, *task.domain);
    distances.domain = {domain.data(), task.domain->shape().z};
  }
  distances.neutral = task.options.border == DomainBorder::Neutral;
  squares_ = distance_detail::gpu::squares_of(stream_, distances);
  if (squares_.unbounded) throw TooWide{"there is no background"};
  type_ = squares_.type();
  largest_ = squares_.largest;
  auto& narrow = squares_.buffer<std::uint16_t>();
  if (squares_.is_narrow() && narrow.size() > task.most_listed) {
    squares_.buffer<std::uint32_t>() = cuda::DeviceBuffer<std::uint32_t>(stream_, narrow.size());
    widen(stream_, squares_.rows<std::uint16_t>(), squares_.buffer<std::uint32_t>().data());
    narrow = {};
  }
  stage.advance(shape_.z);
}

template <class Lane>
void Invasion::invade(const InvasionTask& task, cuda::DeviceBuffer<Lane>& squares) {
  into_convention(squares, task.options.convention);
  if (task.options.pores) pores_ = paint(copy_of(stream_, squares), object_.data(), task);
  reach(squares, *task.inlet);
  invaded_ = paint_reached(squares, task);
  if (task.outlet) find_widest(squares, *task.outlet);
}

template <class Lane>
void Invasion::into_convention(const cuda::DeviceBuffer<Lane>& squares, BallConvention convention) {
  if (convention == BallConvention::Tamis) return;
  const auto change_of = [&](std::uint64_t square) {
    return granulometry_detail::into_convention(square, convention, false);
  };
  if constexpr (sizeof(Lane) == 2) {
    change(stream_, rows_of(squares), table_of(stream_, change_of).data());
  } else {
    change(stream_, rows_of(squares), WideChange{.convention = convention});
  }
  largest_ = largest_ == 0 ? 0 : change_of(largest_);
}

template <class Lane>
BallTally Invasion::paint(const cuda::DeviceBuffer<Lane>& squares, const std::uint64_t* bits,
                          const InvasionTask& task) {
  Stage stage(context_, "balls", shape_.z);
  const bool flat = shape_.rank == 2;
  const WholeSides sides = reached_sides(task.sides, largest_);
  if constexpr (sizeof(Lane) == 2) {
    Painter(stream_).paint({rows_of(squares), bits, sides, flat, largest_});
  } else {
    if (!can_paint(sides, largest_)) throw TooWide{too_large};
    paint_wide<Lane>(stream_, {rows_of(squares), bits, sides_of(sides, flat), largest_});
  }
  BallTally tally = tally_of(stream_, rows_of(squares), {task.sides.least(flat ? 2 : 3)});
  stage.advance(shape_.z);
  return tally;
}

template <class Lane>
BallTally Invasion::paint_reached(const cuda::DeviceBuffer<Lane>& squares, const InvasionTask& task) {
  const cuda::DeviceBuffer<std::uint64_t> reached(stream_, object_.size());
  pack_positive(stream_, rows_of(squares), reached.data());
  if (!reaches_over(task)) return paint(squares, reached.data(), task);
  // Voxels that no path leads to stand there as balls of themselves, which do not count where nothing covers them.
  stand_alone(stream_, rows_of(squares), object_.data());
  BallTally tally = paint(squares, object_.data(), task);
  hide_alone(stream_, rows_of(squares), reached.data());
  return tally_of(stream_, rows_of(squares), {task.sides.least(shape_.rank)});
}

/// Squares become the greatest that a path from the inlet keeps: what a reconstruction under them builds.
template <class Lane>
void Invasion::reach(cuda::DeviceBuffer<Lane>& squares, const Image& inlet) {
  Stage stage(context_, "access", 1);
  const cuda::DeviceBuffer<std::uint64_t> bits = upload(context_, stream_, inlet);
  cuda::DeviceBuffer<Lane> marker(stream_, squares.size());
  mark(stream_, rows_of(squares), bits.data(), marker.data());
  Context on_stream = context_;
  on_stream.device = Device::Cuda;
  on_stream.stream = stream_.get();
  const GpuOutput out = array_of(rows_of(marker), shape_, context_.gpu);
  const GpuOutput mask = array_of(rows_of(squares), shape_, context_.gpu);
  const auto as_input = [](const GpuOutput& array) {
    return GpuArray{array.data, array.type, array.shape, array.stride_z, array.stride_y, array.stride_x, array.gpu};
  };
  reconstruct(on_stream, as_input(out), as_input(mask), out,
              {ReconstructOptions::By::Dilation, Connectivity::Face});
  std::swap(squares, marker);
  stream_.synchronize();  // the former squares go
  stage.advance();
}

template <class Lane>
void Invasion::find_widest(const cuda::DeviceBuffer<Lane>& squares, const Faces& outlet) {
  const cuda::DeviceBuffer<unsigned long long> largest(stream_, 1);
  const cuda::PinnedBuffer<unsigned long long> host(stream_, 1);
  largest.clear();
  find_largest_of_face(stream_, rows_of(squares), outlet, largest.data());
  cuda::check(cudaMemcpyAsync(host.data(), largest.data(), largest.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
              "read the largest square");
  stream_.synchronize();
  widest_ = host[0];
}

void Invasion::deliver(const MapSink& sink) const {
  Stage stage(context_, "invasion map", shape_.z);
  const cuda::DeviceBuffer<std::uint16_t> table = table_of(stream_, [](std::uint64_t square) { return square; });
  const auto write = [&](std::int64_t begin, std::int64_t end, const GpuOutput& out) {
    squares_.with_rows(begin, end, [&]<class Lane>(const SquareRows<Lane>& rows) {
      if constexpr (sizeof(Lane) == 2) {
        distance_detail::gpu::look_up(stream_, rows, reinterpret_cast<const std::byte*>(table.data()), out);
      } else {
        distance_detail::gpu::copy_wide(stream_, rows, out);
      }
    });
  };
  distance_detail::gpu::Download(context_, stream_, shape_, type_).run(shape_.z, write, 0, sink, stage);
}

}  // namespace tamis::granulometry_detail::gpu::balls
