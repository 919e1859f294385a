// Reconstruction against its definition: unit dilations held below the mask until nothing changes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>

#include <tamis/morphology.hpp>

#include "core/stage.hpp"
#include "morphology/cpu/reconstruct/run.hpp"
#include "morphology/test/reconstruct_testing.hpp"

namespace tamis {
namespace {

using namespace reconstruct_testing;

MorphologyOptions unit(Connectivity connectivity, int rank) {
  if (connectivity == Connectivity::Face) return {.element = "cross:1"};
  return {.element = rank == 3 ? "cube:3" : "square:3"};
}

Grid definition(Grid marker, const Grid& mask, const ReconstructOptions& options) {
  const bool dilate = options.by == ReconstructOptions::By::Dilation;
  for (;;) {
    Grid next = half(marker, unit(options.connectivity, mask.shape.rank), !dilate);
    for (std::size_t i = 0; i < next.values.size(); ++i) {
      next.values[i] = dilate ? std::min(next.values[i], mask.values[i]) : std::max(next.values[i], mask.values[i]);
    }
    if (next.values == marker.values) return next;
    marker = std::move(next);
  }
}

TEST(Reconstruct, agrees_with_the_definition_for_every_type_and_shape) {
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Shape& shape :
         {Shape{1, 1, 1, 2}, Shape{1, 17, 23, 2}, Shape{1, 1, 70, 2}, Shape{5, 7, 9, 3}, Shape{4, 9, 13, 2}}) {
      for (const auto by : {ReconstructOptions::By::Dilation, ReconstructOptions::By::Erosion}) {
        for (const Connectivity connectivity : {Connectivity::Face, Connectivity::Full}) {
          const ReconstructOptions options{by, connectivity};
          const Image mask = random_image(type, shape, seed++);
          const Image marker = marker_for(mask, by == ReconstructOptions::By::Dilation, seed++);
          const Grid found = grid_of(reconstruct({}, marker, mask, options));
          // Zeros of both signs are equal here: which one survives depends on the way.
          EXPECT_EQ(found.values, definition(grid_of(marker), grid_of(mask), options).values) << name(type);
        }
      }
    }
  }
}

TEST(Reconstruct, wide_whole_numbers_are_rebuilt_in_all_of_their_bits) {
  for (const Shape& shape : {Shape{1, 17, 23, 2}, Shape{5, 27, 39, 3}, Shape{4, 9, 13, 2}}) {
    expect_widened<std::uint32_t>({}, shape);
    expect_widened<std::uint64_t>({}, shape);
  }
}

Image in_bands(const Pair& pair, const ReconstructOptions& options, std::int64_t rows) {
  const Context context;
  Stage stage(context, "test");
  Image out(pair.mask.type(), pair.mask.shape());
  const morphology_detail::ReconstructForm form{options.by == ReconstructOptions::By::Erosion,
                                                options.connectivity == Connectivity::Full, false};
  EXPECT_FALSE(
      morphology_detail::cpu::reconstruct_in_bands(context, pair.marker, pair.mask, form, rows, out, stage).any());
  return out;
}

TEST(Reconstruct, bands_of_any_height_give_the_same_answer) {
  Sampled some(5);
  unsigned seed = 1;
  for (const Type type : filter_types) {
    for (const Shape& shape :
         {Shape{1, 37, 41, 2}, Shape{1, 90, 7, 2}, Shape{13, 5, 9, 3}, Shape{5, 13, 9, 3}, Shape{4, 13, 21, 2}}) {
      for (const auto by : {ReconstructOptions::By::Dilation, ReconstructOptions::By::Erosion}) {
        for (const Connectivity connectivity : {Connectivity::Face, Connectivity::Full}) {
          if (some.skips()) continue;
          const ReconstructOptions options{by, connectivity};
          for (const Pair& pair : pairs(type, shape, by == ReconstructOptions::By::Dilation, seed++)) {
            const Image whole = in_bands(pair, options, 1000);
            EXPECT_EQ(grid_of(whole).values, definition(grid_of(pair.marker), grid_of(pair.mask), options).values);
            for (const std::int64_t rows : {1, 2, 5, 16}) {
              const Image cut = in_bands(pair, options, rows);
              ASSERT_EQ(std::memcmp(cut.data(), whole.data(), static_cast<std::size_t>(whole.bytes())), 0)
                  << name(type) << " " << to_string(shape) << " rows " << rows;
            }
          }
        }
      }
    }
  }
}

