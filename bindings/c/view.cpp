#include "c/result.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

namespace tamis::c {
namespace {

Type type_of(const tamis_view& view, const std::string& what) {
  if (view.type >= TAMIS_BOOL && view.type <= TAMIS_F64) return static_cast<Type>(view.type);
  throw InputError(
      fmt::format("{}: type {}; wanted one of tamis_type, {} to {}", what, view.type, int{TAMIS_BOOL}, int{TAMIS_F64}));
}

Placement placement_of(const tamis_placement& given) {
  Placement placement;
  bool finite = true;
  for (std::size_t i = 0; i < 3; ++i) {
    placement.origin[i] = given.origin[i];
    std::copy_n(given.axes[i], 3, placement.axes[i].begin());
    finite = finite && std::isfinite(given.origin[i]) &&
             std::ranges::all_of(given.axes[i], [](double v) { return std::isfinite(v); });
  }
  if (!finite) throw InputError("placement: a number that is not finite; wanted an origin and three axes");
  if (given.world < 0 || given.world > static_cast<int>(World::Mni)) {
    throw InputError(fmt::format("placement: world {}; wanted 0 to {}", given.world, static_cast<int>(World::Mni)));
  }
  placement.world = static_cast<World>(given.world);
  return placement;
}

Spacing spacing_of(const tamis_view& view) {
  const auto& [z, y, x] = view.spacing;
  if (z == 0 && y == 0 && x == 0) return {};
  // Of images nothing lies along z.
  Spacing spacing{view.rank == 2 && z == 0 ? 1 : z, y, x, view.unit ? view.unit : ""};
  if (view.placement && spacing.known()) spacing.placement = placement_of(*view.placement);
  return spacing;
}

/// Nothing of it has been looked at but the type.
ImageView described(const tamis_view& view, const std::string& what) {
  const auto& [z, y, x] = view.size;
  ImageView as_it_is = view_of(view.data, type_of(view, what), Shape{z, y, x, view.rank});
  as_it_is.spacing = spacing_of(view);
  const auto& [along_z, along_y, along_x] = view.stride;
  if (along_z == 0 && along_y == 0 && along_x == 0) return as_it_is;
  as_it_is.stride_z = along_z;
  as_it_is.stride_y = along_y;
  as_it_is.stride_x = along_x;
  return as_it_is;
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

tamis_placement given_placement(const Placement& placement) {
  tamis_placement given{};
  std::ranges::copy(placement.origin, given.origin);
  for (std::size_t i = 0; i < 3; ++i) std::ranges::copy(placement.axes[i], given.axes[i]);
  given.world = static_cast<std::int32_t>(placement.world);
  return given;
}

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
  const ConstImageView input = as_input(described(view, what));
  require_view(input, what);
  return input;
}

ImageView checked_output(const tamis_view& view, const std::string& what) {
  const ImageView output = described(view, what);
  require_view(output, what);
  return output;
}

}  // namespace tamis::c
