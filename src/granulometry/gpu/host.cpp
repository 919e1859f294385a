// Slabs of a volume one after the other on the GPU: upload, distance, openings, counts, map.
#include "granulometry/gpu/host.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tamis/error.hpp>

#include "core/gpu/staging/transfer.hpp"
#include "core/gpu/stream.hpp"
#include "core/shared/pieces.hpp"
#include "core/stage.hpp"
#include "granulometry/cpu/run.hpp"
#include "granulometry/gpu/map_download.hpp"
#include "granulometry/gpu/window_run.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/request.hpp"

namespace tamis::granulometry_detail::gpu {
namespace {

/// What all GPUs of a run have in common.
struct Common {
  Common(const GpuRequest& request_, const MapOutput& map_, std::int64_t first_)
      : request(request_), map(map_), first(first_), everywhere(!request_.domain.words), domain(request_.domain) {
    if (!neutral() || !everywhere) return;
    whole = whole_slice(request.shape);
    domain = volume_of(whole);
  }
  [[nodiscard]] bool neutral() const { return request.options.border == DomainBorder::Neutral; }

  const GpuRequest& request;
  const MapOutput& map;
  std::int64_t first;  ///< slice that counts
  bool everywhere;  ///< there is no domain
  BitVolume domain;
  Image whole;      ///< what stands for it then

  // What a map depends on, of all slabs. It is settled before the first slice is delivered.
  int map_sample = 1;
  std::int64_t never_value = 0;
};

/// What one GPU does: slabs of the pieces that it takes, one after the other.
class GpuRun {
 public:
  static constexpr std::int64_t first_halo = 64, long_halo = 128;

  GpuRun(const Context& context, const Common& common)
      : context_(context),
        common_(common),
        shape_(common.request.shape),
        object_(common.request.object),
        domain_(common.domain),
        options_(common.request.options),
        map_(common.map),
        neighbours_(neighbours_of(shape_, options_.element)),
        neutral_(common.neutral()),
        everywhere_(common.everywhere),
        stream_(context.gpu),
        uploader_(stream_),
        budget_(cuda::device_memory_budget(context, context.gpu) - counted_bytes(context, common.request)) {}

  /// Measures slabs up to the end of a piece, for what a map depends on.
  void measure_piece(const shared::Piece& piece) {
    Slab slab;
    for (std::int64_t begin = piece.begin; begin < piece.end; begin = slab.end) {
      slab = take_slab(begin, piece.end);
      largest_ = std::max(largest_, run_->largest());
      never_ |= run_->never() > 0;
    }
    measured_ = slab == Slab{0, 0, depth(), depth()};
  }
  [[nodiscard]] int gpu() const { return context_.gpu; }
  [[nodiscard]] std::int64_t largest() const { return largest_; }
  [[nodiscard]] bool never() const { return never_; }

  /// Does a piece. With a map that is delivered in order: false where others have to come first.
  bool open_piece(const shared::Piece& piece, shared::Hand& hand, const std::function<void(const Tally&)>& add) {
    Slab slab;
    for (std::int64_t begin = piece.begin; begin < piece.end; begin = slab.end) {
      slab = take_slab(begin, piece.end);
      largest_ = std::max(largest_, run_->largest());
      const Tally tally = open(slab);
      if (map_) {
        if (!hand.wait_for_turn()) return false;
        write_map(slab);
      }
      stream_.synchronize();
      add(tally);
      hand.advance(slab.end - common_.first);
    }
    return true;
  }

 private:
  /// What lies on the GPU already is part of a limit. Where there is none the budget is what is free beside it.
  static std::int64_t counted_bytes(const Context& context, const GpuRequest& request) {
    std::int64_t words = 0;
    for (const BitVolume& bits : {request.object, request.domain}) {
      if (bits.on_gpu) words += bits.slices * bits.words_of_slice;
    }
    return context.device_memory_bytes > 0 ? words * 8 : 0;
  }
  [[nodiscard]] std::int64_t depth() const { return shape_.z; }
  [[nodiscard]] bool solid() const { return is_volumetric(neighbours_); }
  [[nodiscard]] std::int64_t largest_wanted() const { return options_.max_size ? *options_.max_size + 1 : 0; }

