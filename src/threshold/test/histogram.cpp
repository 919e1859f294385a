// Histograms and the automatic methods.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>

#include "threshold/test/reference.hpp"
#include "threshold/test/testing.hpp"

namespace tamis {
namespace {

using testing::ArraySource;
using testing::make_source;
using testing::refusal;

using Method = ThresholdMethod;

/// Two overlapping populations, 40000 samples.
ArraySource two_populations(Type type, double scale, double offset, bool mapped = false) {
  return make_source(
      type, {1, 200, 200, 2},
      [=](std::int64_t i) {
        const auto a = static_cast<double>(((i * 2654435761) >> 7) % 97);
        const double v = (i * 40503 >> 3) % 5 == 0 ? 150 + std::floor(a * a / 97) : 30 + a;
        return v * scale + offset;
      },
      mapped);
}

TEST(Histogram, integers_up_to_16_bits_have_a_bin_for_each_value) {
  for (const Type type : {Type::Bool, Type::U8, Type::I8, Type::U16, Type::I16}) {
    for (const bool mapped : {false, true}) {
      const double offset = type == Type::I16 || type == Type::I8 ? -50 : 0;
      const double modulus = type == Type::Bool ? 2 : 101;
      const auto sample = [=](std::int64_t i) { return std::fmod(static_cast<double>(i * i), modulus) + offset; };
      const Shape shape{3, 7, 300, 3};
      auto source = make_source(type, shape, sample, mapped);
      Context context;
      context.memory_bytes = 1;
      const Histogram got = histogram(context, source);
      std::map<double, std::int64_t> wanted;
      double sum = 0;
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        ++wanted[sample(i)];
        sum += sample(i);
      }
      EXPECT_EQ(got.minimum, wanted.begin()->first);
      EXPECT_EQ(got.maximum, wanted.rbegin()->first);
      EXPECT_EQ(got.samples, shape.count());
      EXPECT_DOUBLE_EQ(got.mean, sum / static_cast<double>(shape.count()));
      ASSERT_EQ(got.counts.size(), static_cast<std::size_t>(got.maximum - got.minimum) + 1);
      for (std::size_t i = 0; i < got.counts.size(); ++i) {
        EXPECT_EQ(got.counts[i], wanted[got.centre(static_cast<std::int64_t>(i))]);
      }
    }
  }
}

TEST(Histogram, whole_numbers_of_any_type_have_a_bin_for_each_value) {
  for (const Type type : {Type::F32, Type::F64, Type::U32, Type::I32, Type::U64, Type::I64}) {
    const double offset = type == Type::U32 || type == Type::U64 ? 70000 : -70000;
    auto source =
        make_source(type, {2, 16, 256, 3}, [=](std::int64_t i) { return static_cast<double>(i % 1024) * 4 + offset; });
    Context context;
    context.memory_bytes = 1;
    const Histogram got = histogram(context, source);
    EXPECT_TRUE(got.by_value);
    EXPECT_EQ(got.minimum, offset);
    EXPECT_EQ(got.maximum, offset + 4092);
    EXPECT_EQ(got.samples, 8192);
    EXPECT_EQ(got.mean, offset + 2046);
    EXPECT_EQ(got.bin_width, 1);
    ASSERT_EQ(got.counts.size(), 4093U);
    for (std::size_t i = 0; i < got.counts.size(); ++i) EXPECT_EQ(got.counts[i], i % 4 == 0 ? 8 : 0);
  }
}

TEST(Histogram, other_samples_have_bins_of_a_power_of_two) {
  for (const Type type : {Type::F32, Type::F64}) {
    const Shape shape{2, 16, 256, 3};
    const auto sample = [](std::int64_t i) { return static_cast<double>((i * 40503 % 8192) * 3 + 1) / 2048 - 3; };
    auto source = make_source(type, shape, sample);
    const Histogram got = histogram({}, source);
    EXPECT_FALSE(got.by_value);
    EXPECT_FALSE(got.ends_hold_outliers);
    std::vector<std::int64_t> wanted(got.counts.size());
    double sum = 0;
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      ++wanted.at(static_cast<std::size_t>(std::floor((sample(i) - got.first_centre) / got.bin_width + 0.5)));
      sum += sample(i);
    }
    EXPECT_EQ(got.counts, wanted);
    EXPECT_EQ(got.mean, sum / static_cast<double>(shape.count()));
    EXPECT_EQ(got.bin_width, 1.0 / 2048);  // some 16,000 to 32,000 for the central samples
  }
}

