// Granulometry of arrays that lie on a GPU: bytes to bits, the runs of this folder, their map to the caller's array.
#include <algorithm>
#include <string>

#include <tamis/error.hpp>
#include <tamis/gpu/array.hpp>

#include "core/door.hpp"
#include "core/gpu/array/call.hpp"
#include "core/gpu/array/copy.hpp"
#include "core/stage.hpp"
#include "granulometry/gpu/array_kernels.hpp"
#include "granulometry/gpu/window_run.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/request.hpp"

namespace tamis {
namespace {

using cuda::ArrayCall;
using cuda::DeviceBits;
using namespace granulometry_detail;
using namespace granulometry_detail::gpu;

void validate(const GpuArray& object, const GranulometryOptions& options, const GpuArray& domain) {
  cuda::require_array(object, "object");
  if (object.type != Type::Bool) {
    throw InputError("granulometry of " + std::string(name(object.type)) +
                     " samples on a GPU; wanted bool: threshold them first");
  }
  cuda::require_domain(object, domain);
  require_options(options, object.shape);
}

std::int64_t largest_of(Type type) {
  if (type == Type::U8) return UINT8_MAX;
  return type == Type::U16 ? std::int64_t{UINT16_MAX} : std::int64_t{UINT32_MAX};
}

void require_map(const GpuArray& object, const GpuOutput& map, std::int64_t largest) {
  cuda::require_same_place(object, cuda::as_input(map), "size map", false);
  cuda::require_output(map, "size map");
  const bool of_map = map.type == Type::U8 || map.type == Type::U16 || map.type == Type::U32;
  if (of_map && largest <= largest_of(map.type)) return;
  throw InputError("a size map of " + std::string(name(map.type)) + "; wanted one that holds " +
                   std::to_string(largest) + ": " + (of_map ? "" : "u8, ") +
                   (of_map && map.type == Type::U16 ? "u32" : "u16 or u32"));
}

/// What one call works on.
class ArrayRun {
 public:
  ArrayRun(const Context& context, const cuda::Stream& stream, const GpuArray& object,
           const GranulometryOptions& options, const GpuArray& domain)
      : context_(context),
        stream_(stream),
        object_(object),
        domain_(domain),
        options_(options),
        neighbours_(neighbours_of(object.shape, options.element)),
        neutral_(options.border == DomainBorder::Neutral),
        budget_(cuda::device_memory_budget(context, object.gpu)) {
    if (!domain.empty()) inside_ = cuda::pack_array(stream, domain, {});
    bits_ = cuda::pack_array(stream, object, inside_);
    if (neutral_ && inside_.empty()) whole_ = cuda::whole_bits(stream, object.shape);
  }

  /// Everything is queued: max_size and recursion.
  void queue_map(const GpuOutput& out) {
    with_memory(true, [&] {
      WindowRun run(stream_, task(true));
      WindowQuery query = whole_query();
      const BitImage inside = domain_bits();
      run.run(object_bits(), neutral_ ? &inside : nullptr, query);
      write_map(stream_, {run.map(), run.sample(), run.map_pitch()}, object_, domain_, 0, out);
    });
  }

  /// Waits. The map goes to what `allocate` returns, unless it is null.
  Sizes measure(const std::function<GpuOutput(Type)>& allocate) {
    take_census();
    Sizes sizes;
    with_memory(static_cast<bool>(allocate),
                [&] { sizes = run_windows(allocate); });
    stream_.synchronize();
    const ArrayCensus& census = host_census_[0];
    if (neutral_ && census.object > 0 && census.object == census.domain) {  // the same after every opening
      sizes.volume = {static_cast<std::int64_t>(census.object)};
      sizes.limited = false;
      sizes.never_empties = true;
    }
    sizes.border_voxels = static_cast<std::int64_t>(census.border);
    sizes.rank = is_volumetric(neighbours_) ? 3 : 2;
    sizes.device = Device::Cuda;
    sizes.gpu = object_.gpu;
    return sizes;
  }

 private:
  [[nodiscard]] BitImage object_bits() const { return {bits_.words.data(), bits_.words_of_row, bits_.slices}; }
  /// What a neutral border goes by.
  [[nodiscard]] BitImage domain_bits() const {
    const DeviceBits& bits = inside_.empty() ? whole_ : inside_;
    return {bits.words.data(), bits.words_of_row, bits.slices};
  }

  [[nodiscard]] std::int64_t bytes_of_bits() const {
    return static_cast<std::int64_t>(bits_.words.bytes() + inside_.words.bytes() + whole_.words.bytes());
  }

  [[nodiscard]] WindowTask task(bool map) const {
    const Shape& shape = object_.shape;
    WindowTask task;
    task.windows = Windows(shape.z, shape.y, shape.x);
    task.neighbours = neighbours_;
    task.neutral = neutral_;
    task.map = map;
    task.budget = std::max<std::int64_t>(budget_ - bytes_of_bits(), 1);
    return task;
  }

