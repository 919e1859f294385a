// Samples in layers of chunks: what is wholly wanted is decoded to where it is wanted, and a layer of which slices come
// one by one is decoded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/format.hpp"

namespace tamis::io {

/// Slices z0 .. z1-1.
struct SliceRange {
  std::int64_t z0 = 0;
  std::int64_t z1 = 0;
  [[nodiscard]] bool holds(std::int64_t z) const { return z >= z0 && z < z1; }
};

class LayeredSource : public Source {
 protected:
  /// `depth`: slices of a layer.
  LayeredSource(std::string path, Layout layout, std::string description, std::int64_t depth)
      : Source(std::move(path), std::move(layout), std::move(description)), depth_(depth) {
    set_layer(depth);
  }

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) final;
  /// Slices of one layer to `out`.
  virtual void decode(const SliceRange& range, std::byte* out) = 0;

  [[nodiscard]] SliceRange layer_at(std::int64_t z) const;
  void keep(std::int64_t z, const SliceRange& layer);

  std::int64_t depth_;
  std::vector<std::byte> kept_;
  SliceRange kept_range_;
};

}  // namespace tamis::io
