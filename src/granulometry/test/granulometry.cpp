#include <tamis/granulometry.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/phantom.hpp>

#include "granulometry/cpu/run.hpp"
#include "granulometry/test/testing.hpp"

namespace tamis {
namespace {

using namespace granulometry_testing;

/// Each context against the definition, curve and map.
void expect_reference(const Case& c, const std::vector<Context>& contexts) {
  SCOPED_TRACE(describe(c));
  const Image domain = random_domain(c.shape, c.roi, c.seed);
  Image object = random_object(c.shape, c.density, c.seed);
  clip(object, domain);
  const Expected expected = reference(object, c.options, domain);
  for (const Context& context : contexts) {
    SCOPED_TRACE(context.describe());
    EXPECT_EQ(granulometry(context, object, c.options, domain).volume, expected.volume);
    EXPECT_EQ(values(size_map(context, object, c.options, domain)), expected.map);
  }
}

/// One context for each instruction set that this machine has.
std::vector<Context> instruction_sets() {
  std::vector<Context> contexts;
  for (const Simd simd : {Simd::Avx512, Simd::Avx2, Simd::Portable}) {
    Context context;
    context.simd = simd;
    try {
      (void)context.describe();
      contexts.push_back(context);
    } catch (const ResourceError&) {
      continue;
    }
  }
  return contexts;
}

TEST(Granulometry, agrees_with_the_definition_for_every_option_shape_and_instruction_set) {
  Sampled some(7);
  const std::vector<Context> contexts = instruction_sets();
  for (const Shape& shape : odd_shapes) {
    for_every_option(shape, [&](Case c) {
      for (const double density : {0.97, 0.4}) {
        if (some.skips()) continue;
        c.density = density;
        expect_reference(c, contexts);
      }
    });
  }
}

/// How often each value occurs in a box of a size map.
std::vector<std::int64_t> counted(const Image& map, const granulometry_detail::CountedBox& box, std::size_t bins) {
  std::vector<std::int64_t> counts(bins);
  const auto sizes = values(map);
  const Shape& shape = map.shape();
  for (std::int64_t z = box.z.begin; z < box.z.end; ++z)
    for (std::int64_t y = box.y.begin; y < box.y.end; ++y)
      for (std::int64_t x = box.x.begin; x < box.x.end; ++x)
        ++counts.at(std::size_t{sizes[static_cast<std::size_t>((z * shape.y + y) * shape.x + x)]});
  counts[0] = 0;
  return counts;
}

TEST(Granulometry, counts_in_a_box_are_those_of_the_map_there) {
  for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{1, 40, 200, 2}, Shape{9, 21, 70, 3}, Shape{20, 17, 129, 3}}) {
    const Image object = random_object(shape, 0.99, 5);
    const auto cut = [](std::int64_t n, std::int64_t share) {
      return granulometry_detail::CountedBox::Range{n * share / 7, n - n * share / 5};
    };
    for (const Element element : {Element::Cross, Element::Cube, Element::Square}) {
      if (shape.rank == 2 && element == Element::Cube) continue;
      for (const std::optional<std::int64_t> max_size :
           {std::optional<std::int64_t>{}, std::optional<std::int64_t>{2}}) {
        GranulometryOptions options;
        options.element = element;
        options.max_size = max_size;
        for (const Context& context : instruction_sets()) {
          const Image map = size_map(context, object, options);
          for (std::int64_t share = 0; share < 3; ++share) {
            const granulometry_detail::CountedBox box{cut(shape.z, share), cut(shape.y, share), cut(shape.x, share)};
            const auto found = granulometry_detail::cpu::removed_in(context, object, options, box);
            EXPECT_EQ(found, counted(map, box, found.size()))
                << to_string(shape) << " " << name(element) << " " << share;
          }
        }
      }
    }
  }
}

TEST(Granulometry, agrees_with_the_definition_when_many_sizes_meet_a_domain) {
  if (small_scale()) GTEST_SKIP() << "TAMIS_TEST_SCALE is set";
  for (const Shape& shape : {Shape{9, 21, 70, 3}, Shape{1, 30, 129, 2}}) {
    for_every_option(shape, [&](Case c) {
      c.density = 0.995;
      if (c.options.max_size != 0) expect_reference(c, instruction_sets());
    });
  }
}

