// Filters of arrays that lie on a GPU: in place where their rows lie as the kernels want them, otherwise by copies
// there.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu_array.hpp>

#include "core/cuda/array_bits.hpp"
#include "core/cuda/array_call.hpp"
#include "morphology/device_store.hpp"
#include "morphology/element_family.hpp"
#include "morphology/filter_run.hpp"
#include "morphology/gpu_array_kernels.hpp"
#include "morphology/linear_cuda.hpp"

namespace tamis {
namespace {

using cuda::ArrayCall;
using cuda::as_input;
using namespace morphology_detail;

/// The image that an array is as it lies: dense, rows of whole pieces of 16 bytes.
std::optional<DeviceImage> in_place(const GpuArray& array) {
  constexpr std::int64_t piece = 16;
  const Shape& shape = array.shape;
  const std::int64_t sample = sample_bytes(array.type);
  const std::int64_t row = shape.x * sample;
  const bool dense = (shape.x == 1 || array.stride_x == sample) && (shape.y == 1 || array.stride_y == row) &&
                     (shape.z == 1 || array.stride_z == row * shape.y);
  const bool aligned = row % piece == 0 && reinterpret_cast<std::uintptr_t>(array.data) % piece == 0;
  if (array.type == Type::Bool || !dense || !aligned) return std::nullopt;
  auto* const data = const_cast<std::byte*>(static_cast<const std::byte*>(array.data));  // written where it is output
  return DeviceImage{data, row, row * shape.y};
}

/// A stored image as an array.
GpuOutput as_array(const DeviceImage& image, Type type, const Shape& shape, int gpu) {
  return {image.data, type, shape, image.slice, image.pitch, sample_bytes(type), gpu};
}

struct Extent {
  std::uintptr_t begin = 0, end = 0;
};

Extent extent_of(const GpuArray& array) {
  Extent extent;
  extent.begin = extent.end = reinterpret_cast<std::uintptr_t>(array.data);
  const auto reach = [&](std::int64_t stride, std::int64_t count) {
    const std::int64_t distance = stride * (count - 1);
    (distance < 0 ? extent.begin : extent.end) += static_cast<std::uintptr_t>(distance);
  };
  reach(array.stride_x, array.shape.x);
  reach(array.stride_y, array.shape.y);
  reach(array.stride_z, array.shape.z);
  extent.end += static_cast<std::uintptr_t>(sample_bytes(array.type));
  return extent;
}

bool overlap(const GpuArray& a, const GpuArray& b) {
  const Extent first = extent_of(a);
  const Extent second = extent_of(b);
  return first.begin < second.end && second.begin < first.end;
}

/// An array as the kernels want it.
class Input {
 public:
  Input(const cuda::Stream& stream, const GpuArray& array) {
    if (const std::optional<DeviceImage> own = in_place(array)) {
      image_ = *own;
      return;
    }
    store_ = DeviceStore(stream, array.type, array.shape);
    image_ = store_.get();
    if (array.type == Type::Bool) {
      store_.fill(stream, cuda::pack_array(stream, array, {}).words.data());
    } else {
      copy_samples(stream, array, as_array(image_, array.type, array.shape, array.gpu));
    }
  }
  [[nodiscard]] const DeviceImage& get() const { return image_; }

 private:
  DeviceStore store_;
  DeviceImage image_;
};

/// Where a result is made, and how it comes to the caller's array.
class Result {
 public:
  /// `apart`: not in that array, which is still read.
  Result(const cuda::Stream& stream, const GpuOutput& array, bool apart) : stream_(stream), array_(array) {
    const std::optional<DeviceImage> own = apart ? std::nullopt : in_place(as_input(array));
    if (!own) store_ = DeviceStore(stream, array.type, array.shape);
    image_ = own ? *own : store_.get();
  }
  [[nodiscard]] const DeviceImage& get() const { return image_; }
  void deliver() const {
    if (store_.empty()) return;
    if (array_.type == Type::Bool) return unpack_bits(stream_, image_, array_);
    copy_samples(stream_, as_input(as_array(image_, array_.type, array_.shape, array_.gpu)), array_);
  }

