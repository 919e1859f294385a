#include "line/traced/spectrum.hpp"

#include <algorithm>
#include <mutex>

#include "core/cpu/parallel.hpp"
#include "line/traced/lines.hpp"

namespace tamis::line_detail {
namespace {

/// The cords of one line after the other.
class Cords {
 public:
  explicit Cords(const LineSpectrumTask& task) : neutral_(task.neutral), mirrored_(task.mirrored) {}

  /// Values of a line from end to end.
  void add_line(const std::vector<std::int64_t>& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    for (std::int64_t p = 0; p <= count; ++p) {
      const std::int64_t value = p < count ? values[static_cast<std::size_t>(p)] : 0;
      std::int64_t start = p;
      while (!stack_.empty() && stack_.back().value > value) {
        const Cord cord = stack_.back();
        stack_.pop_back();
        start = cord.start;
        // Below the cord lies a longer one, of the next level.
        const std::int64_t level = std::max(value, stack_.empty() ? 0 : stack_.back().value);
        add_cord(start, p, count, cord.value - level);
      }
      if (value > 0 && (stack_.empty() || stack_.back().value < value)) stack_.push_back({value, start});
    }
  }

  void join(LineSpectrum& all) const {
    if (all.lost.size() < spectrum_.lost.size()) all.lost.resize(spectrum_.lost.size());
    for (std::size_t n = 0; n < spectrum_.lost.size(); ++n) all.lost[n] += spectrum_.lost[n];
    all.never += spectrum_.never;
  }

 private:
  struct Cord {
    std::int64_t value = 0;
    std::int64_t start = 0;
  };

  void add_cord(std::int64_t start, std::int64_t end, std::int64_t count, std::int64_t height) {
    const std::int64_t volume = (end - start) * height;
    const bool at_start = neutral_ && start == 0;
    const bool at_end = neutral_ && end == count;
    if (at_start && at_end) {
      spectrum_.never += volume;
      return;
    }
    // The longest segment: its origin, at index length/2, has to lie in the cord; at an end the rest may lie beyond.
    const std::int64_t length = end - start;
    const std::int64_t inside = at_start != mirrored_ ? 2 * length : 2 * length - 1;
    const std::int64_t size = at_start || at_end ? inside : length;
    if (spectrum_.lost.size() <= static_cast<std::size_t>(size)) {
      spectrum_.lost.resize(static_cast<std::size_t>(size) + 1);
    }
    spectrum_.lost[static_cast<std::size_t>(size)] += volume;
  }

  bool neutral_;
  bool mirrored_;
  std::vector<Cord> stack_;
  LineSpectrum spectrum_;
};

/// Lines first ... last - 1 of a slice.
std::int64_t add_lines(const TracedLines& lines, const Shape& shape, std::int64_t first, std::int64_t last,
                       const std::int64_t* values, const Image* domain, std::int64_t z, Cords& cords) {
  std::vector<std::int64_t> line;
  const auto finish = [&] {
    if (!line.empty()) cords.add_line(line);
    line.clear();
  };
  std::int64_t samples = 0;
  for (std::int64_t c = first; c < last; ++c) {
    const LineIndices places(lines, shape, c);
    places.for_each([&](std::int64_t, std::int64_t at) {
      if (domain && !domain->bit(z % domain->shape().z, at / shape.x, at % shape.x)) {
        finish();
      } else {
        line.push_back(values[at]);
      }
    });
    finish();
    samples += places.count();
  }
  return samples;
}

}  // namespace

LineSpectrum line_spectrum(const Context& context, const Shape& shape, const LineSpectrumTask& task, Stage& stage) {
  constexpr std::int64_t lines_a_task = 64;
  const TracedLines lines = trace_lines(task.angle, shape);
  const std::int64_t end = lines.last + 1;
  const std::int64_t tasks = (end - lines.first + lines_a_task - 1) / lines_a_task;
  LineSpectrum all;
  std::mutex joining;
  std::vector<std::int64_t> values(static_cast<std::size_t>(shape.y * shape.x));
  for (std::int64_t z = 0; z < shape.z; ++z) {
    task.values(z, values.data());
    parallel_for(context, tasks, [&](std::int64_t part) {
      Cords cords(task);
      const std::int64_t first = lines.first + part * lines_a_task;
      stage.advance(
          add_lines(lines, shape, first, std::min(first + lines_a_task, end), values.data(), task.domain, z, cords));
      const std::lock_guard lock(joining);
      cords.join(all);
    });
  }
  return all;
}

}  // namespace tamis::line_detail
