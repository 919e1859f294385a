#include "distance/request.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/parallel.hpp"
#include "core/gpu/staging/transfer.hpp"
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

/// What squares of 16 bits are as samples of squares, all or wider, and of distances.
template <class Sample>
void fill_table(Sample* samples, double unit) {
  for (std::int64_t i = 0; i < table_size; ++i) {
    if constexpr (std::is_same_v<Sample, float>) {
      samples[i] = static_cast<float>(std::sqrt(static_cast<double>(i)) * unit);
    } else {
      samples[i] = static_cast<Sample>(i);
    }
  }
  using Limits = std::numeric_limits<Sample>;
  samples[table_size - 1] = Limits::has_infinity ? Limits::infinity() : Limits::max();
}

/// The type that squares up to this have, as distance.hpp says.
Type type_of(std::uint64_t largest) {
  if (largest < exact_below<std::uint16_t>) return Type::U16;
  return largest < exact_below<std::uint32_t> ? Type::U32 : Type::U64;
}

class Run {
 public:
  Run(const Context& context, const Request& request, Type type)
      : context_(context),
        request_(request),
        shape_(request.plan.shape),
        scope_(context.gpu),
        stream_(context.gpu),
        uploader_(stream_),
        type_(type),
        budget_(cuda::device_memory_budget(context, context.gpu)),
        wide_(!may_be_narrow(request.plan)) {}

  /// Squares of this type or, of the first slab, a wider one, or distances, F32. False: they are too narrow for a later
  /// slab, and the type is that of its squares now.
  bool run(Image& out) {
    Stage stage(context_, "distance", shape_.z);
    for (std::int64_t begin = 0; begin < shape_.z;) {
      const Slab slab = next_slab(begin);
      if (slab.end <= slab.begin) refuse();
      const Squares squares = squares_of_slab(slab);
      if (!squares.is_narrow() && !wide_) {  // which takes smaller slabs
        wide_ = true;
        if (next_slab(begin).to < slab.to) continue;
      }
      const bool cut = request_.plan.volume && (slab.from > 0 || slab.to < shape_.z);
      const std::uint64_t largest = cut ? largest_of_slab(squares, slab) : squares.largest;
      if (cut && (squares.unbounded || !halo_suffices(largest))) {
        halo_ *= 2;
        continue;
      }
      const bool too_narrow = type_ != Type::F32 && sample_bytes(type_of(largest)) > sample_bytes(type_);
      if (too_narrow) type_ = type_of(largest);
      if (too_narrow && begin > 0) return false;
      if (begin == 0) make_room(out);
      download(squares, slab, out, stage);
      largest_ = std::max(largest_, largest);
      unbounded_ = unbounded_ || squares.unbounded;
      begin = slab.end;
    }
    return true;
  }

  [[nodiscard]] Type type() const { return type_; }
  [[nodiscard]] std::uint64_t largest() const { return largest_; }
  [[nodiscard]] bool unbounded() const { return unbounded_; }

 private:
  [[nodiscard]] std::int64_t slice_bytes() const {
    const std::int64_t bits = request_.object->row_bytes() * shape_.y * (request_.domain ? 2 : 1);
    return (wide_ ? wide_bytes(request_.plan, 1) : narrow_bytes(shape_, 1)) + bits;
  }

  /// Memory of the host, and what slabs share.
  void make_room(Image& out) {
    require_memory(context_, "distances", image_bytes(type_, shape_));
    out = Image(type_, shape_, request_.object->spacing);
    download_.emplace(context_, stream_, shape_, type_);
    set_table();
  }

  [[nodiscard]] std::uint64_t largest_of_slab(const Squares& squares, const Slab& slab) const {
    return squares.with_rows(slab.begin - slab.from, slab.end - slab.from,
                             [&](const auto& rows) { return largest_of(stream_, rows); });
  }

