// The GPU against the definition and the CPU, on whole images: every option, odd sizes, large distances, slabs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/gpu/granulometry.hpp>
#include <tamis/phantom.hpp>

#include "core/gpu/stream.hpp"
#include "core/test/gpu_test.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_testing;

class GpuGranulometry : public GpuTest {};  // not the class of that name, which is tamis::GpuGranulometry

Context cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

void expect_same(const Sizes& got, const Sizes& wanted) {
  EXPECT_EQ(got.volume, wanted.volume);
  EXPECT_EQ(got.border_voxels, wanted.border_voxels);
  EXPECT_EQ(got.limited, wanted.limited);
  EXPECT_EQ(got.never_empties, wanted.never_empties);
}

void expect_same(const Image& got, const Image& wanted) {
  ASSERT_EQ(got.type(), wanted.type());
  EXPECT_TRUE(values(got) == values(wanted)) << "the maps differ";
}

/// Curve and map of both backends.
void expect_as_on_the_cpu(const Context& gpu, const Image& object, const GranulometryOptions& options,
                          const Image& domain = {}) {
  expect_same(granulometry(gpu, object, options, domain), granulometry(cpu(), object, options, domain));
  expect_same(size_map(gpu, object, options, domain), size_map(cpu(), object, options, domain));
}

Image full(const Shape& shape) { return random_object(shape, 1.0, 1); }

/// One hole in the middle: distances grow as far as they can.
Image with_one_hole(const Shape& shape) {
  Image image = full(shape);
  image.row<std::uint64_t>(shape.z / 2, shape.y / 2)[shape.x / 2 / 64] &= ~(std::uint64_t{1} << (shape.x / 2 % 64));
  return image;
}

TEST_F(GpuGranulometry, follows_the_definition_for_every_option_and_odd_shape) {
  for (const Shape& shape : odd_shapes) {
    for_every_option(shape, [&](const Case& c) {
      SCOPED_TRACE(describe(c));
      const Image domain = random_domain(shape, c.roi, c.seed);
      Image object = random_object(shape, c.density, c.seed);
      clip(object, domain);
      const Expected wanted = reference(object, c.options, domain);
      EXPECT_EQ(granulometry(on_gpu(), object, c.options, domain).volume, wanted.volume);
      EXPECT_TRUE(values(size_map(on_gpu(), object, c.options, domain)) == wanted.map) << "the maps differ";
    });
  }
}

TEST_F(GpuGranulometry, follows_the_definition_where_parts_of_a_domain_meet_in_a_corner) {
  for_domains_of_two_parts(
      [&](const Image& object, const Image& domain, const GranulometryOptions& options, const std::string& what) {
        SCOPED_TRACE(what);
        const Expected wanted = reference(object, options, domain);
        EXPECT_EQ(granulometry(on_gpu(), object, options, domain).volume, wanted.volume);
        EXPECT_TRUE(values(size_map(on_gpu(), object, options, domain)) == wanted.map) << "the maps differ";
      });
}

TEST_F(GpuGranulometry, gives_the_cpus_answer_for_every_option) {
  for_every_option({40, 70, 130, 3}, [&](const Case& c) {
    SCOPED_TRACE(describe(c));
    const Image domain = random_domain(c.shape, c.roi, c.seed);
    Image object = random_object(c.shape, 0.995, c.seed);
    clip(object, domain);
    expect_as_on_the_cpu(on_gpu(), object, c.options, domain);
  });
}

TEST_F(GpuGranulometry, gives_the_cpus_answer_where_an_axis_is_odd) {
  for (const std::int64_t n : {1, 31, 32, 33, 55, 56, 57, 63, 64, 65, 111, 112, 113, 127, 128, 129, 1000}) {
    for (const Shape& shape : {Shape{n, 30, 40, 3}, Shape{30, n, 40, 3}, Shape{30, 40, n, 3}}) {
      for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
        SCOPED_TRACE(to_string(shape) + " " + std::string(name(element)));
        GranulometryOptions options;
        options.element = element;
        expect_as_on_the_cpu(on_gpu(), random_object(shape, 0.998, 5), options);
      }
    }
  }
}

TEST_F(GpuGranulometry, gives_the_cpus_answer_for_foam) {
  FoamOptions foam;
  foam.shape = {150, 170, 190, 3};
  const Image pores = phantom_foam(cpu(), foam);
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      GranulometryOptions options;
      options.element = element;
      options.border = border;
      SCOPED_TRACE(std::string(name(element)) + " " + std::string(name(border)));
      expect_as_on_the_cpu(on_gpu(), pores, options);
    }
  }
}

