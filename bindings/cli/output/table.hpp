// A table for people who go on with a spreadsheet: a CSV file, or a workbook of Excel where the name ends in .xlsx.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/output/files.hpp"

namespace tamis::cli {

struct Table {
  /// Nothing, a number, a text.
  using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
  std::string name;                  ///< of the sheet in a workbook
  std::vector<std::string> columns;  ///< with units in square brackets: "mean [um]"
  std::vector<std::vector<Cell>> rows;
};

/// A cell of a length or an angle, 12 digits: the product of two decimal numbers reads as one would write it.
[[nodiscard]] Table::Cell rounded_cell(const std::optional<double>& value);

/// Outputs::declare() of a table. Throws InputError for names of spreadsheets that are not written.
void declare_table(Outputs& outputs, const std::string& option, const std::string& path);
/// In the form that goes with the name.
void write_table(Outputs& outputs, const std::string& path, const Table& table);

// Workbooks of Excel (.xlsx), made by libxlsxwriter.

/// Throws InputError where this program was built without libxlsxwriter.
void require_workbooks();
/// The bytes of a workbook with one sheet, whose first line are the columns; errors name `path`. Throws InputError for
/// a table that no sheet holds, ResourceError where it could not be made.
[[nodiscard]] std::string workbook_of(const Table& table, const std::string& path);

}  // namespace tamis::cli
