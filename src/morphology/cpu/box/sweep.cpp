#include "morphology/cpu/box/sweep.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/bits/ordered_bits.hpp"
#include "morphology/cpu/tile/extremum_kernels.hpp"

namespace tamis::morphology_detail::cpu {
namespace {

std::int64_t ceil_to(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

template <class T>
constexpr std::int64_t vector_of = 64 / static_cast<std::int64_t>(sizeof(T));

bool is_constant(Border::Kind border) { return border == Border::Kind::Neutral || border == Border::Kind::Constant; }

Span needed_by(const BoxStep& step, Span rows, std::int64_t extent, Border::Kind border) {
  return mapped(Span{rows.low + step.rows.low, rows.high + step.rows.high}, extent, border);
}

/// Rows of a ring that holds, when each of the needs is read, what it and all later ones read; rows are made in blocks.
std::int64_t kept_rows(const std::vector<Span>& needs, Span rows, std::int64_t block_rows) {
  std::vector<std::int64_t> lowest(needs.size() + 1, rows.high);
  for (std::size_t i = needs.size(); i-- > 0;) {
    lowest[i] = needs[i].empty() ? lowest[i + 1] : std::min(lowest[i + 1], needs[i].low);
  }
  std::int64_t made = rows.low;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].high > made) made += ceil_to(needs[i].high - made, block_rows);
    made = std::min(made, rows.high);
    most = std::max(most, made - lowest[i]);
  }
  return most;
}

template <class T>
void grow(Buffer<T>& buffer, std::int64_t count) {
  if (buffer.size() < count) buffer = Buffer<T>(count);
}

}  // namespace

std::int64_t box_block_rows(std::int64_t length, std::int64_t row_bytes, std::int64_t block_bytes) {
  const std::int64_t fit = std::max<std::int64_t>(1, block_bytes / row_bytes);
  if (length <= 3) return std::max<std::int64_t>(fit, 8);
  if (length > most_window_results) return most_window_results;
  return std::max<std::int64_t>(1, fit / length) * length;
}

template <class Sample>
void BoxSweep<Sample>::run(const BoxRows& task) {
  prepare(task);
  for (Level& level : levels_) level.made = level.rows.low;
  late_ = {};
  make(levels_.size() - 1, levels_.back().rows.high);
  if (!late_.empty()) write(late_, levels_.back().block[1]);
}

template <class Sample>
void BoxSweep<Sample>::prepare(const BoxRows& task) {
  const bool same =
      !levels_.empty() && task.extent == task_.extent && task.width == task_.width && task.rows == task_.rows;
  task_ = task;
  if (same) return;
  levels_.clear();
  std::int64_t scratch = row_run_scratch_bytes / static_cast<std::int64_t>(sizeof(Lane));
  for (const BoxStep& step : shared_.pass.steps) {
    Level level;
    level.step = &step;
    level.direct = step.x.low == 0 && step.x.high == 0;
    const bool result = &step == &shared_.pass.steps.back();
    const bool changed = shared_.last && (std::is_same_v<Sample, float> || shared_.combine != Combine::Result);
    const bool late = shared_.in_place && !shared_.pass.along_z;
    if (result && (changed || late)) level.direct = false;
    const std::int64_t before = std::max<std::int64_t>(0, -step.x.low);
    const std::int64_t after = std::max<std::int64_t>(0, step.x.high);
    // Rows start at a vector where that costs little. An odd number of lines keeps long ones from meeting in the same
    // sets of a cache.
    const bool is_long = task.width * static_cast<std::int64_t>(sizeof(Lane)) >= 2048;
    level.origin = is_long ? ceil_to(before, vector_of<Lane>) : before;
    level.stride = ceil_to(level.origin + task.width + after, (is_long ? 2 : 1) * vector_of<Lane>);
    if (is_long) level.stride += vector_of<Lane>;
    level.kept_stride = ceil_to(task.width, 2 * vector_of<Lane>) + vector_of<Lane>;
    level.block_rows =
        box_block_rows(step.rows.length(), level.stride * static_cast<std::int64_t>(sizeof(Lane)), shared_.block_bytes);
    levels_.push_back(level);
    scratch = std::max(scratch, run_along_scratch(step.x.length(), sizeof(Lane)));
  }
  grow(scratch_, scratch);
  plan_rows();
  take_memory();
}

