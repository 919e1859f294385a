// Checks the paper's kernels and measures them beside tamis: on the device alone, and with transfers.
#include <cstring>
#include <string>
#include <vector>

#include <tamis/error.hpp>
#include <tamis/frames.hpp>
#include <tamis/gpu/median.hpp>

#include "bench/gpu_timer.hpp"
#include "papers/perrot/gpu/kernels.hpp"
#include "papers/perrot/study/measure.hpp"

namespace tamis::perrot {

using bench::Json;
using bench::print;
using bench::Timer;

namespace {

using namespace gpu;

constexpr int grey_edges[] = {3, 5, 7};  // table 1
constexpr int smoother_edges[] = {3, 5, 9, 15, 21, 31, 41, 55, 81, 111, 121};

std::vector<Version> kernels() {
  std::vector<Version> all = {{Kernel::Identity, 1, 1},        {Kernel::Sort, 3, 1},      {Kernel::Forgetful, 3, 1},
                              {Kernel::Forgetful, 3, 2},       {Kernel::Forgetful, 5, 1}, {Kernel::Forgetful, 5, 2},
                              {Kernel::ForgetfulShared, 5, 1}, {Kernel::Forgetful, 7, 1}, {Kernel::Forgetful, 7, 2},
                              {Kernel::Forgetful, 9, 1}};
  for (const int edge : grey_edges) all.push_back({Kernel::Histogram, edge, 1});
  for (const int edge : grey_edges) all.push_back({Kernel::HistogramShared, edge, 1});
  return all;
}

std::string text(const Version& version) {
  return std::string(name(version.kernel)) + " " + std::to_string(version.edge) + "x" + std::to_string(version.edge) +
         ", outputs a thread: " + std::to_string(version.outputs);
}

SmoothOptions smooth_of(int edge) { return {.width = edge, .height = edge, .border = Border::nearest()}; }

/// What tamis computes on the CPU where the paper has this version. A median of 1x1 is the image.
Image answer(const Context& cpu, const Image& image, const Version& version) {
  if (version.kernel == Kernel::Smoother) return smooth(cpu, image, smooth_of(version.edge));
  return median(cpu, image, median_of(version.edge));
}

/// A U16 image in device memory, and its median or smoothed form.
class GpuOurs {
 public:
  GpuOurs(const cuda::Stream& stream, const Shape& shape)
      : stream_(stream), shape_(shape), image_(stream, shape.count()), out_(stream, shape.count()) {}

  void prepare(const Version& version) {
    const Context context = bench::on(Device::Cuda);
    filter_ = version.kernel == Kernel::Smoother
                  ? std::make_unique<GpuMedian>(context, Type::U16, shape_, smooth_of(version.edge), stream_.get())
                  : std::make_unique<GpuMedian>(
                        context, Type::U16, shape_,
                        GpuMedian::Options{.median = median_of(version.edge), .stream = stream_.get()});
    out_.clear();  // what is compared must not be there already
  }

  void upload(const void* samples) const { copy(image_.data(), samples); }
  void run() const { filter_->run(image_.data(), out_.data()); }
  void download(void* samples) const { copy(samples, out_.data()); }

 private:
  void copy(void* to, const void* from) const {
    cuda::check(cudaMemcpyAsync(to, from, image_.bytes(), cudaMemcpyDefault, stream_.get()), "copy an image");
  }

  const cuda::Stream& stream_;
  Shape shape_;
  cuda::DeviceBuffer<std::uint16_t> image_, out_;
  std::unique_ptr<GpuMedian> filter_;
};

/// The answer of whatever is prepared.
template <class Filter>
Image result(const cuda::Stream& stream, const Filter& filter, const Image& image) {
  Image out(Type::U16, image.shape());
  filter.upload(image.data());
  filter.run();
  filter.download(out.data());
  stream.synchronize();
  return out;
}

void check_on(const cuda::Stream& stream, const Image& image, const std::vector<Version>& versions) {
  Paper paper(stream, image.shape());
  GpuOurs ours(stream, image.shape());
  for (const Version& version : versions) {
    const Image wanted = answer(bench::on(Device::Cpu), image, version);
    for (const Block& block : blocks_of(version)) {
      paper.prepare(version, block);
      require_same(result(stream, paper, image), wanted, text(version));
    }
    if (version.kernel == Kernel::Identity) continue;
    ours.prepare(version);
    require_same(result(stream, ours, image), wanted, "tamis on the GPU, " + text(version));
  }
}

/// Host memory of a call, page-locked or not.
class HostImages {
 public:
  HostImages(const Image& image, bool pinned)
      : bytes_(image.bytes()),
        locked_(pinned ? std::make_unique<PinnedMemory>(2 * bytes_) : nullptr),
        plain_(pinned ? 0 : static_cast<std::size_t>(2 * bytes_)),
        data_(pinned ? locked_->data() : plain_.data()) {
    std::memcpy(data_, image.data(), static_cast<std::size_t>(bytes_));
  }
  [[nodiscard]] const std::byte* image() const { return data_; }
  [[nodiscard]] std::byte* out() const { return data_ + bytes_; }

