#include "io/output/ledger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <tamis/error.hpp>

#include "io/output/place.hpp"

namespace tamis::io {
namespace {

constexpr std::string_view first_line = "tamis ledger 1";
constexpr std::size_t most_bytes = std::size_t{1} << 16;

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
  throw InputError(fmt::format("{}: is no ledger of an unfinished file; wanted it removed, or no resume", path));
}

}  // namespace

std::string ledger_name(const std::string& target) { return target + ".tamis-ledger"; }

std::string to_text(const Ledger& ledger) {
  return fmt::format("{}\nslices {}\nbytes {}\npart {}\njob {}\n", first_line, ledger.slices, ledger.bytes, ledger.part,
                     ledger.job);
}

std::optional<Ledger> ledger_from(std::string_view text) {
  Ledger ledger;
  if (!text.starts_with(first_line) || text.substr(first_line.size(), 1) != "\n") return {};
  text.remove_prefix(first_line.size() + 1);
  const bool numbers = take_number(text, "slices", ledger.slices) && take_number(text, "bytes", ledger.bytes) &&
                       take_number(text, "part", ledger.part);
  if (!numbers) return {};
  const std::optional<std::string_view> job = take_line(text, "job");
  if (!job || !text.empty()) return {};
  ledger.job = *job;
  return ledger;
}

std::optional<Ledger> read_ledger(const std::string& target) {
  const std::string path = ledger_name(target);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file.valid() && (errno == ENOENT || errno == ENAMETOOLONG)) return {};
  if (!file.valid()) throw InputError(fmt::format("{}: {}", path, std::strerror(errno)));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) no_ledger(path);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::read(file.get(), piece.data(), piece.size())) != 0;) {
    if (got < 0) throw InputError(fmt::format("{}: {}", path, std::strerror(errno)));
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > most_bytes) no_ledger(path);
  }
  std::optional<Ledger> ledger = ledger_from(text);
  if (!ledger) no_ledger(path);
  return ledger;
}

}  // namespace tamis::io
