#include "morphology/cpu/tile/tile.hpp"

#include <algorithm>
#include <type_traits>

namespace tamis::morphology_detail::cpu {
namespace {

template <class Lane>
inline constexpr bool is_bits = std::is_same_v<Lane, std::uint64_t>;

template <class Lane>
void grow(Buffer<Lane>& buffer, std::int64_t lanes) {
  if (buffer.size() < lanes) buffer = Buffer<Lane>(lanes);
}

bool bit_of(const std::uint64_t* row, std::int64_t i) { return (row[i / 64] >> (i % 64)) & 1U; }

/// Bits first ... last - 1 of a row become `value`.
void set_bits(std::uint64_t* row, std::int64_t first, std::int64_t last, bool value) {
  while (first < last) {
    const std::int64_t from = first % 64;
    const std::int64_t count = std::min(64 - from, last - first);
    const std::uint64_t mask = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << from;
    std::uint64_t& word = row[first / 64];
    word = value ? word | mask : word & ~mask;
    first += count;
  }
}

/// Asks for the part of a row that will be read, or written, soon: where tiles are narrower than the image the hardware
/// does not guess what comes next.
template <bool write, class Sample>
void prefetch(const Sample* row, std::int64_t count) {
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(Sample));
  for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(row + i, write ? 1 : 0, 2);
}

/// Samples [first, last) of a row that lie beside the image, whose sample 0 is lane (bit) `origin` of the row.
template <class Lane>
void extend_part(Lane* row, std::int64_t origin, Span part, std::int64_t width, Border::Kind border, Lane outside) {
  const bool constant = border == Border::Kind::Neutral || border == Border::Kind::Constant;
  if (part.empty()) return;
  if constexpr (is_bits<Lane>) {
    if (constant || border == Border::Kind::Nearest) {
      const bool value = constant ? outside != 0 : bit_of(row, origin + (part.low < 0 ? 0 : width - 1));
      set_bits(row, origin + part.low, origin + part.high, value);
      return;
    }
    for (std::int64_t x = part.low; x < part.high; ++x) {
      set_bits(row, origin + x, origin + x + 1, bit_of(row, origin + seen_at(x, width, border)));
    }
  } else {
    if (constant) std::fill(row + origin + part.low, row + origin + part.high, outside);
    for (std::int64_t x = part.low; !constant && x < part.high; ++x) {
      row[origin + x] = row[origin + seen_at(x, width, border)];
    }
  }
}

}  // namespace

template <class Sample>
void Tile<Sample>::prepare(const TileSpans& spans) {
  const bool same =
      layout_.batches > 0 && spans.outer == spans_.outer && spans.inner == spans_.inner && spans.x == spans_.x;
  if (same) return;
  spans_ = spans;
  layout_ = make_layout(shared_.graph, spans, shared_.batch, sizeof(Lane), unit);
  direct_ = std::is_same_v<Sample, Lane> && !is_bits<Lane> && shared_.combine == Combine::Result && !shared_.stream;
  constexpr std::int64_t bytes_ahead = 8192;
  const std::int64_t row_bytes = std::max<std::int64_t>(spans.x.size(), 1) * static_cast<std::int64_t>(sizeof(Lane));
  rows_ahead_ = std::max<std::int64_t>(1, bytes_ahead * unit / row_bytes);
  if (shared_.rank == 3) rows_ahead_ = 1;
  grow(memory_, layout_.lanes);
  for (const std::size_t order : {std::size_t{0}, std::size_t{1}}) {
    const std::int64_t lanes = layout_.widest_row + over_read / static_cast<std::int64_t>(sizeof(Lane));
    if (outside_[order].size() >= lanes) continue;
    outside_[order] = Buffer<Lane>(lanes);
    std::fill_n(outside_[order].data(), lanes, shared_.outside[order]);
  }
  if (shared_.combine != Combine::Result) grow(samples_, layout_.widest_row);
  rows_in_.resize(static_cast<std::size_t>(layout_.most_rows_in));
  rows_out_.resize(static_cast<std::size_t>(layout_.most_rows_in));
}

