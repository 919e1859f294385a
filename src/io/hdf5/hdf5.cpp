// HDF5 without HDF5: a process says where a dataset lies in the file (io/confined/hdf5/storage.hpp), and the samples
// are read and inflated here, every chunk to its exact length, all cores at once.
// What is written goes to the process through shared memory, and comes back as the bytes of a file.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/cpu/parallel.hpp"
#include "core/system/mapped_file.hpp"
#include "io/checked.hpp"
#include "io/confined/decoder.hpp"
#include "io/confined/hdf5/storage.hpp"
#include "io/confined/process.hpp"
#include "io/flat/flat.hpp"
#include "io/format.hpp"
#include "io/output/output.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

class ChunkedSource final : public LayeredSource {
 public:
  ChunkedSource(MappedFile file, const std::string& path, const Opened& opened, const Hdf5Storage& storage,
                const ReadOptions& options, std::shared_ptr<DecoderProcess> process)
      : LayeredSource(path, opened.layout, opened.description, storage.chunk[0]),
        file_(std::move(file)),
        storage_(storage),
        options_(options),
        process_(std::move(process)) {}

 private:
  void decode(const SliceRange& range, std::byte* out) override {
    const std::int64_t layer = range.z0 / storage_.chunk[0];
    const auto across = storage_.chunks_across(layout().shape.y, layout().shape.x);
    const std::int64_t rows = across[0];
    const std::int64_t columns = across[1];
    const std::int64_t at_once = Hdf5Storage::most_at_once / columns;
    for (std::int64_t row = 0; row < rows; row += at_once) {
      const std::vector<Hdf5Chunk> chunks = ask_for_chunks(layer, row, std::min(at_once, rows - row), columns);
      parallel_for(Context{}, static_cast<std::int64_t>(chunks.size()), [&](std::int64_t i) {
        if (options_.cancel.stop_requested()) throw Cancelled();
        place(chunks[static_cast<std::size_t>(i)], {layer, row + i / columns, i % columns}, range, out);
      });
    }
  }

  std::vector<Hdf5Chunk> ask_for_chunks(std::int64_t layer, std::int64_t row, std::int64_t rows, std::int64_t columns) {
    if (process_->opened() == 0) {  // it was ended; its file is opened again
      static_cast<void>(ask_to_open(*process_, Decoder::Hdf5, path(), options_, file_.size()));
    }
    process_->begin(file_.path(), file_.size(), 0);
    process_->ask(Question::Chunks, layer, row, rows);
    std::vector<Hdf5Chunk> chunks(static_cast<std::size_t>(rows * columns));
    process_->get(chunks);
    return chunks;
  }

  /// One chunk, at its place among chunks (z, y, x), to the slices of `range` in `out`.
  void place(const Hdf5Chunk& chunk, const std::array<std::int64_t, 3>& at, const SliceRange& range, std::byte* out) const {
    thread_local std::vector<std::byte> samples;
    thread_local std::vector<std::byte> scratch;
    const std::byte* const source = chunk.bytes == 0 ? nullptr : unfiltered(chunk, samples, scratch);
    const Shape& s = layout().shape;
    const auto& edges = storage_.chunk;
    const std::int64_t width = storage_.sample_bytes;
    const std::int64_t y0 = at[1] * edges[1];
    const std::int64_t x0 = at[2] * edges[2];
    const std::int64_t rows = std::min(edges[1], s.y - y0);
    const std::int64_t columns = std::min(edges[2], s.x - x0);
    for (std::int64_t z = range.z0; z < range.z1; ++z) {
      for (std::int64_t y = 0; y < rows; ++y) {
        std::byte* const row = out + (((z - range.z0) * s.y + y0 + y) * s.x + x0) * width;
        const std::int64_t first = ((z - at[0] * edges[0]) * edges[1] + y) * edges[2];
        copy_row(width, source ? source + first * width : storage_.fill.data(), source ? width : 0, row, width, columns);
        if (source && storage_.swapped != 0) swap_bytes(row, columns, width);
        if (layout().type == Type::Bool) normalise_bool(row, columns);
      }
    }
  }

  const std::byte* unfiltered(const Hdf5Chunk& chunk, std::vector<std::byte>& samples,
                          std::vector<std::byte>& scratch) const {
    if (chunk.bytes < 0 || !within(chunk.offset, chunk.bytes, file_.size())) {
      refuse("{}: truncated HDF5 file: a chunk of {} bytes at {}, got a file of {} bytes", path(), chunk.bytes,
             chunk.offset, file_.size());
    }
    const std::int64_t bytes = storage_.chunk_bytes();
    if (storage_.filter_count == 0 && chunk.bytes == bytes) return file_.data() + chunk.offset;
    const std::string fault =
        unfilter(storage_, chunk.filter_mask,
                 std::span(file_.data() + chunk.offset, static_cast<std::size_t>(chunk.bytes)), scratch, samples);
    if (!fault.empty()) refuse("{}: corrupt HDF5 file: the chunk at byte {}: {}", path(), chunk.offset, fault);
    return samples.data();
  }

  MappedFile file_;
  Hdf5Storage storage_;
  ReadOptions options_;
  std::shared_ptr<DecoderProcess> process_;
};

/// The process may say anything.
bool is_sound(const Hdf5Storage& storage, const Layout& layout) {
  Checked bytes = storage.sample_bytes;
  for (const std::int64_t edge : storage.chunk) bytes = bytes * Checked::within(edge, 1, std::int64_t{1} << 32);
  if (!bytes.ok()) return false;
  const std::int64_t columns = storage.chunks_across(layout.shape.y, layout.shape.x)[1];
  if (storage.kind == Hdf5Storage::Kind::Chunked && columns > Hdf5Storage::most_at_once) return false;
  return storage.sample_bytes == sample_bytes(layout.type) && bytes.at_most(std::int64_t{1} << 33) &&
         storage.filter_count >= 0 && storage.filter_count <= static_cast<int>(Hdf5Storage::most_filters) &&
         layout.channels == 1;
}

