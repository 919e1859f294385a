#include "median/cpu/network/run.hpp"

#include <algorithm>

namespace tamis::median_detail::cpu {
namespace {

constexpr std::int64_t vector_bytes = 64;
/// What the lists of a group of lanes may take in the L1.
constexpr std::int64_t group_bytes = std::int64_t{32} << 10;
constexpr std::int64_t most_group_vectors = 4;

std::int64_t ceil_to(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

template <class T>
void grow(Buffer<T>& buffer, std::int64_t count) {
  if (buffer.size() < count) buffer = Buffer<T>(count);
}

NetworkWindow window_of(const RankStep& step) {
  const OffsetBox& box = step.window.box();
  return {box.high.x - box.low.x + 1, box.high.y - box.low.y + 1, box.high.z - box.low.z + 1, step.rank};
}

}  // namespace

bool network_can(const RankStep& step) {
  constexpr std::int64_t most_samples = 1200;
  const NetworkWindow window = window_of(step);
  return step.count == window.count() && step.count > 1 && step.count <= most_samples;
}

NetworkRow network_row(std::int64_t nx, std::int64_t key_bytes) { return {nx, vector_bytes / key_bytes}; }

NetworkProgram network_for(const RankStep& step, const NetworkRow& row) {
  const NetworkWindow window = window_of(step);
  NetworkProgram program = square_program(window);
  if (program.kernel == ProgramKernel::Square) return program;
  if (window != NetworkWindow{3, 3, 1, 4}) return network_program(window, row);
  program.window = window;
  program.kernel = ProgramKernel::Three;
  return program;
}

template <class K>
std::int64_t NetworkBands<K>::lanes_of(const Strip& strip) const {
  return strip_lead + strip.tiles + program_.last_lane;
}

template <class K>
void NetworkBands<K>::prepare(const BandTask<K>& work) {
  if (work.nx == nx_) return;
  nx_ = work.nx;
  constexpr std::int64_t vector = vector_bytes / static_cast<std::int64_t>(sizeof(K));
  const std::int64_t tile_x = program_.tile_x, tile_y = program_.tile_y;
  const std::int64_t kept_rows = program_.window.height + tile_y - 1;
  row_elements_ = program_.row.made_elements;
  strip_tiles_ = strip_tiles(program_, network_row(nx_, sizeof(K)));
  // Lanes that no result needs are read by whole vectors, and by lists that lie further on.
  pitch_ =
      ceil_to(strip_lead + strip_tiles_ + program_.last_lane, vector) + ceil_to(program_.last_lane, vector) + vector;
  // An odd number of lines keeps the elements of a list from meeting in the same sets of a cache.
  if (pitch_ / vector % 2 == 0) pitch_ += vector;
  const std::int64_t scratch =
      std::max({program_.row.scratch_elements, program_.columns.scratch_elements, program_.tile.scratch_elements, 1});
  group_lanes_ = vector * std::clamp<std::int64_t>(group_bytes / vector_bytes / scratch, 1, most_group_vectors);
  grow(scratch_, scratch * group_lanes_);
  grow(columns_, program_.columns.made_elements * pitch_);
  grow(results_, tile_x * tile_y * pitch_);
  grow(rows_, kept_rows * row_elements_ * pitch_);
  grow(slices_, program_.window.depth * tile_x * pitch_);
  at_.assign(static_cast<std::size_t>(space::rows + std::max(kept_rows, program_.window.depth)), rows_.data());
}

template <class K>
void NetworkBands<K>::run(const BandTask<K>& work) {
  if (program_.kernel == ProgramKernel::Three) return three_band(work);
  kernels_ = network_kernels<K>(work.simd);
  if (program_.kernel == ProgramKernel::Square) square_ = square_kernels<K>(work.simd, program_.window);
  prepare(work);
  const std::int64_t tiles = (nx_ + program_.tile_x - 1) / program_.tile_x;
  for (std::int64_t z = work.band.z0; z < work.band.z1; ++z) {
    for (std::int64_t tile = 0; tile < tiles; tile += strip_tiles_) {
      work.step->stop_if_cancelled();
      run_strip(work, {tile, std::min(strip_tiles_, tiles - tile)}, z);
    }
  }
}

/// Lanes from `first_lane` in groups whose scratch memory stays in the L1; the last group first, since programs read
/// what they have made in lanes further on. `at_` is for lane 0.
template <class K>
template <class Run>
void NetworkBands<K>::for_groups(std::int64_t first_lane, std::int64_t lanes, Run run_group) {
  std::vector<K*>& at = at_;
  NetworkSpaces<K> spaces;
  spaces.at = at.data();
  spaces.pitches[space::scratch] = group_lanes_;
  for (const int other : {space::made, space::results, space::rows}) spaces.pitches[other] = pitch_;
  at[space::scratch] = scratch_.data();
  std::int64_t now = 0;
  const auto go_to = [&](std::int64_t lane) {
    for (std::size_t i = space::made; i < at.size(); ++i) at[i] += lane - now;
    now = lane;
  };
  for (std::int64_t group = (lanes - 1) / group_lanes_ * group_lanes_; group >= 0; group -= group_lanes_) {
    go_to(first_lane + group);
    run_group(spaces, std::min(group_lanes_, lanes - group));
  }
  go_to(0);
}

template <class K>
void NetworkBands<K>::run_program(const Program& program, std::int64_t first_lane, std::int64_t lanes) {
  if (program.instructions.empty()) return;
  for_groups(first_lane, lanes,
             [&](const NetworkSpaces<K>& spaces, std::int64_t count) { kernels_.run(program, spaces, count); });
}

template <class K>
void NetworkBands<K>::make_row(const BandTask<K>& work, const Strip& strip, std::int64_t z, std::int64_t y, K* row) {
  const OffsetBox& box = work.step->window.box();
  constexpr std::int64_t slack = KeySlab<K>::slack_bytes / static_cast<std::int64_t>(sizeof(K));
  const std::int64_t x = strip.tile * program_.tile_x + box.low.x - 1;
  const std::int64_t there = (nx_ + box.high.x + slack - x) / program_.tile_x;
  const std::int64_t lanes = std::min(lanes_of(strip), there);
  const std::int64_t depth = program_.window.depth;
  for (std::int64_t k = 0; k < depth; ++k) {
    K* const slice = depth == 1 ? row : slices_.data() + k * program_.tile_x * pitch_;
    kernels_.take_apart(work.in->row(z + box.low.z + k, y) + x, lanes, program_.tile_x, slice, pitch_);
    at_[static_cast<std::size_t>(space::rows + k)] = slice;
  }
  at_[space::made] = row;
  run_program(program_.row, 0, lanes_of(strip));
}

template <class K>
void NetworkBands<K>::run_strip(const BandTask<K>& work, const Strip& strip, std::int64_t z) {
  const OffsetBox& box = work.step->window.box();
  const std::int64_t kept_rows = program_.window.height + program_.tile_y - 1;
  const std::int64_t end = work.band.y1 + box.high.y;
  std::int64_t made = work.band.y0 + box.low.y;
  const auto kept = [&](std::int64_t y) {
    return rows_.data() + (y - work.band.y0 - box.low.y) % kept_rows * row_elements_ * pitch_;
  };
  for (std::int64_t y = work.band.y0; y < work.band.y1; y += program_.tile_y) {
    for (; made < std::min(y + box.low.y + kept_rows, end); ++made) make_row(work, strip, z, made, kept(made));
    for (std::int64_t k = 0; k < kept_rows; ++k) {
      at_[static_cast<std::size_t>(space::rows + k)] = kept(y + box.low.y + k);
    }
    at_[space::made] = columns_.data();
    at_[space::results] = results_.data();
    if (program_.kernel == ProgramKernel::Square) {
      for_groups(0, lanes_of(strip), square_.columns);
      for_groups(strip_lead, strip.tiles, square_.tiles);
    } else {
      run_program(program_.columns, 0, lanes_of(strip));
      run_program(program_.tile, strip_lead, strip.tiles);
    }
    write(work, strip, z, y);
  }
}

template <class K>
void NetworkBands<K>::write(const BandTask<K>& work, const Strip& strip, std::int64_t z, std::int64_t y) const {
  const int tile_x = program_.tile_x;
  const std::int64_t x = strip.tile * tile_x;
  const std::int64_t whole = std::min(strip.tiles, (nx_ - x) / tile_x);
  for (int oy = 0; oy < program_.tile_y && y + oy < work.band.y1; ++oy) {
    const K* const from = results_.data() + std::int64_t{oy} * tile_x * pitch_ + strip_lead;
    K* const to = work.out_row(z, y + oy) + x;
    kernels_.put_together(from, pitch_, whole, tile_x, to);
    if (whole == strip.tiles) continue;
    for (int ox = 0; x + whole * tile_x + ox < nx_; ++ox) to[whole * tile_x + ox] = from[ox * pitch_ + whole];
  }
}

template class NetworkBands<std::uint8_t>;
template class NetworkBands<std::uint16_t>;
template class NetworkBands<std::uint32_t>;

}  // namespace tamis::median_detail::cpu
