#include <tamis/operations/slabs.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>
#include <tamis/image/channels.hpp>

#include "morphology/test/testing.hpp"

namespace tamis {
namespace {

using morphology_testing::random_image;
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Every slice that was written, as bytes.
class BytesSink : public SliceSink {
 public:
  explicit BytesSink(const Layout& layout)
      : slice_(
            static_cast<std::size_t>(layout.shape.y * layout.shape.x * layout.channels * sample_bytes(layout.type))) {}
  void write(const std::byte* slices, std::int64_t count) override {
    bytes.insert(bytes.end(), slices, slices + static_cast<std::size_t>(count) * slice_);
  }
  bool checkpoint() override { return ++checkpoints > 0; }
  void drop_checkpoint() override { dropped = true; }
  void finish() override { finished = true; }

  std::vector<std::byte> bytes;
  int checkpoints = 0;
  bool dropped = false;
  bool finished = false;

 private:
  std::size_t slice_;
};

struct Call {
  std::string name;
  Settings settings = {};

  [[nodiscard]] const OperationDescription& operation() const { return tamis::operation(name); }
  [[nodiscard]] Arguments arguments() const {
    Arguments arguments = operation().defaults;
    for (const auto& [parameter, value] : settings) arguments.set(parameter, value);
    return arguments;
  }
  [[nodiscard]] std::string text() const {
    std::string text = name;
    for (const auto& [parameter, value] : settings) text += " " + parameter + "=" + value;
    return text;
  }
};

Context two_threads(std::int64_t memory_bytes = 0) {
  Context context;
  context.threads = 2;
  context.memory_bytes = memory_bytes;
  return context;
}

std::vector<std::byte> in_slabs(const Context& context, const Call& call, const std::vector<Image>& images,
                                const SlabOptions& options) {
  std::vector<std::unique_ptr<SliceSource>> owned;
  std::vector<SliceSource*> sources;
  for (const Image& image : images) sources.push_back(owned.emplace_back(source_of(image)).get());
  BytesSink sink(sources.back()->layout());
  filter_slabs(context, call.operation(), call.arguments(), sources, sink, options);
  EXPECT_TRUE(sink.finished);
  return sink.bytes;
}

/// The filter itself, on the whole image.
std::vector<std::byte> whole(const Call& call, const std::vector<Image>& images) {
  std::vector<const Image*> all;
  for (const Image& image : images) all.push_back(&image);
  Image result;
  call.operation().filter.run(two_threads(), all, call.arguments(), result);
  std::vector<std::byte> bytes(static_cast<std::size_t>(result.shape().count() * sample_bytes(result.type())));
  source_of(result)->read(0, result.shape().z, bytes.data());
  return bytes;
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::vector<Call>& local_calls() {
  static const std::vector<Call> calls = {
      {"erode", {{"element", "box:3x5x7"}}},
      {"dilate", {{"element", "ball:3"}, {"border", "reflect"}}},
      {"open", {{"element", "ball:2"}}},
      {"open", {{"element", "box:1x1x9"}, {"border", "constant:0"}}},
      {"close", {{"element", "cube:5"}, {"border", "nearest"}}},
      {"close", {{"element", "ball:2"}, {"iterations", "2"}, {"border", "nearest"}}},
      {"open", {{"element", "square:5"}}},
      {"open", {{"element", "line:9@30"}}},
      {"open", {{"element", "line:9@30"}, {"lines", "traced"}, {"border", "fit"}}},
      {"gradient", {{"element", "cube:3"}, {"kind", "inner"}, {"border", "reflect"}}},
      {"tophat", {{"element", "ball:2"}, {"border", "reflect"}}},
      {"bothat", {{"element", "cube:3"}, {"iterations", "3"}}},
      {"hitmiss", {}},
      {"asf", {{"element", "cube:5"}}},
      {"open", {{"element", "cube:3"}, {"border", "mirror"}}},
      {"dilate", {{"element", "ball:2"}, {"border", "wrap"}}},
      {"median", {{"size", "3x3x5"}, {"border", "mirror"}}},
      {"median", {{"size", "3x5x3"}, {"border", "wrap"}}},
      {"median", {{"size", "3x3x3"}}},
      {"median", {{"size", "5x3x9"}, {"border", "shrink"}, {"percentile", "30"}}},
      {"median", {{"size", "3x3x5"}, {"iterations", "3"}, {"border", "nearest"}}},
      {"median", {{"element", "ball:2"}, {"border", "constant:1"}}},
      {"smooth", {{"size", "9x7x11"}}},
      {"smooth", {{"size", "9x7x5"}, {"iterations", "2"}, {"border", "neutral"}}},
      {"open", {{"element", "ball:2"}, {"border", "mirror"}}},
      {"close", {{"element", "box:2x3x4"}, {"iterations", "2"}, {"border", "mirror"}}},
      {"tophat", {{"element", "square:5"}, {"border", "wrap"}}},
      {"hitmiss", {{"border", "wrap"}}},
      {"asf", {{"element", "cube:5"}, {"border", "mirror"}}},
      {"median", {{"size", "5x3x9"}, {"border", "mirror"}, {"iterations", "2"}}},
      {"median", {{"size", "5x3x1"}, {"border", "wrap"}}},
      {"smooth", {{"size", "9x7x5"}, {"border", "mirror"}}},
      {"remove_outliers", {{"size", "3x3x3"}, {"threshold", "1"}, {"which", "both"}}},
  };
  return calls;
}

/// Filters of volumes cut in every way.
class Slabs : public ::testing::TestWithParam<Call> {};

TEST_P(Slabs, are_the_whole) {
  const Call& call = GetParam();
  unsigned seed = 1;
  int taken = 0;
  for (const Type type : morphology_testing::filter_types) {
    for (const Shape& shape : {Shape{23, 7, 13, 3}, Shape{5, 4, 70, 3}, Shape{1, 9, 5, 3}}) {
      std::vector<Image> images;
      images.push_back(random_image(type, shape, ++seed));
      const std::string refused = refusal([&] { static_cast<void>(whole(call, images)); });
      for (const std::int64_t most : {1, 2, 7, 100}) {
        SCOPED_TRACE(call.text() + " of " + std::string(name(type)) + " " + to_string(shape) + " by " +
                     std::to_string(most));
        if (!refused.empty()) {
          EXPECT_EQ(refusal([&] {
                      static_cast<void>(in_slabs(two_threads(), call, images, {false, 0, most}));
                    }),
                    refused);
        } else {
          EXPECT_TRUE(in_slabs(two_threads(), call, images, {false, 0, most}) == whole(call, images));
          ++taken;
        }
      }
    }
  }
  EXPECT_GT(taken, 0) << call.text() << " is always refused";
}

TEST_P(Slabs, are_the_whole_where_nan_is_left_out) {
  Call call = GetParam();
  call.settings.emplace_back("nan", "ignore");
  std::vector<Image> images;
  images.push_back(random_image(Type::F32, {17, 6, 9, 3}, 5, 0.05));
  if (!refusal([&] { static_cast<void>(whole(call, images)); }).empty()) GTEST_SKIP() << "it takes no NaN";
  for (const std::int64_t most : {1, 3, 8}) {
    EXPECT_TRUE(in_slabs(two_threads(), call, images, {false, 0, most}) == whole(call, images)) << call.text() << most;
  }
}

/// More than a mebibyte, below which no limit is refused.
/// Counts how many threads report at the same time.
struct Reports {
  std::atomic<int> inside{0}, most{0}, all{0};
  void operator()() {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    ++all;
    --inside;
  }
  void listen(Context& context) {
    context.on_progress = [this](const Progress&) { (*this)(); };
    context.on_stage = [this](std::string_view, double) { (*this)(); };
  }
};

TEST_P(Slabs, report_from_one_thread_at_a_time) {
  std::vector<Image> images;
  images.push_back(random_image(Type::U8, {31, 20, 70, 3}, 3));
  Context context;
  context.threads = 4;
  for (const std::int64_t slices : {3, 100}) {
    Reports reports;
    reports.listen(context);
    in_slabs(context, GetParam(), images, {false, 0, slices});
    EXPECT_EQ(reports.most, 1);
    EXPECT_GT(reports.all, 0);
  }
}

TEST(SharedContext, each_call_reports_from_one_thread_at_a_time) {
  const Image image = random_image(Type::U8, {40, 50, 60, 3}, 1);
  const Call asf{"asf", {{"element", "cube:5"}}};
  Reports reports;
  Context shared;
  shared.threads = 2;
  reports.listen(shared);
  const std::vector<const Image*> images = {&image};
  std::vector<std::thread> calls;
  for (int i = 0; i < 3; ++i) {
    calls.emplace_back([&] {
      Image result;
      asf.operation().filter.run(shared, images, asf.arguments(), result);
    });
  }
  for (std::thread& call : calls) call.join();
  EXPECT_LE(reports.most, 3);
}

TEST_P(Slabs, keep_to_the_memory_limit) {
  const Call& call = GetParam();
  std::vector<Image> images;
  images.push_back(random_image(Type::U8, small_scale() ? Shape{31, 90, 101, 3} : Shape{61, 290, 301, 3}, 3));
  const std::unique_ptr<SliceSource> source = source_of(images[0]);
  const auto plan = [&](std::int64_t limit) {
    return plan_slabs(two_threads(limit), call.operation(), call.arguments(), source->layout(), 1);
  };
  std::int64_t fails = 0, works = std::int64_t{1} << 30;
  while (works - fails > 1) {
    const std::int64_t middle = fails + (works - fails) / 2;
    (refusal([&] { static_cast<void>(plan(middle)); }).empty() ? works : fails) = middle;
  }
  const std::vector<std::byte> wanted = whole(call, images);
  std::int64_t thickness = 0;
  for (const std::int64_t limit : {works, works + works / 3, 2 * works, 8 * works}) {
    const SlabPlan made = plan(limit);
    EXPECT_LE(made.bytes, std::max<std::int64_t>(limit, 1 << 20));
    EXPECT_GE(made.thickness, thickness);
    thickness = made.thickness;
    EXPECT_TRUE(in_slabs(two_threads(limit), call, images, {}) == wanted) << call.text() << " with " << limit;
  }
  EXPECT_TRUE(plan(std::int64_t{1} << 30).whole());
}

INSTANTIATE_TEST_SUITE_P(Filters, Slabs, ::testing::ValuesIn(local_calls()));

TEST(Slabs, of_a_stack_have_no_halo) {
  const Call call{"open", {{"element", "disk:3"}}};
  Image volume = random_image(Type::U16, {9, 11, 13, 3}, 8);
  std::vector<Image> stack;
  stack.emplace_back(Type::U16, Shape{9, 11, 13, 2});
  std::memcpy(stack[0].data(), volume.data(), static_cast<std::size_t>(volume.bytes()));
  std::vector<Image> images;
  images.push_back(std::move(volume));
  for (const std::int64_t most : {1, 4, 9}) {
    EXPECT_TRUE(in_slabs(two_threads(), call, images, {true, 0, most}) == whole(call, stack)) << most;
  }
}

TEST(Slabs, that_an_earlier_run_has_written_are_not_done_again) {
  const Call call{"median", {{"size", "3x3x5"}}};
  std::vector<Image> images;
  images.push_back(random_image(Type::I16, {19, 6, 8, 3}, 2));
  const std::vector<std::byte> wanted = whole(call, images);
  const std::size_t slice = wanted.size() / 19;
  for (const std::int64_t begin : {1, 5, 18, 19}) {
    const std::vector<std::byte> rest(wanted.begin() + begin * static_cast<std::ptrdiff_t>(slice), wanted.end());
    for (const std::int64_t most : {1, 4, 30}) {
      EXPECT_TRUE(in_slabs(two_threads(), call, images, {false, begin, most}) == rest) << begin << " by " << most;
    }
  }
}

TEST(Slabs, of_what_is_not_local_are_refused_with_figures) {
  const Call call{"reconstruct"};
  std::vector<Image> images;
  for (const unsigned seed : {1U, 2U}) images.push_back(random_image(Type::U8, {40, 200, 300, 3}, seed));
  const std::string message = refusal([&] { static_cast<void>(in_slabs(two_threads(3 << 20), call, images, {})); });
  EXPECT_NE(message.find("reconstruct of 300x200x40 u8, where a result may depend on the whole volume, takes "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find(" MiB of memory, got 3 MiB"), std::string::npos) << message;
  images.pop_back();
  const Call eroded{"erode", {{"element", "cube:3"}, {"border", "wrap"}}}, median{"median", {{"border", "wrap"}}};
  for (const Call& wraps : {eroded, median}) {
    const std::string refused = refusal([&] { static_cast<void>(in_slabs(two_threads(3 << 20), wraps, images, {})); });
    EXPECT_NE(refused.find("where a result may depend on the whole volume"), std::string::npos) << refused;
  }
}

TEST(Slabs, of_one_image_are_refused_with_figures) {
  const Call call{"median", {{"size", "5"}}};
  std::vector<Image> images;
  images.push_back(random_image(Type::U8, {1, 2000, 2000, 2}, 1));
  const std::string message = refusal([&] { static_cast<void>(in_slabs(two_threads(3 << 20), call, images, {})); });
  EXPECT_NE(message.find("median of 2000x2000 u8, which cannot be cut, takes "), std::string::npos) << message;
}

TEST(Slabs, name_the_place_of_nan_in_the_volume) {
  for (const Call& call : {Call{"median", {{"size", "3x3x3"}}}, Call{"open", {{"element", "cube:3"}}}}) {
    std::vector<Image> images;
    images.push_back(random_image(Type::F32, {30, 6, 8, 3}, 2));
    images[0].row<float>(21, 4)[3] = std::numeric_limits<float>::quiet_NaN();
    const std::string message = refusal([&] {
      static_cast<void>(in_slabs(two_threads(), call, images, {false, 0, 4}));
    });
    EXPECT_EQ(message, refusal([&] { static_cast<void>(whole(call, images)); }));
    EXPECT_NE(message.find("x 3, y 4, z 21"), std::string::npos) << message;
  }
}

/// A source that fails at a slice, or asks for a stop there.
class FailingSource final : public SliceSource {
 public:
  FailingSource(const Image& image, std::int64_t at, std::stop_source* stop)
      : source_(source_of(image)), at_(at), stop_(stop) {}
  [[nodiscard]] const Layout& layout() const override { return source_->layout(); }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override {
    if (z0 <= at_ && at_ < z0 + count) {
      if (!stop_) throw InputError("the file ends here");
      stop_->request_stop();
    }
    source_->read(z0, count, out);
  }

 private:
  std::unique_ptr<SliceSource> source_;
  std::int64_t at_;
  std::stop_source* stop_;
};

TEST(Slabs, end_with_what_their_source_throws) {
  const Image image = random_image(Type::U8, {30, 6, 8, 3}, 2);
  const Call call{"open", {{"element", "cube:3"}}};
  FailingSource source(image, 17, nullptr);
  SliceSource* const sources[] = {&source};
  BytesSink sink(source.layout());
  const std::string message = refusal([&] {
    filter_slabs(two_threads(), call.operation(), call.arguments(), sources, sink, {false, 0, 2});
  });
  EXPECT_EQ(message, "the file ends here");
  EXPECT_FALSE(sink.finished);
  EXPECT_TRUE(sink.dropped) << "another run would come to the same end";
}

TEST(Slabs, stop_when_they_are_asked_to_and_leave_what_was_written) {
  const Image image = random_image(Type::U8, {30, 6, 8, 3}, 2);
  const Call call{"open", {{"element", "cube:3"}}};
  std::stop_source stop;
  Context context = two_threads();
  context.cancel = stop.get_token();
  FailingSource source(image, 17, &stop);
  SliceSource* const sources[] = {&source};
  BytesSink sink(source.layout());
  EXPECT_THROW(filter_slabs(context, call.operation(), call.arguments(), sources, sink, {false, 0, 2}), Cancelled);
  EXPECT_FALSE(sink.finished);
  EXPECT_FALSE(sink.dropped);
  EXPECT_GT(sink.checkpoints, 0);
}

/// A disk that is full after some slices.
class FullSink final : public BytesSink {
 public:
  using BytesSink::BytesSink;
  void write(const std::byte* slices, std::int64_t count) override {
    if (bytes.size() > 400) throw ResourceError("no space left");
    BytesSink::write(slices, count);
  }
};

TEST(Slabs, end_with_what_their_sink_throws) {
  const Image image = random_image(Type::U8, {30, 6, 8, 3}, 2);
  const Call call{"open", {{"element", "cube:3"}}};
  const std::unique_ptr<SliceSource> source = source_of(image);
  SliceSource* const sources[] = {source.get()};
  FullSink sink(source->layout());
  EXPECT_THROW(filter_slabs(two_threads(), call.operation(), call.arguments(), sources, sink, {false, 0, 2}),
               ResourceError);
  EXPECT_FALSE(sink.finished);
  EXPECT_FALSE(sink.dropped);
}

/// Colour: every channel is an image of its own.
class ColourSource final : public SliceSource {
 public:
  explicit ColourSource(const Image& image) : source_(source_of(image)), layout_(source_->layout()) {
    layout_.channels = 3;
    layout_.shape.x /= 3;
  }
  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(std::int64_t z0, std::int64_t count, std::byte* out) override { source_->read(z0, count, out); }

 private:
  std::unique_ptr<SliceSource> source_;
  Layout layout_;
};

TEST(Slabs, of_colours_are_the_whole) {
  const Image image = random_image(Type::U8, {14, 6, 24, 3}, 2);
  const Call call{"median", {{"size", "3x3x3"}}};
  std::vector<std::vector<std::byte>> results;
  for (const std::int64_t most : {0, 1, 3}) {
    ColourSource source(image);
    SliceSource* const sources[] = {&source};
    BytesSink sink(source.layout());
    filter_slabs(two_threads(), call.operation(), call.arguments(), sources, sink, {false, 0, most});
    results.push_back(sink.bytes);
  }
  EXPECT_TRUE(results[0] == results[1]);
  EXPECT_TRUE(results[0] == results[2]);
  std::vector<Image> red;
  red.emplace_back(Type::U8, Shape{14, 6, 8, 3});
  for (std::int64_t i = 0; i < red[0].bytes(); ++i) red[0].data()[i] = image.data()[3 * i];
  const std::vector<std::byte> wanted = whole(call, red);
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(results[0][3 * i], wanted[i]) << i;
}

}  // namespace
}  // namespace tamis