  /// The next slab with its distances measured, and a halo that suffices for them.
  Slab take_slab(std::int64_t begin, std::int64_t end) {
    if (measured_) {  // by measure_piece(), and still there
      measured_ = false;
      return {0, 0, depth(), depth()};
    }
    // Where slabs are thick a longer halo costs less than to find out that it was needed.
    if (std::min(fitting_slices(), end - begin) >= 8 * long_halo) halo_ = std::max(halo_, long_halo);
    for (;; halo_ *= 2) {
      const std::int64_t halo = solid() ? halo_ : 0;
      const Slab slab = next_slab_until(end, begin, depth(), halo, fitting_slices());
      if (slab.end == slab.begin) refuse(halo);
      try {
        if (measure(slab)) return slab;
      } catch (const cuda::OutOfMemory&) {
        if (planes_ == WindowRun::most_planes) throw;
        planes_ = WindowRun::most_planes;  // sizes past 255 take twice the memory: smaller slabs
        forget_slab();
        halo_ /= 2;
      }
    }
  }

  [[noreturn]] void refuse(std::int64_t halo) const {
    const std::int64_t least = bytes_of(std::min(2 * halo + 1, depth()));
    throw ResourceError("GPU memory: structures up to size " + std::to_string(halo / 2) + " need " +
                        std::to_string((least >> 20) + 1) + " MiB, got " +
                        std::to_string(std::max<std::int64_t>(budget_, 0) >> 20) +
                        " MiB; wanted a larger device memory limit, `max_size N`, or `device cpu`");
  }

  /// False if the halo of the slab is too small for its distances.
  bool measure(const Slab& slab) {
    Stage stage(context_, "distance", slab.to - slab.from);
    upload(slab);
    const bool cut = solid() && (slab.from > 0 || slab.to < depth());
    query_ = {};
    query_.cap = largest_wanted();
    query_.ragged = neutral_ && !everywhere_;
    // What half of the halo covers can be told from what it does not.
    if (cut) query_.cap = std::min(query_.cap > 0 ? query_.cap : halo_ / 2 + 1, halo_ / 2 + 1);
    query_.open_below = solid() && slab.from > 0;
    query_.open_above = solid() && slab.to < depth();
    query_.begin = slab.begin - slab.from;
    query_.end = slab.end - slab.from;
    query_.inner_begin = slab.inner_from() - slab.from;
    query_.inner_end = slab.inner_to() - slab.from;
    const std::int64_t words_of_row = object_.words_of_slice / shape_.y;
    const BitImage bits{there(object_, object_bits_, slab), words_of_row, slab.to - slab.from};
    std::optional<BitImage> domain;
    if (neutral_) domain = BitImage{there(domain_, domain_bits_, slab), words_of_row, slices_of(domain_, slab)};
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
    if (!download_)
      download_ = std::make_unique<MapDownload>(context_, stream_, shape_, object_, common_.map_sample,
                                                common_.never_value);
    download_->run(*run_, slab.begin - slab.from, slab.begin, slab.end - slab.begin, map_.sink);
  }

  static std::int64_t slices_of(const BitVolume& bits, const Slab& slab) {
    return bits.slices == 1 ? 1 : slab.to - slab.from;
  }

  /// The slab's first slice on the device: where it was copied to, or has been all along.
  static const std::uint64_t* there(const BitVolume& bits, const cuda::DeviceBuffer<std::uint64_t>& copy,
                                    const Slab& slab) {
    return bits.on_gpu ? bits.slice(slab.from) : copy.data();
  }

  /// Room for a copy of the slab's slices, if they need one.
  [[nodiscard]] cuda::DeviceBuffer<std::uint64_t> room_for(const BitVolume& bits, const Slab& slab) const {
    if (bits.on_gpu) return {};
    return cuda::DeviceBuffer<std::uint64_t>(stream_, slices_of(bits, slab) * bits.words_of_slice);
  }

