// tamis element: what a spec means.
#include <fmt/format.h>

#include <tamis/tamis.hpp>

#include "commands.hpp"
#include "filter.hpp"
#include "streaming.hpp"

namespace tamis::cli {
namespace {

struct ElementFlags {
  std::string spec;
  std::string out;
  bool quiet = false;
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

Image mask_of(const OffsetSet& set, int rank) {
  const OffsetBox& box = set.box();
  const Offset extent = box.high - box.low;
  Image mask(Type::Bool, {extent.z + 1, extent.y + 1, extent.x + 1, rank});
  for (const Offset& offset : set.offsets()) {
    const Offset at = offset - box.low;
    mask.row<std::uint64_t>(at.z, at.y)[at.x / 64] |= std::uint64_t{1} << (at.x % 64);
  }
  return mask;
}

void run(const ElementFlags& flags, const Session& session) {
  const StructuringElement element = parse_element(flags.spec);
  const int rank = element.rank() == 3 ? 3 : 2;
  Outputs outputs(session);
  if (!flags.out.empty()) outputs.declare("out", flags.out);
  const OffsetSet set = element.sum(rank);
  if (!flags.out.empty()) {
    const Image mask = mask_of(set, rank);
    const Layout layout{Type::U8, mask.shape(), 1, {}};
    outputs.check_format(flags.out, layout);
    copy({}, *black_and_white(mask), *outputs.create(flags.out, layout));
    outputs.commit();
  }
  if (!flags.quiet) print(element, set, rank);
}

}  // namespace

void add_element_command(CLI::App& program, Session& session) {
  const auto flags = std::make_shared<ElementFlags>();
  CLI::App& app = *program.add_subcommand("element", "show a structuring element, or write it as a mask");
  app.add_option("spec", flags->spec,
                 "square:N, rect:WxH, cube:N, box:WxHxD, cross:R, disk:R, ball:R, circle:R, octagon:R, hexagon:R, "
                 "line:L@A, line:L@A,E, file:mask.png[@ox,oy]; reflect(S), shift(S,dx,dy[,dz]), S+T")
      ->required()
      ->type_name("SPEC");
  app.add_option("out", flags->out, "a mask, 255 in the element; the ending chooses the format")->type_name("FILE");
  app.add_flag("-q,--quiet", flags->quiet, "say nothing but errors")->group("Running");
  app.footer(
      "tamis element disk:4.5\n"
      "tamis element 'reflect(line:21@30)+square:2'\n"
      "tamis element ball:12 ball.tif");
  app.callback([flags, &session] { run(*flags, session); });
}

}  // namespace tamis::cli
