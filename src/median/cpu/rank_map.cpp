#include "median/cpu/rank_map.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tamis::median_detail::cpu {
namespace {

/// Runs of the same columns in neighbouring rows of a slice.
struct Rectangle {
  Offset first;
  std::int64_t width = 1, height = 1;
};

std::vector<Rectangle> rectangles_of(const OffsetSet& window) {
  std::vector<Rectangle> rectangles;
  std::map<OffsetSet::Run, std::size_t> higher;  // by the run that makes a rectangle higher
  for (const OffsetSet::Run& run : window.runs()) {
    const auto above = higher.extract(run);
    const std::size_t at = above ? above.mapped() : rectangles.size();
    if (!above) rectangles.push_back({run.start, run.length, 0});
    ++rectangles[at].height;
    higher[{run.start + Offset{0, 1, 0}, run.length}] = at;
  }
  return rectangles;
}

/// Samples that count in all rows above and all columns before, slice by slice, of what a band sees. Sums may wrap
/// around; differences are right.
class Sums {
 public:
  /// counts(z, y) is called for each row and gives a function of x.
  template <class RowCounts>
  Sums(const OffsetBox& window, const Band& band, const Shape& shape, const RowCounts& row_counts)
      : low_{band.z0 + window.low.z, band.y0 + window.low.y, window.low.x},
        nz_(band.z1 - band.z0 + window.high.z - window.low.z),
        ny_(band.y1 - band.y0 + window.high.y - window.low.y),
        nx_(shape.x + window.high.x - window.low.x),
        sums_(static_cast<std::size_t>(nz_ * (ny_ + 1) * (nx_ + 1))) {
    for (std::int64_t z = 0; z < nz_; ++z) {
      std::uint32_t* above = sums_.data() + z * (ny_ + 1) * (nx_ + 1);
      for (std::int64_t y = 0; y < ny_; ++y, above += nx_ + 1) {
        const auto counts = row_counts(low_.z + z, low_.y + y);
        std::uint32_t sum = 0;
        for (std::int64_t x = 0; x < nx_; ++x) {
          sum += counts(low_.x + x) ? 1 : 0;
          above[nx_ + 1 + x + 1] = above[x + 1] + sum;
        }
      }
    }
  }

  /// What is above and before the sample; the next row follows after row_stride().
  [[nodiscard]] const std::uint32_t* at(const Offset& sample) const {
    const Offset o = sample - low_;
    return sums_.data() + (o.z * (ny_ + 1) + o.y) * (nx_ + 1) + o.x;
  }
  [[nodiscard]] std::int64_t row_stride() const { return nx_ + 1; }

 private:
  Offset low_;
  std::int64_t nz_, ny_, nx_;
  std::vector<std::uint32_t> sums_;
};

std::vector<std::int32_t> counts_of(const Sums& sums, const RankStep& step, const Band& band, std::int64_t nx) {
  const std::vector<Rectangle> rectangles = rectangles_of(step.window);
  std::vector<std::int32_t> counts(static_cast<std::size_t>((band.z1 - band.z0) * (band.y1 - band.y0) * nx));
  std::int32_t* row = counts.data();
  for (std::int64_t z = band.z0; z < band.z1; ++z) {
    for (std::int64_t y = band.y0; y < band.y1; ++y, row += nx) {
      for (const Rectangle& r : rectangles) {
        step.stop_if_cancelled();
        const std::uint32_t* const above = sums.at(Offset{z, y, 0} + r.first);
        const std::uint32_t* const below = above + r.height * sums.row_stride();
        for (std::int64_t x = 0; x < nx; ++x) {
          row[x] += static_cast<std::int32_t>(below[x + r.width] - below[x] - above[x + r.width] + above[x]);
        }
      }
    }
  }
  return counts;
}

/// How many of `length` places from `first` on are among 0 ... n-1.
std::int64_t overlap(std::int64_t first, std::int64_t length, std::int64_t n) {
  return std::max<std::int64_t>(std::min(first + length, n) - std::max<std::int64_t>(first, 0), 0);
}

/// Adds to each of nx counts how many samples of the rectangle lie in the row, `height` in a column: all of its columns
/// but near the row's ends.
void add_overlaps(std::int32_t* counts, std::int64_t nx, const Rectangle& r, std::int64_t height) {
  const std::int64_t inside = std::clamp<std::int64_t>(-r.first.x, 0, nx);
  const std::int64_t behind = std::clamp<std::int64_t>(nx - r.width - r.first.x + 1, inside, nx);
  const auto all = static_cast<std::int32_t>(height * r.width);
  for (std::int64_t x = inside; x < behind; ++x) counts[x] += all;
  const auto add_end = [&](std::int64_t x0, std::int64_t x1) {
    for (std::int64_t x = x0; x < x1; ++x)
      counts[x] += static_cast<std::int32_t>(height * overlap(x + r.first.x, r.width, nx));
  };
  add_end(0, inside);
  add_end(behind, nx);
}

}  // namespace

std::vector<BandRows> split_rows(const OffsetBox& window, const Band& band, const Shape& shape) {
  // Where the inside begins and ends, both in the band.
  const auto cuts = [](std::int64_t first, std::int64_t end, std::int64_t low, std::int64_t high, std::int64_t n) {
    const std::int64_t begin = std::clamp(-std::min<std::int64_t>(low, 0), first, end);
    return std::array{first, begin, std::clamp(n - std::max<std::int64_t>(high, 0), begin, end), end};
  };
  const auto z = cuts(band.z0, band.z1, window.low.z, window.high.z, shape.z);
  const auto y = cuts(band.y0, band.y1, window.low.y, window.high.y, shape.y);
  std::vector<BandRows> parts;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (z[i] < z[i + 1] && y[j] < y[j + 1]) parts.push_back({{z[i], z[i + 1], y[j], y[j + 1]}, i == 1 && j == 1});
    }
  }
  return parts;
}

