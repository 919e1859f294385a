// A source through the GPU: pieces of a slab are copied to pinned memory by the worker threads, and from there to the
// device, while the piece before is worked on. Pinned memory of the caller is read by the device itself. A source that
// goes by several times stays on the device if it has room.
#include "threshold/gpu/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/cpu/copy.hpp"
#include "core/cpu/parallel.hpp"
#include "core/gpu/stream.hpp"
#include "threshold/device.hpp"

namespace tamis::threshold_detail::gpu {
namespace {

// Pieces of a slab on their way through the GPU, and the memory that they pass through.

/// An array that crosses the bus: its two ends, which are taken when they are first wanted.
template <class T>
struct Crossing {
  cuda::PinnedBuffer<T> host;
  cuda::DeviceBuffer<T> device;

  [[nodiscard]] T* on_host(const cuda::Stream& stream, std::int64_t count) {
    if (host.size() == 0) host = cuda::PinnedBuffer<T>(stream, count);
    return host.data();
  }
  [[nodiscard]] T* on_device(const cuda::Stream& stream, std::int64_t count) {
    if (device.size() == 0) device = cuda::DeviceBuffer<T>(stream, count);
    return device.data();
  }
};

/// Where a piece lies at the moment. Each slot has a stream, so that copies of one overlap with kernels of the other.
struct Slot {
  explicit Slot(int device) : stream(device), arrived(device) {}

