#include <cstring>

#include <tamis/gpu/morphology.hpp>

#include "bench/gpu_noise.hpp"
#include "bench/line/gpu_bench.hpp"

namespace tamis::line_bench {
namespace {

constexpr Shape images{5, 7744, 7744, 2};  // 60 Mpx each, together 300 MB and more: the L2 is no help
constexpr int angle_step = 10;

/// A stack of images on the device, and room for its openings.
class Stack {
 public:
  Stack(Type type, const cuda::Stream& stream)
      : stream_(stream), image_(noise(type, images)), input_(stream, image_.bytes()), result_(stream, image_.bytes()) {
    copy(input_.data(), image_.data(), image_.bytes());
    stream.synchronize();
  }

  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] Type type() const { return image_.type(); }
  void open(GpuMorphology& filter) const { filter.run(input_.data(), result_.data()); }
  void copy_all() const { copy(result_.data(), input_.data(), image_.bytes()); }

  /// The last image, or its opening.
  [[nodiscard]] Image last_input() const {
    Image one(type(), {1, images.y, images.x, 2});
    std::memcpy(one.data(), image_.data() + image_.bytes() - one.bytes(), static_cast<std::size_t>(one.bytes()));
    return one;
  }
  [[nodiscard]] Image last_result() const {
    Image one(type(), {1, images.y, images.x, 2});
    copy(one.data(), result_.data() + image_.bytes() - one.bytes(), one.bytes());
    stream_.synchronize();
    return one;
  }

 private:
  void copy(void* to, const void* from, std::int64_t bytes) const {
    cuda::check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream_.get()), "copy");
  }

  const cuda::Stream& stream_;
  Image image_;
  cuda::DeviceBuffer<std::byte> input_, result_;
};

struct Case {
  Lines lines;
  int length;
};

/// The opening at every angle; answers at every `check_step` degrees.
Json measure(const Stack& stack, const Case& what, const Arguments& arguments) {
  const Timer timer(stack.stream());
  const int check_step = what.lines == Lines::Traced ? 30 : 60;  // the CPU takes its time
  std::vector<double> rates;
  Json angles = Json::array(), milliseconds = Json::array(), checked = Json::array();
  double all = 0;
  const auto samples = static_cast<double>(images.count());
  Image expected;
  for (int angle = 0; angle < 180; angle += angle_step) {
    const MorphologyOptions options{.element = StructuringElement::line(what.length, angle), .lines = what.lines};
    GpuMorphology filter(on(Device::Cuda), Operation::Open, stack.type(), images,
                         {.morphology = options, .stream = stack.stream().get()});
    if (angle % check_step == 0) {
      stack.copy_all();  // what is compared must not be there already
      stack.open(filter);
      filter.wait();
      morphology(on(Device::Cpu), Operation::Open, stack.last_input(), options, expected);
      require_same(stack.last_result(), expected, "opening by " + options.element.spec());
      checked.push_back(angle);
    }
    const double ms = median(timer.batches(arguments.repetitions, [&] { stack.open(filter); }));
    all += ms;
    rates.push_back(samples / ms / 1e6);
    angles.push_back(angle);
    milliseconds.push_back(ms);
  }
  std::sort(rates.begin(), rates.end());
  const auto count = static_cast<double>(rates.size());
  const std::vector<double> copies = timer.batches(arguments.repetitions, [&] { stack.copy_all(); });
  return {{"part", "openings"},
          {"type", name(stack.type())},
          {"lines", name(what.lines)},
          {"length", what.length},
          {"shape_zyx", {images.z, images.y, images.x}},
          {"checked_angles", checked},
          {"mean_ms", all / count},
          {"gpx_per_s", samples * count / all / 1e6},
          {"slowest_gpx_per_s", rates.front()},
          {"fastest_gpx_per_s", rates.back()},
          {"copy", figures(copies, samples)},
          {"times_copy", all / count / median(copies)},
          {"angles", angles},
          {"ms", milliseconds}};
}

}  // namespace

void measure_openings(const cuda::Stream& stream, const Arguments& arguments) {
  const std::vector<Case> cases = {
      {Lines::Traced, 9}, {Lines::Traced, 41}, {Lines::Traced, 255}, {Lines::Invariant, 41}, {Lines::Invariant, 255}};
  for (const Type type : {Type::U8, Type::U16, Type::F32}) {
    std::vector<Case> chosen;
    for (const Case& what : cases) {
      const std::string text = "openings " + std::string(name(type)) + " " + std::string(name(what.lines)) + " " +
                               std::to_string(what.length);
      if (wanted(arguments, text)) chosen.push_back(what);
    }
    if (chosen.empty()) continue;
    const Stack stack(type, stream);
    for (const Case& what : chosen) print(measure(stack, what, arguments));
  }
}

}  // namespace tamis::line_bench