  void copy(const BitVolume& bits, const cuda::DeviceBuffer<std::uint64_t>& to, const Slab& slab) {
    if (!bits.on_gpu) uploader_.copy(context_, to.data(), bits.slice(slab.from), to.bytes());
  }

  void upload(const Slab& slab) {
    const std::int64_t slices = slab.to - slab.from;
    if (slices != slices_) {
      forget_slab();  // everything is given back before anything is taken
      object_bits_ = room_for(object_, slab);
      if (neutral_) domain_bits_ = room_for(domain_, slab);
      WindowTask task;
      task.windows = Windows(slices, shape_.y, shape_.x);
      task.neighbours = neighbours_;
      task.neutral = neutral_;
      task.map = static_cast<bool>(map_);
      task.budget = budget_ - fixed_bytes - static_cast<std::int64_t>(object_bits_.bytes()) -
                    static_cast<std::int64_t>(domain_bits_.bytes());
      run_ = std::make_unique<WindowRun>(stream_, task);
      slices_ = slices;
    }
    copy(object_, object_bits_, slab);
    if (neutral_) copy(domain_, domain_bits_, slab);
  }

  void forget_slab() {
    run_.reset();
    object_bits_ = {};
    domain_bits_ = {};
    slices_ = 0;
  }

  /// Device bytes for slabs of so many slices. Eight planes hold all sizes below 256; larger ones find out.
  [[nodiscard]] std::int64_t bytes_of(std::int64_t slices) const {
    const WindowTask one{Windows(1, shape_.y, shape_.x), neighbours_, neutral_, static_cast<bool>(map_), 0};
    std::int64_t bits = object_.on_gpu ? 0 : object_.words_of_slice * 8;
    if (neutral_ && !domain_.on_gpu) bits += domain_.words_of_slice * 8;
    return slices * (WindowRun::bytes_of_slice(one, planes_) + bits) + fixed_bytes;
  }
  [[nodiscard]] std::int64_t fitting_slices() const {
    const std::int64_t fixed = bytes_of(0);
    return std::max<std::int64_t>(budget_ - fixed, 0) / (bytes_of(1) - fixed);
  }

  static constexpr std::int64_t fixed_bytes = std::int64_t{16} << 20;

  const Context context_;
  const Common& common_;
  Shape shape_;
  BitVolume object_, domain_;
  GranulometryOptions options_;
  const MapOutput& map_;
  Neighbours neighbours_;
  bool neutral_;
  bool everywhere_;

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
  std::unique_ptr<MapDownload> download_;
};

/// The GPUs of a context, and what they share.
class SharedRun {
 public:
  /// Slices [begin, end) count.
  SharedRun(const Context& context, const GpuRequest& request, const MapOutput& map, std::int64_t begin,
            std::int64_t end)
      : context_(context), common_(request, map, begin), length_(end - begin) {
    // What lies on a GPU is for that one.
    if (request.object.on_gpu) context_.more_gpus.clear();
    workers_.resize(shared::worker_count(context_));
  }

  ~SharedRun() {
    for (auto* const gpus : {&workers_, &lost_}) {
      for (std::unique_ptr<GpuRun>& gpu : *gpus) {
        if (!gpu) continue;
        const cuda::DeviceScope scope(gpu->gpu());
        gpu.reset();
      }
    }
  }
  SharedRun(const SharedRun&) = delete;
  SharedRun& operator=(const SharedRun&) = delete;

  /// The largest distance that was found.
  [[nodiscard]] std::int64_t largest() const {
    std::int64_t largest = 0;
    for_each_gpu([&](const GpuRun& gpu) { largest = std::max(largest, gpu.largest()); });
    return largest;
  }

  Tally run() {
    if (common_.map) settle_map();
    Tally tally;
    std::mutex mutex;
    const auto add = [&](const Tally& part) {
      const std::lock_guard lock(mutex);
      tally.add(part);
    };
    for_each_piece("granulometry", [&](GpuRun& gpu, const shared::Piece& piece, shared::Hand& hand) {
      return gpu.open_piece(piece, hand, add);
    });
    return tally;
  }

