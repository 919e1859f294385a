// The GPU against the CPU: the same bits, counts and messages.
#include "threshold/gpu/kernels.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <tamis/gpu/binary.hpp>

#include "core/test/gpu_test.hpp"
#include "threshold/test/testing.hpp"

namespace tamis {
namespace {

using testing::ArraySource;
using testing::make_source;
using testing::refusal;
using testing::varied;

const std::vector<Shape> odd_shapes = {{1, 7, 130, 2}, {5, 9, 64, 3},  {3, 4, 1, 3},   {2, 3, 200, 3},
                                       {1, 1, 17, 2},  {2, 33, 63, 3}, {3, 2, 1025, 3}};

void expect_same(const Binary& got, const Binary& wanted) {
  EXPECT_EQ(got.volume, wanted.volume);
  EXPECT_EQ(got.domain_volume, wanted.domain_volume);
  EXPECT_EQ(got.threshold, wanted.threshold);
  ASSERT_EQ(got.object.bytes(), wanted.object.bytes());
  EXPECT_EQ(std::memcmp(got.object.data(), wanted.object.data(), static_cast<std::size_t>(wanted.object.bytes())), 0);
}

void expect_same(const Histogram& got, const Histogram& wanted) {
  EXPECT_EQ(got.minimum, wanted.minimum);
  EXPECT_EQ(got.maximum, wanted.maximum);
  EXPECT_EQ(got.first_centre, wanted.first_centre);
  EXPECT_EQ(got.bin_width, wanted.bin_width);
  EXPECT_EQ(got.samples, wanted.samples);
  EXPECT_EQ(got.mean, wanted.mean);
  EXPECT_EQ(got.counts, wanted.counts);
}

/// The same of bits that stay on the GPU.
void expect_same(const GpuBinary& got, const Binary& wanted) {
  const Binary& facts = got.facts();
  EXPECT_EQ(facts.volume, wanted.volume);
  EXPECT_EQ(facts.domain_volume, wanted.domain_volume);
  EXPECT_EQ(facts.threshold, wanted.threshold);
  EXPECT_EQ(facts.high, wanted.high);
  EXPECT_EQ(facts.method, wanted.method);
  EXPECT_EQ(facts.device, Device::Cuda);
  EXPECT_TRUE(facts.object.empty());
  const Image object = got.download({});
  ASSERT_EQ(object.bytes(), wanted.object.bytes());
  EXPECT_EQ(std::memcmp(object.data(), wanted.object.data(), static_cast<std::size_t>(object.bytes())), 0);
}

/// The CPU, and the GPU with slabs and pieces of every size: whole images, a band at a time, and without room on the
/// GPU for more than that.
struct Contexts {
  Context cpu;
  std::vector<Context> gpu;
};

Contexts contexts() {
  Contexts all;
  all.cpu.device = Device::Cpu;
  Context on_gpu;
  on_gpu.device = Device::Cuda;
  all.gpu.push_back(on_gpu);
  on_gpu.memory_bytes = 1;
  all.gpu.push_back(on_gpu);
  on_gpu.memory_bytes = 0;
  on_gpu.device_memory_bytes = 1;
  all.gpu.push_back(on_gpu);
  return all;
}

/// What both do with the same request: the result, or the message.
void expect_as_on_the_cpu(ArraySource& source, const ThresholdOptions& options, const Region& region) {
  SCOPED_TRACE(std::string(name(source.layout().type)) + " " + to_string(source.layout().shape) + " " +
               std::string(name(options.method)) + " phase " + std::to_string(static_cast<int>(options.phase)) +
               " region " + std::to_string(static_cast<int>(region.kind)));
  const Contexts where = contexts();
  Binary wanted;
  const std::string refused = refusal([&] { wanted = binarise(where.cpu, source, options, region); });
  for (const Context& context : where.gpu) {
    Binary got;
    EXPECT_EQ(refusal([&] { got = binarise(context, source, options, region); }), refused);
    std::optional<GpuBinary> there;
    EXPECT_EQ(refusal([&] { there.emplace(context, source, options, region); }), refused);
    if (!refused.empty()) continue;
    expect_same(got, wanted);
    EXPECT_EQ(got.device, Device::Cuda);
    expect_same(*there, wanted);
  }
}

class GpuThreshold : public GpuTest {};

TEST_F(GpuThreshold, values_and_bands_agree_with_the_cpu_for_every_type_region_and_phase) {
  for (const Shape& shape : odd_shapes) {
    auto mask = make_source(Type::U16, shape, [](std::int64_t i) { return i % 7 < 3 ? 0.0 : 9.0; });
    for (const Type type : testing::all_types) {
      for (const bool mapped : {false, true}) {
        auto source = varied(type, shape, mapped);
        for (const Phase phase : {Phase::Bright, Phase::Dark}) {
          for (const auto kind : {Region::Kind::All, Region::Kind::Cylinder, Region::Kind::Mask}) {
            for (const double value : {33.4, -1e300, 1e300}) {
              expect_as_on_the_cpu(source, {.method = ThresholdMethod::Value, .value = value, .phase = phase},
                                   {kind, &mask});
            }
            expect_as_on_the_cpu(source, {.method = ThresholdMethod::Band, .low = -20, .high = 60, .phase = phase},
                                 {kind, &mask});
          }
        }
      }
    }
  }
}

TEST_F(GpuThreshold, automatic_methods_agree_with_the_cpu) {
  for (const Shape& shape : odd_shapes) {
    auto mask = make_source(Type::U8, shape, [](std::int64_t i) { return i % 5 < 2 ? 0.0 : 1.0; });
    for (const Type type : testing::all_types) {
      auto source = varied(type, shape, true);
      for (const auto kind : {Region::Kind::All, Region::Kind::Mask}) {
        for (const ThresholdMethod method :
             {ThresholdMethod::Otsu, ThresholdMethod::Li, ThresholdMethod::Kapur, ThresholdMethod::Minimum,
              ThresholdMethod::Triangle, ThresholdMethod::Isodata, ThresholdMethod::Mean}) {
          if (method == ThresholdMethod::Minimum && sample_bytes(type) > 1) continue;  // the host smooths for seconds
          expect_as_on_the_cpu(source, {.method = method}, {kind, &mask});
        }
      }
    }
  }
}

/// A context whose limit asks for a slice a slab, with the room that one slice and the next need.
Context with_room(Context context, Type type, const Shape& shape) {
  if (context.memory_bytes > 0) context.memory_bytes = 2 * shape.y * shape.x * sample_bytes(type);
  return context;
}

TEST_F(GpuThreshold, histograms_agree_with_the_cpu_to_the_last_bit) {
  const Contexts where = contexts();
  std::vector<Shape> shapes = odd_shapes;
  shapes.push_back({3, 700, 611, 3});  // several bands a slice
  for (const Shape& shape : shapes) {
    auto mask = make_source(Type::U8, shape, [](std::int64_t i) { return i % 11 < 2 ? 0.0 : 1.0; });
    for (const Type type : testing::all_types) {
      for (const bool mapped : {false, true}) {
        auto source = varied(type, shape, mapped);
        for (const auto kind : {Region::Kind::All, Region::Kind::Cylinder, Region::Kind::Mask}) {
          SCOPED_TRACE(std::string(name(type)) + " " + to_string(shape));
          const Histogram wanted = histogram(where.cpu, source, {kind, &mask});
          for (const Context& context : where.gpu) {
            expect_same(histogram(with_room(context, type, shape), source, {kind, &mask}), wanted);
          }
        }
      }
    }
  }
}

/// Counts the slices that are read.
class CountedReads final : public SliceSource {
 public:
  explicit CountedReads(SliceSource& source) : source_(source) {}
  [[nodiscard]] const Layout& layout() const override { return source_.layout(); }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    slices += count;
    source_.read(z0, count, out);
  }

