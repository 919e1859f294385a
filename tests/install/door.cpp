// What a program may do wrong. Without arguments the names of the cases; with one the case, whose end is printed:
// "InputError: rank 7 ...", "returned", "another exception: ...". "in place": images that a call was to write over.
// "callbacks": what they throw.
// "memory BYTES": calls in a process that gets no more memory than that.
#include <sys/resource.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tamis/tamis.hpp>

using namespace tamis;

namespace {

constexpr std::int64_t huge = std::int64_t{1} << 62;
const Context here;

Image grey(Type type = Type::U8) { return {type, {1, 6, 8, 2}}; }
Image bits(const Spacing& spacing = {}) {
  Image image(Type::Bool, {4, 4, 4, 3}, spacing);
  for (std::int64_t y = 0; y < 4; ++y) *image.row<std::uint64_t>(1, y) = 6;
  return image;
}
std::vector<std::uint8_t>& memory() {
  static std::vector<std::uint8_t> all(4096);
  return all;
}
ImageView view(const Shape& shape = {1, 6, 8, 2}, Type type = Type::U8) {
  return view_of<void>(memory().data(), type, shape);
}
ConstImageView one_sample(const Shape& shape) { return {memory().data(), Type::U8, shape, 0, 0, 0}; }

/// A source of zeros with whatever layout.
class Zeros final : public SliceSource {
 public:
  explicit Zeros(const Layout& layout) : layout_(layout) {}
  const Layout& layout() const override { return layout_; }
  void read(std::int64_t, std::int64_t count, std::byte* out) override {
    std::memset(out, 0, static_cast<std::size_t>(count * layout_.shape.y * layout_.shape.x));
  }

