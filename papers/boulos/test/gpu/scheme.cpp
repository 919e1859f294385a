#include "papers/boulos/gpu/scheme.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/phantom.hpp>

#include "core/test/gpu_test.hpp"
#include "granulometry/cpu/run.hpp"
#include "granulometry/plan.hpp"
#include "granulometry/test/testing.hpp"
#include "papers/boulos/cpu/run.hpp"

namespace tamis {
namespace {

using namespace granulometry_detail;
using namespace granulometry_testing;

/// A run of a backend: curve, flags and, if wanted, the map.
struct Outcome {
  Sizes sizes;
  Type type = Type::Bool;
  std::vector<std::uint32_t> map;
};

/// The scheme on the CPU, or the library where nothing is to be computed.
Sizes on_the_cpu(const Context& context, const Request& request, const MapOutput& map) {
  if (request.never_erodes) return cpu::run(context, request, map);
  return boulos::cpu::run(context, request, map, std::int64_t{1} << 33);
}

using Backend = Sizes (*)(const Context&, const Request&, const MapOutput&);

Outcome run(Backend backend, const Context& context, const Image& object, const GranulometryOptions& options,
            const Image& domain, bool map) {
  Request request{&object, domain.empty() ? nullptr : &domain, nullptr, options, false};
  std::int64_t in_object = 0, in_domain = 0;
  const Shape& shape = object.shape();
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        in_object += object.bit(z, y, x);
        in_domain += domain.empty() || domain.bit(z % domain.shape().z, y, x);
      }
  request.never_erodes = options.border == DomainBorder::Neutral && in_object > 0 && in_object == in_domain;
  Outcome outcome;
  if (!map) {
    outcome.sizes = backend(context, request, {});
    return outcome;
  }
  Image image;
  std::int64_t next = 0;
  const MapOutput output{[&](Type type) { image = Image(type, shape); },
                         [&](const std::byte* slices, std::int64_t z0, std::int64_t count) {
                           EXPECT_EQ(z0, next);
                           next = z0 + count;
                           std::copy_n(slices, count * shape.y * image.row_bytes(), image.row<std::byte>(z0, 0));
                         }};
  outcome.sizes = backend(context, request, output);
  EXPECT_EQ(next, shape.z);
  outcome.type = image.type();
  outcome.map = values(image);
  return outcome;
}

void expect_same(const Outcome& got, const Outcome& wanted) {
  EXPECT_EQ(got.sizes.volume, wanted.sizes.volume);
  EXPECT_EQ(got.sizes.limited, wanted.sizes.limited);
  EXPECT_EQ(got.sizes.never_empties, wanted.sizes.never_empties);
  EXPECT_EQ(got.type, wanted.type);
  EXPECT_TRUE(got.map == wanted.map) << "the maps differ";
}

struct Subject {
  Image domain;
  Image object;
};

Subject subject_of(const Case& c) {
  Subject subject{random_domain(c.shape, c.roi, c.seed), random_object(c.shape, c.density, c.seed)};
  clip(subject.object, subject.domain);
  return subject;
}

void expect_as_on_the_cpu(const Context& gpu, const Case& c) {
  SCOPED_TRACE(describe(c));
  const Subject s = subject_of(c);
  for (const bool map : {false, true}) {
    expect_same(run(boulos::gpu::run, gpu, s.object, c.options, s.domain, map),
                run(on_the_cpu, {}, s.object, c.options, s.domain, map));
  }
}

TEST(PaperTiles, cover_every_quad_and_keep_the_threads_busy) {
  for (std::int64_t x = 1; x < 40000; x += x < 2000 ? 63 : 1009) {
    for (const std::int64_t z : {1, 5, 480, 1024}) {
      const Grid grid{1, z, 77, x, true};
      const boulos::gpu::Tiles tiles = boulos::gpu::choose_tiles(grid, 528);
      const std::int64_t quads = boulos::gpu::quads_of(x);
      ASSERT_GE(std::int64_t{tiles.width} * tiles.across, quads);
      ASSERT_LT(std::int64_t{tiles.width} * (tiles.across - 1), quads);
      ASSERT_LE(tiles.rows * tiles.width, boulos::gpu::block_threads);
      ASSERT_GE(std::int64_t{tiles.chunk} * tiles.chunks, z);
      ASSERT_LT(std::int64_t{tiles.chunk} * (tiles.chunks - 1), z);
      ASSERT_GE(tiles.blocks * tiles.rows, std::int64_t{77} * tiles.chunks * tiles.across);
      const double busy = static_cast<double>(tiles.rows * quads) / (1.0 * boulos::gpu::block_threads * tiles.across);
      ASSERT_GT(busy, 0.85) << x;
    }
  }
}

TEST(PaperTiles, fill_the_device_once_where_the_volume_is_large) {
  const boulos::gpu::Tiles tiles = boulos::gpu::choose_tiles({1, 1024, 1024, 1024, true}, 528);
  EXPECT_EQ(tiles.chunk, 64);
  EXPECT_EQ(tiles.blocks, 512);
}

class GpuPaper : public GpuTest {};

TEST_F(GpuPaper, agrees_with_the_definition_for_every_option_on_odd_shapes) {
  for (const Shape& shape : odd_shapes) {
    for_every_option(shape, [&](Case c) {
      for (const double density : {0.97, 0.4}) {
        c.density = density;
        SCOPED_TRACE(describe(c));
        const Subject s = subject_of(c);
        const Expected expected = reference(s.object, c.options, s.domain);
        EXPECT_EQ(run(boulos::gpu::run, on_gpu(), s.object, c.options, s.domain, false).sizes.volume, expected.volume);
        const Outcome with_map = run(boulos::gpu::run, on_gpu(), s.object, c.options, s.domain, true);
        EXPECT_EQ(with_map.sizes.volume, expected.volume);
        EXPECT_TRUE(with_map.map == expected.map) << "the maps differ";
      }
    });
  }
}

TEST_F(GpuPaper, agrees_with_the_cpu_on_every_odd_size_of_every_axis) {
  for (const std::int64_t size : {1, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 257}) {
    for (const Shape& shape : {Shape{5, 11, size, 3}, Shape{6, size, 67, 3}, Shape{size, 9, 130, 3},
                               Shape{1, 19, size, 2}, Shape{1, size, 140, 2}}) {
      for_every_option(shape, [&](Case c) {
        c.density = 0.99;
        expect_as_on_the_cpu(on_gpu(), c);
      });
    }
  }
}

TEST_F(GpuPaper, agrees_with_the_cpu_where_rows_span_tiles_and_slices_span_chunks) {
  for (const Shape& shape : {Shape{3, 7, 4225, 3}, Shape{1, 40, 9001, 2}, Shape{300, 40, 1030, 3},
                             Shape{40, 50, 2000, 3}, Shape{1, 3000, 700, 2}}) {
    for (const Element element : elements_for(shape)) {
      for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
        Case c{shape, {element, border, {}}, RoiKind::None, 0.999};
        if (border == DomainBorder::Neutral) c.options.max_size = 12;
        expect_as_on_the_cpu(on_gpu(), c);
      }
    }
  }
}

