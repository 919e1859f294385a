// Rows cut into pieces that cross the bus. No test here needs a GPU.
#include "core/gpu/staging/transfer.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace tamis::cuda {
namespace {

TEST(PiecesOfRows, have_each_byte_once_where_it_belongs) {
  for (const std::int64_t row_bytes : {1, 5, 16, 33}) {
    for (const std::int64_t padding : {0, 3}) {
      for (const std::int64_t count : {1, 2, 7}) {
        for (const std::int64_t most : {1, 4, 16, 40, 1000}) {
          std::vector<std::byte> device(static_cast<std::size_t>((row_bytes + padding) * count));
          const DeviceRows rows{device.data(), row_bytes + padding, row_bytes, count};
          std::int64_t done = 0;
          while (done < rows.bytes()) {
            const Patch patch = patch_after(rows, done, most);
            ASSERT_EQ(patch.begin, done);
            ASSERT_GT(patch.bytes(), 0);
            ASSERT_LE(patch.bytes(), most);
            for (std::int64_t row = 0; row < patch.rows; ++row) {
              for (std::int64_t i = 0; i < patch.row_bytes; ++i) {
                const std::int64_t dense = done + row * patch.row_bytes + i;
                ASSERT_EQ(patch.on_device + row * patch.pitch + i - device.data(),
                          dense / row_bytes * (row_bytes + padding) + dense % row_bytes);
              }
            }
            done += patch.bytes();
          }
          ASSERT_EQ(done, rows.bytes());
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis::cuda
