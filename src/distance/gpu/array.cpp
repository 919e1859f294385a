// Distances of arrays that lie on a GPU, to arrays there.
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <tamis/error.hpp>
#include <tamis/gpu/array.hpp>

#include "core/door.hpp"
#include "core/gpu/array/call.hpp"
#include "core/gpu/array/copy.hpp"
#include "core/stage.hpp"
#include "distance/gpu/samples.hpp"
#include "distance/gpu/squares.hpp"

namespace tamis {
namespace {

using cuda::ArrayCall;
using cuda::DeviceBits;
using namespace distance_detail;

void validate(const GpuArray& object, const GpuArray& domain) {
  cuda::require_array(object, "object");
  if (object.type != Type::Bool) {
    throw InputError("distances in " + std::string(name(object.type)) +
                     " samples on a GPU; wanted bool: threshold them first");
  }
  cuda::require_domain(object, domain);
}

gpu::BitRows rows_of(const DeviceBits& bits) { return {bits.words.data(), bits.slices}; }

/// What one call works on: the squares, and the table that they are looked up in.
class Call {
 public:
  Call(const Context& context, const GpuArray& object, const DistanceOptions& options, const GpuArray& domain,
       const Spacing& spacing)
      : call_(context, object.gpu), stage_(context, "distance") {
    validate(object, domain);
    gpu::Task task;
    const bool volume = object.shape.rank == 3 && !options.by_slices;
    task.plan = make_plan(object.shape, whole_sides(spacing, volume ? 3 : 2), options);
    unit_ = task.plan.sides.unit;
    if (!gpu::can_hold(task.plan)) {
      throw ResourceError("distances in an array on a GPU of " + to_string(object.shape) +
                          ": " + gpu::too_large + "; wanted an array of the host");
    }
    if (!domain.empty()) inside_ = cuda::pack_array(stream(), domain, {});
    bits_ = cuda::pack_array(stream(), object, inside_);
    task.object = rows_of(bits_);
    if (!inside_.empty()) task.domain = rows_of(inside_);
    task.neutral = options.border == DomainBorder::Neutral;
    squares_ = gpu::squares_of(stream(), task);
  }

  [[nodiscard]] const gpu::Squares& squares() const { return squares_; }

  void write_squares(const GpuOutput& out) {
    if (write_wide([&](const auto& rows) { gpu::copy_wide(stream(), rows, out); })) return;
    look_up<std::uint16_t>(out, [](std::int64_t square) { return static_cast<std::uint16_t>(square); });
  }

  void write_lengths(const GpuOutput& out) {
    if (write_wide([&](const auto& rows) { gpu::write_wide_lengths(stream(), rows, unit_, out); })) return;
    look_up<float>(out, [unit = unit_](std::int64_t square) {
      return square == gpu::table_size - 1 ? std::numeric_limits<float>::infinity()
                                           : static_cast<float>(std::sqrt(static_cast<double>(square)) * unit);
    });
  }

  void finish() const { call_.finish(); }

 private:
  [[nodiscard]] const cuda::Stream& stream() const { return call_.stream(); }

  /// Writes squares of more than 16 bits; false: there are none.
  template <class Write>
  bool write_wide(Write write) const {
    return squares_.with_rows(0, squares_.shape.z, [&]<class Lane>(const gpu::SquareRows<Lane>& rows) {
      if constexpr (sizeof(Lane) > 2) write(rows);
      return sizeof(Lane) > 2;
    });
  }

  template <class Sample, class Make>
  void look_up(const GpuOutput& out, Make make) {
    const cuda::PinnedBuffer<Sample> host(stream(), gpu::table_size);
    for (std::int64_t square = 0; square < gpu::table_size; ++square) host[square] = make(square);
    const cuda::DeviceBuffer<Sample> table(stream(), gpu::table_size);
    cuda::check(cudaMemcpyAsync(table.data(), host.data(), table.bytes(), cudaMemcpyHostToDevice, stream().get()),
                "copy to the device");
    gpu::look_up(stream(), squares_.rows<std::uint16_t>(), reinterpret_cast<const std::byte*>(table.data()), out);
  }

  ArrayCall call_;
  Stage stage_;
  DeviceBits inside_, bits_;
  gpu::Squares squares_;
  double unit_ = 1;
};

void require_result(const GpuArray& object, const GpuOutput& out, Type type) {
  cuda::require_same_place(object, cuda::as_input(out), "output", false);
  cuda::require_output(out, "output");
  if (out.type != type) {
    throw InputError("distances as " + std::string(name(out.type)) + "; wanted " + std::string(name(type)));
  }
}

}  // namespace

void distance(const Context& context, const GpuArray& object, const GpuOutput& out, const DistanceOptions& options,
              const GpuArray& domain, const Spacing& spacing) {
  door::enter(context, "distance", [&] {
    Call call(context, object, options, domain, spacing);
    require_result(object, out, Type::F32);
    call.write_lengths(out);
    call.finish();
  });
}

GpuSquares squared_distance(const Context& context, const GpuArray& object, const DistanceOptions& options,
                            const GpuArray& domain, const Spacing& spacing,
                            const std::function<GpuOutput(Type)>& allocate) {
  return door::enter(context, "distance", [&]() -> GpuSquares {
    Call call(context, object, options, domain, spacing);
    const GpuOutput out = allocate(call.squares().type());
    require_result(object, out, call.squares().type());
    call.write_squares(out);
    call.finish();
    return {call.squares().largest, call.squares().unbounded};
  });
}

}  // namespace tamis
