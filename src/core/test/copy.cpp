#include "core/cpu/copy.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 37 + i / 251);
  return bytes;
}

TEST(CopiesByAllThreads, write_what_they_shall_and_nothing_beside_it) {
  constexpr std::byte other{0xEE};
  for (const std::size_t bytes : {0U, 1U, 15U, 16U, 100U, (128U << 10U) - 1, 1'000'003U}) {
    for (const std::size_t offset : {0U, 1U, 9U}) {
      const std::vector<std::byte> from = numbered(bytes + 3);
      for (const bool past_caches : {false, true}) {
        std::vector<std::byte> to(offset + bytes + 5, other);
        const auto first = static_cast<std::int64_t>(bytes / 3), rest = static_cast<std::int64_t>(bytes) - first;
        const HostCopy copies[] = {{to.data() + offset, from.data() + 3, first, past_caches},
                                   {},
                                   {to.data() + offset + first, from.data() + 3 + first, rest, !past_caches}};
        copy_bytes({}, copies);
        for (std::size_t i = 0; i < to.size(); ++i) {
          const bool within = i >= offset && i < offset + bytes;
          ASSERT_EQ(to[i], within ? from[i - offset + 3] : other) << bytes << " at " << i;
        }
      }
    }
  }
}

TEST(PagesThatAreMade, keep_what_is_in_them) {
  std::vector<std::byte> memory = numbered(5'000'001);
  const std::vector<std::byte> before = memory;
  make_pages({}, memory.data() + 1, static_cast<std::int64_t>(memory.size()) - 1);
  make_pages({}, memory.data(), 0);
  EXPECT_EQ(memory, before);
}

}  // namespace
}  // namespace tamis
