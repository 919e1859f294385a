// Processes that share the work on a volume, started by mpirun: what they say to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/parts/tally.hpp"

namespace tamis::mpi {

class Ranks {
 public:
  /// Starts MPI.
  Ranks(int& argc, char**& argv);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int own() const { return own_; }
  [[nodiscard]] int count() const { return count_; }
  /// The one that has the outputs.
  [[nodiscard]] bool is_first() const { return own_ == 0; }
  /// The number of this rank among those of its host.
  [[nodiscard]] int on_host() const { return on_host_; }
  /// How many there are on its host.
  [[nodiscard]] int on_this_host() const { return on_this_host_; }
  /// Whether this MPI takes pointers into the memory of an NVIDIA GPU.
  [[nodiscard]] static bool cuda_aware();

  // All ranks call these, in the same order.

  /// Does work on every rank. Where it throws an error of tamis on one of them, all throw that of the first such rank.
  void together(const std::function<void()>& work) const;
  [[nodiscard]] std::int64_t largest(std::int64_t value) const;
  /// Whether it is so on all of them.
  [[nodiscard]] bool all(bool here) const { return largest(here ? 0 : 1) == 0; }
  /// Sums position by position; shorter lists are as if they ended in zeros.
  [[nodiscard]] std::vector<std::int64_t> sum(std::vector<std::int64_t> values) const;
  [[nodiscard]] parts::Tally sum(const parts::Tally& tally) const;
  /// What the first rank says.
  [[nodiscard]] std::string told(std::string text) const;
  [[nodiscard]] std::int64_t told(std::int64_t value) const;

  /// Slices of a volume of which each rank has its own range.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  /// Every rank gets the slices that it wants from those that have them: own[r] and wanted[r] of each rank r. `slice`
  /// says where a slice of this rank lies, `put` where one that it gets goes, both of `words` words and, where
  /// cuda_aware(), on a GPU or not.
  void exchange(std::span<const Range> own, std::span<const Range> wanted, std::int64_t words,
                const std::function<const std::uint64_t*(std::int64_t z)>& slice,
                const std::function<std::uint64_t*(std::int64_t z)>& put) const;

  // Between the first rank and another one.

  void send_to_first(std::span<const std::byte> bytes) const;
  void receive(int from, std::span<std::byte> bytes) const;

 private:
  int own_ = 0;
  int count_ = 1;
  int on_host_ = 0;
  int on_this_host_ = 1;
};

}  // namespace tamis::mpi
