// An array of a store as an image: which of its axes are z, y and x, and its chunks on all cores at once.
#include <atomic>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

#include "core/cpu/parallel.hpp"
#include "io/checked.hpp"
#include "io/header_text.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/zarr/zarr.hpp"

namespace tamis::io {
namespace {

constexpr std::uint64_t absent = std::numeric_limits<std::uint64_t>::max();

/// What an index is of; it is never compressed, and asks no process for anything.
std::span<std::byte> bytes_of(std::vector<std::uint64_t>& numbers) { return std::as_writable_bytes(std::span(numbers)); }

/// What a thread needs to decode chunks.
class ChunkReader {
 public:
  explicit ChunkReader(const ReadOptions& options) : decompressor_(options) {}

 private:
  friend class Chunks;
  Decompressor decompressor_;
  std::vector<std::byte> stored_;
  std::vector<std::byte> scratch_;
  std::vector<std::byte> samples_;
};

class Chunks {
 public:
  Chunks(const Store& store, const ZarrArray& array) : store_(store), array_(array) {}

  /// The samples of a chunk, by its place among them, in this machine's byte order and bools as 0 and 1; empty where it
  /// is not there. They stay until the next call with this reader. Threads may call it at once, each with its own.
  [[nodiscard]] std::span<const std::byte> read(const std::vector<std::int64_t>& at, ChunkReader& reader);
  /// Does the store hold so many chunks? Throws InputError for a damaged shard among them, Cancelled.
  [[nodiscard]] bool are_there(std::int64_t count, const std::stop_token& cancel) const;

 private:
  /// Where the chunks of a shard lie in its file: two numbers each.
  using Index = std::vector<std::uint64_t>;

  [[nodiscard]] bool fetch(const std::vector<std::int64_t>& at, ChunkReader& reader, std::string& path);
  [[nodiscard]] bool fetch_from_shard(const std::vector<std::int64_t>& at, ChunkReader& reader, std::string& path);
  [[nodiscard]] std::shared_ptr<const Index> index_of(const std::vector<std::int64_t>& shard, const StoredFile& file);
  [[nodiscard]] Index read_index(const StoredFile& file) const;
  void require_length(const std::string& path, std::int64_t bytes) const;

