#include "cli/output/table.hpp"

#include <fmt/format.h>

#include <string_view>

#include <tamis/error.hpp>

namespace tamis::cli {
namespace {

constexpr std::string_view workbook_ending = ".xlsx";

bool ends_in(const std::string& path, std::string_view ending) {
  if (path.size() < ending.size()) return false;
  std::string end = path.substr(path.size() - ending.size());
  for (char& letter : end) letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  return end == ending;
}

/// A field of a CSV file, quoted where it has to be. Texts are names of files, and a spreadsheet would run one that
/// begins as a formula does: as ./=x.tif it is the same file, and text in every program that reads tables.
std::string csv_field(const std::string& text) {
  constexpr std::string_view begins_formula = "=+-@\t\r";
  if (!text.empty() && begins_formula.find(text.front()) != std::string_view::npos) return csv_field("./" + text);
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string csv_field(const Table::Cell& cell) {
  if (const auto* const text = std::get_if<std::string>(&cell)) return csv_field(*text);
  if (const auto* const count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* const number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  return {};
}

template <class Field>
std::string csv_line(const std::vector<Field>& fields) {
  std::string line;
  for (const Field& field : fields) line += (&field == fields.data() ? "" : ",") + csv_field(field);
  return line + '\n';
}

std::string csv_text(const Table& table) {
  std::string text = csv_line(table.columns);
  for (const std::vector<Table::Cell>& row : table.rows) text += csv_line(row);
  return text;
}

}  // namespace

Table::Cell rounded_cell(const std::optional<double>& value) {
  if (!value) return {};
  return std::stod(fmt::format("{:.12g}", *value));
}

void declare_table(Outputs& outputs, const std::string& option, const std::string& path) {
  for (const std::string_view other : {".xls", ".xlsm", ".xlsb", ".ods", ".numbers", ".dif"}) {
    if (!ends_in(path, other)) continue;
    throw InputError(
        fmt::format("{} {}: {} is not written, wanted a name that ends in .csv or .xlsx", option, path, other));
  }
  if (ends_in(path, workbook_ending)) {
    try {
      require_workbooks();
    } catch (const InputError& error) {
      throw InputError(fmt::format("{} {}: {}", option, path, error.what()));
    }
  }
  outputs.declare(option, path);
}

void write_table(Outputs& outputs, const std::string& path, const Table& table) {
  outputs.write_text(path, ends_in(path, workbook_ending) ? workbook_of(table, path) : csv_text(table));
}

}  // namespace tamis::cli
