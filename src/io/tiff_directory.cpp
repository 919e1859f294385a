#include "io/tiff_directory.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <unordered_set>

#include <tamis/error.hpp>

#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// Bytes of one value of each TIFF field type; 0 for numbers that are no type.
constexpr std::array<std::uint64_t, 19> type_bytes{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};

class Walker {
 public:
  explicit Walker(const MappedFile& file) : file_(file) {}

  TiffChain walk() {
    const std::string_view order = file_.text().substr(0, 2);
    if (order != "II" && order != "MM") not_tiff();
    chain_.swapped = (order == "II") != native_little;
    const std::uint64_t version = number(2, 2);
    if (version != 42 && version != 43) not_tiff();
    chain_.big = version == 43;
    std::uint64_t next = chain_.big ? number(8, 8) : number(4, 4);
    if (next == 0) throw InputError(fmt::format("{}: a TIFF without pages; wanted one at least", file_.path()));
    std::unordered_set<std::uint64_t> seen;
    while (next != 0) {
      if (!seen.insert(next).second) {
        throw InputError(fmt::format("{}: corrupt TIFF: page {} points back to an earlier one", file_.path(),
                                     chain_.directories.size()));
      }
      chain_.directories.push_back(next);
      next = check_directory(next);
    }
    return std::move(chain_);
  }

 private:
  [[noreturn]] void not_tiff() const {
    throw InputError(fmt::format("{}: not a TIFF file, by its first bytes; wanted one", file_.path()));
  }

  /// Refuses what does not lie inside the file.
  void require(std::uint64_t offset, std::uint64_t bytes) const {
    const auto size = static_cast<std::uint64_t>(file_.size());
    if (offset <= size && bytes <= size - offset) return;
    throw InputError(fmt::format("{}: truncated TIFF: page {} needs bytes up to {}, got a file of {} bytes",
                                 file_.path(), chain_.directories.empty() ? 1 : chain_.directories.size(),
                                 offset + bytes, size));
  }

  std::uint64_t number(std::uint64_t offset, std::int64_t width) const {
    require(offset, static_cast<std::uint64_t>(width));
    std::array<std::byte, 8> bytes{};
    std::memcpy(bytes.data(), file_.data() + offset, static_cast<std::size_t>(width));
    std::uint64_t value = 0;
    const bool little = chain_.swapped != native_little;
    for (std::int64_t i = 0; i < width; ++i) {
      const auto byte = std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(little ? width - 1 - i : i)]);
      value = value << 8 | byte;
    }
    return value;
  }

  /// Returns the offset of the next directory.
  std::uint64_t check_directory(std::uint64_t at) const {
    const std::int64_t word = chain_.big ? 8 : 4;
    const std::uint64_t entry_bytes = chain_.big ? 20 : 12;
    const std::uint64_t first = at + (chain_.big ? 8 : 2);
    const std::uint64_t entries = number(at, chain_.big ? 8 : 2);
    if (entries > 65535) {
      throw InputError(fmt::format("{}: corrupt TIFF: page {} claims {} tags, wanted 65535 at most", file_.path(),
                                   chain_.directories.size(), entries));
    }
    require(first, entries * entry_bytes + static_cast<std::uint64_t>(word));
    for (std::uint64_t i = 0; i < entries; ++i) {
      const std::uint64_t entry = first + i * entry_bytes;
      const std::uint64_t type = number(entry + 2, 2);
      const std::uint64_t count = number(entry + 4, word);
      const std::uint64_t width = type < type_bytes.size() ? type_bytes[type] : 0;
      if (width == 0 || count <= static_cast<std::uint64_t>(word) / width) continue;  // the value lies in the entry
      if (count > static_cast<std::uint64_t>(file_.size())) require(count, 0);
      require(number(entry + 4 + static_cast<std::uint64_t>(word), word), count * width);
    }
    return number(first + entries * entry_bytes, word);
  }

  const MappedFile& file_;
  TiffChain chain_;
};

}  // namespace

TiffChain tiff_chain(const MappedFile& file) { return Walker(file).walk(); }

}  // namespace tamis::io
