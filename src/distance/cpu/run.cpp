#include "distance/request.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/parallel.hpp"
#include "core/cpu/workspace_pool.hpp"
#include "core/stage.hpp"
#include "distance/cpu/kernels.hpp"
#include "distance/cpu/steps.hpp"

namespace tamis::distance_detail::cpu {
namespace {

/// The bits of a row that are 0 where there is background: those of the object, and, where nothing lies outside the
/// domain, of what is outside too.
class Background {
 public:
  explicit Background(const Request& request)
      : request_(request), words_(static_cast<std::size_t>(request.object->row_bytes() / 8)) {}

  [[nodiscard]] const std::uint64_t* row(std::int64_t z, std::int64_t y) {
    const std::uint64_t* const object = request_.object->row<std::uint64_t>(z, y);
    if (!request_.neutral || request_.domain == nullptr) return object;
    const std::uint64_t* const inside = request_.domain->row<std::uint64_t>(z % request_.domain->shape().z, y);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = object[i] | ~inside[i];
    return words_.data();
  }

  /// Whether a row of x samples has some.
  [[nodiscard]] bool somewhere(std::int64_t z, std::int64_t y, std::int64_t x) {
    const std::uint64_t* const bits = row(z, y);
    for (std::int64_t i = 0; i < x / 64; ++i) {
      if (~bits[i] != 0) return true;
    }
    return x % 64 != 0 && (~bits[x / 64] & ((std::uint64_t{1} << (x % 64)) - 1)) != 0;
  }

 private:
  const Request& request_;
  std::vector<std::uint64_t> words_;
};

/// For each slice whether it has background, samples or what lies beyond a side.
std::vector<char> slices_with_background(const Context& context, const Request& request) {
  const Plan& plan = request.plan;
  const bool beyond = plan.x.low || plan.x.high || plan.y.low || plan.y.high;
  std::vector<char> some(static_cast<std::size_t>(plan.shape.z), beyond ? 1 : 0);
  if (beyond) return some;
  parallel_for(context, plan.shape.z, [&](std::int64_t z) {
    Background background(request);
    for (std::int64_t y = 0; y < plan.shape.y && !some[static_cast<std::size_t>(z)]; ++y) {
      some[static_cast<std::size_t>(z)] = background.somewhere(z, y, plan.shape.x);
    }
  });
  return some;
}

/// Whether a slice that has no background has something that would be far from it.
bool has_object(const Request& request, std::int64_t z) {
  const Image& object = *request.object;
  const std::uint64_t* const first = object.row<std::uint64_t>(z, 0);
  return std::any_of(first, first + object.shape().y * object.row_bytes() / 8,
                     [](std::uint64_t word) { return word != 0; });
}

/// Whether some of the object lies in a slice that is wanted.
template <class Wanted>
bool has_object_where(const Request& request, Wanted wanted) {
  for (std::int64_t z = 0; z < request.plan.shape.z; ++z) {
    if (wanted(static_cast<std::size_t>(z)) && has_object(request, z)) return true;
  }
  return false;
}

void raise(std::atomic<std::uint64_t>& top, std::uint64_t value) {
  std::uint64_t old = top;
  while (old < value && !top.compare_exchange_weak(old, value)) {
  }
}

template <class Lane>
class LaneRun {
 public:
  LaneRun(const Context& context, const Request& request, const std::vector<char>& bounded, Image& squares)
      : context_(context),
        request_(request),
        plan_(request.plan),
        bounded_(bounded),
        squares_(squares),
        kernels_(kernels<Lane>(context.simd)),
        along_y_(squares_along<Lane>(plan_.y)),
        along_z_(squares_along<Lane>(plan_.z)),
        rows_([this] { return std::make_unique<RowSteps<Lane>>(plan_.x, kernels_); }),
        y_columns_([this] { return std::make_unique<Columns<Lane>>(plan_.y, along_y_, kernels_); }),
        z_columns_([this] { return std::make_unique<Columns<Lane>>(plan_.z, along_z_, kernels_); }) {}

