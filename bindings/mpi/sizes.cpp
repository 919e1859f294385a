#include "mpi/sizes.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "core/cpu/parallel.hpp"

namespace tamis::mpi {
namespace {

using granulometry_detail::Tally;

/// What never erodes has the largest number of a map.
void take_never(Tally& tally, std::int64_t largest) {
  if (static_cast<std::int64_t>(tally.removed_by.size()) <= largest) return;
  tally.never = tally.removed_by[static_cast<std::size_t>(largest)];
  tally.removed_by.resize(static_cast<std::size_t>(largest));
}

template <class Number>
std::int64_t count_numbers(const Context& context, Tally& tally, const std::byte* slice, const Shape& shape,
                           bool of_piece) {
  const auto* const numbers = reinterpret_cast<const Number*>(slice);
  std::int64_t largest = 0;
  std::mutex mutex;
  parallel_for(context, shape.y, [&](std::int64_t y) {
    const Number* const row = numbers + y * shape.x;
    const Number top = *std::max_element(row, row + shape.x);
    std::vector<std::int64_t> counts(of_piece ? std::size_t{top} + 1 : 0);
    if (of_piece) {
      for (std::int64_t x = 0; x < shape.x; ++x) ++counts[row[x]];
    }
    const std::lock_guard lock(mutex);
    largest = std::max<std::int64_t>(largest, top);
    tally.add({std::move(counts), 0});
  });
  return largest;
}

/// Adds the numbers of a slice, if it is one of the piece. Returns the largest.
std::int64_t count_slice(const Context& context, Type type, Tally& tally, const std::byte* slice, const Shape& shape,
                         bool of_piece) {
  if (type == Type::U8) return count_numbers<std::uint8_t>(context, tally, slice, shape, of_piece);
  if (type == Type::U16) return count_numbers<std::uint16_t>(context, tally, slice, shape, of_piece);
  return count_numbers<std::uint32_t>(context, tally, slice, shape, of_piece);
}

/// Calls work with a value of the type of a map.
template <class Work>
void with_type(Type type, const Work& work) {
  if (type == Type::U8) return work(std::uint8_t{});
  if (type == Type::U16) return work(std::uint16_t{});
  if (type == Type::U32) return work(std::uint32_t{});
  work(std::uint64_t{});
}

/// Without a map. Nothing in `found` where the halo is too short.
struct WithoutMap {
  std::optional<Part> found;
};

/// Nothing where it takes a map to count.
std::optional<WithoutMap> count_without_map(const Context& context, const GranulometryOptions& options,
                                            const Slab& slab, const PieceInSlab& where) {
  const std::int64_t begin = where.piece.begin - where.slab.begin, end = where.piece.end - where.slab.begin;
  auto found = slab.tally(context, options, begin, end);
  if (!found) return {};
  if (where.cut && (found->tally.never > 0 || found->largest > where.halo / 2)) return WithoutMap{};
  Part part{where.piece.begin, where.piece.end, {}, Type::U8, 0, {}, 0};
  found->tally.put_into(part.tally);
  return WithoutMap{std::move(part)};
}

}  // namespace

std::optional<Part> measure_sizes(const Context& context, const GranulometryOptions& options, const Slab& slab,
                                  const PieceInSlab& where, bool with_map) {
  if (!with_map) {
    if (auto counted = count_without_map(context, options, slab, where)) return std::move(counted->found);
  }
  const Shape& shape = slab.shape();
  Part part{where.piece.begin, where.piece.end, {}, Type::U8, 0, {}, 0};
  Tally tally;
  const Ranks::Range inner{std::max(where.slab.begin, where.piece.begin - where.halo / 2),
                           std::min(where.slab.end, where.piece.end + where.halo / 2)};
  std::int64_t largest_inside = 0, largest = 0;
  const auto start = [&](Type type) { part.type = type; };
  const auto sink = [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
    const std::int64_t bytes = shape.y * shape.x * sample_bytes(part.type);
    for (std::int64_t z = where.slab.begin + z0; z < where.slab.begin + z0 + count; ++z, slices += bytes) {
      const bool of_piece = z >= where.piece.begin && z < where.piece.end;
      const std::int64_t top = count_slice(context, part.type, tally, slices, shape, of_piece);
      largest = std::max(largest, top);
      if (z >= inner.begin && z < inner.end) largest_inside = std::max(largest_inside, top);
      if (of_piece && with_map) part.map.insert(part.map.end(), slices, slices + bytes);
    }
  };
  const Sizes sizes = slab.size_map(context, options, start, sink);
  if (where.cut && (sizes.never_empties || largest_inside > where.halo / 2)) return {};
  if (sizes.never_empties) {
    part.never_value = largest;
    take_never(tally, largest);
  }
  if (!tally.removed_by.empty()) tally.removed_by[0] = 0;  // the background
  tally.put_into(part.tally);
  return part;
}

void widen(const std::byte* from, Type type, std::byte* to, Type wide, std::int64_t samples, std::int64_t never_value,
           std::int64_t top) {
  with_type(type, [&](auto in) {
    with_type(wide, [&](auto out) {
      for (std::int64_t i = 0; i < samples; ++i) {
        std::memcpy(&in, from + i * static_cast<std::int64_t>(sizeof in), sizeof in);
        const bool never = never_value > 0 && in == static_cast<decltype(in)>(never_value);
        out = never ? static_cast<decltype(out)>(top) : static_cast<decltype(out)>(in);
        std::memcpy(to + i * static_cast<std::int64_t>(sizeof out), &out, sizeof out);
      }
    });
  });
}

}  // namespace tamis::mpi