TEST_F(GpuPaper, agrees_with_the_cpu_on_a_foam) {
  const Image foam = phantom_foam({}, {.shape = {150, 160, 170, 3}, .max_radius = 14, .min_radius = 3, .seed = 3});
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      const GranulometryOptions options{element, border, {}};
      expect_same(run(boulos::gpu::run, on_gpu(), foam, options, {}, true), run(on_the_cpu, {}, foam, options, {}, true));
    }
  }
}

TEST_F(GpuPaper, sizes_past_255_make_a_map_of_16_bits) {
  Image object = random_object({1, 515, 520, 2}, 1, 1);
  object.row<std::uint64_t>(0, 3)[0] &= ~std::uint64_t{1};
  const GranulometryOptions options{Element::Square, DomainBorder::Background, {}};
  const Outcome got = run(boulos::gpu::run, on_gpu(), object, options, {}, true);
  EXPECT_EQ(got.type, Type::U16);
  expect_same(got, run(on_the_cpu, {}, object, options, {}, true));
}

TEST_F(GpuPaper, an_empty_object_has_one_row) {
  const Outcome got = run(boulos::gpu::run, on_gpu(), Image(Type::Bool, {4, 5, 6, 3}), {}, {}, true);
  EXPECT_EQ(got.sizes.volume, std::vector<std::int64_t>{0});
  EXPECT_TRUE(std::all_of(got.map.begin(), got.map.end(), [](std::uint32_t value) { return value == 0; }));
}

TEST_F(GpuPaper, a_workspace_runs_again_and_again_on_the_caller_s_memory) {
  const cuda::Stream stream(0);
  const Shape shape{33, 65, 129, 3};
  boulos::gpu::SchemeTask task;
  task.grid = make_grid(shape, Element::Cross);
  boulos::gpu::Scheme paper(stream, task);
  for (const double density : {0.999, 0.9, 0.999, 0.99}) {
    const Image object = random_object(shape, density, 7);
    const cuda::DeviceBuffer<std::uint64_t> bits(stream, object.bytes() / 8);
    cuda::check(cudaMemcpyAsync(bits.data(), object.data(), bits.bytes(), cudaMemcpyHostToDevice, stream.get()),
                "copy bits");
    const std::vector<std::int64_t> wanted = run(on_the_cpu, {}, object, {}, {}, false).sizes.volume;
    EXPECT_EQ(paper.run(bits.data()), wanted);
    EXPECT_EQ(paper.run(bits.data()), wanted);
  }
}

TEST_F(GpuPaper, what_does_not_fit_is_an_error_that_says_so) {
  Context context = on_gpu();
  context.device_memory_bytes = 100000;
  const Image object = random_object({60, 60, 60, 3}, 0.9, 1);
  EXPECT_THROW((void)run(boulos::gpu::run, context, object, {}, {}, false), ResourceError);
}

TEST_F(GpuPaper, a_stop_request_ends_it) {
  std::stop_source stop;
  Context context = on_gpu();
  context.cancel = stop.get_token();
  context.on_progress = [&](const Progress& progress) {
    if (progress.stage == "openings" && progress.done > 3) stop.request_stop();
  };
  const Image object = random_object({40, 90, 90, 3}, 0.9999, 1);
  EXPECT_THROW((void)run(boulos::gpu::run, context, object, {}, {}, false), Cancelled);
}

}  // namespace
}  // namespace tamis