template <class Sample>
void Tile<Sample>::run(const TileSpans& spans, std::int64_t z) {
  prepare(spans);
  z_ = z;
  made_.assign(layout_.nodes.size(), std::numeric_limits<std::int64_t>::min());
  for (std::int64_t batch = 0; batch < layout_.batches; ++batch) {
    const Span* const need = layout_.need.data() + static_cast<std::size_t>(batch) * layout_.nodes.size();
    for (const PassGraph::Group& group : shared_.graph.groups) run_group(group, need);
  }
  if (shared_.stream) shared_.samples.finish_streams();
}

template <class Sample>
void Tile<Sample>::run_group(const PassGraph::Group& group, const Span* need) {
  const auto fresh = [&](int index) {
    const Span& rows = need[index];
    return Span{std::max(rows.low, made_[static_cast<std::size_t>(index)]), rows.high};
  };
  if (node(group.first).kind == NodeKind::RunOuter) {
    const Span rows = fresh(group.first);
    if (rows.empty() || need[group.first].empty()) return;
    run_outer(group.first, rows);
    made_[static_cast<std::size_t>(group.first)] = rows.high;
    return;
  }
  Span all;
  for (int i = group.first; i <= group.last; ++i) {
    if (!need[i].empty()) all = all.joined(fresh(i));
  }
  const auto make = [&](Span rows) {
    for (std::int64_t outer = rows.low; outer < rows.high; ++outer) {
      for (int i = group.first; i <= group.last; ++i) {
        const Span mine = fresh(i);
        if (!need[i].empty() && outer >= mine.low && outer < mine.high) make_row(i, outer);
      }
    }
  };
  // Rows beside the image show rows of it, so these come first.
  const std::int64_t extent = shared_.graph.extent.outer;
  make({std::max<std::int64_t>(all.low, 0), std::min(all.high, extent)});
  make({all.low, std::min<std::int64_t>(all.high, 0)});
  make({std::max(all.low, extent), all.high});
  for (int i = group.first; i <= group.last; ++i) {
    if (!need[i].empty())
      made_[static_cast<std::size_t>(i)] = std::max(made_[static_cast<std::size_t>(i)], need[i].high);
  }
}

template <class Sample>
void Tile<Sample>::make_row(int index, std::int64_t outer) {
  switch (node(index).kind) {
    case NodeKind::Load:
      return load(outer);
    case NodeKind::Unite:
      return unite(index, outer);
    case NodeKind::RunX:
      return run_x(index, outer);
    case NodeKind::RunInner:
      return run_inner(index, outer);
    case NodeKind::RunOuter:
      return run_outer(index, {outer, outer + 1});
  }
}

template <class Sample>
auto Tile<Sample>::stored(int index, std::int64_t outer, std::int64_t inner) -> Lane* {
  const NodeLayout& own = layout(index);
  const std::int64_t turn = outer % own.capacity;
  const std::int64_t slot = turn < 0 ? turn + own.capacity : turn;
  return memory_.data() + own.offset + slot * own.plane() + (inner - own.inner.low) * own.stride;
}

template <class Sample>
auto Tile<Sample>::target(int index, std::int64_t outer, std::int64_t inner) -> Lane* {
  const NodeLayout& own = layout(index);
  if constexpr (std::is_same_v<Sample, Lane>) {
    if (direct_ && is_result(index)) return image_row<Lane>(*shared_.out, outer, inner) + own.x.low / unit;
  }
  return stored(index, outer, inner) + (own.x.low - own.x_start) / unit;
}

