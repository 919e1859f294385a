// Sizes and objects, as operations on them share them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tamis/balls.hpp>
#include <tamis/gpu/memory.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/threshold.hpp>

#include "c/call.hpp"

namespace tamis::c {

/// Of balls their thickness, and what their radii are counted in.
struct BallFigures {
  std::optional<Thickness> thickness;
  double shortest_side = 1;
};

/// The map that comes with sizes; nothing: none.
using Measure = std::optional<BallMeasure>;
/// What the parameter "map" says.
[[nodiscard]] Measure map_of(const Call& call);
/// "map" of a granulometry and a porosimetry, of what makes nothing else "out".
[[nodiscard]] std::string map_name(const Call& call);
/// Throws InputError "map=width: ..." if there is one.
void refuse_map(const Measure& map, std::string_view why);
/// Throws InputError for memory for a map that the call does not make.
void require_map_wanted(const Call& call, bool wanted);

/// size, width [unit], volume, fraction, spectrum; and the figures of `tamis granulometry --json`, under its names.
void tell_sizes(const Call& call, const Sizes& sizes, const std::optional<BallFigures>& balls);
/// The threshold that made an object, and how large that is.
void tell_object(const Call& call, const Binary& binary);

// Objects in the memory of a GPU.

/// One that is ready to be measured. Work on it is queued, and waited for where it goes.
struct GpuObject {
  GpuArray samples;
  GpuArray domain;                     ///< empty: everything
  std::optional<GpuMemory> made = {};  ///< where it is not the image itself
};

/// The object of the first image; the figures say by which threshold. Outputs have its shape.
[[nodiscard]] GpuObject object_on_gpu(const Call& call, const ThresholdOptions& threshold);

}  // namespace tamis::c
