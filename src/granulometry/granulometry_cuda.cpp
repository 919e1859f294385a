// Slabs of a volume one after the other on the GPU: upload, distance, openings, counts, map.
#include "granulometry/granulometry_cuda.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <tamis/error.hpp>

#include "core/cuda/stream.hpp"
#include "core/cuda/upload.hpp"
#include "core/stage.hpp"
#include "granulometry/granulometry_plan.hpp"
#include "granulometry/map_download.hpp"
#include "granulometry/paper_cuda.hpp"
#include "granulometry/tally.hpp"
#include "granulometry/window_run.hpp"

namespace tamis::granulometry_detail {
namespace {

class GpuRun {
 public:
  GpuRun(const Context& context, const Request& request, const MapOutput& map)
      : context_(context),
        object_(*request.object),
        options_(request.options),
        map_(map),
        neighbours_(neighbours_of(object_.shape(), options_.element)),
        neutral_(options_.border == DomainBorder::Neutral),
        scope_(context.gpu),
        stream_(context.gpu),
        uploader_(context.gpu),
        budget_(cuda::device_memory_budget(context, context.gpu)) {
    if (!neutral_) return;
    if (!request.domain) whole_ = whole_slice(object_.shape());
    domain_ = request.domain ? request.domain : &whole_;
  }

  Tally run() {
    if (map_) settle_map();
    Tally tally;
    for (Slab slab; slab.end < depth();) {
      slab = take_slab(slab.end);
      tally.add(open(slab));
      if (map_) write_map(slab);
    }
    stream_.synchronize();
    return tally;
  }

 private:
  [[nodiscard]] std::int64_t depth() const { return object_.shape().z; }
  [[nodiscard]] bool solid() const { return is_solid(neighbours_); }
  [[nodiscard]] std::int64_t largest_wanted() const { return options_.max_size ? *options_.max_size + 1 : 0; }

  /// The map's type, and the value of what never erodes, depend on all slabs: they are measured first, unless there is
  /// only one.
  void settle_map() {
    Slab slab;
    while (slab.end < depth()) {
      slab = take_slab(slab.end);
      largest_ = std::max(largest_, run_->largest());
      never_ |= run_->never() > 0;
    }
    const std::int64_t top = largest_ + (never_ ? 1 : 0);
    const Type type = map_type(top);
    map_sample_ = static_cast<int>(sample_bytes(type));
    map_.start(type);
    never_value_ = never_ ? top : 0;
    measured_ = slab == Slab{0, 0, depth(), depth()};
  }

  /// The next slab with its distances measured, and a halo that suffices for them.
  Slab take_slab(std::int64_t begin) {
    if (measured_) {  // by settle_map(), and still there
      measured_ = false;
      return {0, 0, depth(), depth()};
    }
    for (;; halo_ *= 2) {
      const std::int64_t halo = solid() ? halo_ : 0;
      const Slab slab = next_slab(begin, depth(), halo, fitting_slices());
      if (slab.end == slab.begin) refuse(halo);
      try {
        if (measure(slab)) return slab;
      } catch (const cuda::OutOfMemory&) {
        if (planes_ == most_planes) throw;
        planes_ = most_planes;  // sizes past 255 take twice the memory: smaller slabs
        forget_slab();
        halo_ /= 2;
      }
    }
  }

  [[noreturn]] void refuse(std::int64_t halo) const {
    const std::int64_t least = bytes_of(std::min(2 * halo + 1, depth()));
    throw EnvironmentError("GPU memory: structures up to size " + std::to_string(halo / 2) + " need " +
                           std::to_string((least >> 20) + 1) + " MiB, got " +
                           std::to_string(std::max<std::int64_t>(budget_, 0) >> 20) +
                           " MiB; wanted a larger device memory limit, max_size, or device cpu");
  }

  /// False if the halo of the slab is too small for its distances.
  bool measure(const Slab& slab) {
    Stage stage(context_, "distance", slab.to - slab.from);
    upload(slab);
    const bool cut = solid() && (slab.from > 0 || slab.to < depth());
    query_ = {};
    query_.cap = largest_wanted();
    query_.ragged = neutral_ && domain_ != &whole_;
    // What half of the halo covers can be told from what it does not.
    if (cut) query_.cap = std::min(query_.cap > 0 ? query_.cap : halo_ / 2 + 1, halo_ / 2 + 1);
    query_.open_below = solid() && slab.from > 0;
    query_.open_above = solid() && slab.to < depth();
    query_.begin = slab.begin - slab.from;
    query_.end = slab.end - slab.from;
    query_.inner_begin = slab.inner_from() - slab.from;
    query_.inner_end = slab.inner_to() - slab.from;
    const BitImage bits{object_bits_.data(), object_.row_bytes() / 8, slab.to - slab.from};
    std::optional<BitImage> domain;
    if (neutral_) {
      const std::int64_t slices = domain_->shape().z == 1 ? 1 : slab.to - slab.from;
      domain = BitImage{domain_bits_.data(), domain_->row_bytes() / 8, slices};
    }
    static_cast<void>(run_->measure(bits, domain ? &*domain : nullptr, query_));
    stream_.synchronize();
    stage.advance(slab.to - slab.from);
    return !cut || halo_suffices(slab, depth(), run_->largest());
  }

