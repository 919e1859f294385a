#include "c/view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

namespace tamis::c {
namespace {

/// More bytes than any memory has, and sums of a few of them still are numbers.
constexpr std::int64_t too_many = std::int64_t{1} << 60;

Type type_of(const tamis_view& view, const std::string& what) {
  if (view.type >= TAMIS_BOOL && view.type <= TAMIS_F64) return static_cast<Type>(view.type);
  throw InputError(
      fmt::format("{}: type {}; wanted one of tamis_type, {} to {}", what, view.type, int{TAMIS_BOOL}, int{TAMIS_F64}));
}

Shape shape_of(const tamis_view& view, const std::string& what) {
  if (view.rank != 2 && view.rank != 3) {
    throw InputError(fmt::format("{}: rank {}; wanted 2, an image, or 3, a volume", what, view.rank));
  }
  const auto& [z, y, x] = view.size;
  if (z < 1 || y < 1 || x < 1) {
    throw InputError(fmt::format("{}: size z {}, y {}, x {}; wanted 1 or more", what, z, y, x));
  }
  if (y > too_many / x || z > too_many / (x * y)) {
    throw InputError(fmt::format("{}: size z {}, y {}, x {}; no memory holds so many samples", what, z, y, x));
  }
  return {z, y, x, view.rank};
}

std::array<std::int64_t, 3> strides_of(const tamis_view& view, Type type, const std::string& what) {
  std::array<std::int64_t, 3> strides{view.stride[0], view.stride[1], view.stride[2]};
  if (strides == std::array<std::int64_t, 3>{}) {
    const std::int64_t sample = sample_bytes(type);
    if (view.size[0] * view.size[1] * view.size[2] > too_many / sample) {
      throw InputError(fmt::format("{}: no memory holds so many samples", what));
    }
    return {view.size[1] * view.size[2] * sample, view.size[2] * sample, sample};
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t steps = view.size[axis] - 1;
    if (steps == 0) {  // then it leads nowhere, whatever it is
      strides[axis] = 0;
      continue;
    }
    const bool far = strides[axis] > too_many / steps || strides[axis] < -too_many / steps;
    if (!far) continue;
    throw InputError(fmt::format("{}: a stride of {} bytes along {} leads out of all memory", what, strides[axis],
                                 std::string_view("zyx")[axis]));
  }
  return strides;
}

Spacing spacing_of(const tamis_view& view, const std::string& what) {
  const auto& [z, y, x] = view.spacing;
  if (z == 0 && y == 0 && x == 0) return {};
  const auto is_side = [](double side) { return std::isfinite(side) && side > 0; };
  // Of images nothing lies along z.
  const double depth = view.rank == 2 && z == 0 ? 1 : z;
  if (!is_side(depth) || !is_side(y) || !is_side(x)) {
    throw InputError(fmt::format("{}: spacing z {}, y {}, x {}; wanted lengths above 0, or 0 for all", what, z, y, x));
  }
  return {depth, y, x, view.unit ? view.unit : ""};
}

/// Throws InputError unless samples lie there, ResourceError unless there is such a GPU.
void require_on_gpu(const tamis_view& view, const std::string& what) {
  if (const std::string none = why_no_gpu(); !none.empty()) {
    throw ResourceError(fmt::format("{}: in {}: {}; wanted memory of the host", what, place(view.gpu), none));
  }
  const std::optional<int> gpu = tamis::gpu_of(view.data);
  if (gpu == view.gpu) return;
  throw InputError(fmt::format("{}: in {}, and said to be in {}", what, place(gpu), place(view.gpu)));
}

}  // namespace

std::string place(const std::optional<int>& gpu) {
  return gpu ? fmt::format("the memory of GPU {}", *gpu) : "the memory of the host";
}

std::optional<int> gpu_of(const tamis_view& view, const std::string& what) {
  if (view.memory == TAMIS_HOST) return std::nullopt;
  if (view.memory != TAMIS_GPU) {
    throw InputError(fmt::format("{}: memory {}; wanted one of tamis_memory, {} or {}", what, view.memory,
                                 int{TAMIS_HOST}, int{TAMIS_GPU}));
  }
  require_on_gpu(view, what);
  return view.gpu;
}

void require_host(const tamis_view& view, const std::string& what) {
  if (const std::optional<int> gpu = gpu_of(view, what)) {
    throw InputError(fmt::format("{}: in {}; wanted {}", what, place(gpu), place({})));
  }
}

GpuArray array_on(int gpu, const ConstImageView& view) {
  return {view.data, view.type, view.shape, view.stride_z, view.stride_y, view.stride_x, gpu};
}

GpuOutput array_on(int gpu, const ImageView& view) {
  return {view.data, view.type, view.shape, view.stride_z, view.stride_y, view.stride_x, gpu};
}

ConstImageView checked(const tamis_view& view, const std::string& what) {
  if (!view.data) throw InputError(what + ": data is a null pointer; wanted the address of the first sample");
  const Type type = type_of(view, what);
  const Shape shape = shape_of(view, what);
  const auto [z, y, x] = strides_of(view, type, what);
  return {view.data, type, shape, z, y, x, spacing_of(view, what)};
}

ImageView checked_output(const tamis_view& view, const std::string& what) {
  const ConstImageView input = checked(view, what);
  std::array<std::pair<std::int64_t, std::int64_t>, 3> axes{{{std::abs(input.stride_z), input.shape.z},
                                                             {std::abs(input.stride_y), input.shape.y},
                                                             {std::abs(input.stride_x), input.shape.x}}};
  std::sort(axes.begin(), axes.end());
  std::int64_t taken = sample_bytes(input.type);  // by all samples along the axes so far
  for (const auto& [stride, edge] : axes) {
    if (edge == 1) continue;
    if (stride < taken) {
      throw InputError(fmt::format("{}: strides z {}, y {}, x {} lay samples on each other; wanted room for each", what,
                                   input.stride_z, input.stride_y, input.stride_x));
    }
    taken += stride * (edge - 1);
  }
  return {view.data, input.type, input.shape, input.stride_z, input.stride_y, input.stride_x, input.spacing};
}

}  // namespace tamis::c