  std::int64_t slices = 0;

 private:
  SliceSource& source_;
};

TEST_F(GpuThreshold, values_of_samples_with_outliers_agree_with_the_cpu_to_the_last_bit) {
  const Contexts where = contexts();
  const Shape shape{3, 170, 311, 3};
  auto mask = make_source(Type::U8, shape, [](std::int64_t i) { return i % 11 < 2 ? 0.0 : 1.0; });
  for (const Type type : testing::wide_types) {
    for (const double scale : {0.37, 1e5, 1e8}) {
      for (const double outlier : {0.0, 2e9}) {
        auto source = testing::populations(type, shape, scale, outlier);
        for (const auto kind : {Region::Kind::All, Region::Kind::Mask}) {
          for (const ThresholdMethod method : testing::automatic_methods) {
            SCOPED_TRACE(std::string(name(type)) + " " + std::string(name(method)) + " " + std::to_string(scale));
            const auto value = [&](const Context& context) {
              double found = -1;
              const std::string refused = refusal([&] {
                found = threshold_value(with_room(context, type, shape), source, method, {kind, &mask});
              });
              return std::pair(found, refused);
            };
            const auto wanted = value(where.cpu);
            for (const Context& context : where.gpu) EXPECT_EQ(value(context), wanted);
          }
        }
      }
    }
  }
}

TEST_F(GpuThreshold, samples_go_up_once_where_they_fit_and_once_a_pass_where_they_do_not) {
  const Shape shape{6, 40, 70, 3};
  for (const Type type : {Type::U8, Type::U16, Type::F32, Type::I32}) {
    SCOPED_TRACE(name(type));
    auto source = varied(type, shape, false);
    const ThresholdOptions otsu{.method = ThresholdMethod::Otsu};
    const Binary wanted = binarise(contexts().cpu, source, otsu);
    Context context = with_room(on_gpu(), type, shape);
    context.memory_bytes = 2 * shape.y * shape.x * sample_bytes(type);  // a slice a slab
    for (const bool fits : {true, false}) {
      context.device_memory_bytes = fits ? 0 : 1;
      CountedReads counted(source);
      const GpuBinary there(context, counted, otsu);
      expect_same(there, wanted);
      if (fits) {
        EXPECT_EQ(counted.slices, shape.z);
      } else if (sample_bytes(type) <= 2) {
        EXPECT_EQ(counted.slices, 2 * shape.z);
      } else {
        EXPECT_GE(counted.slices, 3 * shape.z);
      }
    }
  }
}

TEST_F(GpuThreshold, a_device_that_nobody_names_is_the_cpu) {
  auto source = varied(Type::U8, {3, 40, 70, 3}, true);
  EXPECT_EQ(binarise({}, source, {.method = ThresholdMethod::Otsu}).device, Device::Cpu);
}

/// Samples in pinned memory, without gaps: the GPU fetches them itself where rows are a multiple of 16 bytes.
class PinnedSource final : public SliceSource {
 public:
  explicit PinnedSource(SliceSource& source)
      : layout_(source.layout()), samples_(layout_.shape.count() * sample_bytes(layout_.type)) {
    source.read(0, layout_.shape.z, samples_.data());
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t, std::int64_t, std::byte*) override { FAIL() << "it is mapped"; }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    const std::int64_t row = layout_.shape.x * sample_bytes(layout_.type);
    return MappedSlices{samples_.data(), row, row * layout_.shape.y};
  }

