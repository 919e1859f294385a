#include "distance/gpu/host.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/parallel.hpp"
#include "core/gpu/upload.hpp"
#include "core/stage.hpp"
#include "distance/gpu/download.hpp"
#include "distance/gpu/samples.hpp"
#include "distance/gpu/squares.hpp"

namespace tamis::distance_detail::gpu {
namespace {

/// Slices [begin, end) of the result, from squares of [from, to).
struct Slab {
  std::int64_t from, begin, end, to;
};

class Run {
 public:
  Run(const Context& context, const Request& request, Type type)
      : context_(context),
        request_(request),
        shape_(request.plan.shape),
        scope_(context.gpu),
        stream_(context.gpu),
        uploader_(stream_),
        download_(context, stream_, shape_, type),
        budget_(cuda::device_memory_budget(context, context.gpu)) {
    result_.sides = request.plan.sides;
  }

  /// Calls `make` for the sample of each square, once; the image has the run's type. False: not on this device.
  template <class Make>
  bool run(Image& out, Make make) {
    if (!can_hold(request_.plan)) return false;
    set_table(out, make);
    Stage stage(context_, "distance", shape_.z);
    for (std::int64_t begin = 0; begin < shape_.z;) {
      const Slab slab = next_slab(begin);
      if (slab.end <= slab.begin) refuse();
      const Squares squares = squares_of_slab(slab);
      if (!squares.is_narrow()) return false;
      const bool cut = request_.plan.volume && (slab.from > 0 || slab.to < shape_.z);
      const auto rows = squares.rows<std::uint16_t>().slices(slab.begin - slab.from, slab.end - slab.from);
      const std::uint64_t largest = cut ? largest_of(stream_, rows) : squares.largest;
      if (cut && (squares.unbounded || !halo_suffices(largest))) {
        halo_ *= 2;
        continue;
      }
      const std::int64_t slice_bytes = shape_.y * out.row_bytes();
      download_.run(
          rows, reinterpret_cast<const std::byte*>(table_.data()), slab.begin,
          [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
            parallel_for(context_, count, [&](std::int64_t z) {
              std::memcpy(out.row<std::byte>(z0 + z, 0), slices + z * slice_bytes,
                          static_cast<std::size_t>(slice_bytes));
            });
          },
          stage);
      result_.largest = std::max(result_.largest, largest);
      result_.unbounded = result_.unbounded || squares.unbounded;
      begin = slab.end;
    }
    return true;
  }

  [[nodiscard]] std::uint64_t largest() const { return result_.largest; }
  [[nodiscard]] bool unbounded() const { return result_.unbounded; }

 private:
  [[nodiscard]] std::int64_t slice_bytes() const {
    const std::int64_t bits = request_.object->row_bytes() * shape_.y * (request_.domain ? 2 : 1);
    return narrow_bytes(shape_, 1) + bits;
  }

  [[nodiscard]] Slab next_slab(std::int64_t begin) const {
    constexpr std::int64_t reserve = std::int64_t{64} << 20;
    const std::int64_t fit = (budget_ - reserve) / slice_bytes();
    if (fit >= shape_.z) return {0, 0, shape_.z, shape_.z};
    const std::int64_t halo = request_.plan.volume ? halo_ : 0;
    const std::int64_t from = std::max<std::int64_t>(0, begin - halo);
    const std::int64_t end = std::min(shape_.z, from + fit - halo);
    return {from, begin, end, std::min(shape_.z, end + halo)};
  }

  Squares squares_of_slab(const Slab& slab) {
    const std::int64_t slices = slab.to - slab.from;
    upload(*request_.object, object_, slab);
    if (request_.domain) upload(*request_.domain, domain_, slab);
    Task task;
    task.plan = request_.plan;
    task.plan.shape.z = slices;
    if (task.plan.volume) task.plan.z.count = slices;
    if (slab.from > 0) task.plan.z.low = false;
    if (slab.to < shape_.z) task.plan.z.high = false;
    task.object = {object_.data(), slices};
    if (request_.domain) task.domain = {domain_.data(), request_.domain->shape().z == 1 ? 1 : slices};
    task.neutral = request_.neutral;
    return squares_of(stream_, task);
  }