template <class Sample>
auto Tile<Sample>::source(int index, std::int64_t outer, std::int64_t inner, std::int64_t x) -> RowSource<Lane> {
  const GraphNode& from = node(index);
  const PassGraph& graph = shared_.graph;
  if (from.outer_interior) outer = seen_at(outer, graph.extent.outer, graph.border);
  if (from.interior) inner = seen_at(inner, graph.extent.inner, graph.border);
  if ((from.outer_interior && outer == nowhere) || (from.interior && inner == nowhere) || layout(index).plane() == 0) {
    return {outside_[static_cast<std::size_t>(from.reader)].data(), 0};
  }
  const std::int64_t at = x - layout(index).x_start;
  const Lane* const row = stored(index, outer, inner);
  if constexpr (is_bits<Lane>) return {row + at / 64, static_cast<int>(at % 64)};
  return {row + at, 0};
}

template <class Sample>
void Tile<Sample>::load(std::int64_t outer) {
  const NodeLayout& own = layout(0);
  for (std::int64_t inner = own.inner.low; inner < own.inner.high; ++inner) {
    const Sample* const from = image_row<const Sample>(*shared_.in, outer, inner) + own.x.low / unit;
    Lane* const to = target(0, outer, inner);
    if (const std::int64_t next = outer + rows_ahead_; next < shared_.graph.extent.outer) {
      prefetch<false>(image_row<const Sample>(*shared_.in, next, inner) + own.x.low / unit, own.x.size() / unit);
    }
    if constexpr (std::is_same_v<Sample, float>) {
      const auto stand_in = static_cast<std::int32_t>(neutral_lane<float>(node(0).reader));
      if (shared_.samples.keys(from, own.x.size(), stand_in, to))
        shared_.nan_found.store(true, std::memory_order_relaxed);
    } else {
      std::copy_n(from, own.x.size() / unit, to);
    }
    finish(0, outer, inner);
  }
}

template <class Sample>
void Tile<Sample>::unite(int index, std::int64_t outer) {
  const std::vector<GraphTerm>& terms = node(index).terms;
  const auto count = static_cast<std::int64_t>(terms.size());
  sources_.resize(std::max(sources_.size(), terms.size()));
  const Span rows = layout(index).inner;
  for (std::int64_t inner = rows.low; inner < rows.high; ++inner) {
    for (std::size_t i = 0; i < terms.size(); ++i) sources_[i] = source(terms[i], index, outer, inner);
    kernels(index).unite(sources_.data(), count, target(index, outer, inner), lanes_of(index));
    finish(index, outer, inner);
  }
}

template <class Sample>
void Tile<Sample>::run_x(int index, std::int64_t outer) {
  const Span rows = layout(index).inner;
  for (std::int64_t inner = rows.low; inner < rows.high; ++inner) {
    kernels(index).run_x(source(node(index).terms[0], index, outer, inner), node(index).length,
                         target(index, outer, inner), lanes_of(index), scratch_.data());
    finish(index, outer, inner);
  }
}

template <class Sample>
void Tile<Sample>::run_inner(int index, std::int64_t outer) {
  const Span rows = layout(index).inner;
  const GraphNode& own = node(index);
  for (std::int64_t i = 0; i < rows.size() + own.length - 1; ++i) {
    rows_in_[static_cast<std::size_t>(i)] = source(own.terms[0], index, outer, rows.low + i).row;
  }
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    rows_out_[static_cast<std::size_t>(i)] = target(index, outer, rows.low + i);
  }
  kernels(index).run_rows(rows_in_.data(), rows_out_.data(), rows.size(), own.length, lanes_of(index), scratch_.data());
  for (std::int64_t inner = rows.low; inner < rows.high; ++inner) finish(index, outer, inner);
}

