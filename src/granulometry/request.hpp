// What is asked of a backend, and what it counts: the same for every backend.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tamis/granulometry.hpp>
#include <tamis/image.hpp>

#include "core/parts/tally.hpp"

namespace tamis::granulometry_detail {

/// A part of an image, half open along each axis.
struct CountedBox {
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  Range z, y, x;
};

struct Request {
  const Image* object = nullptr;
  const Image* domain = nullptr;  ///< nullptr: everything counts
  const CountedBox* counted = nullptr;   ///< the CPU counts only what lies there; nullptr: everything
  GranulometryOptions options;
  bool never_erodes = false;  ///< the object fills the domain and its border is neutral
};

/// Where the size map goes; both empty if nobody wants it.
struct MapOutput {
  std::function<void(Type)> start;
  MapSink sink;

  explicit operator bool() const { return static_cast<bool>(sink); }
};

/// What measures: one of the library's, or a paper's.
using Backend = Sizes (*)(const Context& context, const Request& request, const MapOutput& map);
/// Checks what is asked, has it measured and adds what does not depend on how.
[[nodiscard]] Sizes measure(const Context& context, const Image& object, const GranulometryOptions& options,
                            const Image& domain, const MapOutput& map, Backend backend);
/// The size map as an image.
[[nodiscard]] Image map_image(const Context& context, const Image& object, const GranulometryOptions& options,
                              const Image& domain, Backend backend);

/// How many voxels each opening removes. The same for every backend.
struct Tally {
  std::vector<std::int64_t> removed_by;  ///< index T
  std::int64_t never = 0;                ///< what no opening removes

  void add(const Tally& other);

  /// As part of what parts hand on, and out of that.
  void put_into(parts::Tally& tally) const;
  [[nodiscard]] static Tally from(const parts::Tally& tally);
};

/// Rows n = 0 ... until nothing that can be removed is left, or max_size.
Sizes sizes_of(const Tally& tally, const GranulometryOptions& options);

}  // namespace tamis::granulometry_detail
