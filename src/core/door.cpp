#include "core/door.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

namespace tamis {
namespace door {
namespace {

/// More bytes than a process can address, with five levels of page tables. Sixty such still are a number of 64 bits.
constexpr std::int64_t too_many_bytes = std::int64_t{1} << 56;

bool is_side(double side) { return std::isfinite(side) && side > 0; }

/// One axis of a view.
struct Along {
  std::int64_t stride, steps;
  char name;
};

/// Whether steps along the axes, longest strides first, lead from a sample to another that shares bytes with it. True
/// also where that takes too long to tell.
bool meets(std::span<const Along> axes, std::int64_t sample, std::int64_t from, bool moved, int& looks) {
  constexpr int most_looks = 1 << 16;
  if (axes.empty()) return moved && std::abs(from) < sample;
  const auto& [stride, steps, name] = axes.front();
  if (stride == 0) return true;
  axes = axes.subspan(1);
  std::int64_t reach = sample - 1;
  for (const Along& shorter : axes) reach += shorter.stride * shorter.steps;
  const std::int64_t last = std::min(steps, (reach - from) / stride);
  for (std::int64_t step = std::max(-steps, -(reach + from) / stride); step <= last; ++step) {
    if (++looks > most_looks || meets(axes, sample, from + step * stride, moved || step != 0, looks)) return true;
  }
  return false;
}

[[noreturn]] void refuse_function(std::string_view what) {
  throw InputError(fmt::format("{}: an empty function; wanted one that can be called", what));
}

[[noreturn]] void refuse_stride(const Along& axis, std::string_view what) {
  throw InputError(
      fmt::format("{}: a stride of {} bytes along {} leads out of all memory", what, axis.stride, axis.name));
}

}  // namespace

void refuse_moved(std::string_view what) {
  throw InputError(fmt::format("{}: moved from; wanted what it was moved to", what));
}

void refuse_value(std::int64_t value, std::int64_t last, std::string_view what) {
  throw InputError(fmt::format("{} {}; wanted one of its enumerators, 0 to {}", what, value, last));
}

void require_context(const Context& context) {
  require_known(context.device, Device::Cuda, "device");
  require_known(context.simd, Simd::Portable, "simd");
  for (const auto& [number, name] : {std::pair<std::int64_t, const char*>{context.threads, "threads"},
                                     {context.memory_bytes, "memory_bytes"},
                                     {context.device_memory_bytes, "device_memory_bytes"}}) {
    if (number < 0) throw InputError(fmt::format("{} {}; wanted 0 or more", name, number));
  }
}

void require_rank(int rank, std::string_view what) {
  if (rank == 2 || rank == 3) return;
  throw InputError(fmt::format("{}: rank {}; wanted 2, an image, or 3, a volume", what, rank));
}

void require_shape(Type type, const Shape& shape, std::string_view what) {
  require_type(type, fmt::format("{}: type", what));
  require_rank(shape.rank, what);
  const auto& [z, y, x, rank] = shape;
  if (z < 1 || y < 1 || x < 1) {
    throw InputError(fmt::format("{}: size z {}, y {}, x {}; wanted 1 or more", what, z, y, x));
  }
  if (capped_product(shape.count(), sample_bytes(type), 1) < too_many_bytes) return;
  throw InputError(fmt::format("{}: size z {}, y {}, x {}; no memory holds so many samples", what, z, y, x));
}

void require_spacing(const Spacing& spacing, int rank, std::string_view what) {
  const auto& [z, y, x, unit, placement] = spacing;
  if ((rank == 2 || is_side(z)) && is_side(y) && is_side(x)) return;
  throw InputError(fmt::format("{}: spacing z {}, y {}, x {}; wanted lengths above 0", what, z, y, x));
}

void require_strides(const void* data, Type type, const Shape& shape, const MappedSlices& along_zy,
                     std::int64_t along_x, bool room, std::string_view what) {
  std::array<Along, 3> axes{{{along_zy.slice_stride, shape.z - 1, 'z'},
                             {along_zy.row_stride, shape.y - 1, 'y'},
                             {along_x, shape.x - 1, 'x'}}};
  require_pointer(data, what);
  std::int64_t below = 0;  // bytes that samples lie before the first one
  for (Along& axis : axes) {
    if (axis.steps == 0) axis.stride = 1;  // it leads nowhere, whatever it is
    std::int64_t reach = 0;
    const bool far =
        __builtin_mul_overflow(axis.stride, axis.steps, &reach) || reach > too_many_bytes || reach < -too_many_bytes;
    if (!far && reach < 0) below -= reach;
    if (far || reinterpret_cast<std::uintptr_t>(data) < static_cast<std::uintptr_t>(below)) refuse_stride(axis, what);
    axis.stride = std::abs(axis.stride);
  }
  std::sort(axes.begin(), axes.end(), [](const Along& a, const Along& b) { return a.stride > b.stride; });
  int looks = 0;
  if (!room || !meets(axes, sample_bytes(type), 0, false, looks)) return;
  throw InputError(fmt::format("{}: strides z {}, y {}, x {} lay samples on each other; wanted room for each", what,
                               along_zy.slice_stride, along_zy.row_stride, along_x));
}

void require_slices(const Shape& shape, std::int64_t z0, std::int64_t count, const void* memory) {
  if (z0 < 0 || count < 0 || count > shape.z - z0) {
    throw InputError(
        fmt::format("got a request for {} slices from {} on, wanted slices within 0..{}", count, z0, shape.z - 1));
  }
  if (count > 0) require_pointer(memory, "memory for slices");
}

void require_row(std::int64_t row, std::int64_t rows) {
  if (row >= 0 && row < rows) return;
  throw InputError(fmt::format("row {}; wanted one of {}, from 0 on", row, rows));
}

void require_pointer(const void* pointer, std::string_view what) {
  if (!pointer) throw InputError(fmt::format("{}: a null pointer; wanted an address", what));
}

void require_map(bool start, bool sink, std::string_view what) {
  if (!start || !sink) refuse_function(fmt::format("{}: {}", what, start ? "sink" : "start"));
}

void require_source(const SliceSource* source, std::string_view what) {
  require_pointer(source, fmt::format("{}: the source", what));
  require_layout(source->layout(), what);
}

void rethrow(std::string_view what) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw ResourceError(fmt::format("{}: too little memory; wanted more of it, or a part of the image", what));
  } catch (const std::length_error&) {  // of a container that no memory holds
    throw ResourceError(fmt::format("{}: more than any memory holds; wanted a part of the image", what));
  } catch (const std::system_error& error) {
    throw ResourceError(fmt::format("{}: {}; wanted threads and files of the system", what, error.what()));
  } catch (const std::bad_function_call&) {
    refuse_function(what);
  }
}

}  // namespace door

void require_layout(const Layout& layout, std::string_view what) {
  door::require_shape(layout.type, layout.shape, what);
  door::require_spacing(layout.spacing, layout.shape.rank, what);
  if (layout.channels < 1) {
    throw InputError(fmt::format("{}: {} channels; wanted 1 or more", what, layout.channels));
  }
  const std::int64_t samples = capped_product(layout.shape.count(), layout.channels, sample_bytes(layout.type));
  if (samples < door::too_many_bytes) return;
  throw InputError(fmt::format("{}: {} of {} channels; no memory holds so many samples", what, to_string(layout.shape),
                               layout.channels));
}

}  // namespace tamis