  /// The largest of all squares; those of slices without background, and outside the object, aside.
  std::uint64_t run() {
    const std::int64_t z_tasks = plan_.volume ? plan_.y.count * blocks(plan_.z) : 0;
    Stage stage(context_, "distance", plan_.shape.z + z_tasks);
    within_slices(stage);
    if (plan_.volume) {
      top_ = 0;
      parallel_for(context_, z_tasks, [&](std::int64_t task) {
        if (is_too_narrow()) return;
        z_columns_.with([&](Columns<Lane>& columns) { lower_along_z(columns, task); });
        stage.advance();
      });
    }
    if (clears_outside()) clear_outside();
    return top_;
  }

 private:
  static constexpr std::int64_t line = Columns<Lane>::line;

  [[nodiscard]] bool clears_outside() const { return request_.domain != nullptr && request_.neutral; }
  /// Then the rest need not be computed.
  [[nodiscard]] bool is_too_narrow() const { return top_ >= exact_below<Lane> && !clears_outside(); }
  [[nodiscard]] std::int64_t lines() const { return (plan_.x.count + line - 1) / line; }
  /// Blocks of columns across a row.
  [[nodiscard]] std::int64_t blocks(const Axis& axis) const {
    const std::int64_t at_once = lines_at_once(axis.count, lines());
    return (lines() + at_once - 1) / at_once;
  }
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> columns_of(const Axis& axis, std::int64_t block) const {
    const std::int64_t width = lines_at_once(axis.count, lines()) * line;
    return {block * width, std::min(width, plan_.x.count - block * width)};
  }

  /// A slice by one thread stays in its cache from rows to columns; where there are few slices, all threads share each.
  void within_slices(Stage& stage) {
    if (plan_.shape.z >= 2 * thread_count(context_)) {
      parallel_for(context_, plan_.shape.z, [&](std::int64_t z) {
        if (bounded_[static_cast<std::size_t>(z)]) {
          scan_rows(z, 0, plan_.y.count);
          y_columns_.with([&](Columns<Lane>& columns) {
            for (std::int64_t block = 0; block < blocks(plan_.y); ++block) lower_along_y(columns, z, block);
          });
        } else {
          fill_slice(z);
        }
        stage.advance();
      });
      return;
    }
    for (std::int64_t z = 0; z < plan_.shape.z; ++z, stage.advance()) {
      if (!bounded_[static_cast<std::size_t>(z)]) {
        fill_slice(z);
        continue;
      }
      constexpr std::int64_t share = 64;
      parallel_for(context_, (plan_.y.count + share - 1) / share,
                   [&](std::int64_t part) { scan_rows(z, part * share, std::min(plan_.y.count, (part + 1) * share)); });
      parallel_for(context_, blocks(plan_.y), [&](std::int64_t block) {
        y_columns_.with([&](Columns<Lane>& columns) { lower_along_y(columns, z, block); });
      });
    }
  }

  void scan_rows(std::int64_t z, std::int64_t begin, std::int64_t end) {
    Background background(request_);
    rows_.with([&](RowSteps<Lane>& steps) {
      for (std::int64_t y = begin; y < end; ++y) {
        std::copy_n(steps.squares_of(background.row(z, y)), plan_.x.count, squares_.row<Lane>(z, y));
      }
    });
  }

  void lower_along_y(Columns<Lane>& columns, std::int64_t z, std::int64_t block) {
    const auto [x, width] = columns_of(plan_.y, block);
    raise(top_, columns.lower(squares_.row<Lane>(z, 0) + x, plan_.x.count, width));
  }

  void lower_along_z(Columns<Lane>& columns, std::int64_t task) {
    const std::int64_t y = task / blocks(plan_.z);
    const auto [x, width] = columns_of(plan_.z, task % blocks(plan_.z));
    raise(top_, columns.lower(squares_.row<Lane>(0, y) + x, plan_.y.count * plan_.x.count, width));
  }

  /// A slice without background. Where slices stand for themselves that is its result; in a volume those along z
  /// follow.
  void fill_slice(std::int64_t z) {
    const Lane value = plan_.volume ? unreached<Lane> : std::numeric_limits<Lane>::max();
    std::fill_n(squares_.row<Lane>(z, 0), plan_.y.count * plan_.x.count, value);
  }

