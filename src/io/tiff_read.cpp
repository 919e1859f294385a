// TIFF stacks: all pages of a file as one volume.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include <tamis/error.hpp>

#include "io/flat.hpp"
#include "io/format.hpp"
#include "io/samples.hpp"
#include "io/tiff_directory.hpp"
#include "io/tiff_metadata.hpp"
#include "io/tiff_page.hpp"
#include "io/tiff_write.hpp"

namespace tamis::io {
namespace {

/// Pages that libtiff has to decode.
class TiffSource final : public Source {
 public:
  TiffSource(TiffFile file, std::vector<std::uint64_t> directories, const Layout& layout, std::string description)
      : Source(file.path(), layout, std::move(description)),
        file_(std::move(file)),
        directories_(std::move(directories)) {}

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    for (std::int64_t z = z0; z < z0 + count; ++z, out += slice_bytes()) {
      file_.select(directories_[static_cast<std::size_t>(z)], z + 1);
      const TiffPage page = inspect_page(file_);
      // open() saw the same type and size; a file that changes while it is read must not overrun the buffer.
      if (page.channels != layout().channels || page.type != layout().type || page.width != layout().shape.x ||
          page.height != layout().shape.y) {
        file_.fail("the file has changed since it was opened");
      }
      decode_page(file_, page, out);
    }
  }

  TiffFile file_;
  std::vector<std::uint64_t> directories_;
};

/// What a first look at all pages has found.
struct Stack {
  std::vector<std::uint64_t> directories;
  TiffPage first;
  std::vector<std::optional<std::int64_t>> flat;  ///< of each page
};

bool is_reduced(TiffFile& file) {
  std::uint32_t kind = 0;
  TIFFGetField(file.handle(), TIFFTAG_SUBFILETYPE, &kind);
  return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
}

void require_same(TiffFile& file, const TiffPage& first, const TiffPage& page) {
  const Layout a = first.layout();
  const Layout b = page.layout();
  if (a.type == b.type && a.shape == b.shape && a.channels == b.channels) return;
  const auto words = [](const Layout& l) {
    return fmt::format("{} {}{}", to_string(l.shape), name(l.type),
                       l.channels > 1 ? fmt::format(" with {} channels", l.channels) : "");
  };
  file.fail(fmt::format("got {}, wanted {} as on the first page", words(b), words(a)));
}

Stack inspect_stack(TiffFile& file, const std::vector<std::uint64_t>& directories) {
  Stack stack;
  std::int64_t number = 0;
  for (const std::uint64_t directory : directories) {
    file.select(directory, ++number);
    if (is_reduced(file)) continue;
    TiffPage page = inspect_page(file);
    stack.flat.push_back(flat_offset(file, page));
    if (stack.directories.empty()) {
      stack.first = std::move(page);
    } else {
      require_same(file, stack.first, page);
    }
    stack.directories.push_back(directory);
  }
  if (stack.directories.empty()) {
    throw InputError(fmt::format("{}: got only thumbnails and masks, wanted an image", file.path()));
  }
  return stack;
}

/// The one distance between the samples of successive pages, if there is one.
std::optional<std::int64_t> flat_stride(const Stack& stack, std::int64_t page_bytes) {
  for (const std::optional<std::int64_t>& offset : stack.flat) {
    if (!offset) return std::nullopt;
  }
  if (stack.flat.size() == 1) return page_bytes;
  const std::int64_t stride = *stack.flat[1] - *stack.flat[0];
  for (std::size_t i = 1; i < stack.flat.size(); ++i) {
    if (*stack.flat[i] - *stack.flat[i - 1] != stride) return std::nullopt;
  }
  return stride;
}

/// ImageJ writes stacks over 4 GB as one page followed by all other slices. Returns the number of slices.
std::int64_t check_image_count(const MappedFile& file, const Stack& stack, const TiffMetadata& metadata) {
  const auto pages = static_cast<std::int64_t>(stack.directories.size());
  if (metadata.channels > 1) {
    throw InputError(fmt::format("{}: an ImageJ hyperstack of {} channels; wanted one: split the channels first",
                                 file.path(), metadata.channels));
  }
  if (metadata.images <= pages) return pages;
  if (pages > 1 || !stack.flat.front()) {
    throw InputError(
        fmt::format("{}: got {} pages, wanted {} as the file says of itself", file.path(), pages, metadata.images));
  }
  Layout layout = stack.first.layout();
  layout.shape.z = metadata.images;
  const std::int64_t wanted = checked_bytes(file.path(), layout);
  if (wanted > file.size() - *stack.flat.front()) {
    throw InputError(fmt::format("{}: truncated TIFF: got {} bytes of samples, wanted {} ({} images, as the file says)",
                                 file.path(), file.size() - *stack.flat.front(), wanted, metadata.images));
  }
  return metadata.images;
}

std::unique_ptr<Source> open_tiff(const std::string& path, const ReadOptions&) {
  MappedFile map(path);
  const TiffChain chain = tiff_chain(map);
  TiffFile file(path, map.size());
  Stack stack = inspect_stack(file, chain.directories);
  file.select(stack.directories.front(), 1);
  const TiffMetadata metadata = tiff_metadata(file, 3);
  Layout layout = stack.first.layout();
  layout.shape.z = check_image_count(map, stack, metadata);
  layout.shape.rank = layout.shape.z > 1 ? 3 : 2;
  layout.spacing = layout.shape.rank == 3 ? metadata.spacing : tiff_metadata(file, 2).spacing;
  check_expansion(path, layout, map.size(), tiff_ratio);
  const std::string pages = layout.shape.z > 1 ? fmt::format(", {} pages", layout.shape.z) : "";
  const std::string description = fmt::format("{}{}{}", chain.big ? "Big" : "", stack.first.description(), pages);
  const std::optional<std::int64_t> stride = flat_stride(stack, checked_bytes(path, stack.first.layout()));
  if (stride) {
    const bool swapped = chain.swapped && sample_bytes(layout.type) > 1;
    return open_flat(std::move(map), {*stack.flat.front(), *stride, swapped}, layout, description);
  }
  return std::make_unique<TiffSource>(std::move(file), std::move(stack.directories), layout, description);
}

bool is_tiff(std::string_view head) {
  using namespace std::string_view_literals;
  return head.starts_with("II*\0"sv) || head.starts_with("MM\0*"sv) || head.starts_with("II+\0"sv) ||
         head.starts_with("MM\0+"sv);
}

}  // namespace

const Format tiff_format{"TIFF", {".tif", ".tiff"}, is_tiff, open_tiff, create_tiff};

}  // namespace tamis::io