std::vector<std::int32_t> counts_inside(const RankStep& step, const Band& band, const Shape& shape) {
  const std::vector<Rectangle> rectangles = rectangles_of(step.window);
  // Of each rectangle the rows inside: most rows see as many as the one before, and so the same.
  std::vector<std::int64_t> heights(rectangles.size()), last_heights;
  const std::int64_t nx = shape.x;
  std::vector<std::int32_t> counts(static_cast<std::size_t>((band.z1 - band.z0) * (band.y1 - band.y0) * nx));
  std::int32_t* row = counts.data();
  for (std::int64_t z = band.z0; z < band.z1; ++z) {
    for (std::int64_t y = band.y0; y < band.y1; ++y, row += nx) {
      step.stop_if_cancelled();
      std::transform(rectangles.begin(), rectangles.end(), heights.begin(), [&](const Rectangle& r) {
        return overlap(z + r.first.z, 1, shape.z) * overlap(y + r.first.y, r.height, shape.y);
      });
      if (heights == last_heights) {
        std::copy_n(row - nx, nx, row);
        continue;
      }
      for (std::size_t i = 0; i < rectangles.size(); ++i) {
        const Rectangle& r = rectangles[i];
        if (heights[i] == 0) continue;
        step.stop_if_cancelled();
        add_overlaps(row, nx, r, heights[i]);
      }
      last_heights = heights;
    }
  }
  return counts;
}

template <class K>
std::vector<std::int32_t> counts_present(const KeySlab<K>& in, const RankStep& step, const Band& band,
                                         const Shape& shape) {
  const Sums sums(step.window.box(), band, shape, [&](std::int64_t z, std::int64_t y) {
    step.stop_if_cancelled();
    return [keys = in.row(z, y)](std::int64_t x) { return keys[x] != absent<K>; };
  });
  return counts_of(sums, step, band, shape.x);
}

template std::vector<std::int32_t> counts_present(const KeySlab<std::uint32_t>&, const RankStep&, const Band&,
                                                  const Shape&);

void make_ranks(const RankStep& step, std::int64_t nx, std::vector<std::int32_t>& counts) {
  std::int64_t last_count = step.count;
  auto last_rank = static_cast<std::int32_t>(step.rank);
  std::vector<std::int32_t> last_row;
  for (auto row = counts.begin(); row != counts.end(); row += nx) {
    step.stop_if_cancelled();
    if (std::equal(last_row.begin(), last_row.end(), row, row + nx)) {
      std::copy_n(row - nx, nx, row);
      continue;
    }
    if (row + nx != counts.end()) last_row.assign(row, row + nx);
    for (auto count = row; count != row + nx; ++count) {
      if (*count != last_count) {
        last_count = *count;
        last_rank = *count == 0 ? -1 : static_cast<std::int32_t>(rank_of(step.percentile, *count));
      }
      *count = last_rank;
    }
  }
}

namespace {

constexpr std::int64_t cell_rows = 16, cell_columns = 32;

/// Without leaving early, which compilers cannot do for many at a time.
bool differ(const std::int32_t* ranks, std::int64_t count, std::int64_t rank) {
  std::int32_t bits = 0;
  for (std::int64_t i = 0; i < count; ++i) bits |= ranks[i] ^ static_cast<std::int32_t>(rank);
  return bits != 0;
}

/// The part without columns of one rank at its ends.
void trim(BandPart& part, const std::int32_t* ranks, std::int64_t nx, std::int64_t rank) {
  const std::int64_t rows = part.band.y1 - part.band.y0;
  const auto varies = [&](std::int64_t x) {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (ranks[row * nx + x] != rank) return true;
    }
    return false;
  };
  while (!varies(part.x0)) ++part.x0;
  while (!varies(part.x1 - 1)) --part.x1;
}

}  // namespace

std::vector<BandPart> varied_parts(const std::int32_t* ranks, const Band& band, std::int64_t nx, std::int64_t rank) {
  std::vector<BandPart> parts;
  std::vector<bool> varies(static_cast<std::size_t>((nx + cell_columns - 1) / cell_columns));
  for (std::int64_t z = band.z0; z < band.z1; ++z) {
    for (std::int64_t y0 = band.y0; y0 < band.y1; y0 += cell_rows) {
      const std::int64_t y1 = std::min(y0 + cell_rows, band.y1);
      const std::int32_t* const first = ranks;
      const std::size_t before = parts.size();
      std::fill(varies.begin(), varies.end(), false);
      for (std::int64_t y = y0; y < y1; ++y, ranks += nx) {
        for (std::int64_t x0 = 0; x0 < nx; x0 += cell_columns) {
          if (differ(ranks + x0, std::min(cell_columns, nx - x0), rank)) {
            varies[static_cast<std::size_t>(x0 / cell_columns)] = true;
          }
        }
      }
      for (std::int64_t x0 = 0; x0 < nx; x0 += cell_columns) {
        if (!varies[static_cast<std::size_t>(x0 / cell_columns)]) continue;
        const std::int64_t x1 = std::min(x0 + cell_columns, nx);
        if (!parts.empty() && parts.back().x1 == x0 && parts.back().band.y0 == y0 && parts.back().band.z0 == z) {
          parts.back().x1 = x1;
        } else {
          parts.push_back({{z, z + 1, y0, y1}, x0, x1});
        }
      }
      for (std::size_t i = before; i < parts.size(); ++i) trim(parts[i], first, nx, rank);
    }
  }
  return parts;
}

}  // namespace tamis::median_detail::cpu
