// Reconstruction by dilation and erosion: Vincent's hybrid of two scans and a queue (IEEE Trans. Image Processing 2,
// 1993).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/morphology.hpp>

#include "core/memory.hpp"
#include "core/stage.hpp"
#include "morphology/sample_lanes.hpp"

namespace tamis {
namespace {

using namespace morphology_detail;

/// A lane for each sample, bits too.
template <class Sample>
using CellOf = std::conditional_t<std::is_same_v<Sample, std::uint64_t>, std::uint8_t, LaneOf<Sample>>;

/// The image with a frame of one sample, so that every sample has all its neighbours. By erosion everything is turned
/// upside down, ~v for v, and the frame is what no dilation passes.
template <class Cell>
struct Framed {
  std::int64_t z, y, x;  // with the frame
  std::int64_t frame_z;
  Buffer<Cell> cells;

  explicit Framed(const Shape& shape)
      : z(shape.z + (shape.rank == 3 ? 2 : 0)),
        y(shape.y + 2),
        x(shape.x + 2),
        frame_z(shape.rank == 3 ? 1 : 0),
        cells(z * y * x) {
    std::fill_n(cells.data(), cells.size(), std::numeric_limits<Cell>::lowest());
  }
  Cell* row(std::int64_t at_z, std::int64_t at_y) { return cells.data() + ((at_z + frame_z) * y + at_y + 1) * x + 1; }
};

template <class Visit>
void for_rows(const Shape& shape, Visit visit) {
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) visit(z, y);
  }
}

template <class Sample>
void fill(const Image& image, bool turned, Framed<CellOf<Sample>>& framed) {
  using Cell = CellOf<Sample>;
  for_rows(image.shape(), [&](std::int64_t z, std::int64_t y) {
    Cell* const to = framed.row(z, y);
    for (std::int64_t x = 0; x < image.shape().x; ++x) {
      Cell cell{};
      if constexpr (std::is_same_v<Sample, std::uint64_t>) {
        cell = static_cast<Cell>(image.bit(z, y, x));
        // 0 is the frame's, which nothing passes; it is the lowest value either way.
        to[x] = turned ? static_cast<Cell>(1 - cell) : cell;
      } else {
        const Sample sample = image.row<Sample>(z, y)[x];
        if constexpr (std::is_same_v<Sample, float>) {
          if (std::isnan(sample)) {
            throw InputError(fmt::format("reconstruct: NaN at x {}, y {}, z {}; wanted numbers", x, y, z));
          }
          cell = lane_of<float>(sample);
        } else {
          cell = sample;
        }
        to[x] = turned ? static_cast<Cell>(~cell) : cell;
      }
    }
  });
}

template <class Sample>
Image unframed(const Image& like, bool turned, Framed<CellOf<Sample>>& framed) {
  Image out(like.type(), like.shape(), like.spacing);
  for_rows(like.shape(), [&](std::int64_t z, std::int64_t y) {
    const auto* const from = framed.row(z, y);
    Sample* const to = out.row<Sample>(z, y);
    for (std::int64_t x = 0; x < like.shape().x; ++x) {
      if constexpr (std::is_same_v<Sample, std::uint64_t>) {
        to[x / 64] |= std::uint64_t{(from[x] != 0) != turned} << (x % 64);
      } else if constexpr (std::is_same_v<Sample, float>) {
        const std::int32_t key = turned ? ~from[x] : from[x];
        to[x] = std::bit_cast<float>(key ^ (key >> 31 & 0x7fffffff));
      } else {
        to[x] = static_cast<Sample>(turned ? ~from[x] : from[x]);
      }
    }
  });
  return out;
}

/// Displacements of the neighbours that a scan in order of address has already passed.
template <class Cell>
std::vector<std::int64_t> earlier_neighbours(const Framed<Cell>& framed, Connectivity connectivity) {
  std::vector<std::int64_t> earlier;
  for (std::int64_t z = -framed.frame_z; z <= 0; ++z) {
    for (std::int64_t y = -1; y <= 1; ++y) {
      for (std::int64_t x = -1; x <= 1; ++x) {
        const std::int64_t by = (z * framed.y + y) * framed.x + x;
        const std::int64_t axes = std::abs(z) + std::abs(y) + std::abs(x);
        const bool before = z < 0 || (z == 0 && (y < 0 || (y == 0 && x < 0)));
        if (before && (connectivity == Connectivity::Full || axes == 1)) earlier.push_back(by);
      }
    }
  }
  return earlier;
}

