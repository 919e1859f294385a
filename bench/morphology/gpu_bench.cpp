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
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/gpu/morphology.hpp>

#include "bench/gpu_noise.hpp"
#include "bench/gpu_timer.hpp"

namespace {

using tamis::bench::calls_of;
using tamis::bench::Json;
using tamis::bench::print;
using tamis::cuda::check;

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

/// The inputs of a batch and places for their results, on the device.
class DeviceBatch {
 public:
  DeviceBatch(const Batch& batch, const tamis::cuda::Stream& stream)
      : image_(tamis::bench::noise(batch.type, batch.shape)), bytes_(image_.bytes()), stream_(stream) {
    for (int i = 0; i < batch.volumes; ++i) {
      inputs_.emplace_back(stream, bytes_);
      results_.emplace_back(stream, bytes_);
      check(cudaMemcpyAsync(inputs_.back().data(), image_.data(), static_cast<std::size_t>(bytes_),
                            cudaMemcpyHostToDevice, stream.get()),
            "copy to the device");
    }
    stream.synchronize();
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_ * std::int64_t(inputs_.size()); }
  [[nodiscard]] std::int64_t samples() const { return image_.shape().count() * std::int64_t(inputs_.size()); }

  void filter(tamis::GpuMorphology& filter) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) filter.run(inputs_[i].data(), results_[i].data());
  }
  void copy() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      check(cudaMemcpyAsync(results_[i].data(), inputs_[i].data(), static_cast<std::size_t>(bytes_),
                            cudaMemcpyDeviceToDevice, stream_.get()),
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
  const tamis::cuda::Stream& stream_;
  std::vector<tamis::cuda::DeviceBuffer<std::byte>> inputs_, results_;
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
  return tamis::bench::figures(times, static_cast<double>(samples));
}

Json measure(const DeviceBatch& memory, const Batch& batch, const std::string& element,
             const tamis::cuda::Stream& stream, const Arguments& arguments) {
  tamis::Context context;
  context.device = tamis::Device::Cuda;
  tamis::GpuMorphology filter(context, tamis::Operation::Open, batch.type, batch.shape,
                              {.morphology = {.element = element}, .stream = stream.get()});
  const auto open = [&] { memory.filter(filter); };
  const auto copy = [&] { memory.copy(); };
  copy();  // what is compared afterwards must not be there already from the element before
  open();
  filter.wait();
  if (arguments.check) require_same(memory, element);

  const tamis::bench::Timer timer(stream);
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

void run(const Arguments& arguments) {
  if (const std::string problem = tamis::why_no_gpu(); !problem.empty()) {
    throw tamis::ResourceError("no GPU to measure: " + problem + "; wanted one that tamis can use");
  }
  const int gpu = tamis::Context{}.gpu;
  const tamis::cuda::DeviceScope scope(gpu);
  print({{"machine", tamis::bench::machine()}});
  const tamis::cuda::Stream stream(gpu);
  for (Batch& batch : batches()) {
    std::erase_if(batch.elements, [&](const std::string& element) {
      return !(std::string(name(batch.type)) + " " + element).starts_with(arguments.only);
    });
    if (batch.elements.empty()) continue;
    const DeviceBatch memory(batch, stream);
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
    return dynamic_cast<const tamis::InputError*>(&error) || dynamic_cast<const tamis::ResourceError*>(&error) ? 2 : 1;
  }
}
