#include "granulometry/gpu/balls/engine.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>


#include "core/gpu/staging/transfer.hpp"
#include "core/stage.hpp"
#include "distance/gpu/download.hpp"
#include "distance/gpu/squares.hpp"
#include "granulometry/balls/measure.hpp"
#include "granulometry/balls/squares.hpp"
#include "granulometry/gpu/balls/painter.hpp"
#include "granulometry/gpu/balls/squares.hpp"
#include "granulometry/gpu/balls/wide.hpp"

namespace tamis::granulometry_detail::gpu::balls {
namespace {

using distance_detail::Plan;
using distance_detail::gpu::BitRows;
using distance_detail::gpu::pitch_of;
using distance_detail::gpu::Squares;

constexpr std::uint16_t infinite = std::numeric_limits<std::uint16_t>::max();

template <class Sample>
std::vector<std::byte> bytes_of_squares() {
  std::vector<Sample> samples(distance_detail::gpu::table_size);
  std::iota(samples.begin(), samples.end(), Sample{0});
  samples.back() = std::numeric_limits<Sample>::max();
  std::vector<std::byte> bytes(samples.size() * sizeof(Sample));
  std::memcpy(bytes.data(), samples.data(), bytes.size());
  return bytes;
}

/// Squares of 16 bits as those of a map, whose other slabs may have wider ones.
std::vector<std::byte> table_of_squares(Type type) {
  return visit_square_type(type, [](auto square) { return bytes_of_squares<decltype(square)>(); });
}

class Engine : public BallEngine {
 public:
  Engine(const Context& context, const cuda::Stream& stream, const BallRequest& request, const EngineTask& task)
      : context_(context),
        stream_(stream),
        request_(request),
        shape_(request.shape),
        task_(task),
        budget_(cuda::device_memory_budget(context, context.gpu) - counted_bytes()),
        uploader_(stream),
        painter_(stream) {}

  [[nodiscard]] std::int64_t budget() const override { return budget_; }
  [[nodiscard]] const char* memory() const override { return "GPU memory"; }

  [[nodiscard]] std::int64_t slab_bytes(std::int64_t slices, std::int64_t lane_bytes) const override {
    constexpr std::int64_t reserve = std::int64_t{64} << 20;  // tables, staging, what lists take at least
    std::int64_t bits = task_.object.on_gpu ? 0 : task_.object.words_of_slice * 8;
    if (task_.domain.words && !task_.domain.on_gpu) bits += task_.domain.words_of_slice * 8;
    const Plan plan = plan_of(0, shape_.z, {});
    const bool narrow = lane_bytes == 2 && distance_detail::gpu::may_be_narrow(plan);
    const std::int64_t squares = narrow ? distance_detail::gpu::narrow_bytes(shape_, slices)
                                        : 2 * distance_detail::gpu::wide_bytes(plan, slices);  // lists take as much
    return reserve + slices * bits + squares + Painter::bytes(shape_, slices);
  }

  /// Lists have indices of 32 bits.
  [[nodiscard]] std::int64_t most_slices() const override {
    constexpr std::int64_t most_voxels = std::int64_t{1} << 31;
    return std::max<std::int64_t>(most_voxels / (shape_.y * pitch_of(shape_.x)), 1);
  }

  void refuse_slices() const override { throw TooWide{"balls need slices of more than 2^31 voxels"}; }

  BallSquares distances(std::int64_t from, std::int64_t to, const Faces& open) override {
    return within_memory([&] {
      Stage stage(context_, "distance", to - from);
      squares_ = {};  // the last slab's go first
      upload(from, to);
      distance_detail::gpu::Task task;
      task.plan = plan_of(from, to, open);
      if (!distance_detail::gpu::can_hold(task.plan)) throw TooWide{distance_detail::gpu::too_large};
      task.object = {object_bits(from), to - from};
      if (task_.domain.words) task.domain = {domain_bits(from), task_.domain.slices == 1 ? 1 : to - from};
      task.neutral = request_.options.border == DomainBorder::Neutral;
      squares_ = distance_detail::gpu::squares_of(stream_, task);
      from_ = from;
      stage.advance(to - from);
      return BallSquares{squares_.type(), squares_.largest, squares_.unbounded};
    });
  }

  std::uint64_t largest(std::int64_t begin, std::int64_t end) override {
    return squares_.with_rows(begin, end,
                              [&](const auto& view) { return distance_detail::gpu::largest_of(stream_, view); });
  }

  BallTally paint(std::int64_t begin, std::int64_t end, std::uint64_t of_distances) override {
    return within_memory([&] {
      {
        Stage stage(context_, "balls", end - begin);
        const std::uint64_t* const object = object_bits(from_) + begin * task_.object.words_of_slice;
        squares_.with_rows(begin, end, [&](const auto& view) {
          paint_rows(view, object, into_balls(view, of_distances));
          out_of_balls(view);
          if (squares_.unbounded) show_infinite(stream_, view, object);
        });
        stream_.synchronize();
        stage.advance(end - begin);
      }
      return tally(begin, end);
    });
  }

