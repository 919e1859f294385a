// Thresholds of the samples themselves against a reference that sorts them, and the same numbers in every type.
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "threshold/test/reference.hpp"
#include "threshold/test/testing.hpp"

namespace tamis {
namespace {

using testing::ArraySource;
using testing::make_source;
using testing::refusal;

using Method = ThresholdMethod;
constexpr Method all_methods[] = {Method::Otsu,     Method::Li,      Method::Kapur, Method::Minimum,
                                  Method::Triangle, Method::Isodata, Method::Mean};

template <class T>
constexpr Type type_of() {
  if (std::is_same_v<T, float>) return Type::F32;
  if (std::is_same_v<T, double>) return Type::F64;
  if (std::is_same_v<T, std::int32_t>) return Type::I32;
  if (std::is_same_v<T, std::uint32_t>) return Type::U32;
  return std::is_same_v<T, std::int64_t> ? Type::I64 : Type::U64;
}

template <class T>
ArraySource source_of(const std::vector<T>& samples, std::int64_t slices = 1) {
  std::vector<std::byte> bytes(samples.size() * sizeof(T));
  std::memcpy(bytes.data(), samples.data(), bytes.size());
  const auto row = static_cast<std::int64_t>(samples.size()) / slices;
  return {{type_of<T>(), {slices, 1, row, slices > 1 ? 3 : 2}, 1, {}}, std::move(bytes)};
}

template <class T>
bool is_counted_by_value(const std::vector<T>& samples) {
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  return std::all_of(samples.begin(), samples.end(), [](T v) { return v == std::floor(v); }) &&
         static_cast<long double>(*high) - static_cast<long double>(*low) < 65536;
}

template <class T>
void expect_reference(const std::vector<T>& samples, const std::string& what) {
  SCOPED_TRACE(what + ", " + std::to_string(samples.size()) + " of " + std::string(name(type_of<T>())));
  auto source = source_of(samples);
  const auto value = [&](Method method) { return threshold_value({}, source, method); };
  EXPECT_EQ(value(Method::Otsu), reference::without_outliers<T>(samples, reference::otsu));
  EXPECT_EQ(value(Method::Isodata), reference::without_outliers<T>(samples, reference::isodata));
  if (!is_counted_by_value(samples)) {
    const double wanted = reference::without_outliers<T>(samples, reference::li);
    EXPECT_EQ(value(Method::Li), wanted);
  }
  long double sum = 0;
  for (const T v : samples) sum += static_cast<long double>(v);
  const double mean = static_cast<double>(sum) / static_cast<double>(samples.size());
  EXPECT_DOUBLE_EQ(value(Method::Mean), mean);
}

/// Two overlapping populations of numbers from 0 to 1.
std::vector<double> populations(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> low(0.3, 0.07), high(0.7, 0.1);
  std::vector<double> numbers(count);
  for (double& v : numbers) v = std::clamp(random() % 5 < 2 ? high(random) : low(random), 0.0, 1.0);
  return numbers;
}

template <class T>
std::vector<T> scaled(const std::vector<double>& numbers, double factor, T offset) {
  std::vector<T> samples;
  for (const double v : numbers) samples.push_back(static_cast<T>(static_cast<T>(v * factor) + offset));
  return samples;
}

template <class T>
void expect_reference_with_outliers(std::vector<T> samples, std::initializer_list<T> outliers,
                                    const std::string& what) {
  expect_reference(samples, what);
  for (const T outlier : outliers) {
    std::vector<T> with = samples;
    with[with.size() / 2] = outlier;
    expect_reference(with, what + " and " + std::to_string(outlier));
  }
}

TEST(ExactThresholds, floats_are_those_of_a_reference_that_sorts_them) {
  for (const std::size_t count : {2, 3, 5, 17, 1000, 20000}) {
    const std::vector<double> numbers = populations(count, static_cast<unsigned>(count));
    expect_reference_with_outliers<float>(scaled<float>(numbers, 1, 0), {2e4F, -3e6F, 1e30F}, "plain");
    expect_reference_with_outliers<float>(scaled<float>(numbers, 300, -100), {2e4F, -1e30F}, "of both signs");
    expect_reference_with_outliers<float>(scaled<float>(numbers, 100, 30000), {-1}, "with an offset");
    expect_reference<float>(scaled<float>(numbers, 1e-40, 0), "subnormal");
    expect_reference<float>(scaled<float>(numbers, 3e38, 0), "large");
    expect_reference_with_outliers<double>(scaled<double>(numbers, 1, 0), {1e9, -1e12}, "plain");
    expect_reference<double>(scaled<double>(numbers, 100, 1e9), "with an offset");
  }
}

TEST(ExactThresholds, wide_integers_are_those_of_a_reference_that_sorts_them) {
  for (const std::size_t count : {2, 3, 6, 17, 1000, 20000}) {
    const std::vector<double> numbers = populations(count, static_cast<unsigned>(count) + 1);
    expect_reference_with_outliers<std::int32_t>(scaled<std::int32_t>(numbers, 1e6, -1000), {2000000000, -2000000000},
                                                 "");
    expect_reference_with_outliers<std::int32_t>(scaled<std::int32_t>(numbers, 3000, 0), {100000, -2147483647 - 1}, "");
    expect_reference<std::uint32_t>(scaled<std::uint32_t>(numbers, 4e9, 17), "");
    expect_reference<std::int64_t>(scaled<std::int64_t>(numbers, 1e6, 1000000000000), "offset");
    expect_reference<std::int64_t>(scaled<std::int64_t>(numbers, 9e15, -4000000000000000), "");
    expect_reference<std::uint64_t>(scaled<std::uint64_t>(numbers, 9e15, 3), "");
  }
}

TEST(ExactThresholds, two_values_many_equal_ones_and_spans_around_65536) {
  for (const int second : {65534, 65535, 65536, 65537}) {
    std::vector<std::int32_t> samples(1000, 5);
    for (std::size_t i = 0; i < 300; ++i) samples[i * 3] = 5 + second;
    expect_reference(samples, std::to_string(second));
    for (std::size_t i = 0; i < samples.size(); i += 7) samples[i] = static_cast<std::int32_t>(i * 31 % 60000 + 5);
    expect_reference(samples, std::to_string(second) + " and between");
  }
  expect_reference<float>({0.25F, 0.25F, 0.75F, 0.25F}, "two values");
  expect_reference<float>({0.0F, -0.0F, 0.5F, 0.25F, -0.0F, 0.5F}, "both zeros");
  std::vector<float> zeros(50000, 0);
  for (std::size_t i = 0; i < 9; ++i) zeros[i * 977] = static_cast<float>(i) + 0.5F;
  expect_reference(zeros, "mostly zeros");
}

/// Few clusters of close samples anywhere from `least` to `most`, these among them: cells that have to be counted again
/// are neighbours that lie far apart.
template <class T>
void expect_reference_of_clusters(T least, T most) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<T> middles = {least, most, T{100}};
    for (unsigned k = 0; k < seed % 5; ++k) {
      middles.push_back(
          static_cast<T>(std::ldexp(static_cast<double>(random() % 1000), static_cast<int>(random() % 20))));
    }
    std::vector<T> samples;
    for (unsigned i = 0; i < 400; ++i) {
      const T middle = middles[random() % middles.size()];
      const auto beside = static_cast<T>(random() % (seed % 2 ? 300 : 3));
      samples.push_back(middle < T{100} ? middle + beside : middle - beside);
    }
    expect_reference(samples, "clusters " + std::to_string(seed));
  }
}

