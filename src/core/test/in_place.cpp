// Filters of an image onto itself, which go over it band by band.
#include <tamis/image/view.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/operations.hpp>

#include "core/test/view_buffer.hpp"
#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using morphology_testing::random_image;
using namespace view_testing;

using Filter = std::function<void(const Context&, const ConstImageView&, const ImageView&)>;

std::vector<std::pair<std::string, Filter>> filters(const StructuringElement& element, const Border& border) {
  const MorphologyOptions options{.element = element, .border = border};
  return {
      {"erode", [=](auto& c, auto& i, auto& o) { erode(c, i, o, options); }},
      {"close", [=](auto& c, auto& i, auto& o) { close(c, i, o, options); }},
      {"tophat", [=](auto& c, auto& i, auto& o) { tophat(c, i, o, options); }},
      {"gradient", [=](auto& c, auto& i, auto& o) { gradient(c, i, o, options); }},
      {"hitmiss", [=](auto& c, auto& i, auto& o) { hitmiss(c, i, o, {.border = border}); }},
      {"asf", [=](auto& c, auto& i, auto& o) { asf(c, i, o, {.element = "square:3", .border = border}); }},
      {"medians",
       [=](auto& c, auto& i, auto& o) { median(c, i, o, {.window = element, .iterations = 2, .border = border}); }},
      {"smooth", [=](auto& c, auto& i, auto& o) { smooth(c, i, o, {.width = 5, .height = 3, .border = border}); }},
      {"outliers", [=](auto& c, auto& i,
                       auto& o) { remove_outliers(c, i, o, {.window = element, .threshold = 1, .border = border}); }},
      {"by its description",
       [](auto& c, auto& i, auto& o) {
         filter(c, operation("dilate"), {&i, 1}, operation("dilate").defaults, o);
       }},
  };
}

TEST(InPlace, every_filter_gives_what_it_gives_elsewhere) {
  Sampled some(13);
  unsigned seed = 0;
  for (const Shape& shape :
       {Shape{1, 1, 70, 2}, Shape{1, 3, 90, 2}, Shape{1, 49, 40, 2}, Shape{1, 500, 33, 2}, Shape{1, 900, 7, 2},
        Shape{3, 160, 20, 2}, Shape{70, 5, 12, 3}, Shape{190, 3, 4, 3}, Shape{2, 120, 10, 3}}) {
    for (const Type type : morphology_testing::filter_types) {
      for (const Border& border :
           {Border(), Border::reflect(), Border::nearest(), Border::wrap(), Border::constant(1)}) {
        const char* const elements[] = {"square:3", "shift(rect:4x3,1,-2)", shape.rank == 3 ? "cube:3" : "line:7@30",
                                        "rect:1x1"};
        const StructuringElement element(elements[++seed % std::size(elements)]);
        for (const auto& [name, run] : filters(element, border)) {
          if (some.skips()) continue;
          SCOPED_TRACE(name + " by " + element.spec() + " " + to_string(border) + " of " +
                       std::string(tamis::name(type)) + " " + to_string(shape));
          const Way way = seed % 2 == 0 ? Way::Dense : Way::Pitch;
          Buffer image(type, shape, way), other(type, shape, Way::Dense);
          const Buffer fresh = image;
          image.put(random_image(type, shape, seed));
          run({}, as_input(image.view), other.view);
          Context context;
          context.threads = 1 + static_cast<int>(seed % 3);
          run(context, as_input(image.view), image.view);
          ASSERT_TRUE(image.samples() == other.samples());
          ASSERT_GE(image.untouched(fresh), image.size() - other.samples().size())
              << "something beside the samples was written";
        }
      }
    }
  }
}

TEST(InPlace, bands_are_as_large_as_caches) {
  Sampled some(5);
  for (const Shape& shape : {Shape{1, 2600, 900, 2}, Shape{90, 100, 300, 3}}) {
    for (const auto& [name, run] : filters(shape.rank == 3 ? "cube:3" : "disk:4", Border())) {
      if (some.skips()) continue;
      Image image = random_image(Type::U8, shape, 5), other(Type::U8, shape);
      run({}, view_of(static_cast<const Image&>(image)), view_of(other));
      run({}, view_of(static_cast<const Image&>(image)), view_of(image));
      ASSERT_TRUE(samples_of(image) == samples_of(other)) << name;
    }
  }
}

TEST(InPlace, no_copy_of_the_image_is_made) {
  Image image = random_image(Type::U8, {1, 6000, 1000, 2}, 6);
  const Image wanted = erode({}, image);
  Context context;
  context.threads = 2;
  context.memory_bytes = 4 << 20;
  erode(context, view_of(static_cast<const Image&>(image)), view_of(image));
  EXPECT_TRUE(samples_of(image) == samples_of(wanted));
}

TEST(InPlace, what_is_stopped_has_samples_of_before_and_after) {
  const Shape shape{1, 700, 900, 2};
  const Image first = random_image(Type::F32, shape, 7);
  for (const auto& [name, run] : filters("disk:2", Border())) {
    Image after(Type::F32, shape);
    int stopped = 0;
    run({}, view_of(first), view_of(after));
    for (int at = 1; at < 12; at += small_scale() ? 8 : 2) {
      std::stop_source stop;
      Context context;
      context.threads = 2;
      context.cancel = stop.get_token();
      int reports = 0;
      context.on_progress = [&](const Progress&) {
        if (++reports == at) stop.request_stop();
      };
      Image image = random_image(Type::F32, shape, 7);
      try {
        run(context, view_of(static_cast<const Image&>(image)), view_of(image));
      } catch (const Cancelled&) {
        ++stopped;
      }
      const auto* const samples = image.row<std::uint32_t>(0, 0);  // infinities have no differences
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        const bool before = samples[i] == first.row<std::uint32_t>(0, 0)[i];
        ASSERT_TRUE(before || samples[i] == after.row<std::uint32_t>(0, 0)[i]) << name << " " << at << " " << i;
      }
    }
    EXPECT_GT(stopped, 0) << name;
  }
}

TEST(InPlace, nan_is_refused_before_a_sample_is_written) {
  Image image = random_image(Type::F32, {1, 700, 900, 2}, 8);
  image.row<float>(0, 650)[17] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::byte> first = samples_of(image);
  for (const auto& [name, run] : filters("disk:2", Border())) {
    try {
      run({}, view_of(static_cast<const Image&>(image)), view_of(image));
      FAIL() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("x 17, y 650"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(samples_of(image) == first) << name;
  }
}

}  // namespace
}  // namespace tamis