TEST_F(GpuGranulometry, holds_distances_of_any_size) {
  // 15, 16, 63, 64, 127, 128, 255 and 256 are where numbers get another plane.
  for (const std::int64_t n : {29, 31, 33, 61, 63, 65, 125, 127, 129, 131, 251, 253, 255, 257, 505, 506, 507, 508, 509, 511, 513}) {
    SCOPED_TRACE(n);
    GranulometryOptions options;
    options.element = Element::Cube;
    if (n <= 131) expect_as_on_the_cpu(on_gpu(), full({n, n, n, 3}), options);
    options.element = Element::Square;
    expect_as_on_the_cpu(on_gpu(), full({1, n, n, 2}), options);
    options.element = Element::Cross;
    expect_as_on_the_cpu(on_gpu(), full({1, n, n, 2}), options);
    options.border = DomainBorder::Neutral;
    expect_as_on_the_cpu(on_gpu(), with_one_hole({1, n, n, 2}), options);
    options.max_size = n;
    expect_as_on_the_cpu(on_gpu(), with_one_hole({1, n, n, 2}), options);
  }
}

/// Six planes are enough for most pieces of such a volume, and seven for those that the large sizes come near.
TEST_F(GpuGranulometry, large_sizes_in_one_corner_among_small_ones_are_those_of_the_cpu) {
  FoamOptions foam;
  foam.max_radius = 15;
  for (const std::int64_t edge : {125, 127, 129, 190, 260}) {
    foam.shape = {edge + 150, edge + 90, edge + 170, 3};
    Image object = phantom_foam(cpu(), foam);
    for (std::int64_t z = 0; z < edge; ++z) {
      for (std::int64_t y = 40; y < 40 + edge; ++y) {
        for (std::int64_t x = 70; x < 70 + edge; ++x) {
          object.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
        }
      }
    }
    for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
      SCOPED_TRACE(std::to_string(edge) + " " + std::string(name(element)));
      GranulometryOptions options;
      options.element = element;
      expect_as_on_the_cpu(on_gpu(), object, options);
      options.max_size = 70;
      expect_as_on_the_cpu(on_gpu(), object, options);
    }
    GranulometryOptions neutral;
    neutral.border = DomainBorder::Neutral;
    expect_as_on_the_cpu(on_gpu(), object, neutral);
  }
}

TEST_F(GpuGranulometry, slabs_of_any_height_give_the_same_answer) {
  FoamOptions foam;
  foam.shape = {400, 60, 100, 3};
  foam.max_radius = 12;
  const Image pores = phantom_foam(cpu(), foam);
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const std::int64_t mebibytes : {34, 40, 60}) {
      SCOPED_TRACE(std::string(name(element)) + " " + std::to_string(mebibytes));
      GranulometryOptions options;
      options.element = element;
      Context context = on_gpu();
      context.device_memory_bytes = mebibytes << 20;
      expect_as_on_the_cpu(context, pores, options);
    }
  }
}

TEST_F(GpuGranulometry, several_gpus_give_the_same_answer) {
  FoamOptions foam;
  foam.shape = {400, 60, 100, 3};
  foam.max_radius = 12;
  const Image pores = phantom_foam(cpu(), foam);
  const Image noise = random_object({37, 50, 70, 3}, 0.9, 5);
  for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      for (const std::size_t more : {1U, 3U}) {
        SCOPED_TRACE(std::string(name(element)) + (border == DomainBorder::Neutral ? " neutral " : " ") +
                     std::to_string(more + 1));
        GranulometryOptions options;
        options.element = element;
        options.border = border;
        Context context = on_gpu();
        context.more_gpus = more_gpus(more);
        expect_as_on_the_cpu(context, pores, options);
        expect_as_on_the_cpu(context, noise, options);
        context.device_memory_bytes = std::int64_t{60} << 20;
        expect_as_on_the_cpu(context, pores, options);
      }
    }
  }
}

TEST_F(GpuGranulometry, says_how_much_memory_it_wants) {
  Context context = on_gpu();
  context.device_memory_bytes = 17 << 20;
  try {
    static_cast<void>(granulometry(context, full({300, 300, 300, 3})));
    FAIL() << "no error";
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("GPU memory"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("got 17 MiB"), std::string::npos) << error.what();
  }
}