  cuda::Stream stream;
  cuda::Event arrived;
  Crossing<std::byte> samples;
  Crossing<std::uint64_t> domain;
  Crossing<std::uint64_t> bits;
};

/// Consecutive bands of a slab.
struct Piece {
  std::int64_t first = 0;  ///< index of the first band
  std::int64_t bands = 0;
  std::int64_t first_row = 0;  ///< counted through all slices
  std::int64_t rows = 0;
};

/// Rows as a kernel reads them start at 16 bytes, which is what a lane loads.
[[nodiscard]] inline std::int64_t padded(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

constexpr std::int64_t piece_bytes = std::int64_t{16} << 20;
constexpr unsigned long long none = std::numeric_limits<unsigned long long>::max();

/// Bytes of samples in a slot; less where a limit of memory wants it.
std::int64_t piece_limit(const Context& context) {
  std::int64_t bytes = piece_bytes;
  if (context.memory_bytes > 0) bytes = std::min(bytes, context.memory_bytes / 16);
  if (context.device_memory_bytes > 0) bytes = std::min(bytes, context.device_memory_bytes / 8);
  return bytes;
}

/// Results that both slots add to.
struct Totals {
  unsigned long long set = 0;
  unsigned long long first_odd = none;
};

void copy_words(const Context& context, std::uint64_t* to, const std::uint64_t* from, std::int64_t count) {
  constexpr std::int64_t share = 1 << 15;
  parallel_for(context, (count + share - 1) / share, [&](std::int64_t i) {
    std::copy_n(from + i * share, std::min(share, count - i * share), to + i * share);
  });
}

class CudaSamples final : public DeviceSamples {
 public:
  CudaSamples(const Context& context, const Layout& layout, const Domain& domain, Passes passes)
      : context_(context),
        layout_(layout),
        domain_(domain),
        device_(context.gpu),
        words_((layout.shape.x + 63) / 64),
        row_bytes_(layout.shape.x * sample_bytes(layout.type)),
        pitch_(padded(row_bytes_)),
        bands_of_slice_(band_count(layout) / layout.shape.z),
        rows_of_band_(band_at(layout, {}, 0).rows),
        bands_of_piece_(
            std::clamp<std::int64_t>(piece_limit(context) / (pitch_ * rows_of_band_), 1, band_count(layout))),
        scope_(device_),
        main_(device_),
        ready_(device_),
        totals_(main_, 1),
        counts_(main_, BinRule::most_bins) {
    for (std::unique_ptr<Slot>& slot : slots_) slot = std::make_unique<Slot>(device_);
    counts_.clear();
    if (passes == Passes::Several) keep_samples();
    release_slots();
  }

  /// Work may still be under way if an exception ends it: its memory has to stay until then.
  ~CudaSamples() override {
    for (const std::unique_ptr<Slot>& slot : slots_) static_cast<void>(cudaStreamSynchronize(slot->stream.get()));
    static_cast<void>(cudaStreamSynchronize(main_.get()));
  }
  CudaSamples(const CudaSamples&) = delete;
  CudaSamples& operator=(const CudaSamples&) = delete;

  PackedSlab pack(const Slab& slab, const PackJob& job, const ObjectBits& object, Stage& stage) override {
    const cuda::DeviceScope scope(device_);
    // Before pieces come in: a piece is about one huge page.
    if (object.host && slab.z0 == 0) make_pages(context_, object.host->data(), object.host->bytes());
    Totals totals;
    cuda::check(cudaMemcpyAsync(totals_.data(), &totals, sizeof totals, cudaMemcpyHostToDevice, main_.get()),
                "start the counts");
    release_slots();
    bool odd = false;
    const auto queue = [&](const Piece& piece, Slot& slot) {
      PackTarget target;
      target.bits = object.device ? object.device + piece.first_row * words_ : nullptr;
      if (object.host) target.bits = slot.bits.on_device(slot.stream, most_rows() * words_);
      target.set = &totals_.data()->set;
      target.first_odd = &totals_.data()->first_odd;
      target.row_offset = static_cast<unsigned long long>(piece.first_row);
      pack_rows(slot.stream, sample_rows(piece, slot), job, target);
      if (object.host) {
        to_host(slot.stream, slot.bits.on_host(slot.stream, most_rows() * words_), target.bits, piece.rows * words_);
      } else if (!object.wanted()) {
        // A search ends with the first piece that decides it: the place of a word of bits is borrowed for the answer.
        to_host(slot.stream, slot.bits.on_host(slot.stream, most_rows() * words_),
                reinterpret_cast<const std::uint64_t*>(&totals_.data()->first_odd), 1);
      }
    };
    const auto finish = [&](const Piece& piece, Slot& slot) {
      if (!object.wanted()) {
        odd = slot.bits.host[0] != none;
        return !odd;
      }
      if (object.host) {
        copy_words(context_, object.host->row<std::uint64_t>(0, 0) + piece.first_row * words_, slot.bits.host.data(),
                   piece.rows * words_);
      }
      return true;
    };
    for_each_piece(slab, stage, object.wanted(), queue, finish);
    wait_for_slots();
    cuda::check(cudaMemcpyAsync(&totals, totals_.data(), sizeof totals, cudaMemcpyDeviceToHost, main_.get()),
                "copy the counts");
    main_.synchronize();
    PackedSlab packed;
    packed.set = static_cast<std::int64_t>(totals.set);
    if (totals.first_odd != none) packed.odd = row_at(slab, static_cast<std::int64_t>(totals.first_odd));
    return packed;
  }

  void write(std::uint64_t* device, std::int64_t first_row, const std::vector<std::uint64_t>& words) override {
    const cuda::DeviceScope scope(device_);
    cuda::check(cudaMemcpyAsync(device + first_row * words_, words.data(), words.size() * 8, cudaMemcpyHostToDevice,
                                main_.get()),
                "copy bits");
    main_.synchronize();
  }

  [[nodiscard]] bool holds_all() const override { return kept_bands_ == band_count(layout_); }

  void count(const Slab& slab, const Question& question, Stage& stage) override {
    const cuda::DeviceScope scope(device_);
    const auto queue = [&](const Piece& piece, Slot& slot) {
      gpu::count(slot.stream, sample_rows(piece, slot), question, counts_.data());
    };
    for_each_piece(slab, stage, true, queue, [](const Piece&, Slot&) { return true; });
  }

  std::vector<std::int64_t> counts(std::int64_t size) override {
    const cuda::DeviceScope scope(device_);
    wait_for_slots();
    std::vector<std::int64_t> result(static_cast<std::size_t>(size));
    static_assert(sizeof(std::int64_t) == sizeof(unsigned long long));
    cuda::check(cudaMemcpyAsync(result.data(), counts_.data(), result.size() * 8, cudaMemcpyDeviceToHost, main_.get()),
                "copy the counts");
    counts_.clear();
    release_slots();
    main_.synchronize();
    return result;
  }

 private:
  [[nodiscard]] std::int64_t most_rows() const { return bands_of_piece_ * rows_of_band_; }

  /// Room for all samples, unless they would take more than half of the device's memory.
  void keep_samples() {
    const std::int64_t bytes = layout_.shape.z * layout_.shape.y * pitch_;
    if (bytes <= cuda::device_memory_budget(context_, device_) / 2) kept_ = cuda::DeviceBuffer<std::byte>(main_, bytes);
  }

  /// queue() starts the kernels of a piece; finish() has its results and says whether to go on. Both run here, in the
  /// order of pieces; finish() comes one piece late, when the next one is under way.
  template <class Queue, class Finish>
  void for_each_piece(const Slab& slab, Stage& stage, bool counts_as_progress, const Queue& queue,
                      const Finish& finish) {
    const bool fetched = slab.data && can_be_fetched(slab);
    std::array<Piece, 2> pieces;
    const std::int64_t begin = slab.z0 * bands_of_slice_;
    const std::int64_t end = begin + slab.count * bands_of_slice_;
    const std::int64_t count = (end - begin + bands_of_piece_ - 1) / bands_of_piece_;
    for (std::int64_t i = 0; i <= count; ++i) {
      const auto here = static_cast<std::size_t>(i % 2);
      if (i < count) {
        // finish() of the piece before the last has waited for this slot.
        pieces[here] = piece_at(begin + i * bands_of_piece_, end);
        copy_to(*slots_[here], slab, pieces[here], fetched,
                [&](std::int64_t rows) { stage.advance(counts_as_progress ? rows : 0); });
        queue(pieces[here], *slots_[here]);
        slots_[here]->arrived.record(slots_[here]->stream);
      }
      if (i == 0) continue;
      Slot& before = *slots_[1 - here];
      before.arrived.wait();
      if (!finish(pieces[1 - here], before)) break;
    }
    for (const std::unique_ptr<Slot>& slot : slots_) slot->stream.synchronize();
  }

  [[nodiscard]] Piece piece_at(std::int64_t band, std::int64_t end) const {
    const auto row_of = [&](std::int64_t index) {
      return index / bands_of_slice_ * layout_.shape.y + index % bands_of_slice_ * rows_of_band_;
    };
    Piece piece;
    piece.first = band;
    piece.bands = std::min(bands_of_piece_, end - band);
    piece.first_row = row_of(band);
    piece.rows = row_of(band + piece.bands) - piece.first_row;
    return piece;
  }

  /// Pinned by its owner, in rows as kernels read them: the device fetches such samples itself.
  [[nodiscard]] bool can_be_fetched(const Slab& slab) const {
    const std::int64_t slice = layout_.shape.y * pitch_;
    if (row_bytes_ != pitch_ || slab.row_stride != pitch_ || slab.slice_stride != slice) return false;
    return cuda::is_pinned(slab.data) && cuda::is_pinned(slab.data + slab.count * slice - 1);
  }

  /// Where the samples of a piece lie, or will, on the device.
  [[nodiscard]] std::byte* place_of(const Piece& piece, Slot& slot) const {
    if (kept_.data()) return kept_.data() + piece.first_row * pitch_;
    return slot.samples.on_device(slot.stream, most_rows() * pitch_);
  }

  template <class Advance>
  void copy_to(Slot& slot, const Slab& slab, const Piece& piece, bool fetched, const Advance& advance) {
    const bool there = piece.first + piece.bands <= kept_bands_;
    const bool staged = !there && !fetched;
    std::byte* const samples = staged ? slot.samples.on_host(slot.stream, most_rows() * pitch_) : nullptr;
    std::uint64_t* const inside =
        domain_.bits.empty() ? nullptr : slot.domain.on_host(slot.stream, most_rows() * words_);
    parallel_for(context_, piece.bands, [&](std::int64_t i) {
      const Band band = band_at(layout_, slab, piece.first + i);
      const std::int64_t row = band.z * layout_.shape.y + band.y - piece.first_row;
      for (std::int64_t y = 0; y < band.rows; ++y) {
        if (staged) {
          std::memcpy(samples + (row + y) * pitch_, band.samples + y * band.row_stride,
                      static_cast<std::size_t>(row_bytes_));
        }
        if (inside) std::copy_n(domain_.row(band.z, band.y + y), words_, inside + (row + y) * words_);
      }
      advance(band.rows);
    });
    if (inside) {
      to_device(slot.stream, slot.domain.on_device(slot.stream, most_rows() * words_), inside, piece.rows * words_);
    }
    if (there) return;
    const std::int64_t before = piece.first_row - slab.z0 * layout_.shape.y;
    to_device(slot.stream, place_of(piece, slot), fetched ? slab.data + before * pitch_ : samples, piece.rows * pitch_);
    // Pieces come in order, and a pass that ends early leaves a gap behind which nothing is kept.
    if (kept_.data() && piece.first == kept_bands_) kept_bands_ += piece.bands;
  }

  template <class T>
  static void to_device(const cuda::Stream& stream, T* to, const T* from, std::int64_t count) {
    cuda::check(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice, stream.get()),
        "copy samples");
  }

  template <class T>
  static void to_host(const cuda::Stream& stream, T* to, const T* from, std::int64_t count) {
    cuda::check(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
        "copy results");
  }

  [[nodiscard]] SampleRows sample_rows(const Piece& piece, Slot& slot) const {
    SampleRows rows;
    rows.type = layout_.type;
    rows.samples = place_of(piece, slot);
    rows.pitch = pitch_;
    rows.rows = piece.rows;
    rows.columns = layout_.shape.x;
    rows.domain = slot.domain.device.data();
    return rows;
  }

  /// One row as a band, in the memory of the slab.
  [[nodiscard]] Band row_at(const Slab& slab, std::int64_t row) const {
    Band band;
    band.z = row / layout_.shape.y;
    band.y = row % layout_.shape.y;
    band.index = band.z * bands_of_slice_ + band.y / rows_of_band_;
    band.rows = 1;
    band.row_stride = slab.row_stride;
    band.samples = slab.data + (band.z - slab.z0) * slab.slice_stride + band.y * slab.row_stride;
    return band;
  }

  /// The slots go on once the main stream has come here, and the other way round.
  void release_slots() {
    ready_.record(main_);
    for (const std::unique_ptr<Slot>& slot : slots_) ready_.hold(slot->stream);
  }
  void wait_for_slots() {
    for (const std::unique_ptr<Slot>& slot : slots_) {
      slot->arrived.record(slot->stream);
      slot->arrived.hold(main_);
    }
  }

  const Context& context_;
  const Layout& layout_;
  const Domain& domain_;
  int device_;
  std::int64_t words_;
  std::int64_t row_bytes_;
  std::int64_t pitch_;
  std::int64_t bands_of_slice_;
  std::int64_t rows_of_band_;
  std::int64_t bands_of_piece_;
  cuda::DeviceScope scope_;
  cuda::Stream main_;
  cuda::Event ready_;
  cuda::DeviceBuffer<Totals> totals_;
  cuda::DeviceBuffer<unsigned long long> counts_;
  cuda::DeviceBuffer<std::byte> kept_;  ///< rows of all slices, where there is room for them
  std::int64_t kept_bands_ = 0;         ///< so many of the first bands are there
  std::array<std::unique_ptr<Slot>, 2> slots_;
};

}  // namespace
}  // namespace tamis::threshold_detail::gpu

namespace tamis::threshold_detail {

std::unique_ptr<DeviceSamples> device_samples(const Context& context, const Layout& layout, const Domain& domain,
                                              Passes passes) {
  // Threads of the host pack as fast as its memory delivers; several GPUs would have to share that memory with them.
  if (context.device != Device::Cuda || !context.more_gpus.empty()) return nullptr;
  return std::make_unique<gpu::CudaSamples>(context, layout, domain, passes);
}

}  // namespace tamis::threshold_detail
