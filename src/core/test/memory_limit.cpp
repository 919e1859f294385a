#include <atomic>
#include <chrono>
#include <limits>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/memory.hpp>

#include "core/cpu/parallel.hpp"

namespace tamis {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

TEST(MemoryLimit, what_needs_more_is_refused_with_its_figure) {
  Context context;
  EXPECT_NO_THROW(require_memory(context, "nothing", std::int64_t{1} << 60));
  context.memory_bytes = 30 * mebibyte;
  EXPECT_NO_THROW(require_memory(context, "a slab", 30 * mebibyte));
  EXPECT_NO_THROW(require_memory(beside(context, 40 * mebibyte), "a row", mebibyte));
  EXPECT_THROW(require_memory(beside(context, 40 * mebibyte), "more", mebibyte + 1), ResourceError);
  try {
    require_memory(context, "an image", 30 * mebibyte + 1);
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "31 MiB of memory needed for an image, the memory limit leaves 30 MiB; wanted a higher limit or a part of "
        "the image");
  }
}

TEST(MemoryLimit, what_is_kept_beside_the_work_leaves_less_and_never_no_limit) {
  Context context;
  EXPECT_EQ(beside(context, mebibyte).memory_bytes, 0);
  context.memory_bytes = 3 * mebibyte;
  EXPECT_EQ(beside(context, mebibyte).memory_bytes, 2 * mebibyte);
  EXPECT_EQ(beside(context, 9 * mebibyte).memory_bytes, 1);
}

TEST(MemoryLimit, bytes_of_images_do_not_overflow) {
  EXPECT_EQ(image_bytes(Type::U16, {2, 3, 5, 3}), 60);
  EXPECT_EQ(image_bytes(Type::Bool, {2, 3, 65, 3}), 96);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const Type type : {Type::Bool, Type::U8, Type::F64}) {
    EXPECT_EQ(image_bytes(type, {most, most, most, 3}), std::int64_t{1} << 60);
    EXPECT_EQ(image_bytes(type, {1, std::int64_t{1} << 32, std::int64_t{1} << 32, 2}), std::int64_t{1} << 60);
  }
}

TEST(ParallelFor, ends_soon_after_a_stop_is_requested) {
  for (const int threads : {1, 0}) {
    std::stop_source source;
    Context context;
    context.threads = threads;
    context.cancel = source.get_token();
    std::atomic<std::int64_t> done{0};
    const auto work = [&](std::int64_t) {
      if (++done == 100) source.request_stop();
    };
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(parallel_for(context, 1'000'000'000, work), Cancelled);
    EXPECT_LT(done, 10'000);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << "no share is made for nothing";
  }
}

}  // namespace
}  // namespace tamis
