// Asks every filter, and everything else that takes a while, to stop after some 50 ms: of large images, of windows much
// larger than an image, of elements of very many runs. Prints what ended too late. With a text it tries a type or
// the cases of "measures"; with "all" also images that are narrow, thin or small in another way, and with a number one
// in so many of all.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <tamis/operations/types.hpp>
#include <tamis/tamis.hpp>

using namespace tamis;

namespace {

constexpr double soon = 1;  // seconds, of the processor too: a busy machine may give none

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Stops a call after a while, and knows how long it went on.
class Stop {
 public:
  Stop() : waits_([this](const std::stop_token& end) { wait(end); }) {}
  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  /// To be called when the call has returned.
  double late() {
    waits_.request_stop();
    waits_.join();
    return stop_.stop_requested() ? std::min(seconds_since(asked_), processor_seconds() - worked_) : 0;
  }

 private:
  void wait(const std::stop_token& end) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, end, std::chrono::milliseconds(50), [] { return false; });
    if (end.stop_requested()) return;
    asked_ = std::chrono::steady_clock::now();
    worked_ = processor_seconds();
    stop_.request_stop();
  }
  std::stop_source stop_;
  std::chrono::steady_clock::time_point asked_;
  double worked_ = 0;
  std::jthread waits_;
};

std::string only;
bool all_shapes = false;
int called = 0, one_in = 1, tried = 0, found = 0;

/// Calls once, and gives for how long it went on after it was asked to stop.
double late_by(const std::function<void(const Context&)>& call) {
  Stop stop;
  Context context;
  context.device = Device::Cpu;
  context.threads = 1;
  context.memory_bytes = std::int64_t{4} << 30;
  context.cancel = stop.token();
  try {
    call(context);
  } catch (const Error&) {  // most are Cancelled
  }
  return stop.late();
}

void try_to_stop(const std::string& name, const std::function<void(const Context&)>& call) {
  if (name.find(only) == std::string::npos || called++ % one_in != 0) return;
  ++tried;
  double late = late_by(call);
  // A machine that is busy is late once in a thousand calls, by its clock of the processor too; a loop that hears nothing is
  // late again.
  for (int again = 0; again < 2 && late > soon; ++again) late = std::min(late, late_by(call));
  if (late <= soon) return;
  ++found;
  std::cout << name << ": " << late << " s after it was asked to stop\n" << std::flush;
}

Image noise(Type type, const Shape& shape) {
  Image image(type, shape);
  std::uint32_t seed = 1;
  const std::int64_t words = image.bytes() / 4;
  auto* const all = reinterpret_cast<std::uint32_t*>(image.data());
  for (std::int64_t i = 0; i < words; ++i) {
    seed = seed * 1664525U + 1013904223U;
    all[i] = type == Type::F32 ? seed >> 2 : seed ^ seed >> 13;  // floats below 2: no NaN
  }
  if (type == Type::Bool && shape.x % 64 != 0) throw InputError("noise of bits wants rows of whole words");
  return image;
}

/// Every second sample of every second row: no two runs make a rectangle.
StructuringElement chequered(std::int64_t edge) {
  std::vector<OffsetSet::Run> runs;
  for (std::int64_t y = 0; y < edge; ++y) {
    for (std::int64_t x = y % 2; x < edge; x += 2) runs.push_back({{0, y - edge / 2, x - edge / 2}, 1});
  }
  return {OffsetSet(std::move(runs)), 2, "chequered"};
}

