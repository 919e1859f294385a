// Half of the changes are those of one field of one directory entry: its tag, type, count or value.
#include <array>

#include "fuzz/mutate.hpp"

namespace {

/// A file that begins as a TIFF does.
class Directories {
 public:
  Directories(std::uint8_t* data, std::size_t size)
      : data_(data), size_(size), little_(size > 0 && data[0] == 'I'), big_(size > 16 && number(2, 2) == 43) {}

  /// Changes an entry that `seed` chooses; false where there is none.
  bool change(std::uint64_t seed) {
    if (size_ < 16) return false;
    const std::size_t word = big_ ? 8 : 4;
    std::uint64_t at = number(big_ ? 8 : 4, word);
    for (std::uint64_t page = take(seed, 4);; --page) {
      const std::size_t counter = big_ ? 8 : 2;
      const std::size_t entry = big_ ? 20 : 12;
      if (at > size_ || size_ - at < counter) return false;
      const std::uint64_t entries = number(at, counter);
      const std::uint64_t first = at + counter;
      if (entries == 0 || entries > (size_ - first) / entry) return false;
      const std::uint64_t next = first + entries * entry;
      if (page == 0 || next + word > size_ || number(next, word) == 0) {
        if (next + word <= size_ && take(seed, 32) == 0) {
          put(next, word, interesting(seed));
        } else {
          change_entry(first + take(seed, entries) * entry, word, seed);
        }
        return true;
      }
      at = number(next, word);
    }
  }

 private:
  static std::uint64_t take(std::uint64_t& seed, std::uint64_t choices) {
    // A step of splitmix64: neighbouring seeds make different choices.
    seed += 0x9e3779b97f4a7c15U;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % choices;
  }

  [[nodiscard]] std::uint64_t number(std::uint64_t at, std::size_t bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | data_[at + (little_ ? bytes - 1 - i : i)];
    return value;
  }

  void put(std::uint64_t at, std::size_t bytes, std::uint64_t value) {
    for (std::size_t i = 0; i < bytes; ++i) {
      data_[at + (little_ ? i : bytes - 1 - i)] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

  [[nodiscard]] std::uint64_t interesting(std::uint64_t& seed) const {
    const std::array<std::uint64_t, 24> values{
        0,   1,     2,     3,          4,        8,          12,    16,        17,        32,        64,    255,
        256, 65535, 65536, 0x7fffffff, 1U << 31, 0xffffffff, size_, size_ - 1, size_ + 1, size_ / 2, ~0ULL, 1ULL << 63};
    return values[take(seed, values.size())];
  }

  void change_entry(std::uint64_t at, std::size_t word, std::uint64_t& seed) {
    constexpr std::array<std::uint64_t, 28> tags{254, 255, 256, 257, 258, 259, 262,   266, 270, 273,
                                                 274, 277, 278, 279, 282, 283, 284,   296, 317, 320,
                                                 322, 323, 324, 325, 338, 339, 34737, 347};
    constexpr std::array<std::uint64_t, 11> compressions{1, 2, 3, 4, 5, 7, 8, 32773, 34887, 50000, 34925};
    switch (take(seed, 8)) {
      case 0:
        return put(at, 2, tags[take(seed, tags.size())]);
      case 1:
        return put(at + 2, 2, take(seed, 20));
      case 2:
        return put(at + 4, word, interesting(seed));
      case 3:
        return put(at + 4, word, 1 + take(seed, 8));
      case 4:
        if (number(at, 2) == 259) return put(at + 4 + word, 2, compressions[take(seed, compressions.size())]);
        return put(at + 4 + word, 2, take(seed, 70));
      case 5:
        return put(at + 4 + word, word, take(seed, size_ + 8));
      default:
        return put(at + 4 + word, word, interesting(seed));
    }
  }

  std::uint8_t* data_;
  std::size_t size_;
  bool little_;
  bool big_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 2 == 0 && Directories(data, size).change(seed)) return size;
  return LLVMFuzzerMutate(data, size, max_size);
}
