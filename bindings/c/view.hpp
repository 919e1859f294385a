// tamis_view: images in memory of the caller, checked and as the library knows them.
#pragma once

#include <optional>
#include <string>

#include <tamis/tamis.h>
#include <tamis/gpu/array.hpp>
#include <tamis/image/view.hpp>

namespace tamis::c {

/// A placement as C has it.
[[nodiscard]] tamis_placement given_placement(const Placement& placement);

/// A view whose members are possible: a type, a rank, edges, strides that no sum of leaves the address space, a
/// spacing. `what` begins a refusal. Throws InputError.
[[nodiscard]] ConstImageView checked(const tamis_view& view, const std::string& what);

/// The GPU whose memory it is; nothing: it is the host's. Throws InputError for what is no tamis_memory, ResourceError
/// where no GPU can be used.
[[nodiscard]] std::optional<int> gpu_of(const tamis_view& view, const std::string& what);
/// Throws InputError unless it is memory of the host.
void require_host(const tamis_view& view, const std::string& what);
/// "the memory of GPU 0", "the memory of the host".
[[nodiscard]] std::string place(const std::optional<int>& gpu);

/// A view as the functions for arrays on a GPU take it.
[[nodiscard]] GpuArray array_on(int gpu, const ConstImageView& view);
[[nodiscard]] GpuOutput array_on(int gpu, const ImageView& view);

/// The same for one that is written to: its samples may not share places.
[[nodiscard]] ImageView checked_output(const tamis_view& view, const std::string& what);

}  // namespace tamis::c
