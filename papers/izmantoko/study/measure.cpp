#include "papers/izmantoko/study/measure.hpp"

#include <cstring>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/io.hpp>

#include "bench/measure.hpp"
#include "papers/izmantoko/cpu/sequential.hpp"
#ifdef TAMIS_CUDA
#include "bench/gpu_timer.hpp"
#include "morphology/gpu/kernels.hpp"
#include "papers/izmantoko/gpu/run.hpp"
#endif

namespace tamis::izmantoko {
namespace {

using bench::on;
using bench::Times;

constexpr int batches = 21;
/// Shorter than this, events and clocks say more of themselves than of the work.
constexpr double batch_seconds = 2e-3;
/// Of one version of one case, about; what takes longer is run three times.
constexpr double patience_seconds = 1;

struct Timed {
  Times seconds;
  int calls = 0;  ///< in each batch
};

/// Times of one call, from batches of calls; `batch(n)` is the seconds that n calls take.
Timed time_batches(const std::function<double(int)>& batch) {
  const double once = batch(1);
  const int calls = std::max(1, static_cast<int>(batch_seconds / std::max(once, 1e-7)));
  const int wanted = std::clamp(static_cast<int>(patience_seconds / (once * calls)), 3, batches);
  std::vector<double> seconds;
  for (int i = 0; i < wanted; ++i) seconds.push_back(batch(calls) / calls);
  return {bench::times_of(seconds), calls};
}

Timed time_on_host(const std::function<void()>& call) {
  return time_batches([&](int calls) {
    return bench::seconds_of([&] {
      for (int i = 0; i < calls; ++i) call();
    });
  });
}

void require_same(const std::string& version, const Image& got, const Image& wanted) {
  const bool same = got.shape() == wanted.shape() &&
                    std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())) == 0;
  if (!same) throw Error(version + ": not what tamis computes on the CPU; nothing is timed");
}

#ifdef TAMIS_CUDA
/// An image in device memory.
class OnGpu {
 public:
  explicit OnGpu(const Image& image) : device_(0), stream_(0), timer_(stream_), image_(stream_, image) {}

  Timed run(const std::string& version, Operation operation, int edge, const Image& wanted) const {
    const gpu::DeviceImage::Step step =
        version == "tamis_gpu" ? ours(edge) : image_.by(gpu::kernel_of(version, edge / 2), edge / 2);
    const auto call = [&] { image_.filter(operation, step); };
    call();
    require_same(version, image_.result(), wanted);
    const Timed times = time_batches([&](int calls) { return calls * timer_.milliseconds(calls, call) / 1000; });
    require_same(version + ", repeated", image_.result(), wanted);
    return times;
  }

 private:
  [[nodiscard]] gpu::DeviceImage::Step ours(int edge) const {
    using morphology_detail::Order;
    return [this, edge](bool erodes, const gpu::DeviceImage::Memory& from, const gpu::DeviceImage::Memory& to) {
      const auto device_image = [this](const gpu::DeviceImage::Memory& memory) {
        return morphology_detail::gpu::DeviceImage{reinterpret_cast<std::byte*>(memory.data()), image_.pitch(),
                                                   image_.pitch() * image_.shape().y};
      };
      morphology_detail::gpu::BoxTask task;
      task.order = erodes ? Order::Min : Order::Max;
      task.nx = image_.shape().x;
      task.ny = image_.shape().y;
      task.nz = image_.shape().z;
      task.low_x = task.low_y = -edge / 2;
      task.high_x = task.high_y = edge / 2;
      task.from = device_image(from);
      task.to = device_image(to);
      morphology_detail::gpu::box_extremum(stream_, task);
    };
  }

  cuda::DeviceScope device_;
  cuda::Stream stream_;
  bench::Timer timer_;
  gpu::DeviceImage image_;
};
#endif

/// One image, and what it was asked.
class Study {
 public:
  explicit Study(const std::string& path) : image_(read(path)), binary_(cpu::is_binary_image(image_)) {
    if (image_.type() != Type::U8) {
      throw InputError(fmt::format("{}: samples of {}; wanted u8", path, tamis::name(image_.type())));
    }
#ifdef TAMIS_CUDA
    if (why_no_gpu().empty()) gpu_.emplace(image_);
#endif
  }

  /// Nothing where there is no such version of this case, or no GPU for it.
  std::optional<Timed> run(const std::string& version, Operation operation, int edge) {
    const MorphologyOptions options{.element = StructuringElement::square(edge)};
    Image wanted;
    morphology(on(Device::Cpu), operation, image_, options, wanted);
    if (version == "sequential") return binary_ ? std::optional(run_sequential(operation, edge, wanted)) : std::nullopt;
    if (version == "tamis_cpu") return run_tamis(on(Device::Cpu), operation, options, wanted);
#ifdef TAMIS_CUDA
    if (!gpu_) return std::nullopt;
    if (version == "tamis_transfers") return run_tamis(on(Device::Cuda), operation, options, wanted);
    const bool there =
        version == "tamis_gpu" || (binary_ && (version != "naive" || gpu::has_radius(gpu::Kernel::Naive, edge / 2)));
    if (there) return gpu_->run(version, operation, edge, wanted);
#endif
    return std::nullopt;
  }
  [[nodiscard]] const Shape& shape() const { return image_.shape(); }

 private:
  [[nodiscard]] Timed run_sequential(Operation operation, int edge, const Image& wanted) const {
    const auto call = [&] { return cpu::sequential(operation, image_, edge / 2); };
    require_same("sequential", call(), wanted);
    return time_on_host([&] { static_cast<void>(call()); });
  }
  [[nodiscard]] Timed run_tamis(const Context& context, Operation operation, const MorphologyOptions& options,
                                const Image& wanted) const {
    Image out;
    const auto call = [&] { morphology(context, operation, image_, options, out); };
    call();
    require_same("tamis", out, wanted);
    return time_on_host(call);
  }

  Image image_;
  bool binary_;  ///< what the paper's versions take
#ifdef TAMIS_CUDA
  std::optional<OnGpu> gpu_;
#endif
};

}  // namespace

void measure(const Measured& what) {
  Study study(what.image);
  for (const Operation operation : what.operations) {
    for (const std::string& version : what.versions) {
      const std::optional<Timed> times = study.run(version, operation, what.edge);
      if (!times) continue;
      bench::print({{"image", to_string(study.shape())},
                    {"pixels", study.shape().count()},
                    {"operation", tamis::name(operation)},
                    {"edge", what.edge},
                    {"version", version},
                    {"median_ms", times->seconds.median * 1e3},
                    {"min_ms", times->seconds.least * 1e3},
                    {"max_ms", times->seconds.most * 1e3},
                    {"calls", times->calls}});
    }
  }
}

}  // namespace tamis::izmantoko
