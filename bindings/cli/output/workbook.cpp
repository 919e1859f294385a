#include "cli/output/table.hpp"

#include <fmt/format.h>

#include <tamis/error.hpp>

#ifdef TAMIS_WORKBOOKS

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xlsxwriter.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>

#include <tamis/operations/one_line.hpp>

namespace tamis::cli {
namespace {

constexpr std::size_t most_rows = LXW_ROW_MAX;
constexpr std::size_t most_columns = LXW_COL_MAX;

/// What went wrong; workbook_of() says with which file.
struct Fault {
  std::string reason;
};
[[noreturn]] void fail(const std::string& reason) { throw Fault{reason}; }

/// A file in memory, which the library opens by its name.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("tamis.xlsx", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail(std::strerror(errno));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string name() const { return fmt::format("/proc/self/fd/{}", descriptor_); }
  [[nodiscard]] std::string bytes() const {
    std::string all;
    std::array<char, 65536> part;
    for (;;) {
      const ssize_t count = ::pread(descriptor_, part.data(), part.size(), static_cast<off_t>(all.size()));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(std::strerror(errno));
      if (count == 0) return all;
      all.append(part.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int descriptor_;
};

/// The library says on standard error what its answers say too; ours is one line.
class Muted {
 public:
  Muted() : stream_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (stream_ >= 0 && nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) ::close(nowhere);
  }
  ~Muted() {
    if (stream_ < 0) return;  // it was closed before
    ::dup2(stream_, STDERR_FILENO);
    ::close(stream_);
  }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;

 private:
  int stream_;
};

void write_cell(lxw_worksheet* sheet, std::size_t row, std::size_t column, const Table::Cell& cell,
                lxw_format* format) {
  const auto y = static_cast<lxw_row_t>(row);
  const auto x = static_cast<lxw_col_t>(column);
  lxw_error fault = LXW_NO_ERROR;
  if (const auto* const text = std::get_if<std::string>(&cell)) {
    fault = worksheet_write_string(sheet, y, x, one_line(*text).c_str(), format);
  } else if (const auto* const count = std::get_if<std::int64_t>(&cell)) {
    fault = worksheet_write_number(sheet, y, x, static_cast<double>(*count), format);
  } else if (const auto* const number = std::get_if<double>(&cell); number && !std::isfinite(*number)) {
    fault = worksheet_write_string(sheet, y, x, fmt::format("{}", *number).c_str(), format);  // Excel has no infinity
  } else if (number) {
    fault = worksheet_write_number(sheet, y, x, *number, format);
  }
  if (fault != LXW_NO_ERROR) fail(lxw_strerror(fault));
}

void fill(lxw_workbook* book, const Table& table) {
  lxw_worksheet* const sheet = workbook_add_worksheet(book, table.name.c_str());
  lxw_format* const head = workbook_add_format(book);
  if (!sheet || !head) fail("out of memory");
  format_set_bold(head);
  for (std::size_t x = 0; x < table.columns.size(); ++x) {
    write_cell(sheet, 0, x, table.columns[x], head);
    // As wide as its title, so that both are read.
    const auto column = static_cast<lxw_col_t>(x);
    worksheet_set_column(sheet, column, column, static_cast<double>(table.columns[x].size()) + 3, nullptr);
  }
  worksheet_freeze_panes(sheet, 1, 0);
  for (std::size_t y = 0; y < table.rows.size(); ++y) {
    for (std::size_t x = 0; x < table.rows[y].size(); ++x) write_cell(sheet, y + 1, x, table.rows[y][x], nullptr);
  }
}

/// Of an archive: little-endian numbers, which have to lie in it.
class Archive {
 public:
  explicit Archive(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool has(std::size_t at, std::size_t count) const {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }
  [[nodiscard]] std::uint32_t number(std::size_t at, std::size_t count) const {
    if (!has(at, count)) return 0;
    std::uint32_t number = 0;
    for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes_[at + i]);
    return number;
  }
  [[nodiscard]] std::string_view part(std::size_t at, std::size_t count) const { return bytes_.substr(at, count); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// Empty where it does not end well.
std::string inflated(std::string_view bytes, std::size_t size) {
  std::string text(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole ? text : std::string();
}

/// Does the text end with the end of its first element?
bool is_whole_xml(std::string_view text) {
  const std::size_t declaration = text.find("?>");
  const std::size_t root = declaration == std::string_view::npos ? declaration : text.find('<', declaration);
  if (root == std::string_view::npos) return false;
  const std::string_view name = text.substr(root + 1, text.find_first_of(" >/", root + 1) - root - 1);
  const std::string_view rest = text.substr(0, text.find_last_not_of(" \n\r") + 1);
  return rest.ends_with(fmt::format("</{}>", name)) || (rest.ends_with("/>") && rest.rfind('<') == root);
}

/// The library writes its parts to files and does not look at what the writes say: every part has to show its own end.
bool is_whole(std::string_view book) {
  const Archive archive(book);
  constexpr std::size_t end_bytes = 22;  // of an archive without a comment
  if (archive.size() < end_bytes) return false;
  const std::size_t end = archive.size() - end_bytes;
  if (archive.number(end, 4) != 0x06054B50) return false;
  std::size_t at = archive.number(end + 16, 4);
  for (std::uint32_t parts = archive.number(end + 10, 2); parts > 0; --parts) {
    const std::size_t packed = archive.number(at + 20, 4);
    const std::size_t size = archive.number(at + 24, 4);
    const std::size_t place = archive.number(at + 42, 4);
    const std::size_t data = place + 30 + archive.number(place + 26, 2) + archive.number(place + 28, 2);
    if (!archive.has(data, packed) || !is_whole_xml(inflated(archive.part(data, packed), size))) return false;
    at += 46 + archive.number(at + 28, 2) + archive.number(at + 30, 2) + archive.number(at + 32, 2);
  }
  return true;
}

std::string made(const Table& table) {
  const MemoryFile file;
  const Muted muted;
  lxw_workbook* const book = workbook_new(file.name().c_str());
  if (!book) fail("out of memory");
  // A table is the same file whenever it is written.
  lxw_doc_properties properties{};
  properties.created = 315532800;  // 1980, as the dates inside of the archive
  workbook_set_properties(book, &properties);
  try {
    fill(book, table);
  } catch (...) {
    lxw_workbook_free(book);
    throw;
  }
  errno = 0;
  const lxw_error fault = workbook_close(book);
  const int error = errno;
  if (fault != LXW_NO_ERROR) fail(error != 0 ? std::strerror(error) : lxw_strerror(fault));
  std::string bytes = file.bytes();
  if (!is_whole(bytes)) fail(error != 0 ? std::strerror(error) : "its parts, made in TMPDIR or /tmp, are not whole");
  return bytes;
}

}  // namespace

void require_workbooks() {}

std::string workbook_of(const Table& table, const std::string& path) {
  if (table.rows.size() + 1 > most_rows || table.columns.size() > most_columns) {
    throw InputError(fmt::format("{}: a workbook holds {} rows and {} columns, got {} and {}; wanted .csv", path,
                                 most_rows, most_columns, table.rows.size() + 1, table.columns.size()));
  }
  try {
    return made(table);
  } catch (const Fault& fault) {
    throw ResourceError(fmt::format("could not write {}: {}", path, fault.reason));
  }
}

}  // namespace tamis::cli

#else

namespace tamis::cli {

void require_workbooks() {
  throw InputError("this tamis was built without libxlsxwriter, which .xlsx wants; wanted a name that ends in .csv");
}

std::string workbook_of(const Table& /*table*/, const std::string& /*path*/) {
  require_workbooks();
  return {};
}

}  // namespace tamis::cli

#endif