  [[nodiscard]] WindowQuery whole_query() const {
    WindowQuery query;
    query.cap = options_.max_size ? *options_.max_size + 1 : 0;
    query.ragged = neutral_ && !inside_.empty();
    query.end = query.inner_end = object_.shape.z;
    return query;
  }

  void take_census() {
    const cuda::DeviceBuffer<ArrayCensus> census(stream_, 1);
    host_census_ = cuda::PinnedBuffer<ArrayCensus>(stream_, 1);
    census.clear();
    const BitImage domain{inside_.words.data(), inside_.words_of_row, inside_.slices};
    count_bits(stream_, object_.shape, object_bits(), domain, is_volumetric(neighbours_), census.data());
    cuda::check(
        cudaMemcpyAsync(host_census_.data(), census.data(), sizeof(ArrayCensus), cudaMemcpyDeviceToHost, stream_.get()),
        "read counts");
  }

  Sizes run_windows(const std::function<GpuOutput(Type)>& allocate) {
    WindowRun run(stream_, task(static_cast<bool>(allocate)));
    const WindowQuery query = whole_query();
    const BitImage inside = domain_bits();
    {
      Stage stage(context_, "distance");
      static_cast<void>(run.measure(object_bits(), neutral_ ? &inside : nullptr, query));
      stream_.synchronize();
    }
    Stage stage(context_, "openings");
    run.open(query);
    if (allocate) {
      const bool never = run.never() > 0;
      const std::int64_t top = run.largest() + (never ? 1 : 0);
      const GpuOutput out = allocate(map_type(top));
      require_map(object_, out, top);
      write_map(stream_, {run.map(), run.sample(), run.map_pitch()}, object_, domain_, never ? top : 0, out);
    }
    stream_.synchronize();
    Tally tally;
    tally.removed_by = run.counts();
    tally.removed_by[0] = 0;
    tally.never = run.never();
    return sizes_of(tally, options_);
  }

  /// Where memory is short the error says how much the whole would take, whatever was asked for last.
  template <class Work>
  void with_memory(bool map, const Work& work) const {
    try {
      work();
    } catch (const cuda::OutOfMemory&) {
      throw ResourceError("GPU memory: granulometry of " + to_string(object_.shape) + " takes up to " +
                          std::to_string((most_bytes(map) >> 20) + 1) + " MiB beside the array, got " +
                          std::to_string(std::max<std::int64_t>(budget_, 0) >> 20) +
                          " MiB; wanted more free memory, `max_size N`, or an array of the host, which runs in slabs");
    }
  }

  [[nodiscard]] std::int64_t most_bytes(bool map) const {
    WindowTask one = task(map);
    one.windows = Windows(1, object_.shape.y, object_.shape.x);
    const int planes = options_.max_size ? planes_for(*options_.max_size + 1) : 8;
    return bytes_of_bits() + object_.shape.z * WindowRun::bytes_of_slice(one, planes);
  }

  const Context& context_;
  const cuda::Stream& stream_;
  const GpuArray& object_;
  const GpuArray& domain_;
  const GranulometryOptions& options_;
  Neighbours neighbours_;
  bool neutral_;
  std::int64_t budget_;
  DeviceBits inside_, bits_, whole_;
  cuda::PinnedBuffer<ArrayCensus> host_census_;
};

Sizes run(const Context& context, const GpuArray& object, const GranulometryOptions& options, const GpuArray& domain,
          const std::function<GpuOutput(Type)>& allocate) {
  return door::enter(context, "granulometry", [&] {
    const ArrayCall call(context, object.gpu);
    validate(object, options, domain);
    return ArrayRun(context, call.stream(), object, options, domain).measure(allocate);
  });
}

}  // namespace

Sizes granulometry(const Context& context, const GpuArray& object, const GranulometryOptions& options,
                   const GpuArray& domain) {
  return run(context, object, options, domain, nullptr);
}

Sizes size_map(const Context& context, const GpuArray& object, const GranulometryOptions& options,
               const GpuArray& domain, const std::function<GpuOutput(Type)>& allocate) {
  return run(context, object, options, domain, allocate);
}

void size_map(const Context& context, const GpuArray& object, const GpuOutput& map, const GranulometryOptions& options,
              const GpuArray& domain) {
  door::enter(context, "granulometry", [&] {
    const ArrayCall call(context, object.gpu);
    validate(object, options, domain);
    require_map(object, map, options.max_size ? *options.max_size + 1 : 0);
    ArrayRun run(context, call.stream(), object, options, domain);
    if (options.max_size) {
      run.queue_map(map);
    } else {
      static_cast<void>(run.measure([&](Type) { return map; }));
    }
    call.finish();
  });
}

}  // namespace tamis
