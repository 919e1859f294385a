// TIFF stacks: all pages of a file as one volume. Directories and uncompressed samples are read here, by code of ours
// alone; what is compressed goes to libtiff (io/confined/tiff_decoder.cpp).
#include <utility>

#include "io/confined/decoder.hpp"
#include "io/samples.hpp"
#include "io/tiff/tiff.hpp"

namespace tamis::io {
namespace {

/// Channels that have pages of their own, interleaved as the samples of a pixel are.
std::unique_ptr<Source> interleaved(std::unique_ptr<Source> source, int channels) {
  const std::shared_ptr<Source> pages = std::move(source);
  Layout layout = pages->layout();
  const std::int64_t pixel = layout.channels * sample_bytes(layout.type);
  const std::int64_t pixels = layout.shape.y * layout.shape.x;
  layout.shape.z /= channels;
  layout.channels *= channels;
  return read_by(pages->path(), layout, pages->description(),
                 [=, page = std::vector<std::byte>()](std::int64_t z0, std::int64_t count, std::byte* out) mutable {
                   page.resize(static_cast<std::size_t>(pages->slice_bytes()));
                   for (std::int64_t z = z0; z < z0 + count; ++z, out += channels * pixels * pixel) {
                     for (int c = 0; c < channels; ++c) {
                       pages->read(z * channels + c, 1, page.data());
                       copy_row(pixel, page.data(), pixel, out + c * pixel, channels * pixel, pixels);
                     }
                   }
                 });
}

/// libtiff decodes, in a process that reads the same directories with the same code.
std::unique_ptr<Source> open_compressed(const MappedFile& map, const TiffStack& stack, const ReadOptions& options,
                                        const SharedDecoder& decoder) {
  std::unique_ptr<Source> source = open_remote(Decoder::Tiff, map.path(), options, decoder);
  const Layout& got = source->layout();
  const Layout& wanted = stack.layout;
  if (got.shape != wanted.shape || got.type != wanted.type || got.channels != wanted.channels) {
    refuse("{}: the file has changed since it was opened", map.path());
  }
  source->set_spacing(wanted.spacing);
  return source;
}

std::unique_ptr<Source> open_stack(MappedFile map, const TiffStack& stack, const ReadOptions& options,
                                   const SharedDecoder& decoder) {
  if (stack.flat) return open_flat(std::move(map), *stack.flat, stack.layout, stack.description, options.cancel);
  if (stack.compressed) return open_compressed(map, stack, options, decoder);
  return open_planes(std::move(map), stack, options.cancel,
                     [](const TiffDirectory& directory, std::uint64_t, const TiffPage& page, std::byte* out) {
                       decode_uncompressed(directory, page, out);
                     });
}

std::unique_ptr<Source> open_tiff_file(const std::string& path, const ReadOptions& options,
                                       const SharedDecoder& decoder) {
  MappedFile map(path);
  const TiffStack stack = inspect_tiff(TiffFile(map), options);
  std::unique_ptr<Source> source = open_stack(std::move(map), stack, options, decoder);
  if (stack.alpha) source = without_alpha(std::move(source), options);
  if (stack.interleaved > 1) source = interleaved(std::move(source), stack.interleaved);
  if (stack.sample) {
    source = select_channel(std::move(source), std::to_string(*stack.sample));
    source->notes.channel_chosen = true;
  }
  source->halves = stack.halves;
  source->notes.orientation = stack.orientation;
  return source;
}

bool is_tiff(std::string_view head) {
  using namespace std::string_view_literals;
  return head.starts_with("II*\0"sv) || head.starts_with("MM\0*"sv) || head.starts_with("II+\0"sv) ||
         head.starts_with("MM\0+"sv);
}

}  // namespace

const Format tiff_format{"TIFF", {".tif", ".tiff"}, is_tiff, open_tiff_file, create_tiff, true, false, true};

}  // namespace tamis::io
