// The prepared form: what it cannot take is refused here, the work is in window_run.cpp.
#include <tamis/gpu/granulometry.hpp>

#include <optional>

#include <tamis/error.hpp>

#include "core/door.hpp"
#include "core/gpu/callers/prepared.hpp"
#include "granulometry/gpu/window_run.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/request.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;
using namespace granulometry_detail::gpu;

GranulometryOptions validated(const GranulometryOptions& options, const Shape& shape) {
  if (!options.max_size) throw InputError("a prepared granulometry without `max_size N`; wanted one");
  door::require_shape(Type::Bool, shape, "granulometry");
  require_options(options, shape);
  return options;
}

/// Gives what is behind an object that was not moved elsewhere.
auto& there(const auto& work) { return door::require_there(work, "a granulometry"); }

}  // namespace

struct GpuGranulometry::Work {
  static std::unique_ptr<Work> make(const Context& context, const Shape& shape, const Options& options) {
    const cuda::DeviceScope scope(cuda::usable_gpu(context));
    return std::make_unique<Work>(context, shape, options);
  }

  Work(const Context& context, const Shape& image, const Options& wanted)
      : shape(image),
        options(validated(wanted.granulometry, image)),
        gpu(context.gpu),
        stream(cuda::stream_of(gpu, wanted.stream)),
        run(stream, {Windows(image.z, image.y, image.x), neighbours_of(image, options.element),
                     options.border == DomainBorder::Neutral, wanted.map}) {
    query.cap = *options.max_size + 1;
    query.end = query.inner_end = image.z;
    run.prepare(query.cap);
    if (options.border == DomainBorder::Neutral) fill_whole();
  }

  /// The domain where none is given: one slice of ones for all.
  void fill_whole() {
    const Image slice = whole_slice(shape);
    whole = cuda::DeviceBuffer<std::uint64_t>(stream, slice.bytes() / 8);
    cuda::check(cudaMemcpyAsync(whole.data(), slice.data(), whole.bytes(), cudaMemcpyHostToDevice, stream.get()),
                "copy to the device");
    stream.synchronize();
  }

  Shape shape;
  GranulometryOptions options;
  int gpu;
  cuda::Stream stream;
  WindowRun run;
  WindowQuery query;
  cuda::DeviceBuffer<std::uint64_t> whole;
};

GpuGranulometry::GpuGranulometry(const Context& context, const Shape& shape, const Options& options)
    : work_(door::enter(context, "granulometry", [&] { return Work::make(context, shape, options); })) {}
GpuGranulometry::~GpuGranulometry() = default;
GpuGranulometry::GpuGranulometry(GpuGranulometry&&) noexcept = default;
GpuGranulometry& GpuGranulometry::operator=(GpuGranulometry&&) noexcept = default;

void GpuGranulometry::run(const std::uint64_t* object, const std::uint64_t* domain) {
  door::require_pointer(object, "an object");
  Work& work = there(work_);
  const cuda::DeviceScope scope(work.gpu);
  const std::int64_t words = (work.shape.x + 63) / 64;
  const BitImage bits{object, words, work.shape.z};
  std::optional<BitImage> inside;
  if (work.options.border == DomainBorder::Neutral) {
    inside = domain ? BitImage{domain, words, work.shape.z} : BitImage{work.whole.data(), words, 1};
  }
  WindowQuery query = work.query;
  query.ragged = inside && domain != nullptr;
  work.run.run(bits, inside ? &*inside : nullptr, query);
}

void* GpuGranulometry::stream() const { return there(work_).stream.get(); }
const unsigned long long* GpuGranulometry::removed_by() const { return there(work_).run.device_counts(); }
const void* GpuGranulometry::map() const { return there(work_).run.map(); }
std::int64_t GpuGranulometry::map_pitch() const { return there(work_).run.map_pitch(); }

Sizes GpuGranulometry::wait() const {
  Work& work = there(work_);
  work.stream.synchronize();
  Tally tally;
  tally.removed_by = work.run.counts();
  tally.removed_by[0] = 0;
  Sizes sizes = sizes_of(tally, work.options);
  sizes.rank = is_volumetric(neighbours_of(work.shape, work.options.element)) ? 3 : 2;
  sizes.device = Device::Cuda;
  sizes.gpu = work.gpu;
  return sizes;
}

}  // namespace tamis