 private:
  const cuda::Stream& stream_;
  const GpuOutput& array_;
  DeviceStore store_;
  DeviceImage image_;
};

/// Whether an image holds NaN.
class NanSearch {
 public:
  NanSearch(const cuda::Stream& stream, const DeviceImage& image, const Shape& shape)
      : stream_(stream), flag_(stream, 1) {
    flag_.clear();
    find_nan(stream, image, shape, flag_.data());
  }
  /// Waits.
  [[nodiscard]] bool found() const {
    const cuda::PinnedBuffer<unsigned> host(stream_, 1);
    cuda::check(cudaMemcpyAsync(host.data(), flag_.data(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream_.get()),
                "read a flag");
    stream_.synchronize();
    return host[0] != 0;
  }

 private:
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<unsigned> flag_;
};

[[noreturn]] void refuse_nan(std::string_view what) {
  throw InputError(std::string(what) + ": the array holds NaN; wanted numbers, or nan ignore");
}

/// Filters one after the other.
void run_chain(const Context& context, const cuda::Stream& stream, std::vector<FilterPlan> plans, const GpuArray& image,
               const GpuOutput& out) {
  const bool apart = overlap(image, as_input(out));
  const Input input(stream, image);
  const Result result(stream, out, apart);
  const bool ignore = plans.front().nan == NanPolicy::Ignore;
  const std::string_view what = plans.front().what;
  std::optional<NanSearch> search;
  bool around_nan = false;
  if (image.type == Type::F32) {
    search.emplace(stream, input.get(), image.shape);
    // How to go on depends on it; and what would be overwritten is left alone if there is an error.
    if (ignore || apart) {
      around_nan = search->found();
      if (around_nan && !ignore) refuse_nan(what);
      search.reset();
    }
  }
  DeviceStore other;
  if (plans.size() > 1) other = DeviceStore(stream, image.type, image.shape);
  DeviceImage now = input.get();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (context.cancel.stop_requested()) throw Cancelled();
    const DeviceImage& next = (plans.size() - i) % 2 == 1 ? result.get() : other.get();
    FilterRun(stream, std::move(plans[i]), image.type, image.shape, around_nan).run(now, next);
    now = next;
  }
  result.deliver();
  if (search && search->found()) refuse_nan(what);
}

/// Where memory is short the error says how much it may take.
void filter(const Context& context, const GpuArray& image, const GpuOutput& out, std::string_view what,
            const std::function<std::vector<FilterPlan>()>& make_plans) {
  const ArrayCall call(context, image.gpu);
  cuda::require_array(image, "image");
  std::vector<FilterPlan> plans = make_plans();
  cuda::require_same_place(image, as_input(out), "output", false);
  cuda::require_output(out, "output");
  if (out.type != image.type) {
    throw InputError("output of " + std::string(name(out.type)) + "; wanted " + std::string(name(image.type)) +
                     ", as the image");
  }
  try {
    run_chain(context, call.stream(), std::move(plans), image, out);
  } catch (const cuda::OutOfMemory&) {
    constexpr std::int64_t most_images = 5;
    const std::int64_t bytes = DeviceStore::layout(image.type, image.shape).slice * image.shape.z;
    throw EnvironmentError("GPU memory: " + std::string(what) + " of " + to_string(image.shape) + " takes up to " +
                           std::to_string((most_images * bytes >> 20) + 1) + " MiB beside the array, got " +
                           std::to_string(cuda::device_memory_budget(context, image.gpu) >> 20) +
                           " MiB; wanted more free memory, or an array of the host on the CPU");
  }
  call.finish();
}

}  // namespace

void morphology(const Context& context, Operation operation, const GpuArray& image, const GpuOutput& out,
                const MorphologyOptions& options) {
  filter(context, image, out, name(operation), [&] {
    std::vector<FilterPlan> plans;
    plans.push_back(plan_filter(operation, image.type, image.shape, options));
    return plans;
  });
}

void hitmiss(const Context& context, const GpuArray& image, const GpuOutput& out, const HitMissOptions& options) {
  filter(context, image, out, "hitmiss", [&] {
    std::vector<FilterPlan> plans;
    plans.push_back(plan_hitmiss(image.type, image.shape, options));
    return plans;
  });
}

void asf(const Context& context, const GpuArray& image, const GpuOutput& out, const AsfOptions& options) {
  filter(context, image, out, "asf", [&] {
    const bool opens_first = options.order == AsfOptions::Order::OpenClose;
    std::vector<FilterPlan> plans;
    for (const std::string& element : element_family(options.element)) {
      const MorphologyOptions each{element, options.border, 1, options.nan};
      for (const bool first : {true, false}) {
        const Operation operation = first == opens_first ? Operation::Open : Operation::Close;
        plans.push_back(plan_filter(operation, image.type, image.shape, each));
        plans.back().what = "asf";
      }
    }
    return plans;
  });
}

}  // namespace tamis
