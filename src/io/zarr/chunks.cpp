#include "io/zarr/chunks.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "io/checked.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

constexpr std::uint64_t absent = std::numeric_limits<std::uint64_t>::max();

/// What an index is of; it is never compressed, and asks no process for anything.
std::span<std::byte> bytes_of(std::vector<std::uint64_t>& numbers) { return std::as_writable_bytes(std::span(numbers)); }

}  // namespace

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

}  // namespace tamis::io