 private:
  Layout layout_;
  cuda::PinnedBuffer<std::byte> samples_;
};

TEST_F(GpuThreshold, pinned_samples_give_the_same_answer) {
  for (const Shape& shape : {Shape{3, 70, 64, 3}, Shape{3, 70, 65, 3}, Shape{5, 900, 1024, 3}}) {
    for (const Type type : {Type::U8, Type::F32}) {
      SCOPED_TRACE(to_string(shape) + " " + std::string(name(type)));
      auto source = varied(type, shape, false);
      PinnedSource pinned(source);
      for (const ThresholdMethod method : {ThresholdMethod::Value, ThresholdMethod::Mean}) {
        const ThresholdOptions options{.method = method, .value = 33.4};
        const Binary wanted = binarise(contexts().cpu, source, options);
        for (const Context& context : contexts().gpu) {
          expect_same(binarise(context, pinned, options), wanted);
          expect_same(GpuBinary(context, pinned, options), wanted);
        }
      }
    }
  }
}

TEST_F(GpuThreshold, histograms_of_constant_and_of_extreme_images_agree_with_the_cpu) {
  const Contexts where = contexts();
  for (const Type type : testing::all_types) {
    auto constant = make_source(type, {3, 90, 70, 3}, [](std::int64_t) { return 1.0; });
    expect_same(histogram(where.gpu[0], constant), histogram(where.cpu, constant));
  }
  const double highest = std::numeric_limits<double>::max();
  auto wide =
      make_source(Type::F64, {1, 1, 3, 2}, [&](std::int64_t i) { return static_cast<double>(i - 1) * highest; });
  expect_same(histogram(where.gpu[0], wide), histogram(where.cpu, wide));
  auto narrow = make_source(Type::F64, {1, 1, 2, 2}, [](std::int64_t i) { return static_cast<double>(i) * 5e-324; });
  expect_same(histogram(where.gpu[0], narrow), histogram(where.cpu, narrow));
}

TEST_F(GpuThreshold, two_values_agree_with_the_cpu_wherever_the_second_one_comes) {
  const Shape shape{6, 13, 70, 3};
  auto mask = make_source(Type::U8, shape, [&](std::int64_t i) { return i >= 910 && i % 5 > 0 ? 1.0 : 0.0; });
  for (const Type type : testing::all_types) {
    for (const bool mapped : {false, true}) {
      for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3001}, shape.count() - 1}) {
        for (const double other : {0.0, 1.0}) {
          auto source = make_source(
              type, shape, [&](std::int64_t i) { return i == at ? other : 1 - other; }, mapped);
          for (const Phase phase : {Phase::Bright, Phase::Dark}) {
            expect_as_on_the_cpu(source, {.phase = phase}, {});
            expect_as_on_the_cpu(source, {.phase = phase}, {Region::Kind::Mask, &mask});
          }
        }
      }
    }
  }
}

