// Calls of the C++ interface with whatever a program may give them: any shape, stride, enumerator and option. They may
// return or throw InputError, ResourceError or Cancelled; nothing else comes out, and a stop is heard.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>

#include <tamis/balls.hpp>
#include <tamis/convert.hpp>
#include <tamis/deskew.hpp>
#include <tamis/distance.hpp>
#include <tamis/frames.hpp>
#include <tamis/granulometry.hpp>
#include <tamis/image/channels.hpp>
#include <tamis/image/crop.hpp>
#include <tamis/line.hpp>
#include <tamis/median.hpp>
#include <tamis/memory.hpp>
#include <tamis/morphology.hpp>
#include <tamis/operations.hpp>
#include <tamis/operations/masked.hpp>
#include <tamis/operations/slabs.hpp>
#include <tamis/operations/types.hpp>
#include <tamis/orientation.hpp>
#include <tamis/phantom.hpp>
#include <tamis/porosimetry.hpp>
#include <tamis/threshold.hpp>

#include "fuzz/cpp_call/draw.hpp"
#include "fuzz/harness.hpp"

namespace tamis::fuzz {
namespace {

/// Asks a call to stop after a while, and ends the program where that is not heard.
class Patience {
 public:
  Patience() : watch_([this](const std::stop_token& end) { watch(end); }) {}

  std::stop_token begin() {
    const std::lock_guard lock(mutex_);
    stop_ = std::stop_source();
    since_ = Clock::now();
    worked_before_ = std::clock();
    works_ = true;
    return stop_.get_token();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    works_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  void watch(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    while (!end.stop_requested()) {
      wake_.wait_for(lock, end, std::chrono::milliseconds(100), [] { return false; });
      const auto took = Clock::now() - since_;
      if (works_ && took > std::chrono::seconds(1)) stop_.request_stop();
      // Of the processor's time, for a busy machine may have none; and of any time, for it may be waited for nothing.
      const bool works_on = std::clock() - worked_before_ > 30 * CLOCKS_PER_SEC || took > std::chrono::minutes(5);
      if (works_ && works_on) {
        std::fprintf(stderr, "a stop was not heard for half a minute\n");
        std::abort();
      }
    }
  }
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::stop_source stop_;
  Clock::time_point since_;
  std::clock_t worked_before_ = 0;
  bool works_ = false;
  std::jthread watch_;
};

/// All that a call draws from.
struct Given {
  Draw draw;
  Context context;
  Field& in;
  Field& out;

  Context any_context(const std::stop_token& stop) {
    Context any;
    any.device = draw.once_in(16) ? draw.one_of(Device::Cuda) : Device::Cpu;
    any.threads = draw.once_in(24) ? draw.integer() : 1 + draw.below(2);
    any.memory_bytes = draw.once_in(12) ? draw.number() : 64 << 20;
    any.device_memory_bytes = draw.once_in(24) ? draw.number() : 0;
    any.gpu = draw.once_in(24) ? draw.integer() : 0;
    any.simd = draw.one_of(Simd::Portable);
    if (any.simd == Simd::Avx512 || any.simd == Simd::Avx2) any.simd = Simd::Best;  // machines may have neither
    any.cancel = stop;
    if (draw.once_in(24)) {
      std::stop_source stopped;
      stopped.request_stop();
      any.cancel = stopped.get_token();
    }
    return any;
  }