  const Store& store_;
  const ZarrArray& array_;
  std::mutex mutex_;
  std::map<std::vector<std::int64_t>, std::shared_ptr<const Index>> indices_;  // of one layer of shards
};

std::span<const std::byte> Chunks::read(const std::vector<std::int64_t>& at, ChunkReader& reader) {
  std::string path;
  const bool there = array_.sharding ? fetch_from_shard(at, reader, path) : fetch(at, reader, path);
  if (!there) return {};
  const std::int64_t bytes = array_.chunk_bytes();
  reader.samples_.resize(static_cast<std::size_t>(bytes));
  decode(path, array_.codecs, reader.stored_, reader.decompressor_, reader.scratch_, reader.samples_);
  const std::int64_t width = sample_bytes(array_.type);
  if (array_.swapped) swap_bytes(reader.samples_.data(), bytes / width, width);
  if (array_.type == Type::Bool) normalise_bool(reader.samples_.data(), bytes);
  return reader.samples_;
}

bool Chunks::are_there(std::int64_t count, const std::stop_token& cancel) const {
  store_.each_file([&](const std::string& key) {
    if (cancel.stop_requested()) throw Cancelled();
    if (!key.starts_with(array_.key_prefix)) return true;
    if (!array_.sharding) return --count > 0;
    const std::optional<StoredFile> file = store_.open(key);
    const Index index = file ? read_index(*file) : Index();
    for (std::size_t i = 0; i < index.size(); i += 2) count -= index[i] != absent || index[i + 1] != absent ? 1 : 0;
    return count > 0;
  });
  return count <= 0;
}

/// Before anything is allocated for it.
void Chunks::require_length(const std::string& path, std::int64_t bytes) const {
  const std::int64_t samples = array_.chunk_bytes();
  const std::int64_t most = array_.codecs.most_bytes(samples);
  if (array_.codecs.compressed() ? bytes <= most : bytes == most) return;
  refuse("{}: got a chunk of {} bytes, wanted {}{}", path, bytes, array_.codecs.compressed() ? "at most " : "", most);
}

bool Chunks::fetch(const std::vector<std::int64_t>& at, ChunkReader& reader, std::string& path) {
  const std::optional<StoredFile> file = store_.open(array_.key(at));
  if (!file) return false;
  path = file->path();
  require_length(path, file->size());
  reader.stored_.resize(static_cast<std::size_t>(file->size()));
  file->read(0, reader.stored_);
  return true;
}

bool Chunks::fetch_from_shard(const std::vector<std::int64_t>& at, ChunkReader& reader, std::string& path) {
  std::vector<std::int64_t> shard(at.size());
  std::size_t number = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::int64_t along = array_.sharding->shape[i] / array_.chunk[i];
    shard[i] = at[i] / along;
    number = number * static_cast<std::size_t>(along) + static_cast<std::size_t>(at[i] % along);
  }
  const std::optional<StoredFile> file = store_.open(array_.key(shard));
  if (!file) return false;
  path = file->path();
  const std::shared_ptr<const Index> index = index_of(shard, *file);
  const std::uint64_t offset = (*index)[2 * number];
  const std::uint64_t bytes = (*index)[2 * number + 1];
  if (offset == absent && bytes == absent) return false;
  if (!within(Checked(offset), Checked(bytes), file->size())) {
    refuse("{}: a chunk of {} bytes at {}, got a file of {} bytes", path, bytes, offset, file->size());
  }
  require_length(path, static_cast<std::int64_t>(bytes));
  reader.stored_.resize(static_cast<std::size_t>(bytes));
  file->read(static_cast<std::int64_t>(offset), reader.stored_);
  return true;
}

std::shared_ptr<const Chunks::Index> Chunks::index_of(const std::vector<std::int64_t>& shard, const StoredFile& file) {
  const std::scoped_lock lock(mutex_);
  const auto found = indices_.find(shard);
  if (found != indices_.end()) return found->second;
  constexpr std::size_t most_kept = std::size_t{1} << 26;  // bytes, unless a single one has more
  auto index = std::make_shared<const Index>(read_index(file));
  if ((indices_.size() + 1) * index->size() * sizeof(std::uint64_t) > most_kept) indices_.clear();
  return indices_.emplace(shard, std::move(index)).first->second;
}

Chunks::Index Chunks::read_index(const StoredFile& file) const {
  const Sharding& sharding = *array_.sharding;
  Checked count = 2;
  for (std::size_t i = 0; i < array_.rank(); ++i) count = count * (sharding.shape[i] / array_.chunk[i]);
  const Checked bytes = count * static_cast<std::int64_t>(sizeof(std::uint64_t));
  const std::int64_t stored = sharding.index_codecs.stored_bytes(bytes.value_or(std::numeric_limits<std::int32_t>::max()));
  if (!bytes.ok() || stored > file.size()) {
    refuse("{}: got a shard of {} bytes, wanted at least {}, its index", file.path(), file.size(), stored);
  }
  std::vector<std::byte> packed(static_cast<std::size_t>(stored));
  file.read(sharding.index_first ? 0 : file.size() - stored, packed);
  Index index(static_cast<std::size_t>(count.value_or(0)));
  std::vector<std::byte> scratch;
  Decompressor none{ReadOptions()};
  decode(file.path() + ": its index", sharding.index_codecs, packed, none, scratch, bytes_of(index));
  if (sharding.index_swapped) swap_bytes(bytes_of(index).data(), static_cast<std::int64_t>(index.size()), sizeof(std::uint64_t));
  return index;
}

/// Of an axis: what is wanted of it, first .. end-1, cut into chunks.
struct Extent {
  std::int64_t first = 0;
  std::int64_t end = 1;
  std::int64_t chunk = 1;

  [[nodiscard]] std::int64_t first_chunk() const { return first / chunk; }
  [[nodiscard]] std::int64_t chunks() const { return (end - 1) / chunk - first / chunk + 1; }
  /// What of it lies in a chunk.
  [[nodiscard]] std::int64_t begin_in(std::int64_t at) const { return std::max(first, at * chunk); }
  [[nodiscard]] std::int64_t end_in(std::int64_t at) const { return at * chunk + std::min(chunk, end - at * chunk); }
};

class ZarrSource final : public LayeredSource {
 public:
  ZarrSource(Store store, ZarrArray array, ImageAxes axes, const Layout& layout, const std::string& path,
             std::string description, const ReadOptions& options)
      : LayeredSource(path, layout, std::move(description), axes.z ? array.chunk[*axes.z] : 1),
        store_(std::move(store)),
        array_(std::move(array)),
        axes_(std::move(axes)),
        options_(options),
        chunks_(store_, array_),
        strides_(array_.strides()) {
    if (axes_.one_channel) notes.channel_chosen = true;
  }

