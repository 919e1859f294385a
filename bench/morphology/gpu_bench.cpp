// Openings from device memory to device memory, beside copies of the same bytes. Lines of JSON, the machine first.
//
//   morphology_gpu_bench [--check] [--repetitions N] [--only "u8 square"]
//
// --check compares the last image of each batch with the CPU's opening before anything is timed. --only: the cases
// whose name, type and element, begins so. Batches are of 256 MB and more: what the L2 holds of them is no help.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <nlohmann/json.hpp>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu_morphology.hpp>

namespace {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they are written

struct Arguments {
  bool check = false;
  int repetitions = 11;
  std::string only;
};

/// One input and the elements that open it. A stack is one array; volumes are run one after the other.
struct Batch {
  tamis::Type type;
  tamis::Shape shape;
  int volumes;
  std::vector<std::string> elements;
};

constexpr std::int64_t edge = 4096;

std::vector<Batch> batches() {
  const std::vector<std::string> flat = {"square:3",   "square:7", "square:15", "square:41",
                                         "square:201", "disk:5",   "disk:15",   "line:41@30"};
  return {{tamis::Type::U8, {24, edge, edge, 2}, 1, flat},
          {tamis::Type::U16, {12, edge, edge, 2}, 1, flat},
          {tamis::Type::F32, {8, edge, edge, 2}, 1, flat},
          {tamis::Type::U8, {512, 512, 512, 3}, 2, {"cube:5", "cube:15", "ball:5"}},
          {tamis::Type::Bool, {1024, 1024, 1024, 3}, 2, {"cross:1", "cube:3", "cube:15"}}};
}

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw tamis::EnvironmentError("GPU: " + std::string(what) + ": " + cudaGetErrorString(status));
}

struct Stream {
  Stream() { check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream"); }
  ~Stream() { static_cast<void>(cudaStreamDestroy(stream)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t stream = nullptr;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(std::int64_t bytes) {
    check(cudaMalloc(&data_, static_cast<std::size_t>(bytes)), "allocate device memory");
  }
  ~DeviceMemory() { static_cast<void>(cudaFree(data_)); }
  DeviceMemory(DeviceMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

/// Device time by events.
class Timer {
 public:
  explicit Timer(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&start_), "create an event");
    check(cudaEventCreate(&stop_), "create an event");
  }
  ~Timer() {
    static_cast<void>(cudaEventDestroy(start_));
    static_cast<void>(cudaEventDestroy(stop_));
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Milliseconds of one of so many calls.
  template <class Work>
  [[nodiscard]] double milliseconds(int calls, const Work& work) const {
    check(cudaEventRecord(start_, stream_), "record an event");
    for (int i = 0; i < calls; ++i) work();
    check(cudaEventRecord(stop_, stream_), "record an event");
    check(cudaEventSynchronize(stop_), "wait for the device");
    float all = 0;
    check(cudaEventElapsedTime(&all, start_, stop_), "read two events");
    return double(all) / calls;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// Noise: for f32 whole numbers from 0 to 65535, of bits 7 in 8 are 1.
tamis::Image noise(tamis::Type type, const tamis::Shape& shape) {
  tamis::Image image(type, shape);
  std::mt19937_64 random(7);
  if (type == tamis::Type::F32) {
    auto* const samples = reinterpret_cast<float*>(image.data());
    std::uint64_t draw = 0;
    for (std::int64_t i = 0; i < shape.count(); ++i, draw >>= 16) {
      if (i % 4 == 0) draw = random();
      samples[i] = float(draw & 0xffff);
    }
    return image;
  }
  auto* const words = reinterpret_cast<std::uint64_t*>(image.data());
  for (std::int64_t i = 0; i < image.bytes() / 8; ++i) {
    words[i] = type == tamis::Type::Bool ? random() | random() | random() : random();
  }
  return image;
}

/// The inputs of a batch and places for their results, on the device.
class DeviceBatch {
 public:
  DeviceBatch(const Batch& batch, cudaStream_t stream)
      : image_(noise(batch.type, batch.shape)), bytes_(image_.bytes()), stream_(stream) {
    for (int i = 0; i < batch.volumes; ++i) {
      inputs_.emplace_back(bytes_);
      results_.emplace_back(bytes_);
      check(cudaMemcpy(inputs_.back().data(), image_.data(), static_cast<std::size_t>(bytes_), cudaMemcpyHostToDevice),
            "copy to the device");
    }
    check(cudaDeviceSynchronize(), "wait for the device");  // copies from pageable memory return before they end
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_ * std::int64_t(inputs_.size()); }
  [[nodiscard]] std::int64_t samples() const { return image_.shape().count() * std::int64_t(inputs_.size()); }

  void filter(tamis::GpuMorphology& filter) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) filter.run(inputs_[i].data(), results_[i].data());
  }
  void copy() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      check(cudaMemcpyAsync(results_[i].data(), inputs_[i].data(), static_cast<std::size_t>(bytes_),
                            cudaMemcpyDeviceToDevice, stream_),
            "copy on the device");
    }
  }

  /// The last image of a stack, or the last volume: of the input or of the result.
  [[nodiscard]] tamis::Image last_input() const {
    tamis::Image part = empty_part();
    std::memcpy(part.data(), image_.data() + bytes_ - part.bytes(), static_cast<std::size_t>(part.bytes()));
    return part;
  }
  [[nodiscard]] tamis::Image last_result() const {
    tamis::Image part = empty_part();
    check(cudaMemcpy(part.data(), results_.back().data() + bytes_ - part.bytes(),
                     static_cast<std::size_t>(part.bytes()), cudaMemcpyDeviceToHost),
          "copy from the device");
    return part;
  }

 private:
  [[nodiscard]] tamis::Image empty_part() const {
    tamis::Shape shape = image_.shape();
    if (shape.rank == 2) shape.z = 1;
    return {image_.type(), shape};
  }

  tamis::Image image_;
  std::int64_t bytes_;
  cudaStream_t stream_;
  std::vector<DeviceMemory> inputs_, results_;
};

/// Nothing is timed after a wrong answer.
void require_same(const DeviceBatch& batch, const std::string& element) {
  tamis::Context cpu;
  cpu.device = tamis::Device::Cpu;
  const tamis::Image wanted = tamis::open(cpu, batch.last_input(), {.element = element});
  const tamis::Image got = batch.last_result();
  if (std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.bytes())) == 0) return;
  throw tamis::Error("the GPU's opening by " + element + " of " + std::string(name(wanted.type())) +
                     " samples is not the CPU's: nothing was timed");
}

