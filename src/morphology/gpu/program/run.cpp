#include "morphology/gpu/kernels.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "morphology/gpu/program/linear.hpp"

namespace tamis::morphology_detail::gpu {
namespace {

/// A run is made of so many shorter ones at a time.
constexpr std::int64_t most_of_run = 8;

std::int64_t bits_of(Type type) {
  if (type == Type::Bool) return 1;
  return 8 * sample_bytes(type);
}

/// Bits of the line, first to last, both inside.
struct Range {
  std::int64_t first = 0, last = -1;

  void include(const Range& other) {
    if (other.last < other.first) return;
    if (last < first) {
      *this = other;
      return;
    }
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
  [[nodiscard]] Range moved(std::int64_t by) const { return {first + by, last + by}; }
};

/// Words of a line that hold a range, between margins.
class Line {
 public:
  Line(const cuda::Stream& stream, const Range& range)
      : first_word_(floor_word(range.first)),
        words_(floor_word(range.last) - first_word_ + 1),
        memory_(stream, words_ + std::int64_t{2} * line_margin) {}

  [[nodiscard]] std::int64_t first_word() const { return first_word_; }
  [[nodiscard]] std::int64_t words() const { return words_; }
  /// Word 0 of the line, which may lie outside of the memory.
  [[nodiscard]] std::uint32_t* origin() const { return memory_.data() + line_margin - first_word_; }

  static std::int64_t floor_word(std::int64_t bit) { return bit >= 0 ? bit / 32 : -((-bit + 31) / 32); }

 private:
  std::int64_t first_word_, words_;
  cuda::DeviceBuffer<std::uint32_t> memory_;
};

/// A part of the image, as a line: `rows` rows a slice with what lies around it.
struct Frame {
  std::int64_t z = 0, nz = 0, y = 0, ny = 0;
  std::int64_t pitch_words = 0, rows = 0, slices = 0;
  std::int64_t sample_bits = 8;

  [[nodiscard]] std::int64_t distance(const Offset& offset) const {
    return (offset.z * rows + offset.y) * pitch_words * 32 + offset.x * sample_bits;
  }
  [[nodiscard]] Range all() const { return {0, slices * rows * pitch_words * 32 - 1}; }
};

class PartRun {
 public:
  PartRun(const cuda::Stream& stream, const Step& step, Type type, const Frame& frame)
      : stream_(stream), step_(step), type_(type), frame_(frame) {}

  /// From the input, whose first sample is that of the frame, to a line that begins with the result's.
  Line run(const Line& input) {
    const std::vector<Node>& nodes = step_.program.nodes;
    const Offset low = step_.set.box().low;
    input_ = &input;
    input_shift_ = -frame_.distance(low);
    find_ranges();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      lines_.emplace(static_cast<int>(i), compute(nodes[i], ranges_[i]));
      std::erase_if(lines_, [&](const auto& line) { return last_use_[static_cast<std::size_t>(line.first)] <= i; });
    }
    return std::move(lines_.at(static_cast<int>(nodes.size()) - 1));
  }

 private:
  /// What is needed of each node, from the last one backwards, and until when.
  void find_ranges() {
    const std::vector<Node>& nodes = step_.program.nodes;
    ranges_.assign(nodes.size(), {});
    last_use_.assign(nodes.size(), 0);
    // Of the last row no more than the samples of the image: the input ends where those of the border end.
    const OffsetBox& box = step_.set.box();
    const Offset last{frame_.nz - 1, frame_.ny - 1, box.low.x - box.high.x};
    ranges_.back() = {0, frame_.distance(last) + frame_.pitch_words * 32 - 1};
    last_use_.back() = nodes.size();
    for (std::size_t i = nodes.size(); i-- > 0;) {
      for (const Term& term : nodes[i].terms) {
        if (term.source == program_input) continue;
        const auto source = static_cast<std::size_t>(term.source);
        Range range = ranges_[i].moved(frame_.distance(term.shift));
        range.last += (nodes[i].length - 1) * unit(nodes[i].axis);
        ranges_[source].include(range);
        last_use_[source] = std::max(last_use_[source], i);
      }
    }
  }

  [[nodiscard]] std::int64_t unit(Axis axis) const {
    Offset one;
    along(one, axis) = 1;
    return frame_.distance(one);
  }

  [[nodiscard]] LinearTerm term_of(const Term& term) const {
    const std::int64_t shift = frame_.distance(term.shift);
    if (term.source == program_input) return {input_->origin(), shift + input_shift_};
    return {lines_.at(term.source).origin(), shift};
  }

