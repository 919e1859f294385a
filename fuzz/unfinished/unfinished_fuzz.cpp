// Ledgers of unfinished files, as texts and as files that a run is asked to go on from.
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <tamis/error.hpp>
#include <tamis/io.hpp>

#include "fuzz/harness.hpp"
#include "fuzz/input_file.hpp"
#include "io/output/output.hpp"

namespace {

using tamis::fuzz::expect;

void take_as_text(std::string_view text) {
  const std::optional<tamis::io::Ledger> ledger = tamis::io::ledger_from(text);
  if (!ledger) return;
  if (ledger->job.empty()) return;  // of another version
  std::int64_t bytes = 0;
  for (const tamis::io::Ledger::Slab& slab : ledger->slabs) {
    expect(slab.slices > 0 && slab.bytes > bytes, "slabs that do not follow one another");
    bytes = slab.bytes;
  }
  expect(ledger->job.find('\n') == std::string::npos, "a job of several lines");
  const std::optional<tamis::io::Ledger> again = tamis::io::ledger_from(to_text(*ledger));
  expect(again && again->job == ledger->job && again->end().slices == ledger->end().slices &&
             again->end().bytes == ledger->end().bytes && again->end().checksum == ledger->end().checksum &&
             again->part == ledger->part,
         "a ledger that is another one once it is written");
}

/// The ledger lies beside a target of two slices, of which half an unfinished file is there.
void go_on_from(tamis::fuzz::Bytes bytes) {
  constexpr std::string_view ending = ".tamis-ledger";
  static const std::string name = "out.raw";
  // A new one each time: a ledger whose part is gone is removed.
  tamis::fuzz::InputFile file(name + std::string(ending));
  const std::string target = file.path().substr(0, file.path().size() - ending.size());
  const std::filesystem::path part = std::filesystem::path(target).parent_path() / ("." + name + ".tamis-0.part");
  file.put(bytes);
  std::ofstream(part, std::ios::binary) << std::string(12, 'a');
  const std::optional<tamis::io::Ledger> ledger = tamis::io::ledger_from(tamis::fuzz::text_of(bytes));
  const tamis::Layout layout{tamis::Type::U8, {2, 3, 4, 3}, 1, {}};
  try {
    tamis::OutputFiles files;
    files.resume();
    const tamis::OutputFiles::Resumable made = files.create_resumable(target, layout, ledger ? ledger->job : "other");
    // Part 0 is there. Where the part of a ledger is gone, or is another one, the file is begun anew.
    const bool sound = ledger && ledger->part == 0 && ledger->end().slices == 1 &&
                       ledger->end().checksum == tamis::io::add_to_checksum(0, "aaaaaaaaaaaa", 12);
    expect(made.slices == (sound ? 1 : 0), "a file that is gone on with has not what its ledger says");
    made.sink->drop_checkpoint();
  } catch (const tamis::ResourceError&) {
    // The part that the ledger names is not there.
  }
  std::filesystem::remove(part);
}

}  // namespace

TAMIS_FUZZ_TARGET(unfinished) {
  take_as_text(tamis::fuzz::text_of(bytes));
  go_on_from(bytes);
}