 private:
  std::int64_t bytes_;
  std::unique_ptr<PinnedMemory> locked_;
  std::vector<std::byte> plain_;
  std::byte* data_;
};

template <class Filter>
Mean on_device(const Timer& timer, const Filter& filter, const Arguments& arguments) {
  const auto milliseconds = [&](int calls) { return timer.milliseconds(calls, [&] { filter.run(); }); };
  static_cast<void>(milliseconds(1));  // kernels are loaded by their first call
  return mean_of(milliseconds, arguments);
}

/// Each call uploads, runs, downloads and is waited for.
template <class Filter>
Mean with_transfers(const cuda::Stream& stream, const Filter& filter, const HostImages& host,
                    const Arguments& arguments) {
  const auto milliseconds = [&](int calls) {
    return 1e3 / calls * bench::seconds_of([&] {
             for (int i = 0; i < calls; ++i) {
               filter.upload(host.image());
               filter.run();
               filter.download(host.out());
               stream.synchronize();
             }
           });
  };
  static_cast<void>(milliseconds(1));
  return mean_of(milliseconds, arguments);
}

/// One image size: everything that is measured on it.
class Study {
 public:
  Study(const cuda::Stream& stream, const Arguments& arguments, const Image& image)
      : stream_(stream),
        arguments_(arguments),
        image_(image),
        timer_(stream),
        pinned_(image, true),
        pageable_(image, false),
        paper_(stream, image.shape()),
        ours_(stream, image.shape()) {}

  /// The paper's version, on the device by the best of its blocks and so also with transfers, then tamis.
  void measure(const Version& version) {
    const bool known = version.kernel == Kernel::Identity;
    if (!known) {
      ours_.prepare(version);
      expected_ = result(stream_, ours_, image_);
    }
    Mean best;
    Block fastest;
    for (const Block& block : blocks_of(version)) {
      paper_.prepare(version, block);
      require_same(result(stream_, paper_, image_), known ? image_ : expected_, text(version));
      const Mean mean = on_device(timer_, paper_, arguments_);
      if (best.calls > 0 && mean.ms >= best.ms) continue;
      best = mean;
      fastest = block;
    }
    put(version, name(version.kernel), "none", best, &fastest);
    paper_.prepare(version, fastest);
    put_transfers(version, name(version.kernel), paper_, &fastest);
  }

  void measure_ours(const Version& version) {
    ours_.prepare(version);
    static_cast<void>(result(stream_, ours_, image_));
    put(version, "tamis", "none", on_device(timer_, ours_, arguments_), nullptr);
    put_transfers(version, "tamis", ours_, nullptr);
  }

 private:
  template <class Filter>
  void put_transfers(const Version& version, std::string_view who, const Filter& filter, const Block* block) {
    put(version, who, "pinned", with_transfers(stream_, filter, pinned_, arguments_), block);
    put(version, who, "pageable", with_transfers(stream_, filter, pageable_, arguments_), block);
  }
  void put(const Version& version, std::string_view who, const char* transfers, const Mean& mean,
           const Block* block) const {
    Json line = {{"part", version.kernel == Kernel::Smoother ? "smoother" : "kernels"},
                 {"version", who},
                 {"edge", version.edge},
                 {"outputs", who == "tamis" ? Json() : Json(version.outputs)},
                 {"image", image_.shape().x},
                 {"transfers", transfers}};
    if (block) line["block"] = {block->x, block->y};
    line.update(figures(mean, image_.shape()));
    print(line);
  }

  const cuda::Stream& stream_;
  const Arguments& arguments_;
  const Image& image_;
  Timer timer_;
  HostImages pinned_, pageable_;
  Paper paper_;
  GpuOurs ours_;
  Image expected_;
};

void check_versions(const cuda::Stream& stream) {
  std::vector<Version> smoothers;
  for (const int edge : smoother_edges) {
    smoothers.push_back({Kernel::Smoother, edge, 1});
    smoothers.push_back({Kernel::Smoother, edge, 2});
  }
  std::vector<Version> any_value = kernels();
  std::erase_if(any_value, [](const Version& version) { return is_histogram(version.kernel); });
  int checked = 0;
  for (const Shape& shape : {Shape{1, 96, 224, 2}, Shape{1, 131, 67, 2}}) {
    check_on(stream, grey_image(shape), kernels());
    check_on(stream, noise(shape), any_value);
    check_on(stream, noise(shape), smoothers);
    checked += static_cast<int>(kernels().size() + any_value.size() + smoothers.size());
  }
  print({{"checked", checked}});
}

void measure_kernels(const cuda::Stream& stream, const Arguments& arguments) {
  for (int edge = arguments.largest; edge >= 512; edge /= 2) {
    const Image image = grey_image({1, edge, edge, 2});
    Study study(stream, arguments, image);
    for (const Version& version : kernels()) study.measure(version);
    for (const int window : {3, 5, 7, 9}) study.measure_ours({Kernel::Forgetful, window, 1});
  }
}

void measure_smoother(const cuda::Stream& stream, const Arguments& arguments) {
  const Image image = grey_image({1, arguments.largest, arguments.largest, 2});
  Study study(stream, arguments, image);
  for (const int edge : smoother_edges) {
    for (const int outputs : {1, 2}) study.measure({Kernel::Smoother, edge, outputs});
    study.measure_ours({Kernel::Smoother, edge, 1});
  }
}

}  // namespace

void measure_on_gpu(const Arguments& arguments) {
  const int gpu = Context{}.gpu;
  const cuda::DeviceScope scope(gpu);
  const cuda::Stream stream(gpu);
  check_versions(stream);
  const auto wants = [&](const char* part) { return arguments.only.empty() || arguments.only == part; };
  if (wants("kernels")) measure_kernels(stream, arguments);
  if (wants("smoother")) measure_smoother(stream, arguments);
}

}  // namespace tamis::perrot