 private:
  /// What one thread after the other takes of a layer: channels, y and x, cut into chunks.
  struct Part {
    Extent c;
    Extent z;
    Extent y;
    Extent x;
  };

  void decode(const SliceRange& range, std::byte* out) override {
    const Shape& s = layout().shape;
    const Part part{extent(axes_.c, axes_.channel, axes_.channel + layout().channels), extent(axes_.z, range.z0, range.z1),
                    extent(axes_.y, 0, s.y), extent(axes_.x, 0, s.x)};
    const std::int64_t count = part.c.chunks() * part.y.chunks() * part.x.chunks();
    // Beyond this the memory of chunks at work would be more than what a slab may take.
    constexpr std::int64_t most_bytes = std::int64_t{2} << 30;
    constexpr std::int64_t most_readers = 16;
    const std::int64_t at_once = std::clamp<std::int64_t>(most_bytes / array_.chunk_bytes(), 1,
                                                          std::min<std::int64_t>(most_readers, thread_count(Context{})));
    const std::int64_t readers = std::min(count, at_once);
    while (static_cast<std::int64_t>(readers_.size()) < readers) {
      readers_.push_back(std::make_unique<ChunkReader>(options_));
    }
    std::atomic<std::int64_t> next = 0;
    parallel_for(Context{}, readers, [&](std::int64_t reader) {
      for (std::int64_t i = next++; i < count; i = next++) {
        if (options_.cancel.stop_requested()) throw Cancelled();
        const std::int64_t x = i % part.x.chunks();
        const std::int64_t y = i / part.x.chunks() % part.y.chunks();
        const std::int64_t c = i / part.x.chunks() / part.y.chunks();
        place(part, {part.c.first_chunk() + c, part.z.first_chunk(), y, x}, *readers_[static_cast<std::size_t>(reader)], out);
      }
    });
  }

  /// An axis that the array has not is one sample.
  [[nodiscard]] Extent extent(const std::optional<std::size_t>& axis, std::int64_t first, std::int64_t end) const {
    return {first, end, axis ? array_.chunk[*axis] : 1};
  }

  /// One chunk, at its place along c, z, y and x.
  void place(const Part& part, const std::array<std::int64_t, 4>& at, ChunkReader& reader, std::byte* out) {
    const std::int64_t width = sample_bytes(array_.type);
    std::vector<std::int64_t> place = axes_.at;
    std::int64_t skipped = 0;  // samples of the chunk before the time that is read
    for (std::size_t i = 0; i < place.size(); ++i) {
      skipped += place[i] % array_.chunk[i] * strides_[i];
      place[i] /= array_.chunk[i];
    }
    const std::array<std::optional<std::size_t>, 4> axes{axes_.c, axes_.z, axes_.y, axes_.x};
    std::array<std::int64_t, 4> stride{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!axes[i]) continue;
      place[*axes[i]] = at[i];
      stride[i] = strides_[*axes[i]];
    }
    const std::span<const std::byte> samples = chunks_.read(place, reader);
    const std::byte* const from = samples.empty() ? array_.fill.data() : samples.data();
    if (samples.empty()) stride = {}, skipped = 0;
    const Shape& s = layout().shape;
    const std::int64_t channels = layout().channels;
    const std::int64_t x0 = part.x.begin_in(at[3]);
    for (std::int64_t c = part.c.begin_in(at[0]); c < part.c.end_in(at[0]); ++c) {
      for (std::int64_t z = part.z.begin_in(at[1]); z < part.z.end_in(at[1]); ++z) {
        for (std::int64_t y = part.y.begin_in(at[2]); y < part.y.end_in(at[2]); ++y) {
          const std::int64_t first = skipped + (c - at[0] * part.c.chunk) * stride[0] + (z - at[1] * part.z.chunk) * stride[1] +
                                     (y - at[2] * part.y.chunk) * stride[2] + (x0 - at[3] * part.x.chunk) * stride[3];
          const std::int64_t to = (((z - part.z.first) * s.y + y) * s.x + x0) * channels + (c - part.c.first);
          copy_row(width, from + first * width, stride[3] * width, out + to * width, channels * width,
                   part.x.end_in(at[3]) - x0);
        }
      }
    }
  }