TEST(Granulometry, agrees_with_the_definition_where_parts_of_a_domain_meet_in_a_corner) {
  const std::vector<Context> contexts = instruction_sets();
  for_domains_of_two_parts(
      [&](const Image& object, const Image& domain, const GranulometryOptions& options, const std::string& what) {
        SCOPED_TRACE(what);
        const Expected expected = reference(object, options, domain);
        for (const Context& context : contexts) {
          EXPECT_EQ(granulometry(context, object, options, domain).volume, expected.volume);
          EXPECT_TRUE(values(size_map(context, object, options, domain)) == expected.map) << "the maps differ";
        }
      });
}

TEST(Granulometry, agrees_with_the_definition_when_strips_and_passes_overlap) {
  // More sizes than stages of a pass and more rows than a strip, by one thread and by as many as there are.
  for (const Element element : {Element::Cross, Element::Cube}) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      Case c{{by_scale<std::int64_t>(7, 13, 23), 75, 68, 3}, {element, border, {}}};
      c.density = by_scale(0.998, 0.9995, 0.9997);
      std::vector<Context> contexts(2);
      contexts[0].threads = 1;
      contexts[1].threads = 4;
      expect_reference(c, contexts);
    }
  }
}

TEST(Granulometry, anisotropic_voxels_have_an_extent_along_each_axis_and_no_width) {
  Sizes sizes;
  sizes.spacing = {4, 2, 1.5, "um"};
  EXPECT_EQ(sizes.width(3), std::nullopt);
  EXPECT_EQ(sizes.extent(3), (Spacing{28, 14, 10.5, "um"}));
  sizes.rank = 2;
  EXPECT_EQ(sizes.extent(3), (Spacing{4, 14, 10.5, "um"}));
  sizes.along_lines = true;
  EXPECT_EQ(sizes.extent(3), std::nullopt);
}

TEST(Granulometry, a_map_has_the_narrowest_type_that_holds_it) {
  if (small_scale()) GTEST_SKIP() << "TAMIS_TEST_SCALE is set";
  const auto type_of = [](const Image& object, const GranulometryOptions& options) {
    std::vector<Type> started;
    static_cast<void>(size_map(
        {}, object, options, {}, [&](Type type) { started.push_back(type); },
        [](const std::byte*, std::int64_t, std::int64_t) {}));
    EXPECT_EQ(started.size(), 1U);
    return started.front();
  };
  GranulometryOptions options{Element::Square, DomainBorder::Neutral, {}};
  EXPECT_EQ(type_of(random_object({2, 300, 300, 3}, 1, 1), options), Type::U8) << "everything has 1";
  // The slice without background has one more than the other one's sizes.
  for (const std::int64_t n : {128, 254, 255}) {
    Image object = random_object({2, n + 1, n + 1, 3}, 1, 1);
    object.row<std::uint64_t>(1, 0)[0] &= ~std::uint64_t{1};
    EXPECT_EQ(type_of(object, options), n + 1 > 255 ? Type::U16 : Type::U8) << n;
    EXPECT_EQ(values(size_map({}, object, options)).front(), static_cast<std::uint32_t>(n + 1));
  }
  options.border = DomainBorder::Background;
  for (const std::int64_t edge : {510, 511}) {
    EXPECT_EQ(type_of(random_object({1, edge, edge, 2}, 1, 1), options), edge > 510 ? Type::U16 : Type::U8) << edge;
  }
}

TEST(Granulometry, the_type_of_a_stacks_map_is_known_before_its_first_slice) {
  if (small_scale()) GTEST_SKIP() << "TAMIS_TEST_SCALE is set";
  Context context;
  context.threads = 1;  // few slices at a time
  Image object(Type::Bool, {6, 513, 513, 3});
  const Image slice = random_object({1, 513, 513, 2}, 1, 1);
  std::copy_n(slice.data(), slice.bytes(), object.row<std::byte>(5, 0));
  for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
    if (border == DomainBorder::Neutral) object.row<std::uint64_t>(5, 0)[0] &= ~std::uint64_t{1};
    const GranulometryOptions options{Element::Square, border, {}};
    std::vector<Type> started;
    static_cast<void>(size_map(
        context, object, options, {}, [&](Type type) { started.push_back(type); },
        [](const std::byte*, std::int64_t, std::int64_t) {}));
    EXPECT_EQ(started, std::vector<Type>{Type::U16});
  }
}

