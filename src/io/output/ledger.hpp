// How far a file has been written by runs that ended before it was whole: beside the target, for the run that goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tamis::io {

/// "foam.tif" -> "foam.tif.tamis-ledger".
[[nodiscard]] std::string ledger_name(const std::string& target);

struct Ledger {
  std::string job;          ///< what the samples come from; one line
  int part = 0;             ///< which of the target's hidden files holds them
  std::int64_t slices = 0;  ///< that are whole in it
  std::int64_t bytes = 0;   ///< of it up to there
};

[[nodiscard]] std::string to_text(const Ledger& ledger);
/// Nothing where the text is not such a one.
[[nodiscard]] std::optional<Ledger> ledger_from(std::string_view text);

/// The ledger of a target, if there is one. Throws InputError where a file of that name is no ledger.
[[nodiscard]] std::optional<Ledger> read_ledger(const std::string& target);

}  // namespace tamis::io
