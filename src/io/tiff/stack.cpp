#include "io/tiff/tiff.hpp"

#include <tiff.h>

#include <unordered_set>
#include <utility>

#include "io/checked.hpp"
#include "io/header_text.hpp"
#include "io/samples.hpp"
#include "io/upright.hpp"

namespace tamis::io {
namespace {

/// What a walk along all directories has found.
struct Walk {
  std::vector<TiffPlane> images;                  ///< thumbnails and masks left out
  std::vector<std::int64_t> image_of;             ///< for each directory; -1 for thumbnails and masks
  std::vector<std::optional<std::int64_t>> flat;  ///< of each image
  std::optional<TiffDirectory> first_directory;
  TiffPage first;
  bool compressed = false;
};

bool is_reduced(const TiffDirectory& directory) {
  const std::uint64_t kind = directory.number(TIFFTAG_SUBFILETYPE, 0);
  if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0) return true;
  return directory.number(TIFFTAG_OSUBFILETYPE, OFILETYPE_IMAGE) == OFILETYPE_REDUCEDIMAGE;
}

bool same(const Layout& a, const Layout& b) {
  return a.type == b.type && a.shape.x == b.shape.x && a.shape.y == b.shape.y && a.channels == b.channels;
}

void require_same(const TiffDirectory& directory, const TiffPage& first, const TiffPage& page) {
  if (same(first.layout(), page.layout()) && first.halves == page.halves) return;
  directory.fail("got {}, wanted {} as on the first page", to_string(page.layout()), to_string(first.layout()));
}

/// Honest directories do not share bytes. Those of a hostile file may, so that a small file has no end.
class Budget {
 public:
  explicit Budget(const TiffFile& file) : file_(file) {}
  void spend(std::int64_t page, std::int64_t bytes) {
    spent_ = spent_ + bytes;
    if (spent_.at_most(file_.size())) return;
    refuse("{}: corrupt TIFF: the directories up to page {} share bytes; wanted each for itself", file_.path(), page);
  }

 private:
  const TiffFile& file_;
  Checked spent_ = 0;
};

void add_page(const TiffDirectory& directory, std::uint64_t offset, Budget& budget, Walk& walk) {
  if (is_reduced(directory)) {
    walk.image_of.push_back(-1);
    return;
  }
  TiffPage page = inspect_page(directory);
  // A table of strips takes two bytes a strip at least.
  budget.spend(directory.page(), page.segments() > 1 ? 2 * page.segments() : 0);
  walk.compressed = walk.compressed || page.compressed();
  walk.flat.push_back(flat_offset(directory, page));
  walk.image_of.push_back(static_cast<std::int64_t>(walk.images.size()));
  if (walk.images.empty()) {
    walk.first = std::move(page);
    walk.first_directory = directory;
  } else {
    require_same(directory, walk.first, page);
  }
  walk.images.push_back({offset, directory.page()});
}

Walk walk_directories(const TiffFile& file, const std::stop_token& cancel) {
  Walk walk;
  Budget budget(file);
  std::unordered_set<std::uint64_t> seen;
  std::int64_t number = 0;
  for (std::uint64_t offset = file.first_directory(); offset != 0;) {
    if (cancel.stop_requested()) throw Cancelled();
    if (!seen.insert(offset).second) {
      refuse("{}: corrupt TIFF: page {} points back to an earlier one", file.path(), number);
    }
    const TiffDirectory directory(file, offset, ++number);
    budget.spend(number, directory.bytes());
    add_page(directory, offset, budget, walk);
    offset = directory.next();
  }
  if (walk.images.empty()) refuse("{}: got only thumbnails and masks, wanted an image", file.path());
  return walk;
}

/// Which planes to read: `count` of them, from `first` on, `step` apart.
struct Choice {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 1;
};

/// A channel that is a number leaves the pages of all others unread; luma and what is no channel is left to the caller.
Choice choose_planes(const TiffSeries& series, std::int64_t time, int samples, const std::string& channel,
                     TiffStack& stack) {
  Choice choice{time * series.slices * series.channels, 1, series.slices * series.channels};
  const std::optional<std::int64_t> number = whole_number(channel);
  if (series.channels > 1 && number && *number >= 0 && *number / samples < series.channels) {
    choice = {choice.first + *number / samples, series.channels, series.slices};
    stack.sample = static_cast<int>(*number % samples);
  } else {
    stack.interleaved = static_cast<int>(series.channels);
  }
  return choice;
}

void list_planes(const TiffFile& file, const Walk& walk, const TiffSeries& series, const Choice& choice,
                 TiffStack& stack) {
  for (std::int64_t i = 0; i < choice.count; ++i) {
    std::int64_t image = choice.first + i * choice.step;
    if (!series.image.empty()) {
      const std::int64_t directory = series.image[static_cast<std::size_t>(image)];
      image = walk.image_of[static_cast<std::size_t>(directory)];
      if (image < 0) {
        refuse("{}: its OME header has a plane on page {}, which is a thumbnail or a mask", file.path(), directory + 1);
      }
    }
    stack.planes.push_back(walk.images[static_cast<std::size_t>(image)]);
    const std::optional<std::int64_t> flat = walk.flat[static_cast<std::size_t>(image)];
    if (i == 0 && flat) stack.flat = FlatPlace{*flat, 0, file.swapped()};
    if (i == 1 && flat && stack.flat) stack.flat->slice_stride = *flat - stack.flat->offset;
    if (!flat || (stack.flat && *flat != stack.flat->offset + i * stack.flat->slice_stride)) stack.flat.reset();
  }
}

std::string describe(const TiffFile& file, const Walk& walk, const TiffSeries& series, std::int64_t time) {
  std::string text = fmt::format("{}TIFF, {}", file.big() ? "Big" : "", walk.first.description());
  const std::int64_t pages = series.one_page ? series.planes() : static_cast<std::int64_t>(walk.images.size());
  if (pages > 1) text += fmt::format(", {} pages", pages);
  if (series.channels > 1 || series.times > 1) {
    text += fmt::format(" ({} slice(s), {} channel(s), {} time(s); this is time {})", series.slices,
                        series.channels * walk.first.channels, series.times, time);
  }
  return text;
}

}  // namespace

