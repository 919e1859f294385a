// What parts of an image come to, in whole numbers that add up: the answer does not depend on how the image was cut,
// nor on who counted which part. Processes, workers of Dask and runs that go on hand tallies on as bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::parts {

class Tally {
 public:
  using Counts = std::vector<std::int64_t>;

  /// Counts of that name, none at first. Those of two tallies add up position by position; the shorter ones are as if
  /// they ended in zeros. Sums go around past 2^63, as those of unsigned numbers past 2^64.
  [[nodiscard]] Counts& counts(const std::string& name) { return counts_[name]; }
  [[nodiscard]] const Counts& counts(const std::string& name) const;
  /// One number, the sum of the parts' ones.
  [[nodiscard]] std::int64_t sum(const std::string& name) const;
  void set_sum(const std::string& name, std::int64_t value) { counts_[name] = {value}; }
  /// A number from 0 on, the largest of the parts' ones.
  [[nodiscard]] std::int64_t& largest(const std::string& name) { return largest_[name]; }
  [[nodiscard]] std::int64_t largest(const std::string& name) const;

  void add(const Tally& other);

  /// A version, then the numbers: the same on all machines.
  [[nodiscard]] std::string to_bytes() const;
  /// Throws InputError for other bytes, and for those of another version; `what` is what the error calls them.
  [[nodiscard]] static Tally from_bytes(std::string_view bytes, std::string_view what);

  bool operator==(const Tally&) const = default;

 private:
  std::map<std::string, Counts> counts_;
  std::map<std::string, std::int64_t> largest_;
};

}  // namespace tamis::parts