std::vector<StructuringElement> make_elements(int rank) {
  std::vector<StructuringElement> all{"square:3001",
                                      "rect:1x900001",
                                      "rect:900001x1",
                                      "disk:700",
                                      "disk:3000.5",
                                      "line:20001@30",
                                      "square:400+disk:300+circle:200",
                                      "shift(disk:90,100000,0)",
                                      "cross:900"};
  all.push_back(chequered(300));
  all.push_back(chequered(1000));
  all.emplace_back(OffsetSet({{{0, 0, -1'500'000'000}, 1}, {{0, 0, 0}, 1'500'000'000}}), 2, "a run of 10^9");
  all.emplace_back(OffsetSet({{{0, 0, 0}, 1}, {{0, 20'000'000, 20'000'000}, 1}}), 2, "two far samples");
  if (rank == 3) {
    for (const char* const spec : {"cube:301", "box:1x1x900001", "ball:100", "ball:400", "circle:30+ball:60"})
      all.emplace_back(spec);
  }
  return all;
}

const std::vector<StructuringElement>& elements(int rank) {
  static const std::vector<StructuringElement> flat = make_elements(2), deep = make_elements(3);
  return rank == 2 ? flat : deep;
}

bool has_name(const OperationDescription& operation, const std::string& name) {
  for (const Parameter& parameter : operation.parameters) {
    if (parameter.name == name) return true;
  }
  return false;
}

/// Sets a parameter where there is one and it takes the text.
bool set(Arguments& arguments, const OperationDescription& operation, const std::string& name,
         const std::string& text) {
  if (!has_name(operation, name)) return false;
  try {
    arguments.set(name, text);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

void run_filter(const OperationDescription& operation, const Image& image, const Arguments& arguments,
                const std::string& said) {
  const std::vector<const Image*> images(operation.takes.size(), &image);
  const std::string shown = operation.name + " of " + to_string(image.shape()) + " " + std::string(name(image.type()));
  try_to_stop(shown + said, [&](const Context& context) {
    Image out;
    operation.filter.run(context, images, arguments, out);
  });
}

void try_filter(const OperationDescription& operation, const Image& image) {
  run_filter(operation, image, operation.defaults, "");
  int turn = 0;
  const char* const borders[] = {"reflect", "neutral", "nearest", "wrap", "constant:1", "mirror"};
  // Windows that shrink and another border each time, or for a short run the one or the other.
  const auto some_borders = [&] {
    const std::string other = borders[turn++ % 6];
    if (all_shapes) return std::vector<std::string>{"neutral", other};
    return std::vector<std::string>{turn % 2 == 0 ? "neutral" : other};
  };
  for (const char* const parameter : {"element", "hit"}) {
    for (const StructuringElement& element : elements(image.shape().rank)) {
      if (!has_name(operation, parameter)) continue;
      for (const std::string& border : some_borders()) {
        Arguments arguments = operation.defaults;
        try {
          arguments.set_element(parameter, element);
        } catch (const InputError&) {
          continue;
        }
        set(arguments, operation, "border", border);
        run_filter(operation, image, arguments, " by " + element.spec() + ", border " + border);
      }
    }
  }
  for (const auto& [parameter, text] : std::vector<std::pair<std::string, std::string>>{{"size", "2001"},
                                                                                        {"size", "900001x1"},
                                                                                        {"size", "1x900001"},
                                                                                        {"size", "1x1x900001"},
                                                                                        {"size", "65x65x65"},
                                                                                        {"iterations", "1000000"},
                                                                                        {"element", "square:400"},
                                                                                        {"element", "ball:60"},
                                                                                        {"element", "line:900@30"},
                                                                                        {"percentile", "3"},
                                                                                        {"degrees", "30"}}) {
    for (const std::string& border : some_borders()) {
      Arguments arguments = operation.defaults;
      set(arguments, operation, "border", border);
      if (!set(arguments, operation, parameter, text)) continue;
      run_filter(operation, image, arguments, " with " + parameter + " " + text + ", border " + border);
    }
  }
  for (const auto& [parameter, text] : std::vector<std::pair<std::string, std::string>>{{"lines", "traced"}}) {
    Arguments arguments = operation.defaults;
    if (!set(arguments, operation, parameter, text)) continue;
    arguments.set("element", "line:20001@30");
    run_filter(operation, image, arguments, " by traced lines");
  }
}

void try_filters() {
  const Shape few[] = {{1, 1920, 2048, 2}, {1, 40, 64, 2}, {192, 160, 192, 3}};
  const Shape others[] = {{1, 5, 1 << 22, 2}, {1, 1 << 16, 64, 2}, {5, 6, 64, 3}, {20000, 5, 64, 3}};
  std::vector<Shape> shapes(std::begin(few), std::end(few));
  if (all_shapes) shapes.insert(shapes.end(), std::begin(others), std::end(others));
  for (const Type type : {Type::Bool, Type::U8, Type::U16, Type::I16, Type::F32}) {
    if (std::string(name(type)).find(only) == std::string::npos) continue;
    for (const Shape& shape : shapes) {
      const Image image = noise(type, shape);
      for (const OperationDescription& operation : operations()) {
        if (operation.filter) try_filter(operation, image);
      }
    }
  }
}

void try_measures() {
  const Image flat = noise(Type::Bool, {1, 4000, 4096, 2}), deep = noise(Type::Bool, {320, 320, 320, 3});
  Image full(Type::Bool, {256, 256, 256, 3});
  for (std::int64_t z = 0; z < 256; ++z) {
    for (std::int64_t y = 0; y < 256; ++y)
      std::fill_n(full.row<std::uint64_t>(z, y), 4, z + y == 0 ? 1 : ~std::uint64_t{0});
  }
  for (const auto& [kind, object] : {std::pair{"an image", &flat}, {"a volume", &deep}, {"a full volume", &full}}) {
    const std::string of = std::string(" of ") + kind;
    for (const Element element : {Element::Cross, Element::Square, Element::Cube}) {
      const GranulometryOptions options{element, DomainBorder::Background, {}};
      try_to_stop("measures: granulometry" + of,
                  [&](const Context& c) { static_cast<void>(granulometry(c, *object, options)); });
      try_to_stop("measures: size_map" + of,
                  [&](const Context& c) { static_cast<void>(size_map(c, *object, options)); });
    }
    try_to_stop("measures: balls" + of, [&](const Context& c) { static_cast<void>(ball_granulometry(c, *object)); });
    try_to_stop("measures: ball_map" + of,
                [&](const Context& c) { static_cast<void>(ball_map(c, *object, BallMeasure::Diameter)); });
    try_to_stop("measures: porosimetry" + of, [&](const Context& c) { static_cast<void>(porosimetry(c, *object)); });
    try_to_stop("measures: distance" + of, [&](const Context& c) { static_cast<void>(distance(c, *object)); });
  }
  for (const Type type : {Type::U8, Type::U16, Type::I16, Type::F32}) {
    const Image page = noise(type, {1, 6000, 6016, 2}), volume = noise(type, {200, 256, 256, 3});
    const std::string of = " of " + std::string(name(type));
    for (const Image* const image : {&page, &volume}) {
      for (const GreyElement element : {GreyElement::Square, GreyElement::Disk, GreyElement::Ball}) {
        try_to_stop("measures: grey_granulometry" + of,
                    [&](const Context& c) { static_cast<void>(grey_granulometry(c, *image, {.element = element})); });
      }
      try_to_stop("measures: line_granulometry" + of,
                  [&](const Context& c) { static_cast<void>(line_granulometry(c, *image, {})); });
      try_to_stop("measures: orientation" + of, [&](const Context& c) { static_cast<void>(orientation(c, *image)); });
      for (const ThresholdMethod method : {ThresholdMethod::Otsu, ThresholdMethod::Kapur, ThresholdMethod::Minimum}) {
        try_to_stop("measures: threshold" + of,
                    [&](const Context& c) { static_cast<void>(threshold_value(c, *source_of(*image), method)); });
        try_to_stop("measures: binarise" + of,
                    [&](const Context& c) { static_cast<void>(binarise(c, *source_of(*image), {.method = method})); });
      }
      try_to_stop("measures: find_non_finite" + of,
                  [&](const Context& c) { static_cast<void>(find_non_finite(c, *source_of(*image))); });
    }
    for (const DeskewMethod method : {DeskewMethod::Fused, DeskewMethod::Projection, DeskewMethod::Closing}) {
      try_to_stop("measures: find_skew" + of,
                  [&](const Context& c) { static_cast<void>(find_skew(c, page, {.method = method})); });
    }
    try_to_stop("measures: resample" + of, [&](const Context& c) {
      Image cubes = noise(type, {60, 64, 64, 3});
      cubes.spacing = {1, 1, 1, "um"};
      const auto finer = resample(c, source_of(cubes), {0.1, 0.1, 0.1, "um"}, Interpolation::Cubic);
      static_cast<void>(read_channels(c, *finer, false));
    });
  }
  try_to_stop("measures: phantom foam", [](const Context& c) {
    static_cast<void>(phantom_foam(c, {{600, 600, 600, 3}}));
  });
  try_to_stop("measures: phantom of large balls", [](const Context& c) {
    static_cast<void>(phantom_foam(c, {{400, 400, 400, 3}, 1 << 20, 1 << 19, 0.999}));
  });
  try_to_stop("measures: phantom of small balls", [](const Context& c) {
    static_cast<void>(phantom_foam(c, {{600, 600, 600, 3}, 0, 0, 0.9}));
  });
  try_to_stop("measures: phantom octahedra", [](const Context& c) {
    static_cast<void>(phantom_octahedra(c, {{600, 600, 600, 3}}));
  });
  try_to_stop("measures: phantom of small octahedra", [](const Context& c) {
    static_cast<void>(phantom_octahedra(c, {{600, 600, 600, 3}, 0, 7, 0}));
  });
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) only = arguments[1];
  const std::string more = count > 2 ? arguments[2] : "1";
  all_shapes = more == "all";
  one_in = all_shapes ? 1 : std::stoi(more);
  try_filters();
  try_measures();
  std::cout << tried << " calls, " << found << " of them late\n";
  return found == 0 ? 0 : 1;
}