template <class Sample>
void Tile<Sample>::run_outer(int index, Span rows) {
  const GraphNode& own = node(index);
  const Span inner_rows = layout(index).inner;
  for (std::int64_t inner = inner_rows.low; inner < inner_rows.high; ++inner) {
    for (std::int64_t i = 0; i < rows.size() + own.length - 1; ++i) {
      rows_in_[static_cast<std::size_t>(i)] = source(own.terms[0], index, rows.low + i, inner).row;
    }
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      rows_out_[static_cast<std::size_t>(i)] = target(index, rows.low + i, inner);
    }
    kernels(index).run_rows(rows_in_.data(), rows_out_.data(), rows.size(), own.length, lanes_of(index),
                            scratch_.data());
    for (std::int64_t outer = rows.low; outer < rows.high; ++outer) finish(index, outer, inner);
  }
}

template <class Sample>
void Tile<Sample>::note_work(int index) {
  constexpr std::int64_t often = std::int64_t{8} << 20;  // about a millisecond
  work_done_ += lanes_of(index) * std::max<std::int64_t>(1, static_cast<std::int64_t>(node(index).terms.size()));
  if (work_done_ < often) return;
  work_done_ = 0;
  shared_.stage->advance(0);
}

template <class Sample>
void Tile<Sample>::finish(int index, std::int64_t outer, std::int64_t inner) {
  note_work(index);
  if (is_result(index)) {
    if (const std::int64_t next = outer + rows_ahead_; next < spans_.outer.high && !shared_.stream) {
      const Span x = layout(index).x;
      prefetch<true>(image_row<Sample>(*shared_.out, next, inner) + x.low / unit, x.size() / unit);
    }
    if (!direct_) write(outer, inner);
  } else if (node(index).interior) {
    extend(index, stored(index, outer, inner));
  }
}

template <class Sample>
void Tile<Sample>::extend(int index, Lane* row) const {
  const NodeLayout& own = layout(index);
  const PassGraph& graph = shared_.graph;
  const Lane outside = shared_.outside[static_cast<std::size_t>(node(index).reader)];
  const std::int64_t width = graph.extent.x;
  extend_part(row, -own.x_start, {own.x_read.low, std::min<std::int64_t>(own.x_read.high, 0)}, width, graph.border,
              outside);
  extend_part(row, -own.x_start, {std::max(own.x_read.low, width), own.x_read.high}, width, graph.border, outside);
}

template <class Sample>
void Tile<Sample>::write(std::int64_t outer, std::int64_t inner) {
  const int result = static_cast<int>(shared_.graph.nodes.size()) - 1;
  const Span x = layout(result).x;
  const std::int64_t first = x.low / unit;
  const std::int64_t count = x.size() / unit;
  const Lane* const made = target(result, outer, inner);
  Sample* const out = image_row<Sample>(*shared_.out, outer, inner) + first;
  const Sample* const image = shared_.image ? image_row<const Sample>(*shared_.image, outer, inner) + first : nullptr;
  if constexpr (std::is_same_v<Sample, float>) {
    if (shared_.combine == Combine::Result) {
      return (shared_.stream ? shared_.samples.stream_floats : shared_.samples.floats)(made, count, out);
    }
    shared_.samples.floats(made, count, samples_.data());
    combine(shared_.combine, samples_.data(), image, count, out);
  } else if (shared_.stream && shared_.combine == Combine::Result) {
    shared_.samples.stream_bytes(reinterpret_cast<const std::uint8_t*>(made),
                                 count * static_cast<std::int64_t>(sizeof(Sample)),
                                 reinterpret_cast<std::uint8_t*>(out));
  } else {
    combine(shared_.combine, made, image, count, out);
  }
  if constexpr (is_bits<Lane>) {
    const std::int64_t width = shared_.graph.extent.x;
    if (x.high > width) out[width / 64 - first] &= (std::uint64_t{1} << (width % 64)) - 1;
  }
}

template class Tile<std::uint8_t>;
template class Tile<std::uint16_t>;
template class Tile<std::int16_t>;
template class Tile<float>;
template class Tile<std::uint64_t>;

}  // namespace tamis::morphology_detail::cpu
