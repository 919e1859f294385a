// Everything of the public headers that wants a GPU, where tamis is built without CUDA: refused. The folders gpu/ have
// the same functions with CUDA.
#include <optional>
#include <string>
#include <string_view>

#include <tamis/error.hpp>
#include <tamis/frames.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu/array.hpp>
#include <tamis/gpu/binary.hpp>
#include <tamis/gpu/granulometry.hpp>
#include <tamis/gpu/median.hpp>
#include <tamis/gpu/memory.hpp>
#include <tamis/gpu/morphology.hpp>

#include "granulometry/gpu/slices.hpp"
#include "threshold/device.hpp"

namespace tamis {

// ---- objects whose bits stay on a GPU
// --------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse_binary() { throw ResourceError("an object on a GPU: " + why_no_gpu()); }

}  // namespace

GpuBinary::GpuBinary(const Context&, SliceSource&, const ThresholdOptions&, const Region&) { refuse_binary(); }
bool GpuBinary::fits(const Context&, const Shape&) { return false; }
const Binary& GpuBinary::facts() const { refuse_binary(); }
const Layout& GpuBinary::layout() const { refuse_binary(); }
int GpuBinary::gpu() const { refuse_binary(); }
const std::uint64_t* GpuBinary::object() const { refuse_binary(); }
const std::uint64_t* GpuBinary::domain() const { refuse_binary(); }
Image GpuBinary::download(const Context&) const { refuse_binary(); }
Sizes granulometry(const Context&, const GpuBinary&, const GranulometryOptions&) { refuse_binary(); }
BallSizes ball_granulometry(const Context&, const GpuBinary&, const BallOptions&) { refuse_binary(); }
BallSizes ball_map(const Context&, const GpuBinary&, const BallOptions&, const BallStart&, const MapSink&) {
  refuse_binary();
}
BallSizes ball_map(const Context&, const GpuBinary&, BallMeasure, const BallOptions&, const BallStart&,
                   const MapSink&) {
  refuse_binary();
}
Sizes size_map(const Context&, const GpuBinary&, const GranulometryOptions&, const std::function<void(Type)>&,
               const MapSink&) {
  refuse_binary();
}

// ---- slices that processes hand to each other -------------------------------------------------------------------------

namespace granulometry_detail {

std::optional<SlicesTally> tally_of_slices(const Context&, const GpuBinary&, const GranulometryOptions&, std::int64_t,
                                           std::int64_t) {
  refuse_binary();
}
struct GpuSlices::Work {};
GpuSlices::GpuSlices(const Context&, const Layout&, std::int64_t) { refuse_binary(); }
GpuSlices::~GpuSlices() = default;
GpuSlices::GpuSlices(GpuSlices&&) noexcept = default;
GpuSlices& GpuSlices::operator=(GpuSlices&&) noexcept = default;
void GpuSlices::use_gpu(const Context&) { refuse_binary(); }
std::uint64_t* GpuSlices::slice(std::int64_t) const { refuse_binary(); }
void GpuSlices::put(std::int64_t, std::int64_t, const std::uint64_t*) const { refuse_binary(); }
void GpuSlices::get(std::uint64_t*) const { refuse_binary(); }
GpuBinary GpuSlices::cut_out(const Context&, std::int64_t, std::int64_t, const GpuSlices*) const { refuse_binary(); }
Census GpuSlices::census(std::int64_t, std::int64_t, const GpuSlices*, bool) const { refuse_binary(); }

}  // namespace granulometry_detail

// ---- arrays on a GPU ------------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw ResourceError(std::string(what) + " of an array on a GPU: " + why_no_gpu());
}

}  // namespace

std::optional<int> gpu_of(const void*) { return std::nullopt; }
GpuMemory::GpuMemory(const Context&, int, std::int64_t) { refuse("the result"); }
GpuMemory::~GpuMemory() = default;
GpuMemory::GpuMemory(GpuMemory&&) noexcept = default;
GpuMemory& GpuMemory::operator=(GpuMemory&&) noexcept = default;
void copy(const Context&, const GpuArray&, const GpuOutput&) { refuse("a copy"); }
void order_streams(int, void*, void*) { throw ResourceError("streams of a GPU: " + why_no_gpu()); }