Json figures(std::vector<double> times, std::int64_t samples) {
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  return {{"median_ms", median},
          {"min_ms", times.front()},
          {"max_ms", times.back()},
          {"gpx_per_s", double(samples) / median / 1e6}};
}

/// Calls that take 2 ms and more together: the first launch is then no part of what is seen.
int calls_of(double once) { return std::clamp(int(2 / std::max(once, 1e-3)) + 1, 1, 200); }

Json measure(const DeviceBatch& memory, const Batch& batch, const std::string& element, const Stream& stream,
             const Arguments& arguments) {
  tamis::Context context;
  context.device = tamis::Device::Cuda;
  tamis::GpuMorphology filter(context, tamis::Operation::Open, batch.type, batch.shape,
                              {.morphology = {.element = element}, .stream = stream.stream});
  const auto open = [&] { memory.filter(filter); };
  const auto copy = [&] { memory.copy(); };
  copy();  // what is compared afterwards must not be there already from the element before
  open();
  filter.wait();
  if (arguments.check) require_same(memory, element);

  const Timer timer(stream.stream);
  const int open_calls = calls_of(timer.milliseconds(1, open)), copy_calls = calls_of(timer.milliseconds(1, copy));
  std::vector<double> ours, floor;
  for (int i = 0; i < arguments.repetitions; ++i) {
    floor.push_back(timer.milliseconds(copy_calls, copy));
    ours.push_back(timer.milliseconds(open_calls, open));
  }
  const Json opening = figures(std::move(ours), memory.samples());
  const Json copying = figures(std::move(floor), memory.samples());
  return {{"type", name(batch.type)},
          {"element", element},
          {"shape_zyx", {batch.shape.z, batch.shape.y, batch.shape.x}},
          {"stack", batch.shape.rank == 2},
          {"volumes", batch.volumes},
          {"bytes", memory.bytes()},
          {"checked", arguments.check},
          {"opening", opening},
          {"copy", copying},
          {"times_copy", opening["median_ms"].get<double>() / copying["median_ms"].get<double>()}};
}

Json machine(const tamis::Gpu& gpu) {
  int cuda = 0;
  check(cudaDriverGetVersion(&cuda), "ask the driver");
  std::string driver;
  std::getline(std::ifstream("/sys/module/nvidia/version"), driver);
  return {{"gpu", gpu.name},
          {"driver", driver},
          {"driver_cuda", std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10)},
          {"built_for", tamis::cuda_build()},
          {"cpu", tamis::Context{}.describe(tamis::Device::Cpu)}};
}

void print(const Json& line) {
  std::puts(line.dump().c_str());
  std::fflush(stdout);
}

void run(const Arguments& arguments) {
  if (const std::string problem = tamis::why_no_gpu(); !problem.empty()) {
    throw tamis::EnvironmentError("no GPU to measure: " + problem + "; wanted one that tamis can use");
  }
  check(cudaSetDevice(tamis::Context{}.gpu), "use the GPU");
  print({{"machine", machine(tamis::gpus().front())}});
  const Stream stream;
  for (Batch& batch : batches()) {
    std::erase_if(batch.elements, [&](const std::string& element) {
      return !(std::string(name(batch.type)) + " " + element).starts_with(arguments.only);
    });
    if (batch.elements.empty()) continue;
    const DeviceBatch memory(batch, stream.stream);
    for (const std::string& element : batch.elements) print(measure(memory, batch, element, stream, arguments));
  }
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if (words[i] == "--check") {
      arguments.check = true;
    } else if (words[i] == "--repetitions" && more && std::atoi(words[i + 1].c_str()) > 0) {
      arguments.repetitions = std::atoi(words[++i].c_str());
    } else if (words[i] == "--only" && more) {
      arguments.only = words[++i];
    } else {
      throw tamis::InputError(words[i] + "; wanted [--check] [--repetitions N, 1 or more] [--only \"u8 square\"]");
    }
  }
  return arguments;
}

}  // namespace

int main(int count, char** words) {
  try {
    run(parse({words + 1, words + count}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "morphology_gpu_bench: %s\n", error.what());
    return dynamic_cast<const tamis::InputError*>(&error) || dynamic_cast<const tamis::EnvironmentError*>(&error) ? 2
                                                                                                                  : 1;
  }
}