  MorphologyOptions morphology_options() {
    return {draw.element(), draw.border(), draw.once_in(4) ? draw.number() : 1, draw.one_of(NanPolicy::Ignore),
            draw.one_of(Lines::Traced)};
  }
  MedianOptions median_options() {
    return {draw.element(), draw.once_in(4) ? draw.real() * 8 : 50, draw.once_in(4) ? draw.number() : 1, draw.border(),
            draw.one_of(NanPolicy::Ignore)};
  }
  SmoothOptions smooth_options() {
    return {draw.number(), draw.number(), draw.number(), draw.number(4), draw.border(), draw.one_of(NanPolicy::Ignore)};
  }
  OutlierOptions outlier_options() {
    return {draw.element(), draw.real(), draw.one_of(OutlierOptions::Which::Both), draw.border(),
            draw.one_of(NanPolicy::Ignore)};
  }
  HitMissOptions hitmiss_options() {
    return {draw.element(), draw.element(), draw.border(), draw.one_of(NanPolicy::Ignore)};
  }
  AsfOptions asf_options() {
    static const char* const elements[] = {"square:5", "disk:3",    "cross:2",  "cube:3",
                                           "ball:2",   "octagon:2", "line:3@0", ""};
    return {elements[draw.below(8)], draw.one_of(AsfOptions::Order::CloseOpen), draw.border(),
            draw.one_of(NanPolicy::Ignore)};
  }
  ReconstructOptions reconstruct_options() {
    return {draw.one_of(ReconstructOptions::By::Erosion), draw.one_of(Connectivity::Full)};
  }
  std::optional<std::int64_t> max_size() { return draw.once_in(2) ? std::optional(draw.number()) : std::nullopt; }
  GranulometryOptions granulometry_options() {
    return {draw.one_of(Element::Square), draw.one_of(DomainBorder::Neutral), max_size()};
  }
  BallOptions ball_options() {
    BallOptions options{
        draw.one_of(DomainBorder::Neutral), draw.one_of(BallConvention::Fiji), draw.once_in(2), max_size(), {}};
    if (draw.once_in(4)) options.radii = {draw.number(), draw.number()};
    return options;
  }
  Faces faces() {
    return {draw.once_in(3), draw.once_in(3), draw.once_in(3), draw.once_in(3), draw.once_in(3), draw.once_in(3)};
  }
  DistanceOptions distance_options() { return {draw.one_of(DomainBorder::Neutral), faces(), draw.once_in(2)}; }
  PorosimetryOptions porosimetry_options() {
    return {faces(), draw.one_of(DomainBorder::Neutral), draw.one_of(BallConvention::Fiji), draw.once_in(2)};
  }
  ThresholdOptions threshold_options() {
    return {draw.one_of(ThresholdMethod::Mean), draw.real(), draw.real(), draw.real(), draw.one_of(Phase::Dark)};
  }
  OrientationOptions orientation_options() {
    return {{draw.real(), draw.real()},
            {draw.real(), draw.once_in(3) ? draw.real() : 180, draw.once_in(3) ? draw.number() : 4},
            draw.one_of(Lines::Traced),
            draw.border(),
            draw.one_of(Phase::Dark)};
  }
  DeskewOptions deskew_options() {
    return {draw.one_of(DeskewMethod::Closing),
            draw.once_in(4) ? draw.real() : 5,
            draw.once_in(4) ? draw.real() : 0.5,
            max_size(),
            draw.once_in(2),
            draw.once_in(2) ? std::optional(draw.real()) : std::nullopt};
  }
  RotateOptions rotate_options() {
    return {draw.once_in(2) ? draw.real() : 0, draw.once_in(3) ? std::optional(draw.shape()) : std::nullopt};
  }
  std::unique_ptr<SliceSource> source() {
    if (draw.once_in(32)) return nullptr;
    return std::make_unique<AnySource>(draw);
  }
  /// An object, and what bounds it: none, or one that may fit.
  Image bits() { return draw.image(Type::Bool); }
  Image domain_of(const Image& object) { return draw.once_in(3) ? draw.image(Type::Bool, object.shape()) : Image(); }
};

/// Views of one type and shape for a filter, the result often in place of the image.
struct Views {
  std::optional<ConstImageView> image;
  std::optional<ImageView> out;
  explicit Views(Given& given, std::optional<Type> result = {}) {
    const Type type = given.draw.type();
    const Shape shape = given.draw.shape();
    const std::optional<ImageView> from = given.in.view(given.draw, type, shape);
    if (!from) return;
    image = as_input(*from);
    const bool on_itself = given.draw.once_in(3);
    out = on_itself
              ? from
              : given.out.view(given.draw, result.value_or(type), given.draw.once_in(12) ? given.draw.shape() : shape);
  }
  [[nodiscard]] bool both() const { return image && out; }
};

class CountingSink final : public SliceSink {
 public:
  void write(const std::byte*, std::int64_t count) override { slices += count; }
  void finish() override {}
  std::int64_t slices = 0;
};

void read_some(Draw& draw, SliceSource& source) {
  require_layout(source.layout(), "fuzz");
  const Layout& layout = source.layout();
  const std::int64_t slice = layout.shape.y * layout.shape.x * layout.channels * sample_bytes(layout.type);
  if (slice > 1 << 20) return;
  std::vector<std::byte> memory(static_cast<std::size_t>(4 * slice));
  const std::int64_t count = draw.number(5);
  // The memory is the caller's to know of: more than it holds is asked for only where that has to be refused.
  if (count > 4 && count <= layout.shape.z) return;
  source.read(draw.number(4), count, draw.once_in(16) ? nullptr : memory.data());
}

void look_at(const Sizes& sizes, Draw& draw) {
  for (const std::int64_t row : {draw.number(), sizes.rows() - 1}) {
    for (const auto& figure :
         {std::function<void()>([&] { static_cast<void>(sizes.fraction(row)); }),
          std::function<void()>([&] { static_cast<void>(sizes.spectrum_sum(row) + sizes.sum(row)); }),
          std::function<void()>([&] { static_cast<void>(sizes.size(row)); })}) {
      try {
        figure();
      } catch (const InputError&) {
        continue;
      }
    }
  }
  static_cast<void>(sizes.width(2));
  static_cast<void>(sizes.mean().value_or(0) + sizes.standard_deviation().value_or(0) + sizes.border_share());
  static_cast<void>(sizes.percentile(draw.real()));
  static_cast<void>(sizes.predominant());
  static_cast<void>(sizes.unsieved_share());
}

using Call = void (*)(Given&);

const Call filters_of_images[] = {
    [](Given& g) {
      Image out = g.draw.image();
      const Operation operation = g.draw.one_of(Operation::BotHat);
      morphology(g.context, operation, g.draw.image(), g.morphology_options(), out);
    },
    [](Given& g) { static_cast<void>(hitmiss(g.context, g.draw.image(), g.hitmiss_options())); },
    [](Given& g) { static_cast<void>(asf(g.context, g.draw.image(), g.asf_options())); },
    [](Given& g) {
      const Image mask = g.draw.image();
      static_cast<void>(reconstruct(g.context, g.draw.image(mask.type(), mask.shape()), mask, g.reconstruct_options()));
    },
    [](Given& g) {
      const Image image = g.draw.image();
      static_cast<void>(
          open_by_reconstruction(g.context, image, g.morphology_options(), g.draw.one_of(Connectivity::Full)));
      static_cast<void>(
          close_by_reconstruction(g.context, image, g.morphology_options(), g.draw.one_of(Connectivity::Full)));
    },
    [](Given& g) {
      Image out = g.draw.image();
      static_cast<void>(median(g.context, g.draw.image(), g.median_options(), out));
    },
    [](Given& g) { static_cast<void>(smooth(g.context, g.draw.image(), g.smooth_options())); },
    [](Given& g) { static_cast<void>(remove_outliers(g.context, g.draw.image(), g.outlier_options())); },
    [](Given& g) {
      static_cast<void>(traced_opening(g.context, g.draw.image(), g.draw.number(), g.draw.real(),
                                       g.draw.border()));
    },
    [](Given& g) { static_cast<void>(rotate(g.context, g.draw.image(), g.draw.real() * 20, g.rotate_options())); },
    [](Given& g) {
      static_cast<void>(explain(g.draw.one_of(Operation::BotHat), g.draw.shape(), g.morphology_options()));
      static_cast<void>(explain(g.context, g.draw.type(), g.draw.shape(), g.median_options()));
      static_cast<void>(choose_device(g.context, g.draw.type(), g.draw.shape(), g.smooth_options()));
    },
};

const Call filters_of_views[] = {
    [](Given& g) {
      const Views v(g);
      if (v.both()) morphology(g.context, g.draw.one_of(Operation::BotHat), *v.image, *v.out, g.morphology_options());
    },
    [](Given& g) {
      const Views v(g);
      if (v.both()) median(g.context, *v.image, *v.out, g.median_options());
    },
    [](Given& g) {
      const Views v(g);
      if (v.both()) smooth(g.context, *v.image, *v.out, g.smooth_options());
    },
    [](Given& g) {
      const Views v(g);
      if (v.both()) remove_outliers(g.context, *v.image, *v.out, g.outlier_options());
    },
    [](Given& g) {
      const Views v(g);
      if (v.both()) asf(g.context, *v.image, *v.out, g.asf_options());
    },
    [](Given& g) {
      const Views v(g);
      if (v.both()) hitmiss(g.context, *v.image, *v.out, g.hitmiss_options());
    },
    [](Given& g) {
      const Views v(g);
      if (v.both()) reconstruct(g.context, *v.image, *v.image, *v.out, g.reconstruct_options());
    },
    [](Given& g) {
      const Views v(g);
      if (v.both()) rotate(g.context, *v.image, g.draw.real(), g.rotate_options(), *v.out);
    },
    [](Given& g) {
      const Views v(g);
      if (!v.both()) return;
      traced_opening(g.context, *v.image, *v.out, g.draw.number(), g.draw.real(), g.draw.border());
    },
    [](Given& g) {
      const Views v(g, Type::F32);
      if (v.both()) distance(g.context, *v.image, *v.out, g.distance_options());
    },
    [](Given& g) {
      const Views v(g);
      if (!v.both()) return;
      const auto& all = operations();
      const OperationDescription& operation = all[static_cast<std::size_t>(g.draw.byte()) % all.size()];
      const OperationDescription& other = all[static_cast<std::size_t>(g.draw.byte()) % all.size()];
      const std::vector<ConstImageView> images(static_cast<std::size_t>(g.draw.below(3)), *v.image);
      static_cast<void>(
          filter(g.context, operation, images, g.draw.once_in(6) ? other.defaults : operation.defaults, *v.out));
    },
    [](Given& g) {
      const Views v(g);
      if (!v.image) return;
      static_cast<void>(image_of(g.context, *v.image));
      read_some(g.draw, *source_of(*v.image));
      static_cast<void>(histogram(g.context, *source_of(*v.image)));
    },
    [](Given& g) {
      const Views v(g);
      if (!v.both()) return;
      copy(g.context, g.draw.image(v.out->type, v.out->shape), *v.out);
    },
    [](Given& g) {
      const Shape shape = g.draw.shape();
      static_cast<void>(shape.count());
      static_cast<void>(
          OffsetBox{{g.draw.number(), g.draw.number(), 0}, {g.draw.number(), g.draw.number(), 0}}.count());
      const Type type = g.draw.type();
      static_cast<void>(image_bytes(type, shape));
      static_cast<void>(bytes_of_reconstruct(type, shape));
      std::byte sample{};
      require_view(view_of<void>(&sample, type, shape, g.draw.number()), "fuzz");
    },
};

const Call measures[] = {
    [](Given& g) {
      const Image object = g.bits();
      look_at(granulometry(g.context, object, g.granulometry_options(), g.domain_of(object)), g.draw);
    },
    [](Given& g) {
      const Image object = g.bits();
      static_cast<void>(size_map(g.context, object, g.granulometry_options(), g.domain_of(object)));
      const MapSink sink = g.draw.once_in(6) ? MapSink() : MapSink([](const std::byte*, std::int64_t, std::int64_t) {});
      static_cast<void>(size_map(
          g.context, object, g.granulometry_options(), {}, [](Type) {}, sink));
    },
    [](Given& g) {
      const Image object = g.bits();
      look_at(ball_granulometry(g.context, object, g.ball_options(), g.domain_of(object)).sizes, g.draw);
    },
    [](Given& g) {
      const Image object = g.bits();
      static_cast<void>(
          ball_map(g.context, object, g.draw.one_of(BallMeasure::Diameter), g.ball_options(), g.domain_of(object)));
    },
    [](Given& g) {
      const Image object = g.bits();
      const Image domain = g.domain_of(object);
      const Image inlet = g.domain_of(object);
      const Porosimetry found = porosimetry(g.context, object, g.porosimetry_options(), domain, inlet);
      static_cast<void>(found.saturation(g.draw.number()) + found.radius(g.draw.number()));
    },
    [](Given& g) {
      const Image object = g.bits();
      const SquaredDistances squares = squared_distance(g.context, object, g.distance_options(), g.domain_of(object));
      std::vector<float> out(4096 * 4);
      read_distances(squares, g.draw.number(4), g.draw.number(4), out.data());
    },
    [](Given& g) {
      const Image object = g.bits();
      static_cast<void>(distance(g.context, object, g.distance_options(), g.domain_of(object)));
    },
    [](Given& g) {
      GreyGranulometryOptions options{g.draw.one_of(GreyElement::Ball), g.draw.one_of(DomainBorder::Neutral),
                                      g.draw.one_of(Phase::Dark), g.max_size()};
      look_at(grey_granulometry(g.context, g.draw.image(), options), g.draw);
    },
    [](Given& g) {
      LineGranulometryOptions options{g.draw.real(), g.draw.one_of(DomainBorder::Neutral), g.draw.one_of(Phase::Dark),
                                      g.max_size()};
      const Image image = g.draw.image();
      look_at(line_granulometry(g.context, image, options, g.domain_of(image)), g.draw);
    },
    [](Given& g) { static_cast<void>(orientation(g.context, g.draw.image(), g.orientation_options())); },
    [](Given& g) {
      const AngleRange range{g.draw.real(), g.draw.real(), g.draw.number()};
      AngularSpectrum spectrum;
      for (int i = g.draw.below(6); i > 0; --i) spectrum.removed.push_back(g.draw.real());
      static_cast<void>(dominant_angle(spectrum, range));
    },
    [](Given& g) {
      const std::vector<Image> none;
      const Image page = g.draw.image();
      static_cast<void>(find_skew(g.context, page, g.deskew_options()));
      static_cast<void>(deskew(g.context, std::span(&page, 1), g.deskew_options()));
      static_cast<void>(background(g.context, g.draw.once_in(4) ? std::span<const Image>(none) : std::span(&page, 1),
                                   g.draw.image()));
    },
    [](Given& g) {
      static_cast<void>(whole_sides(g.draw.spacing(), g.draw.integer()));
      static_cast<void>(inlet_faces(g.faces(), g.draw.integer(4)));
      static_cast<void>(rotated_shape(g.draw.shape(), g.draw.real()));
      static_cast<void>(window_of_size(std::to_string(g.draw.number()), g.draw.integer(4)));
      static_cast<void>(pressure_at(g.draw.real(), g.draw.spacing(), g.draw.real(), g.draw.real()));
    },
    [](Given& g) {
      FoamOptions foam{g.draw.shape(), g.draw.number(), g.draw.number(), g.draw.real(), 7};
      if (foam.shape.count() < 1 << 20) static_cast<void>(phantom_foam(g.context, foam));
      OctahedraOptions octahedra{g.draw.shape(), g.draw.number(), 7, g.draw.number()};
      if (octahedra.shape.count() < 1 << 20) static_cast<void>(phantom_octahedra(g.context, octahedra));
    },
};

const Call of_sources[] = {
    [](Given& g) {
      AnySource source(g.draw);
      std::unique_ptr<SliceSource> mask = g.source();
      const Region region{g.draw.once_in(3) ? g.draw.one_of(Region::Kind::Mask) : Region::Kind::All, mask.get()};
      static_cast<void>(binarise(g.context, source, g.threshold_options(), region));
    },
    [](Given& g) {
      AnySource source(g.draw);
      const Histogram counts = histogram(g.context, source);
      static_cast<void>(threshold_value(counts, g.draw.one_of(ThresholdMethod::Mean)));
    },
    [](Given& g) {
      AnySource source(g.draw);
      static_cast<void>(threshold_value(g.context, source, g.draw.one_of(ThresholdMethod::Mean)));
    },
    [](Given& g) {
      AnySource source(g.draw);
      static_cast<void>(find_non_finite(g.context, source));
      read_some(g.draw, *finite_mask(source));
    },
    [](Given& g) {
      const std::optional<Window> window =
          g.draw.once_in(2) ? std::optional(Window{g.draw.real(), g.draw.real()}) : std::nullopt;
      std::unique_ptr<SliceSource> source = g.source();
      read_some(g.draw, *convert(std::move(source), g.draw.type(), window));
    },
    [](Given& g) { read_some(g.draw, *as_f32(g.source())); },
    [](Given& g) {
      const Type type = g.draw.type();
      read_some(g.draw, *from_f32(g.source(), type));
    },
    [](Given& g) {
      Spacing spacing = g.draw.spacing();
      if (g.draw.once_in(2)) spacing.unit = "um";
      read_some(g.draw, *resample(g.context, g.source(), spacing, g.draw.one_of(Interpolation::Cubic)));
    },
    [](Given& g) {
      const Box box{g.draw.number(), g.draw.number(), g.draw.number(),
                    g.draw.number(), g.draw.number(), g.draw.number()};
      read_some(g.draw, *crop(g.source(), box));
    },
    [](Given& g) {
      AnySource source(g.draw);
      static_cast<void>(becomes_zeros_and_ones(g.context, source));
      static_cast<void>(bytes_of_copy(source.layout()) + bytes_of_channels(source.layout()));
      const std::vector<Image> channels = read_channels(g.context, source, g.draw.once_in(2));
      Layout layout = source.layout();
      if (g.draw.once_in(3)) layout.channels = g.draw.integer();
      if (g.draw.once_in(6)) layout.shape = g.draw.shape();
      read_some(g.draw, *joined(channels, layout));
    },
    [](Given& g) {
      AnySource source(g.draw);
      CountingSink sink;
      copy_slices(g.context, source, sink);
    },
    [](Given& g) {
      const Image image = g.draw.image();
      read_some(g.draw, *source_of(image));
    },
    [](Given& g) {
      AnySource first(g.draw);
      AnySource second(g.draw);
      CountingSink sink;
      const auto& all = operations();
      const OperationDescription& operation = all[static_cast<std::size_t>(g.draw.byte()) % all.size()];
      SliceSource* const sources[] = {g.draw.once_in(24) ? nullptr : &first, &second};
      const SlabOptions options{g.draw.once_in(2), g.draw.once_in(3) ? g.draw.number() : 0,
                                g.draw.once_in(3) ? g.draw.number() : 0};
      static_cast<void>(filter_slabs(g.context, operation, operation.defaults,
                                     std::span(sources, static_cast<std::size_t>(g.draw.below(3))), sink, options));
      expect(options.begin == 0 || sink.slices == first.layout().shape.z - options.begin, "another number of slices");
    },
    [](Given& g) {
      AnySource mask(g.draw);
      Layout layout = mask.layout();
      if (g.draw.once_in(3)) layout.channels = g.draw.integer(4);
      if (g.draw.once_in(6)) layout.shape = g.draw.shape();
      read_some(g.draw, *mask_source(mask, layout));
      static_cast<void>(inlet_of_mask(g.context, layout, mask));
    },
    [](Given& g) {
      const Image image = g.draw.image();
      Image out;
      const auto& all = operations();
      const OperationDescription& operation = all[static_cast<std::size_t>(g.draw.byte()) % all.size()];
      filter_in_mask(g.context, operation, image, g.domain_of(image), operation.defaults, out);
    },
    [](Given& g) {
      const Type type = g.draw.type();
      const Shape shape = g.draw.shape();
      if (image_bytes(type, shape) > 1 << 16) return;
      Frames frames(g.context, g.draw.one_of(Operation::BotHat), type, shape,
                    {g.morphology_options(), g.draw.integer(4)});
      std::vector<std::byte> memory(std::size_t{1} << 17);
      void* const at = g.draw.once_in(6) ? nullptr : memory.data();
      if (g.draw.once_in(6)) Frames(std::move(frames));
      frames.submit(at, at);
      frames.take();
      frames.take();
    },
    [](Given& g) {
      for (const auto& said :
           {std::function<std::string_view()>([&] { return name(g.draw.type()); }),
            std::function<std::string_view()>([&] { return name(g.draw.one_of(Element::Square)); }),
            std::function<std::string_view()>([&] { return name(g.draw.one_of(Operation::BotHat)); }),
            std::function<std::string_view()>([&] { return name(g.draw.one_of(ThresholdMethod::Mean)); }),
            std::function<std::string_view()>([&] { return name(g.draw.one_of(DomainBorder::Neutral)); }),
            std::function<std::string_view()>([&] { return name(g.draw.one_of(GreyElement::Ball)); }),
            std::function<std::string_view()>([&] { return name(g.draw.one_of(Interpolation::Cubic)); }),
            std::function<std::string_view()>([&] { return name(g.draw.one_of(Reach::Image)); }),
            std::function<std::string_view()>([&] { return name(g.draw.one_of(ParameterKind::Bytes)); })}) {
        expect(!said().empty(), "an enumerator without a name");
      }
    },
};

template <std::size_t count>
void call_one(Given& given, const Call (&calls)[count]) {
  calls[static_cast<std::size_t>(given.draw.byte()) % count](given);
}

}  // namespace

TAMIS_FUZZ_TARGET(cpp_call) {
  static Patience patience;
  static Field in, out;
  Given given{Draw(bytes), {}, in, out};
  try {
    given.context = given.any_context(patience.begin());
    switch (given.draw.below(4)) {
      case 0:
        call_one(given, filters_of_images);
        break;
      case 1:
        call_one(given, filters_of_views);
        break;
      case 2:
        call_one(given, measures);
        break;
      default:
        call_one(given, of_sources);
    }
  } catch (const Error& error) {
    const std::string message = error.what();
    expect(!message.empty() && message.find('\n') == std::string::npos, "no line: " + message);
  }
  patience.end();
}

}  // namespace tamis::fuzz