 private:
  Layout layout_;
};

class Sink final : public SliceSink {
 public:
  void write(const std::byte*, std::int64_t) override {}
  void finish() override {}
};

Sizes sizes() { return granulometry(here, bits()); }
Image moved_from() {
  Image image = grey();
  static_cast<void>(Image(std::move(image)));
  return image;  // NOLINT(bugprone-use-after-move): that is what is tried
}
Frames frames() { return {here, Operation::Open, Type::U8, {1, 6, 8, 2}, Frames::Options{}}; }
Frames moved_frames() {
  Frames all = frames();
  static_cast<void>(Frames(std::move(all)));
  return all;  // NOLINT(bugprone-use-after-move)
}

struct Case {
  const char* name;
  std::function<void()> call;
};

template <class Value>
void use(const Value& /*value*/) {}

const Case cases[] = {
    // 1: sides of voxels that are none
    {"balls of a side of 0",
     [] {
       use(ball_granulometry(here, bits({0, 1, 1, "um"})));
     }},
    {"balls of a side that is no number",
     [] {
       use(ball_granulometry(here, bits({1, std::nan(""), 1, "um"})));
     }},
    {"porosimetry of a side of 0",
     [] {
       use(porosimetry(here, bits({1, 1, 0, "um"})));
     }},
    {"distances of a side of -1",
     [] {
       use(distance(here, bits({1, -1, 1, "um"})));
     }},
    {"distances of an infinite side",
     [] {
       use(distance(here, bits({1, 1, std::numeric_limits<double>::infinity(), ""})));
     }},
    {"sides of 0",
     [] {
       use(whole_sides({0, 1, 1, "um"}, 3));
     }},
    {"granulometry of a side of 0",
     [] {
       use(granulometry(here, bits({0, 1, 1, "um"})));
     }},
    // 2: sizes that overflow
    {"an image of 2^65 bytes",
     [] {
       use(Image(Type::F64, {1, 1, huge, 2}));
     }},
    {"an image of 2^96 samples",
     [] {
       use(Image(Type::U8, {1LL << 32, 1LL << 32, 1LL << 32, 3}));
     }},
    {"erode of a view 2^62 wide",
     [] {
       erode(here, one_sample({1, 1, huge, 2}), view({1, 1, huge, 2}));
     }},
    {"histogram of a view 2^62 wide",
     [] {
       use(histogram(here, *source_of(one_sample({1, 1, huge, 2}))));
     }},
    {"histogram of a view of 2^96",
     [] {
       use(histogram(here, *source_of(one_sample({1LL << 32, 1LL << 32, 1LL << 32, 3}))));
     }},
    {"a view whose strides lead out",
     [] {
       use(image_of(here, {memory().data(), Type::U8, {1, 2, 2, 2}, 0, huge, huge}));
     }},
    {"a view whose strides lead below 0",
     [] {
       use(image_of(here, {memory().data(), Type::U8, {1, 2, 2, 2}, 0, -huge, 1}));
     }},
    {"a disk too large", [] { use(inscribed_disk(huge, huge)); }},
    {"a box of offsets too large",
     [] {
       use(OffsetSet(OffsetBox{{0, 0, 0}, {1 << 30, 1 << 30, 1}}));
     }},
    // 3: crashes
    {"a source of an empty image", [] { use(source_of(Image())); }},
    {"a source of a moved image", [] { use(source_of(moved_from())); }},
    {"a median of a moved image", [] { use(median(here, moved_from())); }},
    {"a source without channels",
     [] {
       Zeros none({Type::U8, {2, 3, 4, 3}, 0, {}});
       use(histogram(here, none));
     }},
    {"channels of a source without",
     [] {
       Zeros none({Type::U8, {2, 3, 4, 3}, 0, {}});
       use(read_channels(here, none, false));
     }},
    {"copied slices of an empty shape",
     [] {
       Zeros none({Type::U8, {2, 0, 4, 3}, 1, {}});
       Sink sink;
       copy_slices(here, none, sink);
     }},
    {"a frame that is null", [] { frames().submit(nullptr, nullptr); }},
    {"a frame to moved frames", [] { moved_frames().submit(memory().data(), memory().data()); }},
    {"the device of moved frames", [] { use(moved_frames().device()); }},
    {"a crop of no source",
     [] {
       use(crop(nullptr, {0, 1, 0, 1, 0, 1}));
     }},
    {"a conversion of no source", [] { use(convert(nullptr, Type::U8)); }},
    {"as_f32 of no source", [] { use(as_f32(nullptr)); }},
    {"resampling of no source",
     [] {
       use(resample(here, nullptr, {1, 1, 1, "um"}));
     }},
    {"a conversion to no memory",
     [] {
       convert(here, {nullptr, 8, 48}, {Type::U8, {1, 6, 8, 2}, 1, {}}, Type::F32, {}, {nullptr, 32, 192});
     }},
    {"a null source of a filter",
     [] {
       SliceSource* const none[] = {nullptr};
       Sink sink;
       filter_slabs(here, operation("median"), operation("median").defaults, none, sink);
     }},
    {"slices past the end",
     [] {
       const Image image = grey();
       source_of(image)->read(0, 3, reinterpret_cast<std::byte*>(memory().data()));
     }},
    {"slices of a view past the end",
     [] { source_of(as_input(view()))->read(1, 1, reinterpret_cast<std::byte*>(memory().data())); }},
    {"the spectrum of row -1", [] { use(sizes().spectrum(-1)); }},
    {"the fraction of row 99", [] { use(sizes().fraction(99)); }},
    {"the size of row 99", [] { use(sizes().size(99)); }},
    {"distances past the end",
     [] {
       float out[64];
       read_distances(squared_distance(here, bits()), 3, 2, out);
     }},
    {"a background of no channels", [] { use(background(here, {}, grey())); }},
    // 6: enumerators that are none, and options
    {"arguments of another operation",
     [] {
       const ConstImageView image = as_input(view());
       use(filter(here, operation("median"), {&image, 1}, operation("erode").defaults, view()));
     }},
    {"arguments of none",
     [] {
       const ConstImageView image = as_input(view());
       use(filter(here, operation("median"), {&image, 1}, {}, view()));
     }},
    {"threshold method 99",
     [] {
       const Image image = grey();
       use(binarise(here, *source_of(image), {.method = ThresholdMethod(99)}));
     }},
    {"phase 9",
     [] {
       const Image image = grey();
       use(binarise(here, *source_of(image), {.method = ThresholdMethod::Value, .phase = Phase(9)}));
     }},
    {"region 9",
     [] {
       const Image image = grey();
       use(histogram(here, *source_of(image), {Region::Kind(9), nullptr}));
     }},
    {"type 77", [] { use(sample_bytes(Type(77))); }},
    {"the name of type 77", [] { use(name(Type(77))); }},
    {"an image of type 77",
     [] {
       use(Image(Type(77), {1, 2, 3, 2}));
     }},
    {"element 77", [] { use(granulometry(here, bits(), {.element = Element(77)})); }},
    {"the name of element 77", [] { use(name(Element(77))); }},
    {"operation 99", [] { use(morphology(here, Operation(99), grey(), {})); }},
    {"border 77",
     [] {
       use(median(here, grey(), {.border = {Border::Kind(77), 0}}));
     }},
    {"what is done with NaN 77", [] { use(erode(here, grey(), {.nan = NanPolicy(77)})); }},
    {"lines 77", [] { use(erode(here, grey(), {.lines = Lines(77)})); }},
    {"connectivity 77", [] { use(reconstruct(here, grey(), grey(), {.connectivity = Connectivity(77)})); }},
    {"order 77", [] { use(asf(here, grey(), {.order = AsfOptions::Order(77)})); }},
    {"convention 77", [] { use(ball_granulometry(here, bits(), {.convention = BallConvention(77)})); }},
    {"measure 77", [] { use(ball_map(here, bits(), BallMeasure(77))); }},
    {"domain border 77", [] { use(distance(here, bits(), {.border = DomainBorder(77)})); }},
    {"rank 7",
     [] {
       use(Image(Type::U8, {1, 2, 3, 7}));
     }},
    {"a view of rank 7",
     [] {
       erode(here, as_input(view({1, 2, 3, 7})), view({1, 2, 3, 7}));
     }},
    {"-1 threads",
     [] {
       Context context;
       context.threads = -1;
       use(median(context, grey()));
     }},
    {"-1 bytes of memory",
     [] {
       Context context;
       context.memory_bytes = -1;
       use(median(context, grey()));
     }},
    {"device 77",
     [] {
       Context context;
       context.device = Device(77);
       use(median(context, grey()));
     }},
    {"instruction set 77",
     [] {
       Context context;
       context.simd = Simd(77);
       use(histogram(context, *source_of(as_input(view()))));
     }},
    {"an output whose rows overlap",
     [] {
       erode(here, as_input(view()), {memory().data(), Type::U8, {1, 6, 8, 2}, 0, 4, 1});
     }},
    {"an output whose samples are one",
     [] {
       erode(here, as_input(view()), {memory().data(), Type::U8, {1, 6, 8, 2}, 0, 0, 0});
     }},
    {"a size map to nothing", [] { use(size_map(here, bits(), {}, {}, [](Type) {}, {})); }},
    {"a size map that nothing starts",
     [] { use(size_map(here, bits(), {}, {}, {}, [](const std::byte*, std::int64_t, std::int64_t) {})); }},
    {"a map of balls to nothing", [] { use(ball_map(here, bits(), {}, {}, [](const BallSizes&, Type) {}, {})); }},
    {"a map of radii to nothing",
     [] { use(ball_map(here, bits(), BallMeasure::Radius, {}, {}, [](const BallSizes&, Type) {}, {})); }},
    {"a map of an invasion to nothing",
     [] { use(invasion_map(here, bits(), {}, {}, {}, [](const BallSizes&, Type) {}, {})); }},
    {"slices from -1 on",
     [] {
       Zeros zeros({Type::U8, {20, 3, 4, 3}, 1, {}});
       SliceSource* const sources[] = {&zeros};
       Sink sink;
       filter_slabs(here, operation("median"), operation("median").defaults, sources, sink, {.begin = -1});
     }},
    {"slices from 30 of 20 on",
     [] {
       Zeros zeros({Type::U8, {20, 3, 4, 3}, 1, {}});
       SliceSource* const sources[] = {&zeros};
       Sink sink;
       filter_slabs(here, operation("median"), operation("median").defaults, sources, sink, {.begin = 30});
     }},
};

/// So little memory that images fit, and what a call needs beside them does not.
void leave_memory(std::size_t bytes) {
  std::size_t pages = 0;
  if (std::FILE* const statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%zu", &pages) != 1) pages = 0;
    std::fclose(statm);
  }
  const rlimit limit{pages * 4096 + bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

/// 5: whatever memory there is, a call ends well or in an error of the library's.
int try_short_memory(std::size_t bytes) {
  const Image image(Type::F32, {8, 200, 300, 3});
  const Image object = bits();
  Context two;
  two.threads = 2;
  leave_memory(bytes);
  const std::function<void()> calls[] = {
      [&] { use(median(two, image, {.window = "cube:9"})); },
      [&] { use(median(two, image, {.window = "disk:30"})); },
      [&] { use(open(two, image, {.element = "ball:6"})); },
      [&] { use(asf(two, image, {.element = "disk:5"})); },
      [&] { use(reconstruct(two, image, image)); },
      [&] { use(binarise(two, *source_of(image), {.method = ThresholdMethod::Value, .value = 1})); },
      [&] { use(grey_granulometry(two, image, {.max_size = 3})); },
      [&] {
        use(orientation(two, image, {.lengths = {21}, .angles = {0, 180, 12}}));
      },
      [&] { use(StructuringElement("ball:200")); },
      [&] {
        use(OffsetSet(OffsetBox{{0, 0, 0}, {1 << 11, 1 << 11, 1 << 12}}).offsets());
      },
      [&] { use(ball_granulometry(two, object)); },
      [&] {
        use(phantom_foam(two, {.shape = {100, 400, 400, 3}, .max_radius = 9}));
      },
  };
  for (const auto& call : calls) {
    try {
      call();
    } catch (const InputError& error) {
      std::cout << "refused " << error.what() << std::endl;
      return 1;
    } catch (const ResourceError& error) {
      std::cout << "short " << error.what() << std::endl;
    }
  }
  return 0;
}

/// 4: what a call that fails or is stopped does to an image that its result was to be written over.
int try_in_place() {
  const Shape shape{1, 700, 900, 2};
  std::vector<float> samples(700 * 900);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<float>((i * 7919) % 1000);
  samples[500'000] = std::nanf("");
  const std::vector<float> first = samples;
  const ImageView image = view_of<void>(samples.data(), Type::F32, shape);
  const ConstImageView read = as_input(image);
  const auto same = [&] { return std::memcmp(samples.data(), first.data(), first.size() * sizeof(float)) == 0; };
  const std::pair<const char*, std::function<void(const Context&)>> calls[] = {
      {"erode", [&](const Context& context) { erode(context, read, image); }},
      {"gradient", [&](const Context& context) { gradient(context, read, image, {.element = "disk:3"}); }},
      {"median",
       [&](const Context& context) { median(context, read, image, {.window = "square:5", .iterations = 2}); }},
      {"smooth", [&](const Context& context) { smooth(context, read, image, {.width = 5, .height = 5}); }},
      {"asf", [&](const Context& context) { asf(context, read, image, {.element = "disk:2"}); }},
      {"reconstruct", [&](const Context& context) { reconstruct(context, read, read, image); }},
      {"outliers", [&](const Context& context) { remove_outliers(context, read, image); }},
      {"by its description",
       [&](const Context& context) {
         use(filter(context, operation("close"), {&read, 1}, operation("close").defaults, image));
       }},
  };
  for (const auto& [name, call] : calls) {
    bool threw = false;
    try {
      call(here);  // of an image with NaN
    } catch (const InputError&) {
      threw = true;
    }
    if (!threw || !same()) return std::cout << name << " with NaN: " << threw << same() << '\n', 1;
  }
  samples[500'000] = 1;
  std::vector<float> numbers = samples;
  for (const auto& [name, call] : calls) {
    call(here);
    const std::vector<float> whole = samples;
    samples = numbers;
    // Stopped at each report of progress in turn, until the call comes to its end: samples of before and after.
    for (int at = 1;; ++at) {
      std::stop_source stop;
      Context context;
      context.cancel = stop.get_token();
      int reports = 0;
      context.on_progress = [&](const Progress&) {
        if (++reports == at) stop.request_stop();
      };
      bool stopped = false;
      try {
        call(context);
      } catch (const Cancelled&) {
        stopped = true;
      }
      bool kept = true;
      for (std::size_t i = 0; i < samples.size(); ++i) {
        kept = kept && (samples[i] == numbers[i] || samples[i] == whole[i]);
      }
      samples = numbers;
      if (stopped && !kept) return std::cout << name << ": stopped at report " << at << '\n', 1;
      if (!stopped) break;
      if (at > 20) at += reports;  // a few are enough
    }
  }
  return std::cout << "kept\n", 0;
}

/// What callbacks of the caller throw, which nobody else does.
struct Mine {};

std::vector<std::function<void(const Context&)>> calls_with_stages() {
  static const Image image(Type::U8, {3, 400, 500, 3}), page(Type::U8, {1, 700, 900, 2}),
      object(Type::Bool, {60, 60, 64, 3});
  std::vector<std::function<void(const Context&)>> calls;
  for (const OperationDescription& operation : operations()) {
    if (!operation.filter) continue;
    calls.emplace_back([&](const Context& context) {
      const std::vector<const Image*> images(operation.takes.size(), operation.name == "deskew" ? &page : &image);
      Image out;
      operation.filter.run(context, images, operation.defaults, out);
    });
    calls.emplace_back([&](const Context& context) {
      std::vector<std::byte> memory(700 * 900);
      const ImageView view = view_of<void>(memory.data(), Type::U8, page.shape());
      const std::vector<ConstImageView> images(operation.takes.size(), as_input(view));
      use(filter(context, operation, images, operation.defaults, view));
    });
    calls.emplace_back([&](const Context& context) {
      std::vector<std::unique_ptr<SliceSource>> opened;
      std::vector<SliceSource*> sources;
      for (std::size_t i = 0; i < operation.takes.size(); ++i) {
        opened.push_back(source_of(image));
        sources.push_back(opened.back().get());
      }
      Sink sink;
      use(filter_slabs(context, operation, operation.defaults, sources, sink));
    });
  }
  const std::function<void(const Context&)> others[] = {
      [](const Context& context) { use(granulometry(context, object)); },
      [](const Context& context) { use(size_map(context, object)); },
      [](const Context& context) { use(ball_map(context, object, BallMeasure::Size)); },
      [](const Context& context) { use(porosimetry(context, object)); },
      [](const Context& context) { use(distance(context, object)); },
      [](const Context& context) { use(grey_granulometry(context, image, {.max_size = 3})); },
      [](const Context& context) { use(line_granulometry(context, page, {.max_size = 9})); },
      [](const Context& context) {
        use(orientation(context, page, {.lengths = {21}, .angles = {0, 180, 12}}));
      },
      [](const Context& context) { use(find_skew(context, page)); },
      [](const Context& context) { use(binarise(context, *source_of(image), {.method = ThresholdMethod::Otsu})); },
      [](const Context& context) { use(find_non_finite(context, *source_of(image))); },
      [](const Context& context) {
        use(phantom_foam(context, {{40, 40, 40, 3}, 9}));
      },
      [](const Context& context) {
        use(phantom_octahedra(context, {{40, 40, 40, 3}, 9}));
      },
  };
  calls.insert(calls.end(), std::begin(others), std::end(others));
  return calls;
}

/// Whether what a callback throws comes out of the call: at the first report, the last ones, the first of another
/// thread.
int try_callbacks() {
  int of_stages = 0, elsewhere = 0;
  const auto calls = calls_with_stages();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const std::string when : {"first", "third", "elsewhere", "stage", "second stage"}) {
      std::atomic<int> left = when == "third" ? 3 : when == "second stage" ? 2 : 1;
      std::atomic<bool> threw = false;
      Context context;
      context.threads = 2;
      const auto caller = std::this_thread::get_id();
      const auto tell = [&](bool counts) {
        if (!counts || --left != 0) return;
        threw = true;
        throw Mine();
      };
      context.on_progress = [&](const Progress&) {
        tell(when == "elsewhere" ? std::this_thread::get_id() != caller : when.find("stage") == std::string::npos);
      };
      context.on_stage = [&](std::string_view, double) { tell(when.find("stage") != std::string::npos); };
      bool came = false;
      try {
        calls[i](context);
      } catch (const Mine&) {
        came = true;
      } catch (const InputError&) {  // of a filter that does not take the image
        if (threw) return std::cout << "call " << i << ", " << when << ": another exception\n", 1;
      }
      if (came != threw) return std::cout << "call " << i << ", " << when << ": kept\n", 1;
      of_stages += came && when == "stage" ? 1 : 0;
      elsewhere += came && when == "elsewhere" ? 1 : 0;
    }
  }
  if (of_stages < 40 || elsewhere == 0)
    return std::cout << of_stages << " of stages, " << elsewhere << " of threads\n", 1;
  return std::cout << "came out\n", 0;
}

int run(const Case& one) {
  try {
    one.call();
    std::cout << "returned\n";
  } catch (const InputError& error) {
    std::cout << "InputError: " << error.what() << '\n';
  } catch (const ResourceError& error) {
    std::cout << "ResourceError: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cout << "another exception: " << error.what() << '\n';
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && arguments[1] == std::string("in place")) return try_in_place();
  if (count == 2 && arguments[1] == std::string("callbacks")) return try_callbacks();
  if (count == 3) return try_short_memory(std::stoull(arguments[2]));
  for (const Case& one : cases) {
    if (count == 1) std::cout << one.name << '\n';
    if (count == 2 && arguments[1] == std::string(one.name)) return run(one);
  }
  return count == 1 ? 0 : 2;
}
