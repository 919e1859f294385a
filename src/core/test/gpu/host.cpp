// Images of the host through a GPU filter: by page-locked memory in tiny pieces, in slabs of one row, from and to
// memory of every kind, with failures on the way.
#include "core/gpu/callers/host.hpp"

#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/frames.hpp>

#include "core/image_over.hpp"
#include "core/test/gpu/moved_rows.hpp"
#include "core/test/gpu_test.hpp"

namespace tamis {
namespace {

using cuda::filter_image;
using cuda::HostTuning;
using host_testing::moved_rows;
using host_testing::with_moved_rows;

class GpuHostImages : public GpuTest {};

/// Everything goes by the pieces, and images are cut as thin as they can be.
HostTuning tiny(std::int64_t piece, int pieces, std::int64_t slab = 1) {
  return {.staged_from = 0,
          .cut_from = 0,
          .least_slab = slab,
          .most_slab = slab,
          .results_of_reach = 0,
          .piece = piece,
          .pieces = pieces,
          .uncached_from = pieces == 2 ? 0 : std::int64_t{1} << 40};
}

const std::vector<HostTuning> tunings = {
    {}, tiny(29, 1), tiny(60, 2), tiny(64, 3, 100), tiny(1000, 2, 300), tiny(1 << 20, 4, 500), tiny(100, 4, 1 << 30)};

Image numbered(Type type, const Shape& shape) {
  Image image(type, shape);
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      if (type == Type::Bool) {
        image.row<std::uint64_t>(z, y)[0] = static_cast<std::uint64_t>(z * 31 + y * 7) % 1000 & ((1U << 9U) - 1);
      } else if (type == Type::F32) {
        for (std::int64_t x = 0; x < shape.x; ++x)
          image.row<float>(z, y)[x] = static_cast<float>(z * 1000 + y * 10 + x);
      } else {
        for (std::int64_t i = 0; i < image.row_bytes(); ++i) {
          image.row<std::byte>(z, y)[i] = static_cast<std::byte>(z * 97 + y * 31 + i * 7);
        }
      }
    }
  }
  return image;
}

bool same(const Image& a, const Image& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0;
}

const std::vector<Shape> shapes = {{1, 1, 1, 2}, {1, 20, 33, 2}, {1, 17, 64, 2}, {9, 3, 20, 3}, {15, 1, 16, 3}};

TEST_F(GpuHostImages, are_the_same_in_pieces_and_slabs_of_every_size) {
  for (const Type type : {Type::Bool, Type::U8, Type::U16, Type::F32}) {
    for (const Shape& shape : shapes) {
      const Image image = numbered(type, shape);
      for (const std::int64_t by : {0, 1, 5}) {
        const Image wanted = with_moved_rows(image, by);
        for (const HostTuning& tuning : tunings) {
          for (const std::size_t more : {0U, 2U}) {
            Context context = on_gpu();
            context.more_gpus = more_gpus(more);
            context.threads = tuning.pieces;
            Image out(type, shape);
            filter_image(context, moved_rows(type, shape, by), image, out, tuning);
            ASSERT_TRUE(same(out, wanted)) << name(type) << " " << to_string(shape) << " by " << by << " in pieces of "
                                           << tuning.piece << ", " << more + 1 << " GPUs";
          }
        }
      }
    }
  }
}

TEST_F(GpuHostImages, may_lie_in_page_locked_memory_each_for_itself) {
  const Shape shape{1, 211, 333, 2};
  const Image image = numbered(Type::U8, shape);
  const Image wanted = with_moved_rows(image, 2);
  const PinnedMemory pinned_in(image.bytes()), pinned_out(image.bytes());
  std::memcpy(pinned_in.data(), image.data(), static_cast<std::size_t>(image.bytes()));
  const Image in_pinned = image_over(pinned_in.data(), Type::U8, shape);
  for (const HostTuning& tuning : tunings) {
    for (const bool from_pinned : {false, true}) {
      Image out(Type::U8, shape), out_pinned = image_over(pinned_out.data(), Type::U8, shape);
      std::memset(out_pinned.data(), 0, static_cast<std::size_t>(image.bytes()));
      const Image& in = from_pinned ? in_pinned : image;
      filter_image(on_gpu(), moved_rows(Type::U8, shape, 2), in, out, tuning);
      filter_image(on_gpu(), moved_rows(Type::U8, shape, 2), in, out_pinned, tuning);
      EXPECT_TRUE(same(out, wanted)) << tuning.piece;
      EXPECT_TRUE(same(out_pinned, wanted)) << tuning.piece;
    }
  }
}