double binarise(const Context&, const GpuArray&, const GpuOutput&, const ThresholdOptions&, const GpuArray&) {
  refuse("threshold");
}
Histogram histogram(const Context&, const GpuArray&, const GpuArray&) { refuse("threshold"); }
double threshold_value(const Context&, const GpuArray&, ThresholdMethod, const GpuArray&) { refuse("threshold"); }
Sizes granulometry(const Context&, const GpuArray&, const GranulometryOptions&, const GpuArray&) {
  refuse("granulometry");
}
void size_map(const Context&, const GpuArray&, const GpuOutput&, const GranulometryOptions&, const GpuArray&) {
  refuse("granulometry");
}
Sizes size_map(const Context&, const GpuArray&, const GranulometryOptions&, const GpuArray&,
               const std::function<GpuOutput(Type)>&) {
  refuse("granulometry");
}
BallSizes ball_granulometry(const Context&, const GpuArray&, const BallOptions&, const GpuArray&, const Spacing&) {
  refuse("granulometry by balls");
}
BallSizes ball_map(const Context&, const GpuArray&, BallMeasure, const BallOptions&, const GpuArray&, const Spacing&,
                   const std::function<GpuOutput(Type)>&) {
  refuse("granulometry by balls");
}
void distance(const Context&, const GpuArray&, const GpuOutput&, const DistanceOptions&, const GpuArray&,
              const Spacing&) {
  refuse("distance");
}
GpuSquares squared_distance(const Context&, const GpuArray&, const DistanceOptions&, const GpuArray&, const Spacing&,
                            const std::function<GpuOutput(Type)>&) {
  refuse("distance");
}
void morphology(const Context&, Operation operation, const GpuArray&, const GpuOutput&, const MorphologyOptions&) {
  refuse(name(operation));
}
void hitmiss(const Context&, const GpuArray&, const GpuOutput&, const HitMissOptions&) { refuse("hitmiss"); }
void asf(const Context&, const GpuArray&, const GpuOutput&, const AsfOptions&) { refuse("asf"); }
void reconstruct(const Context&, const GpuArray&, const GpuArray&, const GpuOutput&, const ReconstructOptions&) {
  refuse("reconstruct");
}
void open_by_reconstruction(const Context&, const GpuArray&, const GpuOutput&, const MorphologyOptions&, Connectivity) {
  refuse("open by reconstruction");
}
void close_by_reconstruction(const Context&, const GpuArray&, const GpuOutput&, const MorphologyOptions&,
                             Connectivity) {
  refuse("close by reconstruction");
}
void median(const Context&, const GpuArray&, const GpuOutput&, const MedianOptions&) { refuse("median"); }
void smooth(const Context&, const GpuArray&, const GpuOutput&, const SmoothOptions&) { refuse("smooth"); }
void remove_outliers(const Context&, const GpuArray&, const GpuOutput&, const OutlierOptions&) {
  refuse("remove_outliers");
}

std::unique_ptr<threshold_detail::DeviceSamples> threshold_detail::device_samples(const Context&, const Layout&,
                                                                                 const Domain&, Passes) {
  return nullptr;
}

// ---- prepared ones, which cannot be made, and frames ----------------------------------------------------------------

namespace cuda {
class PreparedState {};
}  // namespace cuda

namespace {

std::unique_ptr<cuda::PreparedState> refuse_prepared(const Context& context) {
  Context asking = context;
  asking.device = Device::Cuda;
  require_device(asking);
  return nullptr;
}

}  // namespace

GpuPrepared::GpuPrepared(std::unique_ptr<cuda::PreparedState>) {}
GpuPrepared::~GpuPrepared() = default;
GpuPrepared::GpuPrepared(GpuPrepared&&) noexcept = default;
GpuPrepared& GpuPrepared::operator=(GpuPrepared&&) noexcept = default;
void GpuPrepared::run(const void*, void*) {}
void* GpuPrepared::stream() const { return nullptr; }
void GpuPrepared::wait() {}

GpuMorphology::GpuMorphology(const Context& context, Operation, Type, const Shape&, const Options&)
    : GpuPrepared(refuse_prepared(context)) {}
GpuMorphology::GpuMorphology(const Context& context, Type, const Shape&, const HitMissOptions&, void*)
    : GpuPrepared(refuse_prepared(context)) {}
GpuMedian::GpuMedian(const Context& context, Type, const Shape&, const Options&)
    : GpuPrepared(refuse_prepared(context)) {}
GpuMedian::GpuMedian(const Context& context, Type, const Shape&, const SmoothOptions&, void*)
    : GpuPrepared(refuse_prepared(context)) {}

struct GpuGranulometry::Work {};
GpuGranulometry::GpuGranulometry(const Context& context, const Shape&, const Options&) { refuse_prepared(context); }
GpuGranulometry::~GpuGranulometry() = default;
GpuGranulometry::GpuGranulometry(GpuGranulometry&&) noexcept = default;
GpuGranulometry& GpuGranulometry::operator=(GpuGranulometry&&) noexcept = default;
void GpuGranulometry::run(const std::uint64_t*, const std::uint64_t*) {}
void* GpuGranulometry::stream() const { return nullptr; }
const unsigned long long* GpuGranulometry::removed_by() const { return nullptr; }
const void* GpuGranulometry::map() const { return nullptr; }
std::int64_t GpuGranulometry::map_pitch() const { return 0; }
Sizes GpuGranulometry::wait() const { return {}; }

PinnedMemory::PinnedMemory(std::int64_t) {
  throw ResourceError("page-locked memory: " + why_no_gpu() + "; wanted a GPU");
}
PinnedMemory::~PinnedMemory() = default;
PinnedMemory::PinnedMemory(PinnedMemory&&) noexcept = default;
PinnedMemory& PinnedMemory::operator=(PinnedMemory&&) noexcept = default;

}  // namespace tamis
