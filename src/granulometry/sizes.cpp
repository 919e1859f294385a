// The size distribution and its figures.
#include <tamis/granulometry.hpp>

#include <cmath>

#include "core/door.hpp"

namespace tamis {
namespace {

/// Whether the last row is no size but what is left: what never erodes, or what max_size did not sieve.
bool leaves_some(const Sizes& sizes) { return sizes.never_empties || sizes.limited; }

/// Rows whose spectrum is a size.
std::int64_t sized_rows(const Sizes& sizes) { return leaves_some(sizes) ? sizes.rows() - 1 : sizes.rows(); }

std::int64_t sized_volume(const Sizes& sizes) {
  if (sizes.volume.empty()) return 0;
  return leaves_some(sizes) ? sizes.volume.front() - sizes.volume.back() : sizes.volume.front();
}

}  // namespace

std::int64_t Sizes::size(std::int64_t row) const {
  door::require_row(row, rows());
  if (listed.empty()) return row;
  door::require_row(row, static_cast<std::int64_t>(listed.size()));
  return listed[static_cast<std::size_t>(row)];
}

double Sizes::fraction(std::int64_t row) const {
  door::require_row(row, rows());
  return volume[0] == 0 ? 0 : static_cast<double>(volume[static_cast<std::size_t>(row)]) / static_cast<double>(volume[0]);
}

std::int64_t Sizes::spectrum(std::int64_t row) const {
  door::require_row(row, rows());
  const auto i = static_cast<std::size_t>(row);
  return row + 1 < rows() ? volume[i] - volume[i + 1] : volume[i];
}

double Sizes::sum(std::int64_t row) const {
  door::require_row(row, rows());
  return static_cast<double>(volume[static_cast<std::size_t>(row)]) * (grey ? grey->step : 1.0);
}

double Sizes::spectrum_sum(std::int64_t row) const {
  return static_cast<double>(spectrum(row)) * (grey ? grey->step : 1.0);
}

std::optional<double> Sizes::width(std::int64_t n) const {
  if (!spacing.isotropic(rank)) return std::nullopt;
  return static_cast<double>(along_lines ? n : 2 * n + 1) * spacing.x;
}

std::optional<Spacing> Sizes::extent(std::int64_t n) const {
  if (along_lines) return std::nullopt;
  const auto voxels = static_cast<double>(2 * n + 1);
  return Spacing{rank == 2 ? spacing.z : voxels * spacing.z, voxels * spacing.y, voxels * spacing.x, spacing.unit};
}

std::optional<std::int64_t> Sizes::predominant() const {
  std::optional<std::int64_t> best;
  for (std::int64_t row = 0; row < sized_rows(*this); ++row) {
    if (spectrum(row) > (best ? spectrum(*best) : 0)) best = row;
  }
  return best ? std::optional(size(*best)) : std::nullopt;
}

std::optional<double> Sizes::mean() const {
  if (sized_volume(*this) == 0) return std::nullopt;
  double sum = 0;
  for (std::int64_t row = 0; row < sized_rows(*this); ++row) {
    sum += static_cast<double>(size(row)) * static_cast<double>(spectrum(row));
  }
  return sum / static_cast<double>(sized_volume(*this));
}

std::optional<double> Sizes::standard_deviation() const {
  const std::optional<double> centre = mean();
  if (!centre) return std::nullopt;
  double sum = 0;
  for (std::int64_t row = 0; row < sized_rows(*this); ++row) {
    const double deviation = static_cast<double>(size(row)) - *centre;
    sum += deviation * deviation * static_cast<double>(spectrum(row));
  }
  return std::sqrt(sum / static_cast<double>(sized_volume(*this)));
}

std::optional<std::int64_t> Sizes::percentile(double percent) const {
  const auto total = static_cast<double>(sized_volume(*this));
  if (total == 0) return std::nullopt;
  double below = 0;
  for (std::int64_t row = 0; row < sized_rows(*this); ++row) {
    below += static_cast<double>(spectrum(row));
    if (below >= percent / 100 * total) return size(row);
  }
  return std::nullopt;
}

double Sizes::unsieved_share() const { return leaves_some(*this) ? fraction(rows() - 1) : 0; }

double Sizes::border_share() const {
  return volume.empty() || volume[0] == 0 ? 0 : static_cast<double>(border_voxels) / static_cast<double>(volume[0]);
}

}  // namespace tamis