TEST(ExactThresholds, clusters_that_are_far_apart) {
  expect_reference_of_clusters<std::int32_t>(std::numeric_limits<std::int32_t>::min(), 2147483647);
  expect_reference_of_clusters<std::uint32_t>(0, 4294967295U);
  expect_reference_of_clusters<float>(-1e12F, 3e10F);
}

TEST(ExactThresholds, the_ends_of_64_bits) {
  std::vector<std::int64_t> samples;
  for (std::int64_t i = 0; i < 1000; ++i) {
    samples.push_back(i % 3 == 0 ? std::numeric_limits<std::int64_t>::max() - i * (std::int64_t{1} << 40)
                                 : std::numeric_limits<std::int64_t>::min() + i * (std::int64_t{1} << 44));
  }
  auto source = source_of(samples);
  for (const Method method : {Method::Otsu, Method::Li, Method::Isodata, Method::Mean}) {
    EXPECT_NEAR(static_cast<double>(binarise({}, source, {.method = method}).volume), 334,
                method == Method::Mean ? 0 : 1)
        << name(method);
  }
}

// As in a scan with one hot voxel, which by itself is the larger variance.
TEST(ExactThresholds, a_hot_voxel_in_a_million_is_no_class) {
  const std::vector<double> numbers = populations(200000, 7);
  const std::vector<float> samples = scaled<float>(numbers, 100, 50);
  for (const Method method : {Method::Otsu, Method::Isodata, Method::Kapur, Method::Triangle}) {
    auto plain = source_of(samples);
    const double wanted = threshold_value({}, plain, method);
    for (const float hot : {2e4F, 1e5F, -3e6F, 1e30F}) {
      std::vector<float> with = samples;
      with[1234] = hot;
      auto source = source_of(with);
      // The mean of a class that has it, but is not it alone.
      EXPECT_NEAR(threshold_value({}, source, method), wanted, method == Method::Isodata ? 1 : 0.01)
          << name(method) << " " << hot;
    }
  }
  std::vector<float> with = samples;
  with[99] = 1e5F;
  with[77] = -3e6F;
  expect_reference(with, "two outliers");
}

