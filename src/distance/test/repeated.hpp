// A volume of more than 2^31 voxels whose answer a small one tells: both repeat the same tile along y and x.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "distance/test/testing.hpp"

namespace tamis::distance_testing {

/// Where nothing reaches farther than a tile is wide, voxels that lie alike in tiles and to the border are alike.
class Repeated {
 public:
  static constexpr std::int64_t depth = 3;
  static constexpr std::int64_t tile_y = 40;
  static constexpr std::int64_t tile_x = 64;  ///< a word of bits

  Repeated() : small_(of_tiles(3, 3)) {}

  [[nodiscard]] const Image& small() const { return small_; }
  /// 3 x 26,800 x 26,752 voxels, 2^31 and 3.3 million; 270 MB of bits.
  [[nodiscard]] Image large() const { return of_tiles(670, 418); }

  /// How many of a large volume's rows, of its slices z0 and on, are not what the small one's answer says.
  template <class Sample>
  [[nodiscard]] static std::int64_t wrong_rows(const Image& answer, const Shape& large, const Sample* rows,
                                               std::int64_t z0, std::int64_t count) {
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count * large.y; ++i, rows += large.x) {
      const std::vector<Sample> expected = row<Sample>(answer, large, z0 + i / large.y, i % large.y);
      if (std::memcmp(rows, expected.data(), expected.size() * sizeof(Sample)) != 0) ++wrong;
    }
    return wrong;
  }

 private:
  template <class Sample>
  [[nodiscard]] static std::vector<Sample> row(const Image& answer, const Shape& large, std::int64_t z, std::int64_t y) {
    const Sample* const from = answer.row<Sample>(z, place(y, tile_y, large.y));
    std::vector<Sample> samples(static_cast<std::size_t>(large.x));
    for (std::int64_t x = 0; x < large.x; ++x) samples[static_cast<std::size_t>(x)] = from[place(x, tile_x, large.x)];
    return samples;
  }

  /// The first and the last tile stand for themselves, the middle one for all others.
  static std::int64_t place(std::int64_t at, std::int64_t tile, std::int64_t count) {
    if (at < tile) return at;
    return at >= count - tile ? at - count + 3 * tile : tile + at % tile;
  }

  static Image of_tiles(std::int64_t down, std::int64_t across) {
    const Image tile = random_object({depth, tile_y, tile_x, 3}, 0.01, 3);
    Image image(Type::Bool, {depth, down * tile_y, across * tile_x, 3});
    for (std::int64_t z = 0; z < depth; ++z)
      for (std::int64_t y = 0; y < image.shape().y; ++y)
        for (std::int64_t word = 0; word < across; ++word)
          image.row<std::uint64_t>(z, y)[word] = tile.row<std::uint64_t>(z, y % tile_y)[0];
    return image;
  }

  Image small_;
};

}  // namespace tamis::distance_testing