/// Bits of an image in memory of the first GPU.
class OnDevice {
 public:
  explicit OnDevice(const Image& image) : bits_(stream_, image.bytes() / 8) { fill(image); }
  void fill(const Image& image) {
    cuda::check(cudaMemcpyAsync(bits_.data(), image.data(), bits_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
                "copy");
    stream_.synchronize();
  }
  [[nodiscard]] const std::uint64_t* bits() const { return bits_.data(); }

 private:
  cuda::Stream stream_{0};
  cuda::DeviceBuffer<std::uint64_t> bits_;
};

TEST_F(GpuGranulometry, a_limit_at_the_edge_of_what_planes_hold_is_kept) {
  for (const Shape& shape : {Shape{1, 150, 201, 2}, Shape{40, 41, 42, 3}, Shape{1, 600, 601, 2}}) {
    const Image full = random_object(shape, 1.0, 1);
    for (const Element element : {Element::Cross, shape.rank == 2 ? Element::Square : Element::Cube}) {
      for (const std::int64_t max_size : {13, 14, 15, 61, 62, 63, 252, 253, 254}) {
        GranulometryOptions options;
        options.element = element;
        options.max_size = max_size;
        SCOPED_TRACE(to_string(shape) + " up to " + std::to_string(max_size));
        EXPECT_EQ(granulometry(on_gpu(), full, options).volume, granulometry(cpu(), full, options).volume);
      }
    }
  }
}

TEST_F(GpuGranulometry, prepared_runs_on_bits_that_lie_on_the_device) {
  for_every_option({30, 50, 70, 3}, [&](const Case& c) {
    for (const std::int64_t max_size : {0, 3, 40, 100}) {
      tamis::GpuGranulometry::Options options;
      options.granulometry = c.options;
      options.granulometry.max_size = max_size;
      SCOPED_TRACE(describe(c) + " prepared for " + std::to_string(max_size));
      if (c.roi == RoiKind::OneSlice) continue;
      const Image domain = random_domain(c.shape, c.roi, c.seed);
      Image object = random_object(c.shape, 0.999, c.seed);
      clip(object, domain);
      tamis::GpuGranulometry prepared(on_gpu(), c.shape, options);
      const OnDevice bits(object);
      const OnDevice inside(domain.empty() ? object : domain);
      for (int i = 0; i < 2; ++i) {
        prepared.run(bits.bits(), domain.empty() ? nullptr : inside.bits());
        const Sizes got = prepared.wait();
        const Sizes wanted = granulometry(cpu(), object, options.granulometry, domain);
        EXPECT_EQ(got.volume, wanted.volume);
        EXPECT_EQ(got.limited, wanted.limited);
      }
    }
  });
}

TEST_F(GpuGranulometry, prepared_sees_parts_of_a_domain_that_meet_in_a_corner) {
  for_domains_of_two_parts(
      [&](const Image& object, const Image& domain, const GranulometryOptions& options, const std::string& what) {
        SCOPED_TRACE(what);
        const Sizes wanted = granulometry(cpu(), object, options, domain);
        if (wanted.never_empties) return;  // it has one row, which a prepared run does not look for
        tamis::GpuGranulometry prepared(on_gpu(), object.shape(), {.granulometry = options});
        const OnDevice bits(object), inside(domain);
        prepared.run(bits.bits(), inside.bits());
        EXPECT_EQ(prepared.wait().volume, wanted.volume);
      });
}

TEST_F(GpuGranulometry, prepared_can_be_captured_into_a_graph) {
  const Shape shape{60, 70, 80, 3};
  tamis::GpuGranulometry::Options options;
  options.granulometry.max_size = 90;
  tamis::GpuGranulometry prepared(on_gpu(), shape, options);
  OnDevice bits(random_object(shape, 0.999, 1));
  auto* const stream = static_cast<cudaStream_t>(prepared.stream());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  // Whatever allocates or waits cannot be captured.
  cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  prepared.run(bits.bits());
  cuda::check(cudaStreamEndCapture(stream, &graph), "capture");
  cuda::check(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
  for (unsigned seed = 1; seed < 5; ++seed) {
    const Image object = random_object(shape, 0.9992, seed);
    bits.fill(object);
    cuda::check(cudaGraphLaunch(executable, stream), "launch");
    EXPECT_EQ(prepared.wait().volume, granulometry(cpu(), object, options.granulometry).volume);
  }
  cuda::check(cudaGraphExecDestroy(executable), "destroy");
  cuda::check(cudaGraphDestroy(graph), "destroy");
}

TEST_F(GpuGranulometry, what_cannot_be_prepared_is_refused) {
  const auto prepare = [](const Shape& shape, const GranulometryOptions& options) {
    return tamis::GpuGranulometry(on_gpu(), shape, {options, false, nullptr});
  };
  EXPECT_THROW(prepare({9, 9, 9, 3}, {}), InputError);
  EXPECT_THROW(prepare({9, 9, 9, 3}, {.max_size = -1}), InputError);
  EXPECT_THROW(prepare({9, 9, 9, 3}, {.max_size = 65535}), InputError);
  EXPECT_THROW(prepare({1, 9, 9, 2}, {.element = Element::Cube, .max_size = 3}), InputError);
  EXPECT_THROW(prepare({9, 9, 0, 3}, {.max_size = 3}), InputError);
}

TEST_F(GpuGranulometry, repeats_itself) {
  FoamOptions foam;
  foam.shape = {120, 120, 120, 3};
  const Image pores = phantom_foam(cpu(), foam);
  const Sizes first = granulometry(on_gpu(), pores);
  EXPECT_EQ(first.device, Device::Cuda);
  EXPECT_EQ(first.gpu, 0);
  for (int i = 0; i < 20; ++i) expect_same(granulometry(on_gpu(), pores), first);
}

}  // namespace
}  // namespace tamis
