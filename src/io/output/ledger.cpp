#include "io/output/output.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "io/refuse.hpp"

namespace tamis::io {
namespace {

constexpr std::string_view any_version = "tamis ledger ";
constexpr std::string_view first_line = "tamis ledger 2";
constexpr std::size_t most_bytes = std::size_t{4} << 20;  // a checkpoint every other second for two days

/// Takes "NAME VALUE\n" off the front of a text. Nothing where it does not begin so.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view name) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(name) || text.substr(name.size(), 1) != " ") return {};
  const std::string_view value = text.substr(name.size() + 1, end - name.size() - 1);
  text.remove_prefix(end + 1);
  return value;
}

template <class Number>
bool take_number(std::string_view& text, std::string_view name, Number& number) {
  const std::optional<std::string_view> digits = take_line(text, name);
  if (!digits) return false;
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), number);
  return error == std::errc() && end == digits->data() + digits->size() && number >= 0;
}

[[noreturn]] void no_ledger(const std::string& path) {
  refuse("{}: is no ledger of an unfinished file; wanted it removed, or no resume", path);
}

}  // namespace

std::string ledger_name(const std::string& target) { return target + ".tamis-ledger"; }

std::string to_text(const Ledger& ledger) {
  std::string text = fmt::format("{}\npart {}\njob {}\n", first_line, ledger.part, ledger.job);
  for (const Ledger::Slab& slab : ledger.slabs) {
    text += fmt::format("slices {}\nbytes {}\nchecksum {}\n", slab.slices, slab.bytes, slab.checksum);
  }
  return text;
}

std::optional<Ledger> ledger_from(std::string_view text) {
  if (!text.starts_with(any_version)) return {};
  if (!text.starts_with(first_line) || text.substr(first_line.size(), 1) != "\n") return Ledger{};
  text.remove_prefix(first_line.size() + 1);
  Ledger ledger;
  if (!take_number(text, "part", ledger.part)) return {};
  const std::optional<std::string_view> job = take_line(text, "job");
  if (!job || job->empty()) return {};
  ledger.job = *job;
  while (!text.empty()) {
    const Ledger::Slab last = ledger.end();
    Ledger::Slab& slab = ledger.slabs.emplace_back();
    const bool sound = take_number(text, "slices", slab.slices) && take_number(text, "bytes", slab.bytes) &&
                       take_number(text, "checksum", slab.checksum) && slab.slices > last.slices &&
                       slab.bytes > last.bytes;
    if (!sound) return {};
  }
  if (ledger.slabs.empty()) return {};
  return ledger;
}

std::uint32_t add_to_checksum(std::uint32_t sum, const void* bytes, std::size_t count) {
  return libdeflate_crc32(sum, bytes, count);
}

void keep_sound_slabs(Ledger& ledger, int file, const std::function<void()>& wanted) {
  std::vector<std::byte> piece(std::size_t{1} << 20);
  std::int64_t at = 0;
  for (auto slab = ledger.slabs.begin(); slab != ledger.slabs.end(); ++slab) {
    std::uint32_t sum = 0;
    while (at < slab->bytes) {
      wanted();
      const auto most = std::min(static_cast<std::int64_t>(piece.size()), slab->bytes - at);
      const std::int64_t got = read_at(file, piece.data(), most, at);
      if (got <= 0) break;
      sum = add_to_checksum(sum, piece.data(), static_cast<std::size_t>(got));
      at += got;
    }
    if (at == slab->bytes && sum == slab->checksum) continue;
    ledger.slabs.erase(slab, ledger.slabs.end());
    return;
  }
}

std::optional<Ledger> read_ledger(const std::string& target) {
  const std::string path = ledger_name(target);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file.valid() && (errno == ENOENT || errno == ENAMETOOLONG)) return {};
  if (!file.valid()) refuse("{}: {}", path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) no_ledger(path);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::read(file.get(), piece.data(), piece.size())) != 0;) {
    if (got < 0) refuse("{}: {}", path, std::strerror(errno));
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > most_bytes) no_ledger(path);
  }
  std::optional<Ledger> ledger = ledger_from(text);
  if (!ledger) no_ledger(path);
  return ledger;
}

}  // namespace tamis::io
