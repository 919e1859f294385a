#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>

#include "convert/sample_conversion.hpp"

namespace tamis {
namespace {

/// Samples of one row, kept dense; `mapped` offers them in place.
template <class T>
class RowSource final : public SliceSource {
 public:
  RowSource(Type type, std::vector<T> samples, bool mapped = false, int channels = 1)
      : samples_(std::move(samples)), mapped_(mapped) {
    layout_ = {type, {1, 1, static_cast<std::int64_t>(samples_.size()) / channels, 2}, channels, {}};
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t, std::int64_t, std::byte* out) override {
    std::memcpy(out, samples_.data(), samples_.size() * sizeof(T));
  }
  [[nodiscard]] std::optional<MappedSlices> mapped() const override {
    if (!mapped_) return std::nullopt;
    return MappedSlices{reinterpret_cast<const std::byte*>(samples_.data()), 0, 0};
  }

 private:
  std::vector<T> samples_;
  bool mapped_;
  Layout layout_;
};

template <class To, class From>
std::vector<To> converted(Type from, const std::vector<From>& samples, Type to,
                          const std::optional<Window>& window = {}) {
  std::vector<To> first;
  for (const bool mapped : {false, true}) {
    const auto source = convert(std::make_unique<RowSource<From>>(from, samples, mapped), to, window);
    EXPECT_EQ(source->layout().type, to);
    std::vector<To> out(samples.size());
    source->read(0, 1, reinterpret_cast<std::byte*>(out.data()));
    if (mapped) {
      EXPECT_EQ(out, first);
    }
    first = out;
  }
  return first;
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Convert, without_a_window_values_are_kept_rounded_half_away_from_zero_and_clamped) {
  const std::vector<double> samples{0.5,
                                    1.5,
                                    2.5,
                                    -0.5,
                                    -1.5,
                                    254.5,
                                    255.4,
                                    300,
                                    -3,
                                    1e300,
                                    -1e300,
                                    INFINITY,
                                    -INFINITY,
                                    0.49999999999999994,
                                    2.4999999999999996};
  EXPECT_EQ((converted<std::uint8_t>(Type::F64, samples, Type::U8)),
            (std::vector<std::uint8_t>{1, 2, 3, 0, 0, 255, 255, 255, 0, 255, 0, 255, 0, 0, 2}));
  EXPECT_EQ((converted<std::int16_t>(Type::F64, samples, Type::I16)),
            (std::vector<std::int16_t>{1, 2, 3, -1, -2, 255, 255, 300, -3, 32767, -32768, 32767, -32768, 0, 2}));
}

TEST(Convert, a_double_beyond_the_range_of_f32_is_clamped_and_infinity_stays) {
  constexpr float highest = std::numeric_limits<float>::max();
  EXPECT_EQ((converted<float>(Type::F64, std::vector<double>{1e300, -1e300, INFINITY, 0.1}, Type::F32)),
            (std::vector<float>{highest, -highest, INFINITY, 0.1F}));
}

TEST(Convert, integers_are_clamped_exactly) {
  const std::vector<std::int64_t> samples{std::numeric_limits<std::int64_t>::min(), -1, 0, 65535, 65536,
                                          std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ((converted<std::uint16_t>(Type::I64, samples, Type::U16)),
            (std::vector<std::uint16_t>{0, 0, 0, 65535, 65535, 65535}));
  EXPECT_EQ((converted<std::int16_t>(Type::U64, std::vector<std::uint64_t>{0, 40000, ~std::uint64_t{0}}, Type::I16)),
            (std::vector<std::int16_t>{0, 32767, 32767}));
  EXPECT_EQ((converted<std::uint8_t>(Type::I8, std::vector<std::int8_t>{-128, 127}, Type::U8)),
            (std::vector<std::uint8_t>{0, 127}));
}

TEST(Convert, bool_becomes_0_and_1) {
  EXPECT_EQ((converted<std::uint8_t>(Type::Bool, std::vector<std::uint8_t>{0, 1, 1}, Type::U8)),
            (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ((converted<float>(Type::Bool, std::vector<std::uint8_t>{0, 1}, Type::F32)), (std::vector<float>{0, 1}));
}

TEST(Convert, a_window_spans_the_whole_range_of_the_type) {
  const std::vector<float> samples{-1, 0, 1, 2, 4, 5, NAN};
  const Window window{0, 4};
  // NumPy: t = clip((v - 0) / 4, 0, 1); floor(t * 255 + 0.5)
  EXPECT_EQ((converted<std::uint8_t>(Type::F32, samples, Type::U8, window)),
            (std::vector<std::uint8_t>{0, 0, 64, 128, 255, 255, 0}));
  EXPECT_EQ((converted<std::uint16_t>(Type::F32, samples, Type::U16, window)),
            (std::vector<std::uint16_t>{0, 0, 16384, 32768, 65535, 65535, 0}));
  // -32768 + t * 65535, halves away from zero: -16384.25, -0.5
  EXPECT_EQ((converted<std::int16_t>(Type::F32, samples, Type::I16, window)),
            (std::vector<std::int16_t>{-32768, -32768, -16384, -1, 32767, 32767, 0}));
  const auto shares =
      converted<float>(Type::U8, std::vector<std::uint8_t>{10, 20, 25, 30, 40}, Type::F32, Window{20, 30});
  EXPECT_EQ(shares, (std::vector<float>{0, 0, 0.5F, 1, 1}));
}

TEST(Convert, every_u16_value_goes_through_a_window_as_the_formula_says) {
  std::vector<std::uint16_t> samples(65536);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::uint16_t>(i);
  const auto got = converted<std::uint8_t>(Type::U16, samples, Type::U8, Window{1000, 50000});
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double share = std::min(1.0, std::max(0.0, (static_cast<double>(i) - 1000) / 49000));
    ASSERT_EQ(got[i], static_cast<int>(std::floor(share * 255 + 0.5))) << i;
  }
}

TEST(Convert, nan_without_a_window_is_refused_with_its_position) {
  RowSource<float> colour(Type::F32, {1, 2, 3, 4, NAN, 6}, false, 3);
  const auto source = convert(std::make_unique<RowSource<float>>(colour), Type::U8);
  std::vector<std::byte> out(6);
  EXPECT_EQ(source->layout().channels, 3);
  EXPECT_NE(refusal([&] { source->read(0, 1, out.data()); }).find("NaN at x 1, y 0; wanted"), std::string::npos);
}

TEST(Convert, nan_stays_nan_in_f32) {
  const auto source = convert(std::make_unique<RowSource<double>>(Type::F64, std::vector<double>{NAN}), Type::F32);
  float out = 0;
  source->read(0, 1, reinterpret_cast<std::byte*>(&out));
  EXPECT_TRUE(std::isnan(out));
}

TEST(Convert, only_the_four_filter_types_are_targets) {
  for (const Type type : {Type::Bool, Type::I8, Type::U32, Type::I32, Type::U64, Type::I64, Type::F64}) {
    EXPECT_NE(refusal([&] {
                (void)convert(std::make_unique<RowSource<float>>(Type::F32, std::vector<float>{1}), type);
              }).find("wanted u8, u16, i16 or f32"),
              std::string::npos);
  }
}

TEST(Convert, a_window_that_is_empty_or_not_finite_is_refused) {
  for (const Window window : {Window{5, 5}, Window{6, 5}, Window{NAN, 5}, Window{0, INFINITY}, Window{-1e308, 1e308}}) {
    EXPECT_NE(refusal([&] {
                (void)convert(std::make_unique<RowSource<float>>(Type::F32, std::vector<float>{1}), Type::U8, window);
              }).find("LO below HI"),
              std::string::npos);
  }
}

TEST(Convert, the_same_type_without_a_window_is_the_source_itself) {
  auto source = std::make_unique<RowSource<float>>(Type::F32, std::vector<float>{1}, true);
  const SliceSource* const same = source.get();
  EXPECT_EQ(convert(std::move(source), Type::F32).get(), same);
}

/// The definition, sample by sample.
template <class To, class From>
To defined(From sample, const std::optional<Window>& window) {
  if (std::is_integral_v<To> && sample != sample) return 0;  // with a window
  if (window) return convert_detail::through_window<To>(static_cast<double>(sample), window->low, window->high);
  return convert_detail::keep_value<To>(sample);
}

/// Everything of 16 bits; of floats what is special, what lies at and beside halves, and any bits.
template <class T>
std::vector<T> all_kinds(bool with_nan) {
  std::vector<T> samples;
  if constexpr (std::is_integral_v<T>) {
    for (int v = std::numeric_limits<T>::min(); v <= std::numeric_limits<T>::max(); ++v) samples.push_back(T(v));
  } else {
    samples = {0.F, -0.F, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN, -FLT_MIN, FLT_TRUE_MIN, -FLT_TRUE_MIN};
    for (int i = -70000 * 2; i <= 70000 * 2; i += 1 + i % 7 * i % 3) {
      const float half = static_cast<float>(i) / 2;
      for (const float v : {half, std::nextafter(half, INFINITY), std::nextafter(half, -INFINITY), half / 255}) {
        samples.push_back(v);
      }
    }
    std::mt19937 random(7);
    for (int i = 0; i < 200000; ++i) samples.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    std::erase_if(samples, [&](float v) { return !with_nan && v != v; });
  }
  return samples;
}

template <class From, class To>
void compare_with_definition(Type from, Type to, const std::optional<Window>& window) {
  const std::vector<From> samples = all_kinds<From>(window.has_value() || !std::is_integral_v<To>);
  std::vector<To> wanted;
  for (const From sample : samples) wanted.push_back(defined<To>(sample, window));
  const auto count = static_cast<std::int64_t>(samples.size());
  for (const Simd simd : {Simd::Portable, Simd::Avx2, Simd::Avx512}) {
    Context context;
    context.simd = simd;
    try {
      static_cast<void>(context.describe(Device::Cpu));
    } catch (const ResourceError&) {
      continue;  // not on this machine
    }
    std::vector<To> got(samples.size() + 1, To(77));
    // A row of each length up to 70, then what is left.
    std::int64_t at = 0;
    for (std::int64_t length = 1; at < count; length = length < 70 ? length + 1 : count - at) {
      const std::int64_t n = std::min(length, count - at);
      const Layout layout{from, {1, 1, n, 2}, 1, {}};
      convert(context, {reinterpret_cast<const std::byte*>(samples.data() + at), 0, 0}, layout, to, window,
              {reinterpret_cast<std::byte*>(got.data() + at), 0, 0});
      at += n;
      ASSERT_EQ(got[static_cast<std::size_t>(at)], To(77)) << "written past the row";
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool same =
          std::memcmp(&got[i], &wanted[i], sizeof(To)) == 0 || (got[i] != got[i] && wanted[i] != wanted[i]);
      ASSERT_TRUE(same) << name(from) << " " << +samples[i] << " to " << name(to) << ": " << +got[i] << ", wanted "
                        << +wanted[i] << (window ? " window " + std::to_string(window->low) + ":" : "") << ", simd "
                        << static_cast<int>(simd);
    }
  }
}

template <class From>
void compare_all_targets(Type from) {
  for (const std::optional<Window>& window :
       {std::optional<Window>(), std::optional<Window>({0, 255}), std::optional<Window>({0, 510}),
        std::optional<Window>({0, 65535}), std::optional<Window>({-110, 15}), std::optional<Window>({-0.1, 0.3}),
        std::optional<Window>({60000.25, 60000.5}), std::optional<Window>({1e-30, 2e-30}),
        std::optional<Window>({-1e300, 1e300}), std::optional<Window>({1e30, 1e37}),
        std::optional<Window>({3, 3.0001}), std::optional<Window>({8000, 42000}), std::optional<Window>({100, 30111}),
        std::optional<Window>({0, 65536}), std::optional<Window>({-32768, 32767}), std::optional<Window>({-32768, 65535}),
        std::optional<Window>({-5e4, 1e5}), std::optional<Window>({1e5, 1.001e5}), std::optional<Window>({-40, 101.5})}) {
    compare_with_definition<From, std::uint8_t>(from, Type::U8, window);
    compare_with_definition<From, std::uint16_t>(from, Type::U16, window);
    compare_with_definition<From, std::int16_t>(from, Type::I16, window);
    compare_with_definition<From, float>(from, Type::F32, window);
  }
}

TEST(Convert, vectors_give_what_the_definition_gives_bit_by_bit) {
  compare_all_targets<std::uint8_t>(Type::U8);
  compare_all_targets<std::uint16_t>(Type::U16);
  compare_all_targets<std::int16_t>(Type::I16);
  compare_all_targets<float>(Type::F32);
}

/// Samples as floats, or the refusal.
template <class T>
std::vector<float> floats_of(Type type, const std::vector<T>& samples, std::string& words) {
  const auto source = as_f32(std::make_unique<RowSource<T>>(type, samples));
  EXPECT_EQ(source->layout().type, Type::F32);
  std::vector<float> out(samples.size());
  words = refusal([&] { source->read(0, 1, reinterpret_cast<std::byte*>(out.data())); });
  return out;
}

template <class T>
std::vector<T> back(Type type, const std::vector<float>& samples) {
  const auto source = from_f32(std::make_unique<RowSource<float>>(Type::F32, samples), type);
  EXPECT_EQ(source->layout().type, type);
  std::vector<T> out(samples.size());
  source->read(0, 1, reinterpret_cast<std::byte*>(out.data()));
  return out;
}

TEST(Convert, only_floats_go_back) {
  const auto from_bytes = [](Type type) {
    return from_f32(std::make_unique<RowSource<std::uint8_t>>(Type::U8, std::vector<std::uint8_t>(5)), type);
  };
  EXPECT_EQ(refusal([&] { static_cast<void>(from_bytes(Type::I32)); }), "from_f32: got samples of u8, wanted f32 or i32");
  EXPECT_EQ(from_bytes(Type::U8)->layout().type, Type::U8);
}

TEST(Convert, doubles_become_the_nearest_floats) {
  const double half_a_step = std::ldexp(1.0, 103);
  const std::vector<double> samples{0,        -0.0,     0.1,       -3,          16777217, 1e-300, FLT_MAX,
                                    -FLT_MAX, INFINITY, -INFINITY, NAN,         1 + 1e-15, FLT_TRUE_MIN / 2.0,
                                    double{FLT_MAX} + half_a_step / 2, -double{FLT_MAX} - half_a_step / 2};
  std::string words;
  const std::vector<float> out = floats_of(Type::F64, samples, words);
  EXPECT_EQ(words, "");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto wanted = static_cast<float>(samples[i]);
    EXPECT_TRUE(out[i] == wanted || (std::isnan(out[i]) && std::isnan(wanted))) << samples[i];
    EXPECT_EQ(std::signbit(out[i]), std::signbit(wanted));
  }
  for (const double wrong : {1e300, -1e300, 1e39, double{FLT_MAX} + half_a_step, -double{FLT_MAX} - half_a_step}) {
    floats_of(Type::F64, std::vector<double>{1, 2, wrong, wrong}, words);
    EXPECT_NE(words.find("at x 2, y 0"), std::string::npos) << words;
  }
}

template <class T>
void whole_numbers_go_there_and_back(Type type, const std::vector<T>& held, const std::vector<T>& others) {
  std::string words;
  const std::vector<float> floats = floats_of(type, held, words);
  EXPECT_EQ(words, "");
  for (std::size_t i = 0; i < held.size(); ++i) EXPECT_EQ(static_cast<long double>(floats[i]), static_cast<long double>(held[i]));
  EXPECT_EQ(back<T>(type, floats), held);
  for (const T other : others) {
    floats_of(type, std::vector<T>{0, other}, words);
    EXPECT_EQ(words, fmt::format("{} samples that f32 cannot hold, {} at x 1, y 0; wanted tamis convert --as f32, which rounds",
                                 name(type), other));
  }
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(back<T>(type, {INFINITY, -INFINITY}), (std::vector<T>{Limits::max(), Limits::min()}));
}

TEST(Convert, whole_numbers_that_floats_have_go_there_and_back_and_others_are_named) {
  constexpr std::int64_t edge = 1 << 24, high = std::int64_t{1} << 53;
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  whole_numbers_go_there_and_back<std::int8_t>(Type::I8, {0, 1, -1, 127, -128}, {});
  whole_numbers_go_there_and_back<std::int32_t>(
      Type::I32, {0, edge, -edge, edge + 2, INT32_MIN}, {edge + 1, -edge - 1, INT32_MAX, INT32_MIN + 1});
  whole_numbers_go_there_and_back<std::uint32_t>(Type::U32, {0, edge, edge + 2, 0xffffff00U}, {edge + 1, UINT32_MAX});
  whole_numbers_go_there_and_back<std::int64_t>(Type::I64, {0, edge, high, -high, least, 0x7fffff8000000000},
                                                {edge + 1, high + 1, -high - 1, least + 1, INT64_MAX});
  whole_numbers_go_there_and_back<std::uint64_t>(Type::U64, {0, edge, 0x8000000000000000U, 0xffffff0000000000U},
                                                 {edge + 1, UINT64_MAX, 0x8000000000000001U});
}

TEST(Convert, an_image_of_0_to_1_becomes_zeros_and_ones) {
  const auto answer = [](auto sample, Type type, std::vector<decltype(sample)> samples) {
    RowSource<decltype(sample)> source(type, std::move(samples));
    return becomes_zeros_and_ones({}, source);
  };
  EXPECT_TRUE(answer(0.0F, Type::F32, {0, 0.25F, 1}));
  EXPECT_TRUE(answer(0.0, Type::F64, {0.999, -0.4, 1.4, NAN}));
  EXPECT_FALSE(answer(0.0F, Type::F32, {0, 1, 1, 0, NAN}));  // a mask
  EXPECT_FALSE(answer(0.0, Type::F64, {0.5, 0.25, 1.5}));    // becomes 2
  EXPECT_FALSE(answer(0.0, Type::F64, {0.5, -0.5}));         // becomes -1
  EXPECT_FALSE(answer(0.0F, Type::F32, {INFINITY, 0.5F}));
  EXPECT_FALSE(answer(std::uint8_t{}, Type::U8, {0, 1}));
}

TEST(Convert, threads_find_the_first_nan) {
  constexpr std::int64_t edge = 700;
  std::vector<float> image(edge * edge, 1.0F);
  image[edge * 500 + 3] = NAN;
  image[edge * 499 + 698] = NAN;
  image[edge * 699] = NAN;
  std::vector<std::uint8_t> out(image.size());
  const Layout layout{Type::F32, {1, edge, edge, 2}, 1, {}};
  const MappedSlices in{reinterpret_cast<const std::byte*>(image.data()), edge * 4, edge * edge * 4};
  const ImageRows rows{reinterpret_cast<std::byte*>(out.data()), edge, edge * edge};
  EXPECT_EQ(refusal([&] { convert({}, in, layout, Type::U8, {}, rows); }),
            "convert to u8: the image holds NaN at x 698, y 499; wanted numbers, or a window");
}

}  // namespace
}  // namespace tamis