TEST(Granulometry, slabs_of_any_height_give_the_same_answer) {
  const Image foam = phantom_foam({}, {.shape = {400, 60, 120, 3}, .max_radius = 12, .min_radius = 3, .seed = 3});
  for (const Element element : {Element::Cross, Element::Cube}) {
    for (const DomainBorder border : {DomainBorder::Background, DomainBorder::Neutral}) {
      const GranulometryOptions options{element, border, {}};
      const Sizes whole = granulometry({}, foam, options);
      const std::vector<std::uint32_t> map = values(size_map({}, foam, options));
      for (const std::int64_t kilobytes : {14000, 16000, 19000}) {
        Context context;
        context.threads = 2;  // each has memory of its own
        context.memory_bytes = kilobytes * 1000;
        EXPECT_EQ(granulometry(context, foam, options).volume, whole.volume) << kilobytes;
        EXPECT_EQ(values(size_map(context, foam, options)), map) << kilobytes;
      }
    }
  }
}

TEST(Granulometry, a_limit_too_small_for_the_halo_is_an_error_that_says_so) {
  const Image foam = phantom_foam({}, {.shape = {400, 60, 120, 3}, .max_radius = 12, .min_radius = 3, .seed = 3});
  Context context;
  context.memory_bytes = 100000;
  EXPECT_THROW((void)granulometry(context, foam), ResourceError);
}

TEST(Granulometry, disjoint_octahedra_are_counted_at_their_radius) {
  const Octahedra phantom = phantom_octahedra({}, {.shape = {90, 100, 110, 3}, .max_radius = 9, .seed = 5});
  const Sizes sizes = granulometry({}, phantom.image);
  EXPECT_EQ(sizes.device, Device::Cpu);
  for (std::int64_t n = 0; n < sizes.rows(); ++n) {
    const auto i = static_cast<std::size_t>(n);
    EXPECT_EQ(sizes.spectrum(n), i < phantom.spectrum.size() ? phantom.spectrum[i] : 0) << n;
  }
}

TEST(Granulometry, an_object_that_fills_the_domain_never_empties_under_a_neutral_border) {
  const Image full = random_object({4, 5, 6, 3}, 1, 1);
  const Sizes sizes = granulometry({}, full, {Element::Cross, DomainBorder::Neutral, {}});
  EXPECT_EQ(sizes.volume, std::vector<std::int64_t>{120});
  EXPECT_TRUE(sizes.never_empties);
  EXPECT_FALSE(sizes.predominant());
  EXPECT_FALSE(sizes.mean());
  const GranulometryOptions limited{Element::Cross, DomainBorder::Neutral, 5};
  EXPECT_EQ(granulometry({}, full, limited).volume, sizes.volume);
  EXPECT_TRUE(granulometry({}, full, limited).never_empties);
}

TEST(Granulometry, an_empty_object_has_one_row) {
  const Sizes sizes = granulometry({}, Image(Type::Bool, {4, 5, 6, 3}));
  EXPECT_EQ(sizes.volume, std::vector<std::int64_t>{0});
  EXPECT_FALSE(sizes.predominant());
  EXPECT_EQ(sizes.fraction(0), 0);
}

TEST(Granulometry, the_border_share_counts_the_outermost_layer_of_the_domain) {
  const Image full = random_object({4, 5, 70, 3}, 1, 1);
  EXPECT_EQ(granulometry({}, full).border_voxels, 4 * 5 * 70 - 2 * 3 * 68);
  EXPECT_EQ(granulometry({}, full, {Element::Square, DomainBorder::Background, {}}).border_voxels,
            4 * (5 * 70 - 3 * 68));
  EXPECT_EQ(granulometry({}, full, {}, full).border_voxels, 4 * 5 * 70 - 2 * 3 * 68);
  EXPECT_EQ(granulometry({}, random_object({1, 3, 1, 2}, 1, 1)).border_voxels, 3);
}

TEST(Granulometry, bad_requests_are_refused) {
  const Image object = random_object({1, 5, 6, 2}, 1, 1);
  EXPECT_THROW((void)granulometry({}, object, {Element::Cube, DomainBorder::Background, {}}), InputError);
  EXPECT_THROW((void)granulometry({}, object, {Element::Cross, DomainBorder::Background, -1}), InputError);
  EXPECT_THROW((void)granulometry({}, Image(Type::U8, {1, 5, 6, 2})), InputError);
  EXPECT_THROW((void)granulometry({}, Image()), InputError);
  EXPECT_THROW((void)granulometry({}, object, {}, Image(Type::Bool, {1, 5, 7, 2})), InputError);
  EXPECT_THROW((void)granulometry({}, object, {}, Image(Type::Bool, {1, 5, 6, 2})), InputError);
  Context cuda;
  cuda.device = Device::Cuda;
  cuda.gpu = 99;
  EXPECT_THROW((void)granulometry(cuda, object), ResourceError);
}

