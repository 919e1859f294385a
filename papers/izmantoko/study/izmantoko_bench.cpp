// Times of the versions of Izmantoko and Choi (2013) and of tamis, one JSON object a line. Answers are compared with
// those of tamis on the CPU before anything is timed. papers/izmantoko/study/run.py calls this program.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/io.hpp>
#include <tamis/morphology.hpp>

#include "papers/izmantoko/study/gpu_study.hpp"
#include "core/cpu/parallel.hpp"
#include "core/device.hpp"
#include "papers/izmantoko/cpu/sequential.hpp"

namespace tamis::izmantoko {
namespace {

constexpr const char* usage =
    "usage: izmantoko_bench machine\n"
    "       izmantoko_bench IMAGE erode,dilate,open,close EDGE,EDGE... VERSION,VERSION...\n"
    "IMAGE: u8, 0 and 1 for the paper's versions. Edges: odd. Versions: sequential, tamis_cpu, and with a GPU naive,\n"
    "global, shared, tamis_gpu (device memory to device memory), tamis_transfers (host memory to host memory).\n";

constexpr int gpu = 0;
constexpr int batches = 21;
/// Shorter than this, events and clocks say more of themselves than of the work.
constexpr double batch_seconds = 2e-3;
/// Of one version of one case, about; what takes longer is run three times.
constexpr double patience_seconds = 1;

struct Times {
  double median = 0, least = 0, most = 0;
  int calls = 0;  ///< in each batch
};

/// Times of one call, from batches of calls; `batch(n)` is the seconds that n calls take.
Times time_batches(const std::function<double(int)>& batch) {
  const double once = batch(1);
  Times times;
  times.calls = std::max(1, static_cast<int>(batch_seconds / std::max(once, 1e-7)));
  const double expected = once * times.calls;
  const int wanted = std::clamp(static_cast<int>(patience_seconds / expected), 3, batches);
  std::vector<double> seconds;
  for (int i = 0; i < wanted; ++i) seconds.push_back(batch(times.calls) / times.calls);
  std::sort(seconds.begin(), seconds.end());
  times.median = seconds[seconds.size() / 2];
  times.least = seconds.front();
  times.most = seconds.back();
  return times;
}

double seconds_of(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Times time_on_host(const std::function<void()>& call) {
  return time_batches([&](int calls) {
    return seconds_of([&] {
      for (int i = 0; i < calls; ++i) call();
    });
  });
}

bool same(const Image& a, const Image& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0;
}

void require_same(const std::string& version, const Image& got, const Image& wanted) {
  if (!same(got, wanted)) throw Error(version + ": not what tamis computes on the CPU; nothing is timed");
}

/// One image, and what it was asked.
class Study {
 public:
  explicit Study(const std::string& path) : image_(read(path)) {
    if (image_.type() != Type::U8) {
      throw InputError(fmt::format("{}: samples of {}; wanted u8", path, tamis::name(image_.type())));
    }
#ifdef TAMIS_CUDA
    if (ask_gpu(gpu).problem.empty()) gpu_.emplace(gpu, image_);
#endif
  }

  /// Nothing where there is no such version of this case, or no GPU for it.
  std::optional<Times> run(const std::string& version, const Case& what) {
    const MorphologyOptions options{.element = StructuringElement::square(what.edge)};
    Image wanted;
    morphology(cpu(), what.operation, image_, options, wanted);
    if (version == "sequential") return cpu::is_binary_image(image_) ? run_sequential(what, wanted) : std::nullopt;
    if (version == "tamis_cpu") return run_tamis(cpu(), what.operation, options, wanted);
#ifdef TAMIS_CUDA
    if (!gpu_) return std::nullopt;
    if (version == "tamis_transfers") {
      Context context;
      context.device = Device::Cuda;
      context.gpu = gpu;
      return run_tamis(context, what.operation, options, wanted);
    }
    if (gpu_->has(version, what)) return run_on_device(version, what, wanted);
#endif
    return std::nullopt;
  }
  [[nodiscard]] std::string size() const { return to_string(image_.shape()); }
  [[nodiscard]] std::int64_t pixels() const { return image_.shape().count(); }

 private:
  static Context cpu() {
    Context context;
    context.device = Device::Cpu;
    return context;
  }

  std::optional<Times> run_sequential(const Case& what, const Image& wanted) {
    const auto call = [&] { return cpu::sequential(what.operation, image_, static_cast<int>(what.edge / 2)); };
    require_same("sequential", call(), wanted);
    return time_on_host([&] { static_cast<void>(call()); });
  }
  Times run_tamis(const Context& context, Operation operation, const MorphologyOptions& options, const Image& wanted) {
    Image out;
    const auto call = [&] { morphology(context, operation, image_, options, out); };
    call();
    require_same("tamis", out, wanted);
    return time_on_host(call);
  }
#ifdef TAMIS_CUDA
  Times run_on_device(const std::string& version, const Case& what, const Image& wanted) {
    gpu_->queue(version, what);
    require_same(version, gpu_->result(), wanted);
    const Times times = time_batches([&](int calls) {
      return gpu_->seconds_of([&] {
        for (int i = 0; i < calls; ++i) gpu_->queue(version, what);
      });
    });
    require_same(version + ", repeated", gpu_->result(), wanted);
    return times;
  }
  std::optional<GpuStudy> gpu_;
#endif
  Image image_;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

Operation operation_of(const std::string& word) {
  for (const Operation operation : {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close}) {
    if (word == tamis::name(operation)) return operation;
  }
  throw InputError("operation " + word + "; wanted erode, dilate, open or close");
}

std::int64_t edge_of(const std::string& word) {
  const int edge = std::atoi(word.c_str());
  if (edge < 3 || edge % 2 == 0) throw InputError("edge " + word + "; wanted an odd number from 3 on");
  return edge;
}

void print(const Study& study, const std::string& operation, std::int64_t edge, const std::string& version,
           const Times& times) {
  fmt::print(
      "{{\"image\": \"{}\", \"pixels\": {}, \"operation\": \"{}\", \"edge\": {}, \"version\": \"{}\", "
      "\"median_ms\": {:.5g}, \"min_ms\": {:.5g}, \"max_ms\": {:.5g}, \"calls\": {}}}\n",
      study.size(), study.pixels(), operation, edge, version, times.median * 1e3, times.least * 1e3, times.most * 1e3,
      times.calls);
  std::fflush(stdout);
}

void print_machine() {
  const Gpu device = ask_gpu(gpu);
  const Context context;
  fmt::print("{{\"cpu\": \"{}\", \"cpu_threads\": {}, \"gpu\": \"{}\", \"no_gpu\": \"{}\", \"built_for\": \"{}\"}}\n",
             context.describe(Device::Cpu), thread_count(context), device.name, device.problem, cuda_build());
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "machine") {
    print_machine();
    return 0;
  }
  if (words.size() != 4) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  Study study(words[0]);
  for (const std::string& operation : words_of(words[1])) {
    for (const std::string& edge : words_of(words[2])) {
      const Case what{operation_of(operation), edge_of(edge)};
      for (const std::string& version : words_of(words[3])) {
        if (const auto times = study.run(version, what)) print(study, operation, what.edge, version, *times);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace tamis::izmantoko

int main(int count, char** arguments) {
  try {
    return tamis::izmantoko::run({arguments + 1, arguments + count});
  } catch (const tamis::InputError& error) {
    fmt::print(stderr, "izmantoko_bench: {}\n", error.what());
    return 2;
  } catch (const tamis::ResourceError& error) {
    fmt::print(stderr, "izmantoko_bench: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "izmantoko_bench: {}\n", error.what());
    return 1;
  }
}