TEST(Histogram, an_outlier_goes_to_the_last_bin_and_changes_no_other) {
  const Shape shape{1, 100, 300, 2};
  for (const double outlier : {300.0, 2e4, 1e9, 1e30, -5e4, -1e38}) {
    const auto sample = [](std::int64_t i) { return static_cast<double>(i * 40503 % 30011) / 1000 + 20; };
    auto plain = make_source(Type::F32, shape, sample);
    auto with = make_source(Type::F32, shape, [&](std::int64_t i) { return i == 4321 ? outlier : sample(i); });
    const Histogram wanted = histogram({}, plain), got = histogram({}, with);
    EXPECT_EQ(got.bin_width, wanted.bin_width);
    EXPECT_EQ(got.maximum, std::max(wanted.maximum, static_cast<double>(static_cast<float>(outlier))));
    const auto lowest = static_cast<std::int64_t>(std::round((got.first_centre - wanted.first_centre) / got.bin_width));
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(wanted.counts.size()); ++i) {
      different +=
          std::abs(got.counts.at(static_cast<std::size_t>(i - lowest)) - wanted.counts[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(different, 1) << outlier;  // the voxel that is hot now
    EXPECT_EQ(outlier > 0 ? got.counts.back() : got.counts.front(), 1);
    for (const Method method : {Method::Kapur, Method::Triangle}) {
      EXPECT_NEAR(threshold_value({}, with, method), threshold_value({}, plain, method), got.bin_width) << name(method);
    }
  }
}

TEST(Histogram, only_samples_in_the_region_count) {
  const Shape shape{2, 20, 20, 3};
  const Image disk = inscribed_disk(20, 20);
  const auto inside = [&](std::int64_t i) { return disk.bit(0, i / 20 % 20, i % 20); };
  for (const Type type : {Type::U8, Type::U16, Type::F32}) {
    auto source =
        make_source(type, shape, [&](std::int64_t i) { return inside(i) ? static_cast<double>(10 + i % 2) : 200.0; });
    const Histogram got = histogram({}, source, {.kind = Region::Kind::Cylinder});
    EXPECT_EQ(got.maximum, 11);
    std::int64_t samples = 0;
    for (std::int64_t i = 0; i < shape.count(); ++i) samples += inside(i);
    EXPECT_EQ(got.samples, samples);
    EXPECT_EQ(got.counts.front() + got.counts.back(), samples);
  }
}

TEST(Histogram, extreme_ranges_are_binned_without_overflow) {
  const double highest = std::numeric_limits<double>::max();
  auto wide =
      make_source(Type::F64, {1, 1, 300, 2}, [&](std::int64_t i) { return static_cast<double>(i % 3 - 1) * highest; });
  const Histogram far = histogram({}, wide);
  EXPECT_EQ(far.counts.front() + far.counts.back(), 200);
  EXPECT_EQ(far.mean, 0);
  auto narrow = make_source(Type::F64, {1, 1, 2, 2}, [](std::int64_t i) { return static_cast<double>(i) * 5e-324; });
  const Histogram near = histogram({}, narrow);
  EXPECT_EQ(std::accumulate(near.counts.begin(), near.counts.end(), std::int64_t{0}), 2);
}

TEST(Histogram, infinite_samples_are_refused) {
  auto source = make_source(Type::F32, {1, 2, 2, 2}, [](std::int64_t i) { return i == 2 ? INFINITY : 1.0; });
  EXPECT_NE(refusal([&] { (void)histogram({}, source); }).find("infinite"), std::string::npos);
}

// The numbers are scikit-image's (0.26) for the same images.
TEST(Methods, integers_get_the_values_of_scikit_image) {
  struct Case {
    Type type;
    double scale, offset;
    std::map<Method, double> wanted;
  };
  const Case cases[] = {{Type::U8,
                         1,
                         0,
                         {{Method::Otsu, 126},
                          {Method::Li, 92.15875158715117},
                          {Method::Minimum, 141},
                          {Method::Triangle, 149},
                          {Method::Isodata, 129},
                          {Method::Mean, 98.6717}}},
                        {Type::U16,
                         37,
                         100,
                         {{Method::Otsu, 4762},
                          {Method::Li, 3509.8738087245943},
                          {Method::Triangle, 5649},
                          {Method::Isodata, 4896},
                          {Method::Mean, 3750.8529}}},
                        {Type::I16,
                         11,
                         -3000,
                         {{Method::Otsu, -1614},
                          {Method::Li, -1986.2537325413368},
                          {Method::Triangle, -1351},
                          {Method::Isodata, -1574},
                          {Method::Mean, -1914.6113}}}};
  for (const Case& c : cases) {
    auto source = two_populations(c.type, c.scale, c.offset);
    const Histogram counts = histogram({}, source);
    for (const auto& [method, wanted] : c.wanted) {
      EXPECT_NEAR(threshold_value(counts, method), wanted, 1e-9 * std::abs(wanted)) << name(method);
      EXPECT_EQ(binarise({}, source, {.method = method}).threshold, threshold_value(counts, method));
    }
  }
}

TEST(Methods, kapur_is_the_definition_of_1985) {
  auto source = two_populations(Type::U8, 1, 0);
  const Histogram counts = histogram({}, source);
  EXPECT_EQ(reference::kapur(counts.counts, counts.minimum), 154);
  EXPECT_EQ(threshold_value(counts, Method::Kapur), 154);
}

TEST(Methods, a_real_volume_gets_the_values_of_scikit_image) {
  const char* const folder = std::getenv("TAMIS_DATA");
  if (!folder || *folder == '\0') GTEST_SKIP() << "TAMIS_DATA is not set";
  std::ifstream file(std::string(folder) + "/volumes/quanfima_polymer_fibres_128x128x128_u8.raw", std::ios::binary);
  if (!file) GTEST_SKIP() << "the fibre volume is not in TAMIS_DATA";
  const Shape shape{128, 128, 128, 3};
  std::vector<std::byte> samples(static_cast<std::size_t>(shape.count()));
  file.read(reinterpret_cast<char*>(samples.data()), shape.count());
  ArraySource source({Type::U8, shape, 1, {}}, samples);
  const Histogram counts = histogram({}, source);
  EXPECT_EQ(threshold_value(counts, Method::Otsu), 127);
  EXPECT_NEAR(threshold_value(counts, Method::Li), 120.242014274021, 1e-9);
  EXPECT_EQ(threshold_value(counts, Method::Kapur), reference::kapur(counts.counts, counts.minimum));
  EXPECT_EQ(threshold_value(counts, Method::Minimum), 9);
  EXPECT_EQ(threshold_value(counts, Method::Triangle), 113);
  EXPECT_EQ(threshold_value(counts, Method::Isodata), 127);
  EXPECT_NEAR(threshold_value(counts, Method::Mean), 97.901398181915283, 1e-12);
}

TEST(Methods, a_constant_image_is_refused_by_every_method) {
  for (const Type type : {Type::U8, Type::F32}) {
    auto source = make_source(type, {2, 3, 3, 3}, [](std::int64_t) { return 17.0; });
    const Histogram counts = histogram({}, source);
    for (const Method method :
         {Method::Otsu, Method::Li, Method::Kapur, Method::Minimum, Method::Triangle, Method::Isodata, Method::Mean}) {
      EXPECT_NE(refusal([&] { (void)threshold_value(counts, method); }).find("constant image (all samples are 17)"),
                std::string::npos);
    }
  }
}

TEST(Methods, every_method_separates_two_distant_values) {
  for (const Type type : {Type::U8, Type::I16, Type::F32}) {
    auto source = make_source(type, {1, 8, 8, 2}, [](std::int64_t i) { return i % 4 == 0 ? 90.0 : 0.0; });
    for (const Method method :
         {Method::Otsu, Method::Li, Method::Kapur, Method::Triangle, Method::Isodata, Method::Mean}) {
      EXPECT_EQ(binarise({}, source, {.method = method}).volume, 16) << name(type) << " " << name(method);
    }
  }
}

TEST(Methods, a_histogram_without_two_peaks_has_no_minimum_between_them) {
  auto source = make_source(Type::U8, {1, 10, 10, 2}, [](std::int64_t i) { return std::floor(std::sqrt(double(i))); });
  EXPECT_NE(refusal([&] { (void)binarise({}, source, {.method = Method::Minimum}); }).find("wanted two"),
            std::string::npos);
}

TEST(Methods, names_and_methods_are_inverse) {
  for (const Method method :
       {Method::Otsu, Method::Li, Method::Kapur, Method::Minimum, Method::Triangle, Method::Isodata, Method::Mean}) {
    EXPECT_EQ(threshold_method(name(method)), method);
  }
  EXPECT_FALSE(threshold_method("otto"));
  EXPECT_FALSE(threshold_method("value"));
  EXPECT_EQ(threshold_method_names(), "otsu, li, kapur, minimum, triangle, isodata, mean");
}

TEST(Methods, a_fixed_threshold_is_no_automatic_method) {
  auto source = two_populations(Type::U8, 1, 0);
  const Histogram counts = histogram({}, source);
  EXPECT_NE(refusal([&] { (void)threshold_value(counts, Method::Value); }).find("otsu, li"), std::string::npos);
}

}  // namespace
}  // namespace tamis