TEST(Reconstruct, what_comes_from_one_face_goes_through_thin_bands) {
  const Shape shape{48, small_scale() ? 40 : 200, 180, 3};
  Pair pair{Image(Type::U16, shape), random_image(Type::U16, shape, 5)};
  for (const std::int64_t z : {std::int64_t{0}, std::int64_t{40}}) {
    std::memset(pair.marker.data(), 0, static_cast<std::size_t>(pair.marker.bytes()));
    std::memcpy(pair.marker.row<std::byte>(z, 0), pair.mask.row<std::byte>(z, 0),
                static_cast<std::size_t>(2 * shape.y * shape.x));
    for (const int threads : {1, 2}) {
      Context context;
      context.threads = threads;
      for (const Connectivity connectivity : {Connectivity::Face, Connectivity::Full}) {
        const ReconstructOptions options{ReconstructOptions::By::Dilation, connectivity};
        const Image whole = in_bands(pair, options, 1000);
        const Image got = reconstruct(context, pair.marker, pair.mask, options);
        ASSERT_EQ(std::memcmp(got.data(), whole.data(), static_cast<std::size_t>(whole.bytes())), 0);
      }
    }
  }
}

TEST(Reconstruct, threads_change_nothing) {
  Pair pair{Image(), random_image(Type::U16, {1, 700, 600, 2}, 3)};
  pair.marker = marker_for(pair.mask, true, 4, 500);
  Context one;
  one.threads = 1;
  const Image wanted = reconstruct(one, pair.marker, pair.mask);
  const Image got = reconstruct({}, pair.marker, pair.mask);
  EXPECT_EQ(std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())), 0);
}

TEST(Reconstruct, images_of_a_stack_do_not_touch_each_other_and_their_samples_are_counted_once) {
  Pair pair{Image(Type::U8, {3, 40, 70, 2}), Image(Type::U8, {3, 40, 70, 2})};
  for (std::int64_t z = 0; z < 3; ++z) {
    for (std::int64_t y = 0; y < 40; ++y) {
      for (std::int64_t x = 0; x < 70; ++x) set(pair.mask, z, y, x, 9);
    }
  }
  set(pair.marker, 1, 39, 69, 9);
  Context context;
  std::int64_t done = 0;
  context.on_progress = [&](const Progress& progress) { done = std::max(done, progress.done); };
  for (const int threads : {1, 4}) {
    context.threads = threads;
    done = 0;
    const Image out = reconstruct(context, pair.marker, pair.mask);
    for (const std::int64_t z : {0, 1, 2}) {
      EXPECT_EQ(out.row<std::uint8_t>(z, 0)[0], z == 1 ? 9 : 0);
      EXPECT_EQ(out.row<std::uint8_t>(z, 39)[69], z == 1 ? 9 : 0);
    }
    EXPECT_LE(done, 3 * 40 * 70);
    if (threads == 1) {
      EXPECT_EQ(done, 3 * 40 * 70);
    }
  }
}

TEST(Reconstruct, openings_by_reconstruction_keep_the_shape_of_what_survives) {
  Image image(Type::U8, {1, 20, 40, 2});
  for (std::int64_t y = 4; y < 12; ++y) {
    for (std::int64_t x = 5; x < 15; ++x) set(image, 0, y, x, 100);
  }
  set(image, 0, 3, 9, 100);    // a spur of the large object
  set(image, 0, 15, 30, 100);  // dust
  const Image opened = open_by_reconstruction({}, image, {.element = "square:5"});
  EXPECT_EQ(opened.row<std::uint8_t>(0, 3)[9], 100);
  EXPECT_EQ(opened.row<std::uint8_t>(0, 15)[30], 0);
  const Image closed = close_by_reconstruction({}, image, {.element = "shift(square:3,9,0)"});
  const Grid before = grid_of(image), after = grid_of(closed);
  for (std::size_t i = 0; i < before.values.size(); ++i) EXPECT_GE(after.values[i], before.values[i]);
}

TEST(Reconstruct, errors_say_what_was_wrong) {
  const Image mask = random_image(Type::U8, {1, 5, 6, 2}, 1);
  Image marker = random_image(Type::U8, {1, 5, 6, 2}, 1);
  marker.row<std::uint8_t>(0, 3)[4] = 255;
  Image low = random_image(Type::U8, {1, 5, 6, 2}, 1);
  low.row<std::uint8_t>(0, 3)[4] = 0;
  EXPECT_THROW((void)reconstruct({}, marker, low), InputError);
  EXPECT_THROW((void)reconstruct({}, low, marker, {ReconstructOptions::By::Erosion, Connectivity::Full}), InputError);
  EXPECT_THROW((void)reconstruct({}, Image(), mask), InputError);
  EXPECT_THROW((void)reconstruct({}, mask, Image(Type::U8, {1, 5, 7, 2})), InputError);
  EXPECT_THROW((void)reconstruct({}, Image(Type::F64, {1, 5, 6, 2}), Image(Type::F64, {1, 5, 6, 2})), InputError);
  const Image nan = random_image(Type::F32, {1, 5, 6, 2}, 1, 1.0);
  EXPECT_THROW((void)reconstruct({}, nan, nan), InputError);
}

}  // namespace
}  // namespace tamis