  /// What lies outside the domain had a distance on the way.
  void clear_outside() {
    top_ = 0;
    parallel_for(context_, plan_.shape.z, [&](std::int64_t z) {
      Lane top = 0;
      for (std::int64_t y = 0; y < plan_.y.count; ++y) {
        const std::uint64_t* const bits = request_.object->row<std::uint64_t>(z, y);
        Lane* const row = squares_.row<Lane>(z, y);
        for (std::int64_t x = 0; x < plan_.x.count; ++x) {
          if (((bits[x / 64] >> (x % 64)) & 1U) == 0) row[x] = 0;
          top = std::max(top, row[x]);
        }
      }
      if (plan_.volume || bounded_[static_cast<std::size_t>(z)]) raise(top_, top);
    });
  }

  const Context& context_;
  const Request& request_;
  const Plan& plan_;
  const std::vector<char>& bounded_;
  Image& squares_;
  Kernels<Lane> kernels_;
  std::vector<Lane> along_y_;
  std::vector<Lane> along_z_;
  WorkspacePool<RowSteps<Lane>> rows_;
  WorkspacePool<Columns<Lane>> y_columns_;
  WorkspacePool<Columns<Lane>> z_columns_;
  std::atomic<std::uint64_t> top_{0};
};

template <class Lane>
bool holds_all(const Context& context, const Request& request, const std::vector<char>& bounded, Type type,
               SquaredDistances& result) {
  // Squares that are neither 0 nor infinite.
  const auto has_some = [&](std::size_t z) { return request.plan.volume || bounded[z] != 0; };
  if (least_square(request.plan) >= exact_below<Lane> && has_object_where(request, has_some)) return false;
  require_memory(context, "distances", bytes_needed(request.plan, sizeof(Lane), thread_count(context)));
  result.squares = {};  // the narrower ones go first
  result.squares = Image(type, request.plan.shape, request.object->spacing);
  result.largest = LaneRun<Lane>(context, request, bounded, result.squares).run();
  return result.largest < exact_below<Lane>;
}

/// Nothing but object: every sample of it is as far from the background as a type can say.
void fill_object(const Request& request, Image& squares) {
  for (std::int64_t z = 0; z < squares.shape().z; ++z) {
    for (std::int64_t y = 0; y < squares.shape().y; ++y) {
      for (std::int64_t x = 0; x < squares.shape().x; ++x) {
        squares.row<std::uint16_t>(z, y)[x] = request.object->bit(z, y, x) ? 65535 : 0;
      }
    }
  }
}

}  // namespace

SquaredDistances run(const Context& context, const Request& request) {
  SquaredDistances result;
  result.sides = request.plan.sides;
  const std::vector<char> bounded = slices_with_background(context, request);
  const bool none = std::find(bounded.begin(), bounded.end(), 1) == bounded.end();
  const bool beyond_z = request.plan.volume && (request.plan.z.low || request.plan.z.high);
  const bool no_background = request.plan.volume && none && !beyond_z;
  if (!request.plan.volume || no_background) {
    result.unbounded = has_object_where(request, [&](std::size_t z) { return bounded[z] == 0; });
  }
  if (no_background) {
    require_memory(context, "distances", bytes_needed(request.plan, 2, 0));
    result.squares = Image(Type::U16, request.plan.shape, request.object->spacing);
    fill_object(request, result.squares);
    return result;
  }
  if (holds_all<std::uint16_t>(context, request, bounded, Type::U16, result)) return result;
  if (holds_all<std::uint32_t>(context, request, bounded, Type::U32, result)) return result;
  if (holds_all<std::uint64_t>(context, request, bounded, Type::U64, result)) return result;
  const WholeSides& sides = result.sides;
  throw ResourceError("distances of 2^31 and more in units of which a voxel has " + std::to_string(sides.x) + "x" +
                      std::to_string(sides.y) + "x" + std::to_string(sides.z) +
                      "; wanted a smaller image, or sides in a simpler ratio");
}

}  // namespace tamis::distance_detail::cpu
