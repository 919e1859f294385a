// Parts of a result that a run has finished, in a folder beside its output, for a run that goes on after it was ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tamis/image.hpp>

#include "core/parts/tally.hpp"

namespace tamis::mpi {

/// What slices [begin, end) have come to.
struct Part {
  std::int64_t begin = 0, end = 0;
  parts::Tally tally;            ///< of sizes or balls (src/granulometry)
  Type type = Type::U8;          ///< of `map`
  std::int64_t never_value = 0;  ///< what those have in `map`
  std::vector<std::byte> map;    ///< empty where it is not wanted; of balls it has squares of radii
  std::int64_t checksum = 0;     ///< CRC-32 of the map in the file that the part was read from
};

/// What stands in a part's file before its map, and the job it is of. Nothing where the text is not such a one.
[[nodiscard]] std::optional<std::pair<Part, std::string>> part_from(const std::string& text);
[[nodiscard]] std::string to_text(const Part& part, const std::string& job);

/// The folder; without a name nothing is kept.
class Parts {
 public:
  /// `job`: what the parts are of, on one line.
  Parts(std::string folder, std::string job) : folder_(std::move(folder)), job_(std::move(job)) {}

  [[nodiscard]] bool kept() const { return !folder_.empty(); }
  struct Found {
    std::vector<Part> parts;  ///< without their maps
    std::string note;         ///< why others are not gone on with; empty: nothing to say
  };
  /// Makes the folder, and says which slices are there already. Parts of another job, of another user, or with a second
  /// name (a hard link) are removed. Throws InputError where a file is no part, ResourceError where the folder cannot
  /// be made.
  [[nodiscard]] Found open() const;
  /// A part with its map. Throws InputError where its bytes are not those that were written.
  [[nodiscard]] Part read(std::int64_t begin, std::int64_t end) const;
  /// Keeps a part, whole or not at all.
  void write(const Part& part) const;
  void remove() const;

 private:
  [[nodiscard]] std::string path(std::int64_t begin, std::int64_t end) const;
  std::string folder_;
  std::string job_;
};

}  // namespace tamis::mpi
