#include "papers/boulos/gpu/scheme.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <tamis/error.hpp>

#include "granulometry/cpu/run.hpp"
#include "granulometry/plan.hpp"

namespace tamis::boulos::gpu {
namespace {

constexpr std::int64_t most_sizes = UINT16_MAX;  // of what 16-bit counters hold

std::int64_t grid_quads(const granulometry_detail::Grid& grid) { return grid.batch * grid.rows() * quads_of(grid.x); }

/// Entries of the curve and of what decides about its end.
std::int64_t most_rows(const SchemeTask& task) {
  if (task.max_size >= 0) return task.max_size + 2;
  const DomainBorder border = task.neutral ? DomainBorder::Neutral : DomainBorder::Background;
  return std::min(granulometry_detail::distance_bound(task.grid, border, task.domain_rows > 0) + 2, most_sizes + 1);
}

}  // namespace

std::int64_t Scheme::bytes(const SchemeTask& task) {
  const std::int64_t quads = grid_quads(task.grid);
  return 4 * quads * 16 + task.domain_rows * quads_of(task.grid.x) * 16 + (task.map ? quads * quad_bits * 2 : 0) +
         2 * most_rows(task) * 8;
}

Scheme::Scheme(const cuda::Stream& stream, const SchemeTask& task, const std::uint64_t* device_domain)
    : stream_(stream),
      task_(task),
      quads_(grid_quads(task.grid)),
      most_(most_rows(task)),
      tiles_(choose_tiles(task.grid, resident_blocks(stream.device()))),
      eroded_{{stream, quads_}, {stream, quads_}},
      opened_{{stream, quads_}, {stream, quads_}},
      domain_(stream, task.domain_rows * quads_of(task.grid.x)),
      counters_(stream, task.map ? quads_ * quad_bits : 0),
      counts_(stream, 2 * most_),
      left_(most_),
      side_(stream.device()),
      counted_(stream.device()),
      arrived_(stream.device()) {
  if (domain_.size() == 0) return;
  const cuda::DeviceScope scope(stream.device());
  load_quads(stream_, device_domain, task_.domain_rows, task_.grid.x, nullptr, 1, domain_.data(), nullptr);
}

std::vector<std::int64_t> Scheme::run(const std::uint64_t* device_bits, Stage* stage) {
  const cuda::DeviceScope scope(stream_.device());
  load(device_bits);
  for (std::int64_t n = 0;; ++n) {
    if (n == most_sizes) throw InputError("algorithm paper: more than 65534 sizes; wanted fewer, or recursion");
    // |X_n| was queued before the dilations of n - 1: the device works on those while the host waits here.
    arrived_.wait();
    if (left_[n] == 0) return volumes(n + 1);
    if (task_.max_size < 0 && n > 0 && left_[n] == left_[n - 1]) return volumes(n);  // what is left never erodes
    if (n != task_.max_size) erode(n);
    open(n);
    if (stage) stage->advance(n + 1);
    if (n == task_.max_size) return volumes(n + 1);
  }
}

void Scheme::load(const std::uint64_t* device_bits) {
  counts_.clear();
  const std::int64_t rows = task_.grid.batch * task_.grid.rows();
  load_quads(stream_, device_bits, rows, task_.grid.x, domain_.data(), std::max<std::int64_t>(task_.domain_rows, 1),
             eroded(0), counts_.data());
  look(0);
  if (task_.map) start_map(stream_, eroded(0), quads_, counters_.data());
}

/// X_(n+1) from X_n, and its count on the way to the host.
void Scheme::erode(std::int64_t n) {
  const PassStep step = task_.neutral ? PassStep::ErodeNeutral : PassStep::Erode;
  Pass erosion = pass(step, eroded(n), eroded(n + 1), counts_.data() + n + 1);
  erosion.finish = PassFinish::StoreAndCount;
  queue_pass(stream_, task_.grid, tiles_, erosion);
  look(n + 1);
}

/// n dilations of X_n; the last one only counts.
void Scheme::open(std::int64_t n) {
  const uint4* from = eroded(n);
  for (std::int64_t k = 1; k <= n; ++k) {
    uint4* const to = opened_[k % 2].data();
    Pass dilation = pass(PassStep::Dilate, from, to, counts_.data() + most_ + n);
    if (k == n) dilation.finish = task_.map ? PassFinish::CountAndMap : PassFinish::Count;
    queue_pass(stream_, task_.grid, tiles_, dilation);
    from = to;
  }
}

/// Copies |X_n| to the host beside the passes.
void Scheme::look(std::int64_t n) {
  counted_.record(stream_);
  counted_.hold(side_);
  cuda::check(cudaMemcpyAsync(left_.data() + n, counts_.data() + n, sizeof(unsigned long long), cudaMemcpyDeviceToHost,
                              side_.get()),
              "copy a count");
  arrived_.record(side_);
}

Pass Scheme::pass(PassStep step, const uint4* in, uint4* out, unsigned long long* ones) {
  Pass pass;
  pass.in = in;
  pass.out = out;
  pass.ones = ones;
  pass.map = counters_.data();
  pass.step = step;
  pass.chessboard = task_.chessboard;
  // Back and forth: a pass begins with what the one before has left in the L2 cache.
  pass.descending = descending_;
  descending_ = !descending_;
  if (task_.domain_rows == 0) return pass;
  const granulometry_detail::Grid& grid = task_.grid;
  const std::int64_t slice = grid.y * quads_of(grid.x);
  pass.domain = domain_.data();
  pass.domain_slice = static_cast<unsigned>(task_.domain_rows >= grid.rows() ? slice : 0);
  pass.domain_item = static_cast<unsigned>(task_.domain_rows > grid.rows() ? grid.z * slice : 0);
  return pass;
}

std::vector<std::int64_t> Scheme::volumes(std::int64_t rows) {
  const auto first = static_cast<std::int64_t>(left_[0]);
  cuda::check(cudaMemcpyAsync(left_.data(), counts_.data() + most_, static_cast<std::size_t>(rows) * 8,
                              cudaMemcpyDeviceToHost, stream_.get()),
              "copy the volumes");
  stream_.synchronize();
  std::vector<std::int64_t> volume(left_.data(), left_.data() + rows);
  volume[0] = first;
  return volume;
}

namespace {

constexpr std::int64_t map_group_bytes = std::int64_t{16} << 20;

/// Slices of the map that travel together.
std::int64_t map_group(const Shape& shape) {
  return std::clamp<std::int64_t>(map_group_bytes / (2 * shape.y * shape.x), 1, shape.z);
}

/// Passes the map on, as bytes if they fit: the next slices are copied while the sink has these.
class MapCopy {
 public:
  MapCopy(const cuda::Stream& stream, const Shape& shape, const Scheme& paper, int bytes)
      : stream_(stream),
        shape_(shape),
        paper_(paper),
        bytes_(bytes),
        group_(map_group(shape)),
        done_{cuda::Event(stream.device()), cuda::Event(stream.device())} {
    const std::int64_t buffers = group_ < shape.z ? 2 : 1;
    for (std::int64_t i = 0; i < buffers; ++i) {
      device_[i] = cuda::DeviceBuffer<std::byte>(stream, group_ * slice_bytes());
      host_[i] = cuda::PinnedBuffer<std::byte>(group_ * slice_bytes());
    }
  }