/// Backwards from the result: rows of each level, and how many of them have to be kept.
template <class Sample>
void BoxSweep<Sample>::plan_rows() {
  levels_.back().rows = task_.rows;
  for (std::size_t index = levels_.size(); index-- > 0;) {
    Level& level = levels_[index];
    level.block_rows = std::min(level.block_rows, std::max<std::int64_t>(1, level.rows.size()));
    if (index == 0) break;
    Level& before = levels_[index - 1];
    std::vector<Span> needs;
    for (std::int64_t row = level.rows.low; row < level.rows.high; row += level.block_rows) {
      const Span rows{row, std::min(row + level.block_rows, level.rows.high)};
      needs.push_back(needed_by(*level.step, rows, task_.extent, shared_.border));
      before.rows = before.rows.joined(needs.back());
    }
    before.block_rows = std::min(before.block_rows, std::max<std::int64_t>(1, before.rows.size()));
    before.kept_rows = kept_rows(needs, before.rows, before.block_rows);
  }
}

template <class Sample>
void BoxSweep<Sample>::take_memory() {
  const std::int64_t slack = over_read / static_cast<std::int64_t>(sizeof(Lane));
  const std::int64_t outside = ceil_to(task_.width, vector_of<Lane>) + vector_of<Lane>;
  std::int64_t lanes = 0;
  const auto take = [&](std::int64_t count) { return std::exchange(lanes, lanes + ceil_to(count, vector_of<Lane>)); };
  struct Places {
    std::int64_t block = 0, other = 0, kept = 0, outside = 0;
  };
  std::vector<Places> places;
  for (const Level& level : levels_) {
    const std::int64_t block =
        level.direct ? 0 : level.block_rows * level.stride + level.step->x.length() + level.origin + slack;
    const bool twice = shared_.in_place && &level == &levels_.back();
    places.push_back({take(block), take(twice ? block : 0), take(level.kept_rows * level.kept_stride), take(outside)});
  }
  grow(memory_, lanes);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    const Places& place = places[i];
    level.block = {memory_.data() + place.block, memory_.data() + place.other};
    level.kept = memory_.data() + place.kept;
    Lane* const row = memory_.data() + place.outside;
    const Lane value = shared_.outside[static_cast<std::size_t>(level.step->order)];
    std::fill_n(row, outside, value);
    level.outside = row;
    // What lies beside the rows; runs across rows leave it as it is.
    std::fill(level.block[0], memory_.data() + place.kept, value);
  }
  if constexpr (!std::is_same_v<Sample, Lane>) {
    grow(outside_samples_, outside);
    const Lane value = shared_.outside[static_cast<std::size_t>(levels_[0].step->order)];
    std::fill_n(outside_samples_.data(), outside, detail::float_of_ordered(value));
  }
  if (shared_.last && shared_.combine != Combine::Result) {
    grow(samples_, levels_.back().block_rows * levels_.back().kept_stride);
  }
}

template <class Sample>
void BoxSweep<Sample>::make(std::size_t index, std::int64_t until) {
  Level& level = levels_[index];
  while (level.made < until) {
    const Span rows{level.made, std::min(level.made + level.block_rows, level.rows.high)};
    if (index > 0) make(index - 1, needed_by(*level.step, rows, task_.extent, shared_.border).high);
    run_rows(index, rows);
    level.made = rows.high;
    if (level.direct) continue;
    extend(level, level.block[0], rows.size());
    if (!is_last(index)) {
      run_along(index, rows, level.block[0]);
    } else if (!shared_.in_place) {
      write(rows, level.block[0]);
    } else {
      if (!late_.empty()) write(late_, level.block[1]);
      late_ = rows;
      std::swap(level.block[0], level.block[1]);
    }
  }
}

/// A row of a level's input, which the border may say is another one.
template <class Sample>
template <class Row>
const Row* BoxSweep<Sample>::source(std::size_t index, std::int64_t row) const {
  const Level& level = levels_[index];
  const std::int64_t at = seen_at(row, task_.extent, shared_.border);
  if constexpr (std::is_same_v<Row, Lane>) {
    if (at == nowhere) return level.outside;
    if (index > 0) return levels_[index - 1].kept + at % levels_[index - 1].kept_rows * levels_[index - 1].kept_stride;
  } else {
    if (at == nowhere) return outside_samples_.data();
  }
  return task_.from.row<const Row>(at);
}

template <class Sample>
template <class Row>
const Row* const* BoxSweep<Sample>::sources(std::size_t index, Span rows, std::vector<const Row*>& list) {
  const Level& level = levels_[index];
  // Those of this block, and those that the next one reads beside them.
  const std::int64_t count = rows.size() + level.step->rows.length() - 1;
  list.resize(std::max(list.size(), static_cast<std::size_t>(count + rows.size())));
  for (std::int64_t i = 0; i < count; ++i) {
    list[static_cast<std::size_t>(i)] = source<Row>(index, rows.low + level.step->rows.low + i);
  }
  if (index > 0) return nullptr;
  const std::int64_t first = rows.low + level.step->rows.low + count;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const std::int64_t row = std::clamp<std::int64_t>(first + i, 0, task_.extent + task_.rows_after - 1);
    list[static_cast<std::size_t>(count + i)] =
        row < task_.extent ? task_.from.row<const Row>(row) : task_.after.row<const Row>(row - task_.extent);
  }
  return list.data() + count;
}

