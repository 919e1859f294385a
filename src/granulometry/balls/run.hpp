// Granulometry by balls on the CPU: whole or in slabs.
#pragma once

#include <tamis/balls.hpp>

namespace tamis::granulometry_detail::cpu::balls {

struct Request {
  const Image* object = nullptr;
  const Image* domain = nullptr;  ///< nullptr: everything counts
  BallOptions options;
  WholeSides sides;
  bool flat = false;  ///< disks
  bool never_erodes = false;
};

struct MapOutput {
  BallStart start;
  MapSink sink;
  explicit operator bool() const { return static_cast<bool>(sink); }
};

/// Fills all but border_voxels, spacing and rank of the sizes.
BallSizes run(const Context& context, const Request& request, const MapOutput& map);

}  // namespace tamis::granulometry_detail::cpu::balls