TEST(Granulometry, a_stop_request_ends_it) {
  std::stop_source stop;
  stop.request_stop();
  Context context;
  context.cancel = stop.get_token();
  EXPECT_THROW((void)granulometry(context, random_object({20, 20, 20, 3}, 0.99, 1)), Cancelled);
  // And from inside, at the first progress report of the openings.
  std::stop_source later;
  context.cancel = later.get_token();
  context.on_progress = [&](const Progress& progress) {
    if (progress.stage == "openings") later.request_stop();
  };
  EXPECT_THROW((void)granulometry(context, random_object({40, 90, 90, 3}, 0.9999, 1)), Cancelled);
}

TEST(Granulometry, distances_inside_a_domain_settle_in_volumes_thinner_than_the_threads) {
  // Chunks of one slice change nothing by themselves; only their seams do.
  for (const unsigned seed : {115807U, 1U, 2U, 3U}) {
    expect_reference({{4, 1, 11, 3}, {Element::Cross, DomainBorder::Neutral, {}}, RoiKind::Full, 0.273, seed},
                     {Context{}});
  }
}

// Laws, on arbitrary volumes.

Case arbitrary_case() {
  Case c;
  c.shape = {*rc::gen::inRange<std::int64_t>(1, 14), *rc::gen::inRange<std::int64_t>(1, 14),
             *rc::gen::inRange<std::int64_t>(1, 80), 3};
  c.options.element = *rc::gen::element(Element::Cross, Element::Cube, Element::Square);
  c.options.border = *rc::gen::element(DomainBorder::Background, DomainBorder::Neutral);
  c.roi = *rc::gen::element(RoiKind::None, RoiKind::OneSlice, RoiKind::Full);
  c.density = *rc::gen::inRange(0, 1001) / 1000.0;
  c.seed = *rc::gen::arbitrary<unsigned>();
  return c;
}

RC_GTEST_PROP(GranulometryLaw, the_spectrum_sums_to_the_object_and_volumes_only_fall, ()) {
  const Case c = arbitrary_case();
  const Image domain = random_domain(c.shape, c.roi, c.seed);
  Image object = random_object(c.shape, c.density, c.seed);
  clip(object, domain);
  const Sizes sizes = granulometry({}, object, c.options, domain);
  std::int64_t sum = 0;
  for (std::int64_t n = 0; n < sizes.rows(); ++n) {
    RC_ASSERT(sizes.spectrum(n) >= 0);
    sum += sizes.spectrum(n);
  }
  RC_ASSERT(sum == sizes.volume[0]);
}

RC_GTEST_PROP(GranulometryLaw, an_opened_object_keeps_its_larger_sizes, ()) {
  // G_m G_n = G_max(m, n): the size map of {T > n} equals T wherever T > n.
  Case c = arbitrary_case();
  c.roi = RoiKind::None;
  const Image object = random_object(c.shape, c.density, c.seed);
  // What never erodes is numbered after the last row, which the opening may move.
  RC_PRE(!granulometry({}, object, c.options).never_empties);
  const std::vector<std::uint32_t> map = values(size_map({}, object, c.options));
  const std::uint32_t n = *rc::gen::inRange<std::uint32_t>(0, 4);
  Image opened(Type::Bool, c.shape);
  std::size_t i = 0;
  for (std::int64_t z = 0; z < c.shape.z; ++z)
    for (std::int64_t y = 0; y < c.shape.y; ++y)
      for (std::int64_t x = 0; x < c.shape.x; ++x, ++i)
        if (map[i] > n) opened.row<std::uint64_t>(z, y)[x / 64] |= std::uint64_t{1} << (x % 64);
  const std::vector<std::uint32_t> again = values(size_map({}, opened, c.options));
  for (std::size_t k = 0; k < map.size(); ++k) RC_ASSERT(again[k] == (map[k] > n ? map[k] : 0));
}

}  // namespace
}  // namespace tamis