 private:
  template <class Work>
  void for_each_gpu(Work work) const {
    for (const auto* const gpus : {&workers_, &lost_}) {
      for (const std::unique_ptr<GpuRun>& gpu : *gpus) {
        if (gpu) work(*gpu);
      }
    }
  }

  using OfPiece = std::function<bool(GpuRun&, const shared::Piece&, shared::Hand&)>;

  /// One GPU tells its stages; several are told as one.
  void for_each_piece(const char* what, const OfPiece& work) {
    const bool several = workers_.size() > 1;
    Context told = context_;
    if (!several) told.on_progress = nullptr, told.on_stage = nullptr;
    Stage stage(told, what, length_);
    const shared::PieceSizes fair = shared::fair_pieces(length_, workers_.size(), likely_halo());
    const auto lost = shared::run_shared(context_, length_, [&](const Context& one, shared::Hand& hand, std::size_t worker) {
      const cuda::DeviceScope scope(one.gpu);
      std::unique_ptr<GpuRun>& gpu = workers_[worker];
      if (!gpu) gpu = std::make_unique<GpuRun>(one, common_);
      while (const auto piece = hand.take(fair)) {
        const shared::Piece slices{piece->begin + common_.first, piece->end + common_.first};
        if (work(*gpu, slices, hand)) stage.advance(slices.end - slices.begin);
      }
    });
    for (const std::size_t worker : lost) leave_out(worker);
  }

  /// What it had done before is kept.
  void leave_out(std::size_t worker) {
    lost_.push_back(std::move(workers_[worker]));
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(worker));
    shared::leave_out(context_, worker);
  }

  /// The map's type, and the value of what never erodes, depend on all slabs: they are measured first, unless there is
  /// only one.
  void settle_map() {
    for_each_piece("distance", [&](GpuRun& gpu, const shared::Piece& piece, shared::Hand&) {
      gpu.measure_piece(piece);
      return true;
    });
    bool never = false;
    for_each_gpu([&](const GpuRun& gpu) { never |= gpu.never(); });
    const std::int64_t top = largest() + (never ? 1 : 0);
    const Type type = map_type(top);
    common_.map_sample = static_cast<int>(sample_bytes(type));
    common_.never_value = never ? top : 0;
    common_.map.start(type);
  }

  /// What pieces will mostly have on either side.
  [[nodiscard]] std::int64_t likely_halo() const {
    if (!is_volumetric(neighbours_of(common_.request.shape, common_.request.options.element))) return 0;
    const std::int64_t share = length_ / static_cast<std::int64_t>(workers_.size());
    return share >= 8 * GpuRun::long_halo ? GpuRun::long_halo : GpuRun::first_halo;
  }

  Context context_;
  Common common_;
  std::int64_t length_;
  std::vector<std::unique_ptr<GpuRun>> workers_, lost_;
};

}  // namespace

Sizes run_windows(const Context& context, const GpuRequest& request, const MapOutput& map) {
  Sizes sizes = sizes_of(SharedRun(context, request, map, 0, request.shape.z).run(), request.options);
  sizes.device = Device::Cuda;
  sizes.gpu = context.gpu;
  return sizes;
}

SlicesTally count_windows(const Context& context, const GpuRequest& request, std::int64_t begin, std::int64_t end) {
  const MapOutput none;
  SharedRun run(context, request, none, begin, end);
  const Tally tally = run.run();
  return {tally, run.largest()};
}

Sizes run(const Context& context, const Request& request, const MapOutput& map) {
  if (request.never_erodes) return cpu::run(context, request, map);  // nothing to compute
  const Image& object = *request.object;
  const BitVolume domain = request.domain ? volume_of(*request.domain) : BitVolume{};
  return run_windows(context, {object.shape(), volume_of(object), domain, request.options}, map);
}

}  // namespace tamis::granulometry_detail::gpu
