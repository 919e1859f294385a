// tamis element: what a spec means.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include <tamis/tamis.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/filter.hpp"
#include "cli/input/image.hpp"
#include "cli/output/files.hpp"

namespace tamis::cli {
namespace {

struct ElementFlags {
  std::string spec;
  std::string out;
  InputFlags input;      ///< how the file of a mask is read
  ComputeFlags compute;  ///< memory and quiet only
};

/// Rows of the middle slice: '#' in, '.' out, 'O' and 'o' at the origin.
std::string picture(const OffsetSet& set) {
  const OffsetBox& box = set.box();
  std::string text;
  for (std::int64_t y = box.low.y; y <= box.high.y; ++y) {
    text += "  ";
    for (std::int64_t x = box.low.x; x <= box.high.x; ++x) {
      const bool in = set.contains({0, y, x});
      const bool origin = y == 0 && x == 0;
      text += origin ? (in ? 'O' : 'o') : (in ? '#' : '.');
      if (x < box.high.x) text += ' ';
    }
    text += '\n';
  }
  return text;
}

std::string range_text(std::int64_t low, std::int64_t high) { return fmt::format("{} to {}", low, high); }

void print(const StructuringElement& element, const OffsetSet& set, int rank) {
  const OffsetBox& box = set.box();
  fmt::print("{}: {} offsets, x {}, y {}{}\n", element.spec(), set.count(), range_text(box.low.x, box.high.x),
             range_text(box.low.y, box.high.y), rank == 3 ? ", z " + range_text(box.low.z, box.high.z) : "");
  constexpr std::int64_t most_columns = 61;
  const bool fits = box.high.x - box.low.x < most_columns && box.high.y - box.low.y < most_columns;
  if (fits && box.low.z <= 0 && box.high.z >= 0) fmt::print("{}", picture(set));
}

/// The mask of a set, drawn when it is asked for: a set is small where its mask fills a disk.
class MaskSource final : public SliceSource {
 public:
  MaskSource(const OffsetSet& set, int rank) : set_(set) {
    const Offset extent = set.box().high - set.box().low;
    layout_ = {Type::U8, {extent.z + 1, extent.y + 1, extent.x + 1, rank}, 1, {}};
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    const Offset& low = set_.box().low;
    const Shape& shape = layout_.shape;
    std::memset(out, 0, static_cast<std::size_t>(count * shape.y * shape.x));
    const Offset first{low.z + z0, low.y, low.x};
    const auto by_start = [](const OffsetSet::Run& run, const Offset& wanted) { return run.start < wanted; };
    auto run = std::lower_bound(set_.runs().begin(), set_.runs().end(), first, by_start);
    for (; run != set_.runs().end() && run->start.z < low.z + z0 + count; ++run) {
      const Offset at = run->start - first;
      std::memset(out + (at.z * shape.y + at.y) * shape.x + at.x, 255, static_cast<std::size_t>(run->length));
    }
  }

 private:
  const OffsetSet& set_;
  Layout layout_;
};

/// Slices are written whole.
void require_room(const Shape& shape, std::int64_t memory_bytes, const std::string& spec) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  const std::int64_t slice = OffsetBox{{}, {0, shape.y - 1, shape.x - 1}}.count();
  const std::int64_t limit = memory_bytes > 0 ? std::min(most, memory_bytes) : most;
  if (slice <= limit) return;
  throw InputError(fmt::format("{}: a mask of {}, {} MiB a slice; wanted at most {} MiB", spec, to_string(shape),
                               (slice >> 20) + 1, limit >> 20));
}

void run(const ElementFlags& flags, Session& session) {
  const Context context = flags.compute.context(session);
  const StructuringElement element = parse_element(flags.spec, for_any_file(flags.input.read(), context.cancel));
  const int rank = element.rank() == 3 ? 3 : 2;
  Outputs outputs(session);
  if (!flags.out.empty()) outputs.declare("out", flags.out);
  const OffsetSet set = element.sum(rank, {.cancel = context.cancel});
  if (!flags.out.empty()) {
    MaskSource mask(set, rank);
    require_room(mask.layout().shape, context.memory_bytes, flags.spec);
    outputs.check_format(flags.out, mask.layout());
    copy(context, mask, *outputs.create(flags.out, mask.layout()));
    outputs.commit();
    session.progress.clear();
  }
  if (!flags.compute.quiet) print(element, set, rank);
}

}  // namespace

void add_element_command(const Command& program, Session& session) {
  const auto flags = std::make_shared<ElementFlags>();
  const Command command = program.add_command("element", "show a structuring element, or write it as a mask");
  command.add_argument({"spec", "SPEC", element_forms()}, flags->spec);
  command.add_optional_argument({"out", "FILE", "a mask, 255 in the element; the ending chooses the format"},
                                flags->out);
  flags->input.add_for_any_file_to(command);
  flags->compute.add_memory_to(command);
  flags->compute.add_quiet_to(command);
  add_writing(command, session);
  command.show_examples(
      "tamis element disk:4.5\n"
      "tamis element 'reflect(line:21@30)+square:2'\n"
      "tamis element ball:12 ball.tif");
  command.run([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