template <class Sample>
void BoxSweep<Sample>::run_rows(std::size_t index, Span rows) {
  const Level& level = levels_[index];
  rows_out_.resize(std::max(rows_out_.size(), static_cast<std::size_t>(rows.size())));
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    Lane*& out = rows_out_[static_cast<std::size_t>(i)];
    if (!level.direct) {
      out = level.block[0] + i * level.stride + level.origin;
    } else if (is_last(index)) {
      out = task_.to.row<Lane>(rows.low + i);
    } else {
      out = level.kept + (rows.low + i) % level.kept_rows * level.kept_stride;
    }
  }
  const RowKernels<Sample>& kernels = shared_.across[static_cast<std::size_t>(level.step->order)];
  const std::int64_t length = level.step->rows.length();
  if (index == 0 && shared_.first) {
    const Sample* const* const next = sources<Sample>(index, rows, sample_rows_);
    if (kernels.run_sample_rows(sample_rows_.data(), rows_out_.data(), rows.size(), length, task_.width, next,
                                scratch_.data())) {
      shared_.nan_found.store(true, std::memory_order_relaxed);
    }
  } else {
    const Lane* const* const next = sources<Lane>(index, rows, lane_rows_);
    kernels.run_rows(lane_rows_.data(), rows_out_.data(), rows.size(), length, task_.width, next, scratch_.data());
  }
  note_work(rows.size() * task_.width);
}

template <class Sample>
void BoxSweep<Sample>::extend(const Level& level, Lane* block, std::int64_t rows) const {
  if (is_constant(shared_.border)) return;  // the rows were filled with it once
  const std::int64_t width = task_.width;
  for (std::int64_t r = 0; r < rows; ++r) {
    Lane* const row = block + r * level.stride + level.origin;
    for (std::int64_t x = std::min<std::int64_t>(level.step->x.low, 0); x < 0; ++x) {
      row[x] = row[seen_at(x, width, shared_.border)];
    }
    for (std::int64_t x = width; x < width + level.step->x.high; ++x) row[x] = row[seen_at(x, width, shared_.border)];
  }
}

template <class Sample>
void BoxSweep<Sample>::run_along(std::size_t index, Span rows, const Lane* block) {
  const Level& level = levels_[index];
  results_.resize(std::max(results_.size(), static_cast<std::size_t>(rows.size())));
  BoxStore store = BoxStore::Lanes;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    void*& out = results_[static_cast<std::size_t>(i)];
    if (!is_last(index)) {
      out = level.kept + (rows.low + i) % level.kept_rows * level.kept_stride;
    } else if (samples_.size() > 0) {
      out = samples_.data() + i * level.kept_stride;
    } else {
      out = task_.to.row<Lane>(rows.low + i);
    }
  }
  if (is_last(index)) {
    const bool numbers = std::is_same_v<Sample, float> && shared_.last;
    const bool stream = shared_.stream && samples_.size() == 0;
    store = numbers ? (stream ? BoxStore::StreamFloats : BoxStore::Floats)
                    : (stream ? BoxStore::StreamLanes : BoxStore::Lanes);
  }
  const RowBlock<Lane> from{block + level.origin + level.step->x.low, level.stride, rows.size()};
  shared_.along[static_cast<std::size_t>(level.step->order)](from, level.step->x.length(), results_.data(), task_.width,
                                                             store, scratch_.data());
  note_work(rows.size() * task_.width);
}

/// Rows of the result into the output.
template <class Sample>
void BoxSweep<Sample>::write(Span rows, const Lane* block) {
  run_along(levels_.size() - 1, rows, block);
  if (samples_.size() == 0) return;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    combine(shared_.combine, samples_.data() + i * levels_.back().kept_stride,
            task_.image.row<const Sample>(rows.low + i), task_.width, task_.to.row<Sample>(rows.low + i));
  }
}

template <class Sample>
void BoxSweep<Sample>::note_work(std::int64_t lanes) {
  constexpr std::int64_t often = std::int64_t{8} << 20;  // about a millisecond
  work_done_ += lanes;
  if (work_done_ < often) return;
  work_done_ = 0;
  shared_.stage->advance(0);
}

template class BoxSweep<std::uint8_t>;
template class BoxSweep<std::uint16_t>;
template class BoxSweep<std::int16_t>;
template class BoxSweep<float>;

}  // namespace tamis::morphology_detail::cpu
