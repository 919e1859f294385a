// Finished parts of a result that several processes make, which another run goes on with.
#include <optional>
#include <string>

#include "fuzz/harness.hpp"
#include "mpi/parts.hpp"

using tamis::fuzz::expect;

TAMIS_FUZZ_TARGET(part) {
  const auto read = tamis::mpi::part_from(std::string(tamis::fuzz::text_of(bytes)));
  if (!read) return;
  const auto& [part, job] = *read;
  expect(part.begin >= 0 && part.begin < part.end && part.tally.sum("never") >= 0, "a range or a count below 0");
  for (const std::int64_t count : part.tally.counts("removed by")) expect(count >= 0, "a count below 0");
  const auto again = tamis::mpi::part_from(to_text(part, job));
  expect(again && again->first.begin == part.begin && again->first.end == part.end && again->first.type == part.type &&
             again->first.tally == part.tally,
         "a part that is another one once it is written");
}
