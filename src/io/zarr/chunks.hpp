// Chunks of an array, read and decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <tamis/io.hpp>

#include "io/confined/decompressor.hpp"
#include "io/zarr/array.hpp"
#include "io/zarr/store.hpp"

namespace tamis::io {

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

}  // namespace tamis::io