  void write(const MapSink& sink) {
    queue(0);
    for (std::int64_t z = 0; z < shape_.z; z += group_) {
      if (z + group_ < shape_.z) queue(z + group_);
      const std::size_t slot = slot_of(z);
      done_[slot].wait();
      sink(host_[slot].data(), z, std::min(group_, shape_.z - z));
    }
  }

 private:
  [[nodiscard]] std::int64_t slice_bytes() const { return shape_.y * shape_.x * bytes_; }
  [[nodiscard]] std::size_t slot_of(std::int64_t z) const { return static_cast<std::size_t>(z / group_ % 2); }

  void queue(std::int64_t z) {
    const std::size_t slot = slot_of(z);
    const std::int64_t slices = std::min(group_, shape_.z - z);
    narrow_map(stream_, paper_.counters(), z * shape_.y, slices * shape_.y, shape_.x, bytes_, device_[slot].data());
    cuda::check(
        cudaMemcpyAsync(host_[slot].data(), device_[slot].data(), static_cast<std::size_t>(slices * slice_bytes()),
                        cudaMemcpyDeviceToHost, stream_.get()),
        "copy the size map");
    done_[slot].record(stream_);
  }

  const cuda::Stream& stream_;
  const Shape& shape_;
  const Scheme& paper_;
  int bytes_;
  std::int64_t group_;
  std::array<cuda::DeviceBuffer<std::byte>, 2> device_;
  std::array<cuda::PinnedBuffer<std::byte>, 2> host_;
  cuda::Event done_[2];
};

SchemeTask task_of(const granulometry_detail::Request& request, bool map) {
  SchemeTask task;
  task.grid = granulometry_detail::make_grid(request.object->shape(), request.options.element);
  task.chessboard = granulometry_detail::is_chessboard(request.options.element);
  task.neutral = request.options.border == DomainBorder::Neutral;
  task.max_size = request.options.max_size.value_or(-1);
  if (request.domain) task.domain_rows = request.domain->shape().z * request.domain->shape().y;
  task.map = map;
  return task;
}

void require_memory(const Context& context, const granulometry_detail::Request& request, const SchemeTask& task) {
  const Shape& shape = request.object->shape();
  const std::int64_t bits = request.object->bytes() + (request.domain ? request.domain->bytes() : 0);
  const std::int64_t map = task.map ? 4 * map_group(shape) * shape.y * shape.x : 0;
  const std::int64_t bytes = Scheme::bytes(task) + bits + map;
  const std::int64_t budget = cuda::device_memory_budget(context, context.gpu);
  if (bytes <= budget) return;
  throw ResourceError("GPU memory: algorithm paper needs " + std::to_string((bytes >> 20) + 1) + " MiB, got " +
                      std::to_string(budget >> 20) + " MiB; wanted a larger device memory limit, or recursion");
}

cuda::DeviceBuffer<std::uint64_t> upload(const cuda::Stream& stream, const Image* image) {
  if (!image) return {};
  cuda::DeviceBuffer<std::uint64_t> bits(stream, image->bytes() / 8);
  cuda::check(cudaMemcpyAsync(bits.data(), image->data(), bits.bytes(), cudaMemcpyHostToDevice, stream.get()),
              "copy bits");
  return bits;
}

}  // namespace

Sizes run(const Context& context, const granulometry_detail::Request& request,
          const granulometry_detail::MapOutput& map) {
  if (request.never_erodes) return granulometry_detail::cpu::run(context, request, map);  // there is nothing to open
  const SchemeTask task = task_of(request, static_cast<bool>(map));
  require_memory(context, request, task);
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  const cuda::DeviceBuffer<std::uint64_t> domain = upload(stream, request.domain);
  const cuda::DeviceBuffer<std::uint64_t> bits = upload(stream, request.object);
  Scheme paper(stream, task, domain.data());
  Sizes sizes;
  {
    Stage stage(context, "openings");
    sizes.volume = paper.run(bits.data(), &stage);
  }
  sizes.limited = request.options.max_size && sizes.volume.back() > 0;
  sizes.never_empties = !sizes.limited && sizes.volume.back() > 0;
  if (!map) return sizes;
  // What never erodes was in every opening, so it counts as one more than the last row.
  const std::int64_t largest = sizes.volume.back() > 0 ? sizes.rows() : sizes.rows() - 1;
  const Type type = granulometry_detail::map_type(largest);
  Stage stage(context, "size map");
  map.start(type);
  MapCopy(stream, request.object->shape(), paper, static_cast<int>(sample_bytes(type))).write(map.sink);
  return sizes;
}

}  // namespace tamis::boulos::gpu