TEST_F(GpuHostImages, that_begin_in_the_middle_of_a_page_touch_nothing_beside_them) {
  const Shape shape{1, 100, 99, 2};
  constexpr std::size_t before = 1003;
  const Image image = numbered(Type::U8, shape);
  for (const HostTuning& tuning : tunings) {
    std::vector<std::byte> around(before + static_cast<std::size_t>(image.bytes()) + 5000, std::byte{0x5A});
    Image out = image_over(around.data() + before, Type::U8, shape);
    filter_image(on_gpu(), moved_rows(Type::U8, shape, 1), image, out, tuning);
    EXPECT_TRUE(same(out, with_moved_rows(image, 1)));
    for (std::size_t i = 0; i < around.size(); ++i) {
      const bool within = i >= before && i < before + static_cast<std::size_t>(image.bytes());
      if (!within) {
        ASSERT_EQ(around[i], std::byte{0x5A}) << i;
      }
    }
  }
}

TEST_F(GpuHostImages, keep_to_the_limit_of_device_memory_in_tiny_pieces_too) {
  const Shape shape{1, 60, 64, 2};
  const Image image = numbered(Type::U8, shape);
  const Image wanted = with_moved_rows(image, 1);
  // An image and its result, of a row and one to either side; two such slabs; and so on.
  for (const std::int64_t limit : {2 * 3 * 64, 4 * 3 * 64, 4 * 12 * 64, 2 * 60 * 64, 4 * 60 * 64}) {
    Context context = on_gpu();
    context.device_memory_bytes = limit;
    Image out(Type::U8, shape);
    std::int64_t most = 0;
    const auto filter = moved_rows(Type::U8, shape, 1, [&](const Shape& of) { most = std::max(most, of.y); });
    filter_image(context, filter, image, out, tiny(16, 2, 1 << 20));
    EXPECT_TRUE(same(out, wanted)) << limit;
    EXPECT_LE(2 * most * 64, limit);
  }
  Context context = on_gpu();
  context.device_memory_bytes = 2 * 3 * 64 - 1;
  Image out(Type::U8, shape);
  EXPECT_THROW(filter_image(context, moved_rows(Type::U8, shape, 1), image, out, tiny(16, 2)), ResourceError);
}

TEST_F(GpuHostImages, go_on_in_thinner_slabs_where_memory_runs_out) {
  const Shape shape{1, 64, 33, 2};
  const Image image = numbered(Type::U8, shape);
  for (const std::int64_t fits : {40, 7, 3}) {
    for (const std::size_t more : {0U, 1U}) {
      Context context = on_gpu();
      context.more_gpus = more_gpus(more);
      std::int64_t done = 0;
      context.on_progress = [&](const Progress& progress) { done = std::max(done, progress.done); };
      Image out(Type::U8, shape);
      const auto filter = moved_rows(Type::U8, shape, 1, [&](const Shape& of) {
        if (of.y > fits) throw cuda::OutOfMemory("no more");
      });
      filter_image(context, filter, image, out, tiny(64, 2, 20 * 48));
      EXPECT_TRUE(same(out, with_moved_rows(image, 1))) << fits;
      EXPECT_LE(done, 64);
      if (more == 0) {
        EXPECT_EQ(done, 64);
      }
    }
  }
}

