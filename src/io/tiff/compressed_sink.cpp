// Compressed TIFF: strips in their order, then the directories, which only then are known, and at last the head, which says
// where they are.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "io/output/file_sink.hpp"
#include "io/output/place.hpp"
#include "io/refuse.hpp"
#include "io/tiff/strip_codec.hpp"
#include "io/tiff/write.hpp"
#include "io/tiff/written_directory.hpp"

namespace tamis::io {
namespace {

/// Of samples: enough strips for all threads, and enough in each for the codec.
constexpr std::int64_t strip_bytes = std::int64_t{512} << 10;
/// What is compressed before it is written.
constexpr std::int64_t batch_bytes = std::int64_t{16} << 20;

/// Refuses a pipe before it is opened, which would wait for somebody who reads it.
const Target& no_pipe(const Target& target) {
  if (!output_place(target.path).direct) return target;
  refuse("{}: a compressed TIFF cannot be written to a pipe or device, whose start is gone when its end is known; wanted a file, or no `compress`", target.path);
}

class CompressedTiffSink final : public FileSink {
 public:
  CompressedTiffSink(const Target& target, const Layout& layout)
      : FileSink(no_pipe(target), layout),
        row_bytes_(layout.shape.x * layout.channels * sample_bytes(layout.type)),
        codec_{*target.options.compress, layout.type, layout.shape.x * layout.channels, layout.channels} {
    tiff_.compression = codec_.tag();
    tiff_.strip_rows = std::clamp<std::int64_t>(strip_bytes / row_bytes_, 1, layout.shape.y);
    file().write(std::string(tiff_head_bytes, '\0'));
  }

 private:
  void write_slices(const std::byte* slices, std::int64_t count) override {
    const std::int64_t height = layout().shape.y;
    const std::int64_t strips = (height - 1) / tiff_.strip_rows + 1;  // of a slice
    const auto strip = [&](std::int64_t i) {
      const std::int64_t row = i % strips * tiff_.strip_rows;
      const std::int64_t rows = std::min(tiff_.strip_rows, height - row);
      const std::byte* const first = slices + (i / strips * height + row) * row_bytes_;
      return std::span(first, static_cast<std::size_t>(rows * row_bytes_));
    };
    if (tiff_.strip_offsets.empty()) choose_predictor(strip(count * strips / 2));
    const std::int64_t batch = std::max<std::int64_t>(1, batch_bytes / (tiff_.strip_rows * row_bytes_));
    std::vector<std::vector<std::byte>> packed;
    for (std::int64_t i = 0; i < count * strips; i += batch) {
      file().check_cancel();
      packed.resize(static_cast<std::size_t>(std::min(batch, count * strips - i)));
      parallel_for(Context{}, static_cast<std::int64_t>(packed.size()), [&](std::int64_t k) {
        packed[static_cast<std::size_t>(k)] = codec_.compressed(strip(i + k));
      });
      for (const std::vector<std::byte>& bytes : packed) {
        tiff_.strip_offsets.push_back(end_);
        tiff_.strip_bytes.push_back(bytes.size());
        append(bytes.data(), bytes.size());
      }
    }
  }

  void write_end() override {
    const std::string padding((8 - end_ % 8) % 8, '\0');
    append(padding.data(), padding.size());
    tiff_.big = needs_big_tiff(layout(), end_, static_cast<std::int64_t>(tiff_.strip_offsets.size()));
    const std::string head = tiff_head(tiff_.big, end_);
    file().write(tiff_directories(layout(), display(), tiff_, end_));
    file().write_at(0, reinterpret_cast<const std::byte*>(head.data()), static_cast<std::int64_t>(head.size()));
  }

  void choose_predictor(std::span<const std::byte> rows) {
    codec_.differences = differences_help(codec_, rows);
    if (codec_.differences) tiff_.predictor = 2;
  }

  void append(const void* bytes, std::size_t count) {
    file().write(bytes, static_cast<std::int64_t>(count));
    end_ += count;
  }

  std::int64_t row_bytes_;
  StripCodec codec_;
  WrittenTiff tiff_;
  std::uint64_t end_ = tiff_head_bytes;
};

}  // namespace

std::unique_ptr<SliceSink> create_compressed_tiff(const Target& target, const Layout& layout) {
  return std::make_unique<CompressedTiffSink>(target, layout);
}

}  // namespace tamis::io