  void upload(const Image& bits, cuda::DeviceBuffer<std::uint64_t>& to, const Slab& slab) {
    const bool one_for_all = bits.shape().z == 1;
    const std::int64_t slices = one_for_all ? 1 : slab.to - slab.from;
    const std::int64_t words = slices * bits.shape().y * bits.row_bytes() / 8;
    if (to.size() != words) {
      to = {};
      to = cuda::DeviceBuffer<std::uint64_t>(stream_, words);
    }
    uploader_.copy(context_, to.data(), bits.row<std::byte>(one_for_all ? 0 : slab.from, 0), to.bytes());
  }

  /// Distances of all slices are exact where none is longer than the halo.
  [[nodiscard]] bool halo_suffices(std::uint64_t largest) const {
    const auto slices = static_cast<std::int64_t>(std::sqrt(static_cast<double>(largest))) + 1;
    return slices / request_.plan.z.side + 1 <= halo_;
  }

  template <class Make>
  void set_table(const Image& out, Make make) {
    const std::int64_t bytes = sample_bytes(out.type());
    table_ = cuda::DeviceBuffer<std::uint32_t>(stream_, table_size * bytes / 4);
    const cuda::PinnedBuffer<std::uint32_t> host(stream_, table_.size());
    make(host.data());
    cuda::check(cudaMemcpyAsync(table_.data(), host.data(), table_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
                "copy to the device");
  }

  [[noreturn]] void refuse() const {
    throw ResourceError("GPU memory: distances of up to " + std::to_string(halo_) + " slices need " +
                           std::to_string((((2 * halo_ + 1) * slice_bytes()) >> 20) + 65) + " MiB, got " +
                           std::to_string(std::max<std::int64_t>(budget_, 0) >> 20) +
                           " MiB; wanted a larger device memory limit, or device cpu");
  }

  const Context& context_;
  const Request& request_;
  const Shape& shape_;
  cuda::DeviceScope scope_;
  cuda::Stream stream_;
  cuda::Uploader uploader_;
  Download download_;
  std::int64_t budget_;
  std::int64_t halo_ = 64;
  cuda::DeviceBuffer<std::uint64_t> object_, domain_;
  cuda::DeviceBuffer<std::uint32_t> table_;
  SquaredDistances result_;
};

}  // namespace

std::optional<SquaredDistances> squares(const Context& context, const Request& request) {
  require_memory(context, "distances", bytes_needed(request.plan, 2, 0));
  Run run(context, request, Type::U16);
  SquaredDistances result;
  result.sides = request.plan.sides;
  result.squares = Image(Type::U16, request.plan.shape, request.object->spacing);
  const bool done = run.run(result.squares, [](std::uint32_t* table) {
    auto* const samples = reinterpret_cast<std::uint16_t*>(table);
    for (std::int64_t i = 0; i < table_size; ++i) samples[i] = static_cast<std::uint16_t>(i);
  });
  if (!done) return std::nullopt;
  result.device = Device::Cuda;
  result.largest = run.largest();
  result.unbounded = run.unbounded();
  return result;
}

std::optional<Image> distances(const Context& context, const Request& request) {
  require_memory(context, "distances", image_bytes(Type::F32, request.plan.shape));
  Run run(context, request, Type::F32);
  Image out(Type::F32, request.plan.shape, request.object->spacing);
  const double unit = request.plan.sides.unit;
  const bool done = run.run(out, [unit](std::uint32_t* table) {
    auto* const samples = reinterpret_cast<float*>(table);
    for (std::int64_t i = 0; i < table_size - 1; ++i) {
      samples[i] = static_cast<float>(std::sqrt(static_cast<double>(i)) * unit);
    }
    samples[table_size - 1] = std::numeric_limits<float>::infinity();
  });
  if (!done) return std::nullopt;
  return out;
}

}  // namespace tamis::distance_detail::gpu