  Tally open(const Slab& slab) {
    Stage stage(context_, "openings", slab.end - slab.begin);
    run_->open(query_);
    stream_.synchronize();
    stage.advance(slab.end - slab.begin);
    Tally tally;
    tally.removed_by = run_->counts();
    tally.removed_by[0] = 0;
    tally.never = run_->never();
    return tally;
  }

  void write_map(const Slab& slab) {
    Stage stage(context_, "size map", slab.end - slab.begin);
    if (!download_) download_ = std::make_unique<MapDownload>(context_, stream_, object_, map_sample_, never_value_);
    download_->run(*run_, slab.begin - slab.from, slab.begin, slab.end - slab.begin, map_.sink);
  }

  void upload(const Slab& slab) {
    const std::int64_t slices = slab.to - slab.from;
    if (slices != slices_) {
      forget_slab();  // everything is given back before anything is taken
      object_bits_ = cuda::DeviceBuffer<std::uint64_t>(stream_, slices * words_of_slice(object_));
      if (neutral_) {
        const std::int64_t domain_slices = domain_->shape().z == 1 ? 1 : slices;
        domain_bits_ = cuda::DeviceBuffer<std::uint64_t>(stream_, domain_slices * words_of_slice(*domain_));
      }
      WindowTask task;
      task.windows = Windows(slices, object_.shape().y, object_.shape().x);
      task.neighbours = neighbours_;
      task.neutral = neutral_;
      task.map = static_cast<bool>(map_);
      task.budget = budget_ - fixed_bytes - static_cast<std::int64_t>(object_bits_.bytes()) -
                    static_cast<std::int64_t>(domain_bits_.bytes());
      run_ = std::make_unique<WindowRun>(stream_, task);
      slices_ = slices;
    }
    uploader_.copy(context_, stream_, object_bits_.data(), object_.row<std::byte>(slab.from, 0), object_bits_.bytes());
    if (!neutral_) return;
    const std::int64_t domain_from = domain_->shape().z == 1 ? 0 : slab.from;
    uploader_.copy(context_, stream_, domain_bits_.data(), domain_->row<std::byte>(domain_from, 0),
                   domain_bits_.bytes());
  }

  void forget_slab() {
    run_.reset();
    object_bits_ = {};
    domain_bits_ = {};
    slices_ = 0;
  }

  static std::int64_t words_of_slice(const Image& image) { return image.shape().y * image.row_bytes() / 8; }

  /// Device bytes for slabs of so many slices. Eight planes hold all sizes below 256; larger ones find out.
  [[nodiscard]] std::int64_t bytes_of(std::int64_t slices) const {
    const WindowTask one{Windows(1, object_.shape().y, object_.shape().x), neighbours_, neutral_,
                         static_cast<bool>(map_), 0};
    const std::int64_t bits = words_of_slice(object_) * 8 * (neutral_ ? 2 : 1);
    return slices * (WindowRun::bytes_of_slice(one, planes_) + bits) + fixed_bytes;
  }
  [[nodiscard]] std::int64_t fitting_slices() const {
    const std::int64_t fixed = bytes_of(0);
    return std::max<std::int64_t>(budget_ - fixed, 0) / (bytes_of(1) - fixed);
  }

  static constexpr std::int64_t fixed_bytes = std::int64_t{16} << 20;
  static constexpr std::int64_t first_halo = 64;
  static constexpr int most_planes = 16;

  const Context& context_;
  const Image& object_;
  GranulometryOptions options_;
  const MapOutput& map_;
  Neighbours neighbours_;
  bool neutral_;
  Image whole_;
  const Image* domain_ = nullptr;

  cuda::DeviceScope scope_;
  cuda::Stream stream_;
  cuda::Uploader uploader_;
  std::int64_t budget_;
  int planes_ = 8;
  std::int64_t halo_ = first_halo;

  std::int64_t slices_ = 0;  ///< of the slab that the buffers are for
  cuda::DeviceBuffer<std::uint64_t> object_bits_, domain_bits_;
  std::unique_ptr<WindowRun> run_;
  WindowQuery query_;

  std::int64_t largest_ = 0;
  bool never_ = false;
  bool measured_ = false;
  int map_sample_ = 1;
  std::int64_t never_value_ = 0;
  std::unique_ptr<MapDownload> download_;
};

}  // namespace

Sizes run_cuda(const Context& context, const Request& request, const MapOutput& map) {
  if (request.never_erodes) return run_cpu(context, request, map);  // nothing to compute
  if (request.options.algorithm == Algorithm::Paper) return run_paper_cuda(context, request, map);
  return sizes_of(GpuRun(context, request, map).run(), request.options);
}

}  // namespace tamis::granulometry_detail