  BallTally tally(std::int64_t begin, std::int64_t end) override {
    Stage stage(context_, "counting", end - begin);
    BallTally tally =
        squares_.with_rows(begin, end, [&](const auto& view) { return tally_of(stream_, view, request_.rule); });
    stage.advance(end - begin);
    return tally;
  }

  void deliver(std::int64_t begin, std::int64_t end, std::int64_t z0, const BallDelivery& delivery) override {
    Stage stage(context_, "size map", end - begin);
    if (squares_.is_narrow()) set_measure_table(delivery);
    if (task_.destination.allocate) {
      if (!out_) out_ = task_.destination.allocate(delivery.type);
      GpuOutput slices = *out_;
      slices.data = static_cast<std::byte*>(slices.data) + z0 * slices.stride_z;
      slices.shape.z = end - begin;
      write(begin, end, delivery, slices);
      stream_.synchronize();
      stage.advance(end - begin);
      return;
    }
    if (!download_) download_.emplace(context_, stream_, shape_, delivery.type);
    download_->run(
        end - begin,
        [&](std::int64_t first, std::int64_t last, const GpuOutput& out) {
          write(begin + first, begin + last, delivery, out);
        },
        z0, task_.destination.sink, stage);
  }

 private:
  /// What lies on the GPU already is part of a limit. Where there is none the budget is what is free beside it.
  [[nodiscard]] std::int64_t counted_bytes() const {
    std::int64_t words = 0;
    for (const BitVolume& bits : {task_.object, task_.domain}) {
      if (bits.words && bits.on_gpu) words += bits.slices * bits.words_of_slice;
    }
    return context_.device_memory_bytes > 0 ? words * 8 : 0;
  }

  template <class Work>
  auto within_memory(Work work) -> decltype(work()) {
    try {
      return work();
    } catch (const cuda::OutOfMemory&) {
      squares_ = {};
      throw SlabTooLarge();
    }
  }

  [[nodiscard]] Plan plan_of(std::int64_t from, std::int64_t to, const Faces& open) const {
    Shape shape = shape_;
    shape.z = to - from;
    return distance_detail::make_plan(shape, request_.sides, {request_.options.border, open, request_.flat});
  }

  void upload(std::int64_t from, std::int64_t to) {
    copy(task_.object, object_copy_, from, to);
    if (task_.domain.words) copy(task_.domain, domain_copy_, from, to);
  }
  void copy(const BitVolume& bits, cuda::DeviceBuffer<std::uint64_t>& copy, std::int64_t from, std::int64_t to) {
    if (bits.on_gpu) return;
    const std::int64_t words = (bits.slices == 1 ? 1 : to - from) * bits.words_of_slice;
    if (copy.size() != words) {
      copy = {};
      copy = cuda::DeviceBuffer<std::uint64_t>(stream_, words);
    }
    uploader_.copy(context_, copy.data(), bits.slice(from), copy.bytes());
  }
  /// From the slab's first slice on.
  [[nodiscard]] const std::uint64_t* object_bits(std::int64_t from) const {
    return task_.object.on_gpu ? task_.object.slice(from) : object_copy_.data();
  }
  [[nodiscard]] const std::uint64_t* domain_bits(std::int64_t from) const {
    return task_.domain.on_gpu ? task_.domain.slice(from) : domain_copy_.data();
  }

  [[nodiscard]] bool some_none() const { return request_.rule.least_square > no_ball; }
  [[nodiscard]] std::uint64_t ball_of(std::uint64_t square) const {
    if (!request_.listed.empty()) square = listed_square(square, request_.listed);
    return into_convention(square, request_.options.convention, some_none());
  }

  /// Squares of distances become those of balls; those without end take no part. Returns the largest.
  template <class Lane>
  std::uint64_t into_balls(const SquareRows<Lane>& view, std::uint64_t largest) {
    if (request_.options.convention == BallConvention::Tamis && request_.listed.empty() && !squares_.unbounded) {
      return largest;
    }
    if constexpr (sizeof(Lane) == 2) {
      apply(view, [&](std::uint64_t square) { return square == infinite ? 0 : ball_of(square); });
    } else {
      set_listed();
      change(stream_, view,
             {listed_.data(), static_cast<int>(listed_.size()), request_.options.convention, some_none(), false});
    }
    return largest == 0 ? 0 : ball_of(largest);
  }

  template <class Lane>
  void paint_rows(const SquareRows<Lane>& view, const std::uint64_t* object, std::uint64_t largest) {
    const WholeSides sides = reached_sides(request_.sides, largest);
    if constexpr (sizeof(Lane) == 2) {
      painter_.paint({view, object, sides, request_.flat, largest});
    } else {
      if (!can_paint(sides, largest)) throw TooWide{too_large};
      paint_wide<Lane>(stream_, {view, object, sides_of(sides, request_.flat), largest});
    }
  }