TEST(ExactThresholds, the_same_numbers_give_the_same_value_in_any_type) {
  std::mt19937 random(3);
  for (const std::int64_t most : {5, 200, 3000, 65535}) {
    for (const std::int64_t count : {7, 100, 5000}) {
      std::vector<double> numbers(static_cast<std::size_t>(count));
      for (double& v : numbers)
        v = std::floor(std::pow(static_cast<double>(random() % 10007) / 10007, 2) * static_cast<double>(most + 1));
      const auto of = [&](Type type, Method method) -> std::string {
        auto source =
            make_source(type, {1, 1, count, 2}, [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; });
        double value = 0;
        const std::string refused = refusal([&] { value = threshold_value({}, source, method); });
        return refused.empty() ? std::to_string(std::bit_cast<std::uint64_t>(value)) : refused;
      };
      for (const Method method : all_methods) {
        if (method == Method::Minimum && most > 300) continue;  // smooths for seconds
        const std::string wanted = of(Type::U16, method);
        for (const Type type : {Type::U32, Type::I32, Type::U64, Type::I64, Type::F32, Type::F64}) {
          EXPECT_EQ(of(type, method), wanted) << name(method) << " " << name(type) << " " << most;
        }
      }
    }
  }
}

TEST(ExactThresholds, offsets_move_the_value_by_themselves) {
  for (const Method method : all_methods) {
    const auto sample = [](std::int64_t i) { return static_cast<double>(i * i % 101 + (i % 4 == 0 ? 150 : 0)); };
    auto plain = make_source(Type::U16, {1, 30, 40, 2}, sample);
    double wanted = 0;
    if (!refusal([&] { wanted = threshold_value({}, plain, method); }).empty()) continue;
    for (const double offset : {1e9, 4e15, -1e15, 0x1p61}) {
      std::vector<std::int64_t> samples;
      for (std::int64_t i = 0; i < 1200; ++i) {
        samples.push_back(static_cast<std::int64_t>(sample(i)) + static_cast<std::int64_t>(offset));
      }
      auto source = source_of(samples);
      EXPECT_NEAR(threshold_value({}, source, method) - offset, wanted,
                  std::abs(offset) > 0x1p60 ? 512
                  : std::abs(offset) > 1e12 ? 1
                                            : 1e-6)
          << name(method);
    }
  }
}

TEST(ExactThresholds, slabs_masks_mappings_and_threads_give_the_same_bits) {
  const Shape shape{7, 60, 70, 3};
  const std::vector<double> numbers = populations(static_cast<std::size_t>(shape.count()), 11);
  auto mask = make_source(Type::U8, shape, [](std::int64_t i) { return i % 7 < 3 ? 0.0 : 1.0; });
  for (const Type type : {Type::F32, Type::F64, Type::I32, Type::U64}) {
    const auto sample = [&](std::int64_t i) {
      return i == 17 ? 1e6 : numbers[static_cast<std::size_t>(i)] * (type == Type::I32 || type == Type::U64 ? 3e5 : 3);
    };
    auto dense = make_source(type, shape, sample);
    auto mapped = make_source(type, shape, sample, true);
    for (const auto kind : {Region::Kind::All, Region::Kind::Cylinder, Region::Kind::Mask}) {
      for (const Method method : all_methods) {
        std::optional<double> wanted;
        for (const int threads : {1, 3}) {
          for (const std::int64_t memory : {0, 100000}) {
            for (ArraySource* source : {&dense, &mapped}) {
              Context context;
              context.threads = threads;
              context.memory_bytes = memory;
              double value = -1;
              (void)refusal([&] { value = threshold_value(context, *source, method, {kind, &mask}); });
              if (!wanted) wanted = value;
              EXPECT_EQ(value, *wanted) << name(method) << " " << name(type);
            }
          }
        }
      }
    }
    std::vector<float> inside;
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      if (i % 7 >= 3) inside.push_back(static_cast<float>(sample(i)));
    }
    if (type == Type::F32) {
      EXPECT_EQ(threshold_value({}, dense, Method::Otsu, {Region::Kind::Mask, &mask}),
                reference::without_outliers<float>(inside, reference::otsu));
    }
  }
}

TEST(ExactThresholds, constant_images_are_refused_as_ever) {
  for (const Type type : {Type::F32, Type::F64, Type::I64}) {
    auto source = make_source(type, {1, 3, 3, 2}, [&](std::int64_t) { return type == Type::I64 ? 17.0 : 0.5; });
    for (const Method method : all_methods) {
      const std::string refused = refusal([&] { (void)threshold_value({}, source, method); });
      EXPECT_NE(refused.find("constant image (all samples are"), std::string::npos) << refused;
    }
  }
}

}  // namespace
}  // namespace tamis