std::unique_ptr<Source> open_by(const SharedDecoder& process, const std::string& path, const ReadOptions& options) {
  MappedFile file(split_dataset(path).first);
  const Opened opened = ask_to_open(*process, Decoder::Hdf5, path, options, file.size());
  Hdf5Storage storage;
  process->begin(file.path(), file.size(), 0);
  process->ask(Question::Storage);
  process->get(storage);
  const bool known = is_sound(storage, opened.layout);
  if (known && storage.kind == Hdf5Storage::Kind::Contiguous) {
    const std::int64_t bytes = checked_bytes(path, opened.layout);
    if (!within(storage.offset, bytes, file.size())) {
      refuse("{}: truncated HDF5 file: {} bytes of samples at {}, got a file of {} bytes", path, bytes, storage.offset,
             file.size());
    }
    const FlatPlace place{storage.offset, bytes / opened.layout.shape.z, storage.swapped != 0};
    return open_flat(std::move(file), place, opened.layout, opened.description, options.cancel);
  }
  if (known && storage.kind == Hdf5Storage::Kind::Chunked) {
    return std::make_unique<ChunkedSource>(std::move(file), path, opened, storage, options, process);
  }
  return remote_source(Decoder::Hdf5, path, options, opened, process);
}

std::unique_ptr<Source> open_hdf5_file(const std::string& path, const ReadOptions& options, const SharedDecoder&) {
  const auto process = std::make_shared<DecoderProcess>(Decoders::Pictures, options);
  std::unique_ptr<Source> source = open_by(process, path, options);
  source->also_reads(process->followed());
  return source;
}

/// Something of the user's may stand in front of HDF5's part.
bool is_hdf5(std::string_view head) {
  for (const std::size_t at : {0, 512, 1024, 2048}) {
    if (head.size() > at && head.substr(at).starts_with("\x89HDF\r\n\x1a\n")) return true;
  }
  return false;
}

// About 256 KB for u8, and a layer of chunks of a 2048 x 2048 volume takes 64 MB of cache.
constexpr std::array<std::int64_t, 3> usual_chunk{16, 128, 128};

/// The process has nothing from strangers here, so that it may run where it cannot be confined.
ReadOptions of_writer(const Target& target) {
  ReadOptions options;
  options.unconfined = true;
  options.cancel = target.cancel;
  return options;
}

class Hdf5Sink final : public FileSink {
 public:
  Hdf5Sink(const Target& target, const std::string& dataset, const Layout& layout)
      : FileSink(target, layout), hdf5_(Decoders::Pictures, of_writer(target)) {
    if (file().direct()) file().fail("HDF5 needs a regular file");
    hdf5_.writes_to(file());
    ask(0, Question::Create, file().path(), dataset, layout, usual_chunk);
  }

 private:
  void write_slices(const std::byte* slices, std::int64_t count) override {
    // Whole rows of chunks at a time, so that a Ctrl-C is heard between two of them.
    constexpr std::int64_t piece = std::int64_t{16} << 20;
    const std::int64_t row = count * layout().shape.x * sample_bytes(layout().type);
    const std::int64_t at_once = std::max<std::int64_t>(1, piece / row / usual_chunk[1]) * usual_chunk[1];
    for (std::int64_t y = 0; y < layout().shape.y; y += at_once) {
      file().check_cancel();
      write_part({next_, count, y, std::min(at_once, layout().shape.y - y)}, slices);
    }
    next_ += count;
  }

  void write_part(const Hdf5Slab& part, const std::byte* slices) {
    const std::int64_t row = layout().shape.x * sample_bytes(layout().type);
    const std::int64_t bytes = part.rows * row;
    try {
      static_cast<void>(hdf5_.memory(part.slices * bytes));
    } catch (const ResourceError& error) {
      file().fail(error.what());
    }
    for (std::int64_t z = 0; z < part.slices; ++z) {
      put(z * bytes, {slices + (z * layout().shape.y + part.y0) * row, static_cast<std::size_t>(bytes)});
    }
    ask(part.slices * bytes, Question::Write, part);
  }

  void put(std::int64_t at, std::span<const std::byte> samples) {
    if (layout().type != Type::Bool) return hdf5_.put(samples, at);
    bytes_.resize(samples.size());
    std::transform(samples.begin(), samples.end(), bytes_.begin(),
                   [](std::byte sample) { return sample == std::byte{0} ? std::byte{0} : std::byte{255}; });
    hdf5_.put(bytes_, at);
  }

  void write_end() override {
    ask(0, Question::Finish);
    std::int64_t length = 0;
    hdf5_.get(length);
    file().set_length(length);
  }

  /// Puts a question and waits until it is done.
  template <class... Words>
  void ask(std::int64_t bytes, const Words&... words) {
    hdf5_.begin(file().path(), 0, bytes);
    hdf5_.ask(words...);
  }

  DecoderProcess hdf5_;
  std::int64_t next_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace

const Format hdf5_format{"HDF5", {".h5", ".hdf5", ".nxs"}, is_hdf5, open_hdf5_file, create_hdf5};

std::unique_ptr<SliceSink> create_hdf5(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "HDF5", layout);
  const auto [file, dataset] = split_dataset(path);
  if (dataset == "/" || dataset.ends_with('/')) {
    refuse("{}: got no name of a dataset, wanted {}:/data or the like", path, file);
  }
  return std::make_unique<Hdf5Sink>(Target{file, target.cancel, target.together}, dataset.empty() ? "/data" : dataset, layout);
}

}  // namespace tamis::io