  template <class Lane>
  void out_of_balls(const SquareRows<Lane>& view) {
    const BallConvention convention = request_.options.convention;
    if (convention != BallConvention::Fiji) return;
    if constexpr (sizeof(Lane) == 2) {
      apply(view, [&](std::uint64_t square) { return out_of_convention(square, convention); });
    } else {
      change(stream_, view, {nullptr, 0, convention, false, true});
    }
  }

  /// Squares of listed radii.
  void set_listed() {
    if (listed_.data() || request_.listed.empty()) return;
    const cuda::PinnedBuffer<std::uint64_t> host(stream_, static_cast<std::int64_t>(request_.listed.size()));
    std::copy(request_.listed.begin(), request_.listed.end(), host.data());
    listed_ = cuda::DeviceBuffer<std::uint64_t>(stream_, host.size());
    cuda::check(cudaMemcpyAsync(listed_.data(), host.data(), listed_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
                "copy to the device");
  }

  template <class Change>
  void apply(const SquareRows<std::uint16_t>& view, Change change_of) {
    change(stream_, view, table_of(stream_, change_of).data());
  }

  /// Queues slices of the slab as they are delivered. Squares that are wide for what lies beyond a halo become narrow.
  void write(std::int64_t begin, std::int64_t end, const BallDelivery& delivery, const GpuOutput& out) const {
    squares_.with_rows(begin, end, [&]<class Lane>(const SquareRows<Lane>& rows) {
      if constexpr (sizeof(Lane) == 2) {
        distance_detail::gpu::look_up(stream_, rows, measures_.data(), out);
      } else {
        write_wide(stream_, rows, *delivery.sizes, delivery.measure, out);
      }
    });
  }

  /// What each square of 16 bits is delivered as. Stays the same from slab to slab.
  void set_measure_table(const BallDelivery& delivery) {
    if (measures_.data()) return;
    const std::vector<std::byte> table =
        delivery.measure ? measure_table(*delivery.sizes, *delivery.measure) : table_of_squares(delivery.type);
    const auto bytes = static_cast<std::int64_t>(table.size());
    const cuda::PinnedBuffer<std::byte> host(stream_, bytes);
    std::copy(table.begin(), table.end(), host.data());
    measures_ = cuda::DeviceBuffer<std::byte>(stream_, bytes);
    cuda::check(
        cudaMemcpyAsync(measures_.data(), host.data(), measures_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
        "copy to the device");
  }
  const Context& context_;
  const cuda::Stream& stream_;
  const BallRequest& request_;
  const Shape& shape_;
  const EngineTask& task_;
  std::int64_t budget_;
  cuda::Uploader uploader_;
  cuda::DeviceBuffer<std::uint64_t> object_copy_, domain_copy_;
  Squares squares_;  ///< of the slab
  std::int64_t from_ = 0;
  Painter painter_;
  cuda::DeviceBuffer<std::uint64_t> listed_;
  cuda::DeviceBuffer<std::byte> measures_;
  std::optional<GpuOutput> out_;
  std::optional<distance_detail::gpu::Download> download_;
};

/// An engine with a stream of its own.
struct OwnStream {
  cuda::Stream stream;
};
class OwnEngine final : private OwnStream, public Engine {
 public:
  OwnEngine(const Context& context, const BallRequest& request, const EngineTask& task)
      : OwnStream{cuda::Stream(context.gpu)}, Engine(context, stream, request, task), gpu_(context.gpu) {}
  [[nodiscard]] std::shared_ptr<void> on_this_thread() override { return std::make_shared<cuda::DeviceScope>(gpu_); }

 private:
  int gpu_;
};

std::unique_ptr<BallEngine> make_engine(const Context& one, const BallRequest& request, const EngineTask& task) {
  const cuda::DeviceScope scope(one.gpu);
  return std::make_unique<OwnEngine>(one, request, task);
}

}  // namespace

BallSizes run(const Context& context, const cuda::Stream& stream, const BallRequest& request, const EngineTask& task,
              const BallMapRequest& map) {
  Engine engine(context, stream, request, task);
  BallSizes sizes = run_balls(request, engine, map);
  sizes.sizes.device = Device::Cuda;
  sizes.sizes.gpu = context.gpu;
  return sizes;
}

BallSizes run_of_host(const Context& context, const BallRequest& request, const EngineTask& task,
                      const BallMapRequest& map) {
  const auto make = [&](const Context& one) { return make_engine(one, request, task); };
  const cuda::DeviceScope scope(context.gpu);
  BallSizes sizes = run_balls(context, request, make, map);
  sizes.sizes.device = Device::Cuda;
  sizes.sizes.gpu = context.gpu;
  return sizes;
}

}  // namespace tamis::granulometry_detail::gpu::balls
