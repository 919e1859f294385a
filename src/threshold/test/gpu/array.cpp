// Thresholds of arrays on a GPU against those of images: every type, view, domain and method.
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/test/gpu_arrays.hpp"
#include "threshold/test/testing.hpp"

namespace tamis {
namespace {

using testing::all_types;
using testing::all_views;
using testing::ArraySource;
using testing::HeldStream;
using testing::make_source;
using testing::on_stream;
using testing::refusal;
using testing::varied;
using testing::View;
using testing::ViewedArray;

class GpuArrayThreshold : public GpuTest {};

enum class Inside { Everything, OneSlice, Each };
constexpr Inside all_insides[] = {Inside::Everything, Inside::OneSlice, Inside::Each};

Context cpu() {
  Context context;
  context.device = Device::Cpu;
  return context;
}

std::vector<std::byte> samples_of(ArraySource& source) {
  const Layout& layout = source.layout();
  std::vector<std::byte> samples(static_cast<std::size_t>(layout.shape.count() * sample_bytes(layout.type)));
  source.read(0, layout.shape.z, samples.data());
  return samples;
}

/// An image and its domain, on both sides.
class Sides {
 public:
  Sides(const cuda::Stream& stream, ArraySource& source, View view, Inside inside)
      : stream_(stream), source_(source), image_(stream, source.layout().type, source.layout().shape, view) {
    image_.upload(samples_of(source).data());
    if (inside == Inside::Everything) return;
    Shape shape = source.layout().shape;
    if (inside == Inside::OneSlice) shape = {1, shape.y, shape.x, 2};
    mask_.emplace(make_source(Type::U8, shape, [](std::int64_t i) { return i % 7 < 3 ? 0.0 : 1.0; }));
    domain_.emplace(stream, Type::Bool, shape, view);
    domain_->upload(samples_of(*mask_).data());
  }

  [[nodiscard]] GpuArray image() const { return image_.input(); }
  [[nodiscard]] GpuArray domain() const { return domain_ ? domain_->input() : GpuArray{}; }
  [[nodiscard]] Region region() {
    return mask_ ? Region{Region::Kind::Mask, &*mask_} : Region{Region::Kind::All, nullptr};
  }

  /// The same bits and the same value, or an error on both sides.
  void expect_same_binary(const ThresholdOptions& options, View output) {
    Binary wanted;
    const std::string refused = refusal([&] { wanted = binarise(cpu(), source_, options, region()); });
    ViewedArray object(stream_, Type::Bool, source_.layout().shape, output);
    double threshold = 0;
    const std::string message =
        refusal([&] { threshold = binarise(on_stream(stream_), image(), object.array, options, domain()); });
    EXPECT_EQ(message.empty(), refused.empty()) << message << " / " << refused;
    if (!refused.empty()) return;
    EXPECT_EQ(threshold, wanted.threshold);
    const std::vector<std::byte> got = object.download();
    std::size_t i = 0;
    std::int64_t different = 0;
    const Shape& shape = source_.layout().shape;
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x, ++i) {
          different += got[i] != std::byte{static_cast<unsigned char>(wanted.object.bit(z, y, x))};
        }
    EXPECT_EQ(different, 0);
  }

  void expect_same_value(ThresholdMethod method) {
    double wanted = 0, got = 0;
    const std::string refused = refusal([&] { wanted = threshold_value(cpu(), source_, method, region()); });
    const std::string message = refusal([&] { got = threshold_value(on_stream(stream_), image(), method, domain()); });
    EXPECT_EQ(message.empty(), refused.empty()) << message << " / " << refused;
    EXPECT_EQ(got, wanted);
  }

  void expect_same_histogram() {
    const Histogram wanted = histogram(cpu(), source_, region());
    const Histogram got = histogram(on_stream(stream_), image(), domain());
    EXPECT_EQ(got.minimum, wanted.minimum);
    EXPECT_EQ(got.maximum, wanted.maximum);
    EXPECT_EQ(got.first_centre, wanted.first_centre);
    EXPECT_EQ(got.bin_width, wanted.bin_width);
    EXPECT_EQ(got.samples, wanted.samples);
    EXPECT_EQ(got.mean, wanted.mean);
    EXPECT_EQ(got.counts, wanted.counts);
  }