TEST_F(GpuHostImages, are_refused_in_words_where_the_thinnest_slab_is_too_much) {
  const Shape shape{1, 20, 33, 2};
  Image out(Type::U8, shape);
  const auto filter = moved_rows(Type::U8, shape, 1, [](const Shape&) { throw cuda::OutOfMemory("no more"); });
  try {
    filter_image(on_gpu(), filter, numbered(Type::U8, shape), out, tiny(64, 2));
    ADD_FAILURE() << "it was enough";
  } catch (const ResourceError& error) {
    EXPECT_EQ(std::string(error.what()).find("GPU memory: move of 33x20"), 0U) << error.what();
  }
}

TEST_F(GpuHostImages, of_a_gpu_that_is_lost_on_the_way_are_done_by_the_others) {
  const Shape shape{64, 3, 33, 3};
  const Image image = numbered(Type::U8, shape);
  std::atomic<int> made{0};
  Context context = on_gpu();
  context.more_gpus = more_gpus(2);
  int notes = 0;
  context.on_note = [&](std::string_view) { ++notes; };
  Image out(Type::U8, shape);
  const auto filter = moved_rows(Type::U8, shape, 1, [&](const Shape&) {
    if (++made == 2) throw ResourceError("the GPU fell off the bus");
  });
  filter_image(context, filter, image, out, tiny(10, 3));
  EXPECT_TRUE(same(out, with_moved_rows(image, 1)));
  EXPECT_EQ(notes, 1);
}

TEST_F(GpuHostImages, are_left_soon_after_a_stop) {
  const Shape shape{200, 3, 33, 3};
  const Image image = numbered(Type::U8, shape);
  for (const HostTuning& tuning : {tiny(10, 3), tiny(1 << 20, 2)}) {
    std::stop_source stop;
    Context context = on_gpu();
    context.cancel = stop.get_token();
    std::int64_t done = 0;
    context.on_progress = [&](const Progress& progress) {
      done = progress.done;
      if (done >= 30) stop.request_stop();
    };
    Image out(Type::U8, shape);
    EXPECT_THROW(filter_image(context, moved_rows(Type::U8, shape, 0), image, out, tuning), Cancelled);
    EXPECT_LT(done, 60);
  }
}

TEST_F(GpuHostImages, stay_untouched_where_the_last_row_holds_nan) {
  const Shape shape{1, 50, 33, 2};
  Image image = numbered(Type::F32, shape);
  image.row<float>(0, 49)[32] = std::nanf("");
  for (const HostTuning& tuning : tunings) {
    for (const std::size_t more : {0U, 1U}) {
      Context context = on_gpu();
      context.more_gpus = more_gpus(more);
      Image out(Type::F32, shape);
      std::memset(out.data(), 0x11, static_cast<std::size_t>(out.bytes()));
      try {
        filter_image(context, moved_rows(Type::F32, shape, 1), image, out, tuning);
        ADD_FAILURE() << "NaN was taken";
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()), "move: the image holds NaN at x 32, y 49; wanted numbers, or nan ignore");
      }
      for (std::int64_t i = 0; i < out.bytes(); ++i) ASSERT_EQ(out.data()[i], std::byte{0x11});
    }
  }
}

TEST_F(GpuHostImages, with_nan_that_is_left_out_are_filtered_around_it_slab_by_slab) {
  const Shape shape{1, 50, 33, 2};
  for (const bool holds_nan : {false, true}) {
    Image image = numbered(Type::F32, shape);
    if (holds_nan) image.row<float>(0, 20)[5] = std::nanf("");
    for (const HostTuning& tuning : tunings) {
      int around = 0, made = 0;
      cuda::GpuFilter filter = moved_rows(Type::F32, shape, 1);
      filter.nan = NanPolicy::Ignore;
      filter.make = [&, make = filter.make](const cuda::Stream& stream, const Shape& of, bool around_nan) {
        around += around_nan ? 1 : 0;
        ++made;
        return make(stream, of, around_nan);
      };
      Image out(Type::F32, shape);
      filter_image(on_gpu(), filter, image, out, tuning);
      EXPECT_TRUE(same(out, with_moved_rows(image, 1)));
      EXPECT_EQ(around > 0, holds_nan);
      if (made > 10 && holds_nan) {
        EXPECT_LE(around, 3) << "slabs that see no NaN";
      }
    }
  }
}

}  // namespace
}  // namespace tamis