template <class Cell>
void rebuild(const Shape& shape, Framed<Cell>& marker, Framed<Cell>& mask, Connectivity connectivity, Stage& stage) {
  const std::vector<std::int64_t> earlier = earlier_neighbours(marker, connectivity);
  Cell* const j = marker.cells.data();
  const Cell* const i = mask.cells.data();
  const auto address = [&](std::int64_t z, std::int64_t y) { return marker.row(z, y) - j; };
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const std::int64_t row = address(z, y);
      for (std::int64_t p = row; p < row + shape.x; ++p) {
        Cell most = j[p];
        for (const std::int64_t by : earlier) most = std::max(most, j[p + by]);
        j[p] = std::min(most, i[p]);
      }
    }
    stage.advance();
  }
  std::deque<std::int64_t> queue;
  for (std::int64_t z = shape.z; z-- > 0;) {
    for (std::int64_t y = shape.y; y-- > 0;) {
      const std::int64_t row = address(z, y);
      for (std::int64_t p = row + shape.x; p-- > row;) {
        Cell most = j[p];
        for (const std::int64_t by : earlier) most = std::max(most, j[p - by]);
        const Cell here = std::min(most, i[p]);
        j[p] = here;
        for (const std::int64_t by : earlier) {
          if (j[p - by] < here && j[p - by] < i[p - by]) {
            queue.push_back(p);
            break;
          }
        }
      }
    }
    stage.advance();
  }
  for (std::int64_t done = 0; !queue.empty(); ++done) {
    const std::int64_t p = queue.front();
    queue.pop_front();
    for (const std::int64_t by : earlier) {
      for (const std::int64_t q : {p - by, p + by}) {
        if (j[q] >= j[p] || j[q] >= i[q]) continue;
        j[q] = std::min(j[p], i[q]);
        queue.push_back(q);
      }
    }
    constexpr std::int64_t often = 1 << 20;
    if (done % often == 0) stage.advance(0);
  }
}

template <class Cell>
void require_below(const Shape& shape, Framed<Cell>& marker, Framed<Cell>& mask, bool turned) {
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const Cell* const j = marker.row(z, y);
      const Cell* const i = mask.row(z, y);
      for (std::int64_t x = 0; x < shape.x; ++x) {
        if (j[x] <= i[x]) continue;
        throw InputError(
            fmt::format("reconstruct by {}: the marker is {} the mask at x {}, y {}, z {}; wanted it {} "
                        "everywhere",
                        turned ? "erosion" : "dilation", turned ? "below" : "above", x, y, z,
                        turned ? "above or equal" : "below or equal"));
      }
    }
  }
}

/// What a marker above its mask is: an error, or cut to the mask.
enum class Excess : std::uint8_t { Refuse, Cut };

Image run(const Context& context, const Image& marker, const Image& mask, const ReconstructOptions& options,
          Excess excess) {
  require_device(context);
  if (context.device == Device::Cuda) {
    throw EnvironmentError("reconstruct: not yet on a GPU; wanted device auto or cpu");
  }
  if (marker.empty() || mask.empty()) throw InputError("reconstruct of a missing image; wanted marker and mask");
  if (marker.type() != mask.type() || !(marker.shape() == mask.shape())) {
    throw InputError(fmt::format("reconstruct: marker {} {}, mask {} {}; wanted one type and shape",
                                 to_string(marker.shape()), name(marker.type()), to_string(mask.shape()),
                                 name(mask.type())));
  }
  if (marker.type() > Type::F32) {
    throw InputError(fmt::format("reconstruct of {} images; wanted bool, u8, u16, i16 or f32: convert them first",
                                 name(marker.type())));
  }
  const bool turned = options.by == ReconstructOptions::By::Erosion;
  Stage stage(context, "reconstruct", 2 * marker.shape().z);
  return visit_sample(marker.type(), [&](auto sample) {
    using Sample = decltype(sample);
    Framed<CellOf<Sample>> from(marker.shape());
    Framed<CellOf<Sample>> below(marker.shape());
    fill<Sample>(marker, turned, from);
    fill<Sample>(mask, turned, below);
    if (excess == Excess::Refuse) {
      require_below(marker.shape(), from, below, turned);
    } else {
      for (std::int64_t i = 0; i < from.cells.size(); ++i) from.cells[i] = std::min(from.cells[i], below.cells[i]);
    }
    rebuild(marker.shape(), from, below, options.connectivity, stage);
    return unframed<Sample>(marker, turned, from);
  });
}

}  // namespace

Image reconstruct(const Context& context, const Image& marker, const Image& mask, const ReconstructOptions& options) {
  return run(context, marker, mask, options, Excess::Refuse);
}

// An element without its origin may leave the erosion above the image in places.

Image open_by_reconstruction(const Context& context, const Image& image, const MorphologyOptions& options,
                             Connectivity connectivity) {
  return run(context, erode(context, image, options), image, {ReconstructOptions::By::Dilation, connectivity},
             Excess::Cut);
}

Image close_by_reconstruction(const Context& context, const Image& image, const MorphologyOptions& options,
                              Connectivity connectivity) {
  return run(context, dilate(context, image, options), image, {ReconstructOptions::By::Erosion, connectivity},
             Excess::Cut);
}

}  // namespace tamis