TEST_F(GpuThreshold, a_third_value_and_a_single_one_are_refused_as_on_the_cpu) {
  for (const bool mapped : {false, true}) {
    auto three = make_source(
        Type::U8, {4, 4, 70, 3}, [](std::int64_t i) { return i == 1100 ? 3.0
                                                             : i % 2   ? 9.0
                                                                       : 7.0; }, mapped);
    expect_as_on_the_cpu(three, {}, {});
    auto one = make_source(
        Type::F32, {2, 3, 4, 3}, [](std::int64_t) { return 17.0; }, mapped);
    expect_as_on_the_cpu(one, {}, {});
  }
}

TEST_F(GpuThreshold, nan_and_infinity_are_refused_as_on_the_cpu) {
  for (const Type type : {Type::F32, Type::F64}) {
    for (const bool mapped : {false, true}) {
      auto nan = make_source(
          type, {3, 70, 70, 3},
          [](std::int64_t i) {
            return i == 4900 + 69 * 70 + 35 || i == 2 * 4900 + 5 || i == 0 ? NAN : static_cast<double>(i % 2);
          },
          mapped);
      auto infinite = make_source(
          type, {1, 20, 20, 2}, [](std::int64_t i) { return i == 200 ? INFINITY : 1.0; }, mapped);
      for (const auto kind : {Region::Kind::All, Region::Kind::Cylinder}) {
        for (const ThresholdOptions& options :
             {ThresholdOptions{.method = ThresholdMethod::Value, .value = 0.5},
              ThresholdOptions{.method = ThresholdMethod::Band, .low = 0, .high = 1}, ThresholdOptions{},
              ThresholdOptions{.method = ThresholdMethod::Otsu}}) {
          expect_as_on_the_cpu(nan, options, {kind, nullptr});
          expect_as_on_the_cpu(infinite, options, {kind, nullptr});
        }
      }
    }
  }
}

TEST_F(GpuThreshold, a_stop_request_ends_it) {
  auto source = varied(Type::U16, {8, 300, 300, 3}, true);
  std::stop_source stop;
  Context context = on_gpu();
  context.cancel = stop.get_token();
  context.on_progress = [&](const Progress& progress) {
    if (progress.stage == "threshold" && progress.done > 0) stop.request_stop();
  };
  EXPECT_THROW((void)binarise(context, source, {.method = ThresholdMethod::Value, .value = 3}), Cancelled);
}

TEST_F(GpuThreshold, samples_on_the_device_become_bits_on_the_device) {
  const cuda::Stream stream(0);
  const Contexts where = contexts();
  for (const Shape& shape : odd_shapes) {
    auto mask = make_source(Type::U16, {1, shape.y, shape.x, 2}, [](std::int64_t i) { return i % 7 < 3 ? 0.0 : 9.0; });
    for (const Type type : testing::all_types) {
      auto source = varied(type, shape, false);
      std::vector<std::byte> samples(static_cast<std::size_t>(shape.count() * sample_bytes(type)));
      source.read(0, shape.z, samples.data());
      for (const bool dark : {false, true}) {
        for (const bool masked : {false, true}) {
          SCOPED_TRACE(std::string(name(type)) + " " + to_string(shape) + (dark ? " dark" : "") +
                       (masked ? " masked" : ""));
          const ThresholdOptions options{
              .method = ThresholdMethod::Band, .low = -20, .high = 60, .phase = dark ? Phase::Dark : Phase::Bright};
          const Binary wanted =
              binarise(where.cpu, source, options, {masked ? Region::Kind::Mask : Region::Kind::All, &mask});
          const auto copy = [&](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
            cuda::check(cudaMemcpyAsync(to, from, bytes, kind, stream.get()), "copy");
          };
          const cuda::DeviceBuffer<std::byte> device_samples(stream, static_cast<std::int64_t>(samples.size()));
          copy(device_samples.data(), samples.data(), samples.size(), cudaMemcpyHostToDevice);
          const cuda::DeviceBuffer<std::uint64_t> bits(stream, wanted.object.bytes() / 8);
          const cuda::DeviceBuffer<std::uint64_t> domain(stream, wanted.domain.bytes() / 8);
          threshold_detail::gpu::Cut cut;
          cut.above = -20;
          cut.up_to = 60;
          cut.dark = dark;
          if (masked) {
            copy(domain.data(), wanted.domain.data(), domain.bytes(), cudaMemcpyHostToDevice);
            cut.device_domain = domain.data();
            cut.domain_rows = shape.y;
          }
          threshold_detail::gpu::pack_bits(stream, type, device_samples.data(), shape, cut, bits.data());
          std::vector<std::uint64_t> got(static_cast<std::size_t>(bits.size()));
          copy(got.data(), bits.data(), bits.bytes(), cudaMemcpyDeviceToHost);
          stream.synchronize();
          EXPECT_EQ(std::memcmp(got.data(), wanted.object.data(), bits.bytes()), 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis
