// How far a file has been written by runs that ended before it was whole: beside the target, for the run that goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::io {

/// "foam.tif" -> "foam.tif.tamis-ledger".
[[nodiscard]] std::string ledger_name(const std::string& target);

struct Ledger {
  /// What stood in the file at a checkpoint.
  struct Slab {
    std::int64_t slices = 0;     ///< that are whole in the file, from its first on
    std::int64_t bytes = 0;      ///< of the file up to there
    std::uint32_t checksum = 0;  ///< CRC-32 of the bytes since the slab before
  };
  std::string job;  ///< what the samples come from; one line. Empty: another version of tamis wrote the ledger
  int part = 0;     ///< which of the target's hidden files holds them
  std::vector<Slab> slabs;

  [[nodiscard]] Slab end() const { return slabs.empty() ? Slab{} : slabs.back(); }
};

[[nodiscard]] std::string to_text(const Ledger& ledger);
/// Nothing where the text is not such a one.
[[nodiscard]] std::optional<Ledger> ledger_from(std::string_view text);

/// The checksum of bytes that follow those of `sum`, which is 0 at the start of a slab.
[[nodiscard]] std::uint32_t add_to_checksum(std::uint32_t sum, const void* bytes, std::size_t count);

/// Leaves only those slabs that stand in an open file as the ledger has them; `wanted` is asked between pieces whether
/// to go on. Reads the file up to there.
void keep_sound_slabs(Ledger& ledger, int file, const std::function<void()>& wanted);

/// The ledger of a target, if there is one. Throws InputError where a file of that name is no ledger.
[[nodiscard]] std::optional<Ledger> read_ledger(const std::string& target);

}  // namespace tamis::io