TiffStack inspect_tiff(const TiffFile& file, const ReadOptions& options) {
  const Walk walk = walk_directories(file, options.cancel);
  TiffSeries series = tiff_series({*walk.first_directory, walk.first, static_cast<std::int64_t>(walk.images.size()),
                                   static_cast<std::int64_t>(walk.image_of.size()), walk.flat.front()});
  series.turn(file.path(), options.axes);
  if (!(Checked(series.channels) * walk.first.channels).at_most(INT32_MAX)) {
    refuse("{}: got {} channels, wanted fewer than 2^31", file.path(), series.channels);
  }
  const std::int64_t time = choose_time(file.path(), series.times, options.time);
  TiffStack stack;
  const Choice choice = choose_planes(series, time, walk.first.channels, options.channel, stack);
  stack.layout = walk.first.layout();
  const std::int64_t page_bytes = checked_bytes(file.path(), stack.layout);
  if (series.one_page) {
    stack.flat = FlatPlace{*walk.flat.front() + choice.first * page_bytes, choice.step * page_bytes, file.swapped()};
  } else {
    list_planes(file, walk, series, choice, stack);
  }
  if (stack.flat && choice.count == 1) stack.flat->slice_stride = page_bytes;
  if (stack.flat && sample_bytes(stack.layout.type) == 1) stack.flat->swapped = false;
  stack.layout.shape.z = choice.count;
  stack.layout.shape.rank = series.slices > 1 ? 3 : 2;
  stack.layout.spacing = series.slices > 1 ? series.spacing_3d : series.spacing_2d;
  check_expansion(file.path(), stack.layout, file.size(), tiff_ratio(walk.compressed));
  stack.description = describe(file, walk, series, time);
  stack.compressed = walk.compressed;
  stack.halves = walk.first.halves;
  stack.alpha = walk.first.alpha && !walk.first.inverted && !stack.sample && stack.interleaved == 1;
  stack.orientation = orientation_of(walk.first_directory->number(TIFFTAG_ORIENTATION, 1));
  return stack;
}

std::unique_ptr<Source> open_planes(MappedFile map, const TiffStack& stack, std::stop_token cancel, DecodePage decode) {
  const auto mapped = std::make_shared<const MappedFile>(std::move(map));
  const auto read = [mapped, stack, cancel = std::move(cancel), decode = std::move(decode)](
                        std::int64_t z0, std::int64_t count, std::byte* out) {
    const TiffFile file(*mapped);
    const Shape& shape = stack.layout.shape;
    const std::int64_t bytes = shape.y * shape.x * stack.layout.channels * sample_bytes(stack.layout.type);
    for (std::int64_t z = z0; z < z0 + count; ++z, out += bytes) {
      if (cancel.stop_requested()) throw Cancelled();
      const TiffPlane& plane = stack.planes[static_cast<std::size_t>(z)];
      const TiffDirectory directory(file, plane.directory, plane.page);
      const TiffPage page = inspect_page(directory);
      // open_file() saw the same type and size; a file that changes while it is read must not overrun the buffer.
      if (!same(page.layout(), stack.layout)) directory.fail("the file has changed since it was opened");
      decode(directory, plane.directory, page, out);
    }
  };
  return read_by(mapped->path(), stack.layout, stack.description, read);
}

}  // namespace tamis::io