  Store store_;
  ZarrArray array_;
  ImageAxes axes_;
  ReadOptions options_;
  Chunks chunks_;
  std::vector<std::int64_t> strides_;
  std::vector<std::unique_ptr<ChunkReader>> readers_;
};

/// The folders of the store in which a folder of it lies: who replaces one of them replaces what is read.
std::vector<std::string> store_folders(const std::string& path) {
  std::vector<std::string> folders;
  std::error_code fault;
  std::filesystem::path folder = std::filesystem::absolute(path, fault).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  while (holds_zarr(folder.string()) && folder.has_relative_path()) {
    folders.push_back(folder.string());
    folder = folder.parent_path();
  }
  return folders;
}

/// Chunks that are not there are the fill value, so a small description could make anybody work for years.
void require_chunks(const Store& store, const ZarrArray& array, const Layout& layout, const ReadOptions& options) {
  constexpr std::int64_t harmless = std::int64_t{1} << 36;
  constexpr std::int64_t one_in = 1000;
  const std::int64_t bytes = checked_bytes(store.path(), layout);
  if (bytes <= harmless) return;
  std::int64_t chunks = 1;
  for (std::size_t i = 0; i < array.rank(); ++i) chunks *= (array.shape[i] - 1) / array.chunk[i] + 1;
  if (Chunks(store, array).are_there(std::max<std::int64_t>(chunks / one_in, 1), options.cancel)) return;
  refuse("{}: {} bytes of samples ({} {}) in {} chunks that are hardly there; wanted one in {} of them", store.path(),
         bytes, to_string(layout.shape), name(layout.type), chunks, one_in);
}

std::unique_ptr<Source> open_array(Store store, ZarrArray array, ImageAxes axes, Spacing spacing, const std::string& path,
                                   const std::string& words, const ReadOptions& options) {
  Layout layout;
  layout.type = array.type;
  const auto edge = [&](const std::optional<std::size_t>& axis) { return axis ? array.shape[*axis] : 1; };
  layout.shape = {edge(axes.z), edge(axes.y), edge(axes.x), axes.z ? 3 : 2};
  layout.channels = axes.c && !axes.one_channel ? static_cast<int>(array.shape[*axes.c]) : 1;
  layout.spacing = std::move(spacing);
  require_chunks(store, array, layout, options);
  const bool halves = array.halves;
  std::string description = fmt::format("{}Zarr {}, {}", words, array.version, array.words());
  auto source = std::make_unique<ZarrSource>(std::move(store), std::move(array), std::move(axes), layout, path,
                                             std::move(description), options);
  source->also_reads(store_folders(path));
  source->halves = halves;
  return source;
}

std::unique_ptr<Source> open_image(const Store& group, const Json& attributes, const ReadOptions& options) {
  const std::string& path = group.path();
  OmeLevel level = ome_level(path, attributes, options.level);
  Store store = group.below(level.array);
  ZarrNode node = read_node(store);
  if (!node.array) refuse("{}: level {} is a group; wanted an array", path, shown(level.array));
  fit(level, node.array->rank());
  ImageAxes axes = image_axes(path, node.array->shape, level.axes, options);
  const Spacing spacing = spacing_of(level, axes.space());
  std::string words = fmt::format("OME-Zarr{}{}, level {} of {}, ", level.version.empty() ? "" : " ", level.version,
                                  options.level.value_or(0), level.levels);
  if (axes.c || axes.t) {
    words += fmt::format("{} channel(s), {} time(s), this is time {}, ", axes.c ? node.array->shape[*axes.c] : 1,
                         axes.t ? node.array->shape[*axes.t] : 1, options.time.value_or(0));
  }
  return open_array(std::move(store), std::move(*node.array), std::move(axes), spacing, path, words, options);
}

}  // namespace

std::unique_ptr<Source> open_zarr(const std::string& path, const ReadOptions& options) {
  Store store(path, options.follow);
  ZarrNode node = read_node(store);
  if (!node.array) return open_image(store, node.attributes, options);
  for (const auto& [name, number] : {std::pair("level", options.level), std::pair("time", options.time)}) {
    if (number.value_or(0) != 0) refuse("{}: {} {}; wanted 0: it is a single array", path, name, *number);
  }
  ImageAxes axes = plain_axes(store.path(), node.array->shape);
  const std::string shown_path = store.path();
  return open_array(std::move(store), std::move(*node.array), std::move(axes), {}, shown_path, "", options);
}

}  // namespace tamis::io