  /// Slices of a slab's squares.
  void write(const Squares& squares, std::int64_t begin, std::int64_t end, const GpuOutput& out) {
    squares.with_rows(begin, end, [&]<class Lane>(const SquareRows<Lane>& rows) {
      if constexpr (sizeof(Lane) == 2) {
        look_up(stream_, rows, reinterpret_cast<const std::byte*>(table_.data()), out);
      } else if (type_ == Type::F32) {
        write_wide_lengths(stream_, rows, request_.plan.sides.unit, out);
      } else {
        copy_wide(stream_, rows, out);
      }
    });
  }

  void download(const Squares& squares, const Slab& slab, Image& out, Stage& stage) {
    const std::int64_t slice_bytes = shape_.y * out.row_bytes();
    const std::int64_t first = slab.begin - slab.from;
    download_->run(
        slab.end - slab.begin,
        [&](std::int64_t begin, std::int64_t end, const GpuOutput& samples) {
          write(squares, first + begin, first + end, samples);
        },
        slab.begin,
        [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
          parallel_for(context_, count, [&](std::int64_t z) {
            std::memcpy(out.row<std::byte>(z0 + z, 0), slices + z * slice_bytes, static_cast<std::size_t>(slice_bytes));
          });
        },
        stage);
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

  void set_table() {
    table_ = cuda::DeviceBuffer<std::uint32_t>(stream_, table_size * sample_bytes(type_) / 4);
    const cuda::PinnedBuffer<std::uint32_t> host(stream_, table_.size());
    const double unit = request_.plan.sides.unit;
    if (type_ == Type::U16) fill_table(reinterpret_cast<std::uint16_t*>(host.data()), unit);
    if (type_ == Type::U32) fill_table(host.data(), unit);
    if (type_ == Type::U64) fill_table(reinterpret_cast<std::uint64_t*>(host.data()), unit);
    if (type_ == Type::F32) fill_table(reinterpret_cast<float*>(host.data()), unit);
    cuda::check(cudaMemcpyAsync(table_.data(), host.data(), table_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
                "copy to the device");
  }

  [[noreturn]] void refuse() const {
    throw ResourceError("GPU memory: distances of up to " + std::to_string(halo_) + " slices need " +
                           std::to_string((((2 * halo_ + 1) * slice_bytes()) >> 20) + 65) + " MiB, got " +
                           std::to_string(std::max<std::int64_t>(budget_, 0) >> 20) +
                           " MiB; wanted a larger device memory limit, or `device cpu`");
  }

  const Context& context_;
  const Request& request_;
  const Shape& shape_;
  cuda::DeviceScope scope_;
  cuda::Stream stream_;
  cuda::Uploader uploader_;
  Type type_;
  std::optional<Download> download_;
  std::int64_t budget_;
  std::int64_t halo_ = 64;
  bool wide_;  ///< some squares take more than 16 bits
  cuda::DeviceBuffer<std::uint64_t> object_, domain_;
  cuda::DeviceBuffer<std::uint32_t> table_;
  std::uint64_t largest_ = 0;
  bool unbounded_ = false;
};

}  // namespace

std::optional<SquaredDistances> squares(const Context& context, const Request& request) {
  if (!can_hold(request.plan)) {
    tell_of_cpu(context, too_large);
    return std::nullopt;
  }
  SquaredDistances result;
  result.sides = request.plan.sides;
  result.device = Device::Cuda;
  for (Type type = Type::U16;;) {
    Run run(context, request, type);
    const bool done = run.run(result.squares);
    type = run.type();
    result.largest = run.largest();
    result.unbounded = run.unbounded();
    if (done) return result;
    result.squares = {};
  }
}

std::optional<Image> distances(const Context& context, const Request& request) {
  if (!can_hold(request.plan)) return std::nullopt;  // squares() says so
  Image out;
  static_cast<void>(Run(context, request, Type::F32).run(out));
  return out;
}

}  // namespace tamis::distance_detail::gpu
