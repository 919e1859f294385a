// Workbooks of Excel (.xlsx), made by libxlsxwriter.
#pragma once

#include <string>

#include "cli/output/table.hpp"

namespace tamis::cli {

/// Throws InputError where this program was built without libxlsxwriter.
void require_workbooks();
/// The bytes of a workbook with one sheet, whose first line are the columns; errors name `path`. Throws InputError for
/// a table that no sheet holds, ResourceError where it could not be made.
[[nodiscard]] std::string workbook_of(const Table& table, const std::string& path);

}  // namespace tamis::cli