 private:
  const cuda::Stream& stream_;
  ArraySource& source_;
  ViewedArray image_;
  std::optional<ArraySource> mask_;
  std::optional<ViewedArray> domain_;
};

const std::vector<Shape> shapes = {{1, 7, 130, 2}, {5, 9, 64, 3}, {3, 4, 1, 3}, {2, 3, 200, 3}, {1, 1, 17, 2}};

template <class Visit>
void for_every_array(const cuda::Stream& stream, const Visit& visit) {
  for (const Shape& shape : shapes)
    for (const Type type : all_types)
      for (const View view : all_views)
        for (const Inside inside : all_insides) {
          if (inside == Inside::OneSlice && shape.rank == 2) continue;
          SCOPED_TRACE(std::string(name(type)) + " " + to_string(shape) + " " + testing::describe(view) + " inside " +
                       std::to_string(static_cast<int>(inside)));
          auto source = varied(type, shape, false);
          Sides sides(stream, source, view, inside);
          visit(sides, view);
        }
}

TEST_F(GpuArrayThreshold, values_and_bands_are_those_of_the_image_for_every_type_view_and_domain) {
  const cuda::Stream stream(0);
  for_every_array(stream, [](Sides& sides, View view) {
    for (const Phase phase : {Phase::Bright, Phase::Dark}) {
      sides.expect_same_binary({.method = ThresholdMethod::Value, .value = 33.4, .phase = phase}, View::Dense);
      sides.expect_same_binary({.method = ThresholdMethod::Band, .low = -20, .high = 60, .phase = phase}, view);
    }
    sides.expect_same_binary({.method = ThresholdMethod::Value, .value = 1e300}, View::Dense);
  });
}

TEST_F(GpuArrayThreshold, histograms_and_what_follows_from_them_are_those_of_the_image) {
  const cuda::Stream stream(0);
  for_every_array(stream, [](Sides& sides, View) {
    sides.expect_same_histogram();
    for (const ThresholdMethod method : {ThresholdMethod::Otsu, ThresholdMethod::Kapur}) {
      sides.expect_same_binary({.method = method}, View::Dense);
    }
  });
}

TEST_F(GpuArrayThreshold, values_of_samples_with_outliers_are_those_of_the_image) {
  const cuda::Stream stream(0);
  for (const Type type : testing::wide_types) {
    for (const double scale : {0.37, 1e8}) {
      for (const double outlier : {0.0, 2e9}) {
        auto source = testing::populations(type, {3, 170, 311, 3}, scale, outlier);
        for (const View view : {View::Dense, View::FastY}) {
          for (const Inside inside : all_insides) {
            for (const ThresholdMethod method : testing::automatic_methods) {
              SCOPED_TRACE(std::string(name(type)) + " " + std::string(name(method)) + " " + testing::describe(view));
              Sides(stream, source, view, inside).expect_same_value(method);
            }
          }
        }
      }
    }
  }
}

TEST_F(GpuArrayThreshold, histograms_of_several_bands_a_slice_are_those_of_the_image) {
  const cuda::Stream stream(0);
  for (const Type type : {Type::U8, Type::U16, Type::F32, Type::I64}) {
    for (const View view : {View::Dense, View::Sliced, View::FastY}) {
      auto source = varied(type, {3, 700, 611, 3}, false);
      SCOPED_TRACE(std::string(name(type)) + " " + testing::describe(view));
      Sides(stream, source, view, Inside::Each).expect_same_histogram();
    }
  }
}

TEST_F(GpuArrayThreshold, two_values_are_split_and_others_refused_as_in_an_image) {
  const cuda::Stream stream(0);
  for (const Type type : all_types) {
    for (const std::int64_t values : {1, 2, 3}) {
      if (type == Type::Bool && values == 3) continue;
      auto source = make_source(
          type, {3, 8, 70, 3}, [&](std::int64_t i) { return static_cast<double>(i * i % 5 % values); }, false);
      SCOPED_TRACE(std::string(name(type)) + " of " + std::to_string(values));
      for (const Inside inside : all_insides) {
        for (const Phase phase : {Phase::Bright, Phase::Dark}) {
          Sides(stream, source, View::Sliced, inside).expect_same_binary({.phase = phase}, View::Dense);
        }
      }
    }
  }
}

TEST_F(GpuArrayThreshold, nan_is_refused_inside_the_domain_only) {
  const cuda::Stream stream(0);
  for (const Type type : {Type::F32, Type::F64}) {
    for (const std::int64_t at : {0, 3, 20, 419}) {  // 0 is outside, 3 is inside
      auto source = make_source(
          type, {2, 3, 70, 3}, [&](std::int64_t i) { return i == at ? NAN : static_cast<double>(i % 2); }, false);
      for (const Inside inside : all_insides) {
        SCOPED_TRACE(std::to_string(at));
        Sides sides(stream, source, View::Dense, inside);
        sides.expect_same_binary({.method = ThresholdMethod::Value, .value = 0.5}, View::Dense);
        sides.expect_same_binary({.method = ThresholdMethod::Otsu}, View::Dense);
        sides.expect_same_binary({}, View::Dense);
      }
    }
  }
}

TEST_F(GpuArrayThreshold, a_value_for_integers_is_queued_and_waits_for_nothing) {
  const cuda::Stream stream(0);
  const Shape shape{20, 30, 40, 3};
  auto source = varied(Type::U16, shape, false);
  ViewedArray image(stream, Type::U16, shape, View::Sliced);
  ViewedArray object(stream, Type::Bool, shape, View::Dense);
  image.upload(samples_of(source).data());
  const ThresholdOptions options{.method = ThresholdMethod::Value, .value = 33};
  // The first launch of a kernel loads it, which may wait for what runs.
  binarise(on_stream(stream), image.input(), object.array, options);
  stream.synchronize();
  HeldStream held(stream);
  binarise(on_stream(stream), image.input(), object.array, options);
  EXPECT_TRUE(held.still_held());
  held.let_go();
  const Binary wanted = binarise(cpu(), source, options);
  std::int64_t volume = 0;
  for (const std::byte bit : object.download()) volume += static_cast<std::int64_t>(bit);
  EXPECT_EQ(volume, wanted.volume);
}

TEST_F(GpuArrayThreshold, without_a_stream_the_result_is_there_when_the_call_returns) {
  const cuda::Stream stream(0);
  const Shape shape{4, 5, 60, 3};
  auto source = varied(Type::U8, shape, false);
  ViewedArray image(stream, Type::U8, shape, View::Dense);
  ViewedArray object(stream, Type::Bool, shape, View::Dense);
  image.upload(samples_of(source).data());
  binarise({}, image.input(), object.array, {.method = ThresholdMethod::Value, .value = 33});
  EXPECT_NE(object.download(), std::vector<std::byte>(static_cast<std::size_t>(shape.count()), std::byte{0xa5}));
}

TEST_F(GpuArrayThreshold, leaves_the_current_device_as_it_was_and_says_what_is_wrong_with_arrays) {
  const cuda::Stream stream(0);
  const Context context = on_stream(stream);
  const Shape shape{2, 3, 4, 3};
  const ThresholdOptions options{.method = ThresholdMethod::Value, .value = 1};
  const ViewedArray image(stream, Type::U16, shape, View::Dense);
  const ViewedArray object(stream, Type::Bool, shape, View::Dense);
  const auto message = [&](const Context& on, GpuArray in, GpuOutput out, GpuArray domain) {
    return refusal([&] { binarise(on, in, out, options, domain); });
  };
  EXPECT_EQ(message(context, image.input(), object.array, {}), "");

  std::vector<std::uint16_t> host(24);
  const auto of_host = dense_gpu_array<const void>(host.data(), Type::U16, shape);
  EXPECT_NE(message(context, of_host, object.array, {}).find("memory of the host"), std::string::npos);
  EXPECT_EQ(gpu_of(host.data()), std::nullopt);
  EXPECT_EQ(gpu_of(image.array.data), 0);

  GpuArray askew = image.input();
  askew.data = static_cast<const std::byte*>(askew.data) + 1;
  EXPECT_NE(message(context, askew, object.array, {}).find("aligned"), std::string::npos);
  GpuOutput repeated = object.array;
  repeated.stride_z = 0;
  EXPECT_NE(message(context, image.input(), repeated, {}).find("lay samples on each other"), std::string::npos);
  EXPECT_NE(message(context, image.input(), image.array, {}).find("wanted bool"), std::string::npos);
  EXPECT_NE(message(context, image.input(), object.array, image.input()).find("domain of u16"), std::string::npos);
  GpuOutput other = object.array;
  other.shape.x = 3;
  EXPECT_NE(message(context, image.input(), other, {}).find("wanted 4x3x2"), std::string::npos);
  Context on_cpu = context;
  on_cpu.device = Device::Cpu;
  EXPECT_NE(message(on_cpu, image.input(), object.array, {}).find("device cpu"), std::string::npos);
}

}  // namespace
}  // namespace tamis