  Line compute(const Node& node, const Range& range) {
    std::vector<LinearTerm> terms;
    if (node.length == 1) {
      for (const Term& term : node.terms) terms.push_back(term_of(term));
      return extremum(terms, range);
    }
    // A run: of 1, 8, 64 ... samples, the last step overlapping.
    const std::int64_t step = unit(node.axis);
    LinearTerm source = term_of(node.terms.front());
    std::vector<Line> stages;
    for (std::int64_t have = 1; have < node.length;) {
      const std::int64_t next = std::min(node.length, most_of_run * have);
      terms.clear();
      for (std::int64_t from = 0; from < next; from += have) {
        terms.push_back({source.source, source.bits + std::min(from, next - have) * step});
      }
      stages.push_back(extremum(terms, {range.first, range.last + (node.length - next) * step}));
      source = {stages.back().origin(), 0};
      have = next;
    }
    return std::move(stages.back());
  }

  Line extremum(const std::vector<LinearTerm>& terms, const Range& range) {
    Line line(stream_, range);
    for (std::size_t first = 0; first < terms.size(); first += LinearTask::most_terms) {
      LinearTask task;
      task.count = static_cast<int>(std::min<std::size_t>(terms.size() - first, LinearTask::most_terms));
      for (int i = 0; i < task.count; ++i) {
        task.term[i] = terms[first + static_cast<std::size_t>(i)];
        task.term[i].source += line.first_word();
      }
      task.and_before = first > 0;
      task.to = line.origin() + line.first_word();
      task.words = line.words();
      task.order = step_.order;
      task.type = type_;
      linear_extremum(stream_, task);
    }
    return line;
  }

  const cuda::Stream& stream_;
  const Step& step_;
  Type type_;
  Frame frame_;
  const Line* input_ = nullptr;
  std::int64_t input_shift_ = 0;
  std::vector<Range> ranges_;
  std::vector<std::size_t> last_use_;
  std::map<int, Line> lines_;
};

/// The parts of an image: slices where the element is solid or slices are small, otherwise rows of one slice.
std::vector<Frame> frames_of(const OffsetBox& box, int rank, Type type, const Shape& shape) {
  constexpr std::int64_t wanted_bytes = 12 << 20;  // a few lines of it fit into the cache of a large GPU
  Frame frame;
  frame.sample_bits = bits_of(type);
  frame.pitch_words = ((shape.x + box.high.x - box.low.x) * frame.sample_bits + 31) / 32;
  const std::int64_t more_rows = box.high.y - box.low.y;
  const std::int64_t more_slices = box.high.z - box.low.z;
  const std::int64_t row_bytes = frame.pitch_words * 4;
  const std::int64_t slice_bytes = row_bytes * (shape.y + more_rows);
  const bool by_rows = rank == 2 && slice_bytes > wanted_bytes;
  const std::int64_t ny =
      by_rows ? std::clamp<std::int64_t>(wanted_bytes / row_bytes - more_rows, std::max<std::int64_t>(more_rows, 64),
                                         std::max<std::int64_t>(more_rows, std::max<std::int64_t>(shape.y, 64)))
              : shape.y;
  const std::int64_t nz =
      by_rows ? 1 : std::max(wanted_bytes / slice_bytes - more_slices, std::max<std::int64_t>(more_slices, 1));
  std::vector<Frame> frames;
  for (frame.z = 0; frame.z < shape.z; frame.z += nz) {
    for (frame.y = 0; frame.y < shape.y; frame.y += ny) {
      frame.nz = std::min(nz, shape.z - frame.z);
      frame.ny = std::min(ny, shape.y - frame.y);
      frame.rows = frame.ny + more_rows;
      frame.slices = frame.nz + more_slices;
      frames.push_back(frame);
    }
  }
  return frames;
}

}  // namespace

/// Measured on an H200.
double cost_of_lines(const Program& program) {
  constexpr double of_part = 8, of_node = 2;
  double terms = of_part;
  for (const Node& node : program.nodes) {
    terms += of_node + static_cast<double>(node.terms.size());
    for (std::int64_t have = 1; have < node.length; have *= most_of_run) {
      terms += static_cast<double>(std::min(most_of_run, (node.length + have - 1) / have));
    }
  }
  return terms;
}

void run_program(const cuda::Stream& stream, const Step& step, int rank, const StepTask& task) {
  const OffsetBox& box = step.set.box();
  for (const Frame& frame : frames_of(box, rank, task.type, task.shape)) {
    PaddedPart part;
    part.image = task.from;
    part.type = task.type;
    part.shape = task.shape;
    part.z = frame.z + box.low.z;
    part.y = frame.y + box.low.y;
    part.x = box.low.x;
    part.nz = frame.slices;
    part.ny = frame.rows;
    part.pitch_words = frame.pitch_words;
    part.border = task.border;
    part.order = step.order;
    const Line input(stream, frame.all());
    fill_line(stream, part, input.origin());
    const Line result = PartRun(stream, step, task.type, frame).run(input);
    part.image = task.to;
    part.z = frame.z;
    part.y = frame.y;
    part.x = 0;
    part.nz = frame.nz;
    part.ny = frame.ny;
    part.rows_of_slice = frame.rows;
    empty_line(stream, part, result.origin());
  }
}

}  // namespace tamis::morphology_detail::gpu
