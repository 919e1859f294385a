// Where and how an operation runs: device, threads, memory, progress, cancellation.
#pragma once

#include <tamis/compiler.hpp>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace TAMIS_PUBLIC tamis {

enum class Device : std::uint8_t { Auto, Cpu, Cuda };

/// Instruction set of the CPU kernels. Results never depend on it.
enum class Simd : std::uint8_t { Best, Avx512, Avx2, Portable };

/// How far a stage of the work has come; total is 0 where it is not known.
struct Progress {
  std::string_view stage;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// Plain value; copy it freely. An operation uses nothing that is not in here.
struct Context {
  Device device = Device::Auto;
  /// 0: as many as the oneTBB arena that the call is made in has, and outside of one all cores this process may use.
  int threads = 0;
  int gpu = 0;                     ///< which GPU, where one is used (see gpus())
  /// Further GPUs that share the work of Device::Cuda on images of the host: filters that are local, granulometries by
  /// crosses, squares, cubes, balls and disks, their size maps. The answers are those of one GPU. Other work is done on
  /// `gpu` alone.
  std::vector<int> more_gpus;
  std::int64_t memory_bytes = 0;   ///< limit for the library's own buffers; 0: none
  std::int64_t device_memory_bytes = 0;  ///< the same on the GPU; what does not fit runs in slabs; 0: what is free
  /// For arrays that lie on a GPU (gpu/array.hpp): the caller's cudaStream_t there, on which everything is queued.
  /// nullptr: a stream of the call's own, which it waits for. CUDA's default stream has to be named: cudaStreamLegacy.
  void* stream = nullptr;
  Simd simd = Simd::Best;
  std::stop_token cancel;          ///< operations throw Cancelled soon after a stop is requested
  /// How far a call is. Each call reports from one thread at a time, which need not be the thread that called. Calls that
  /// run at the same time and share a context, or copies of one, each report for themselves: what is given here is then
  /// called by as many threads at once as there are calls, and has to lock what it changes. The same goes for on_stage.
  /// What it throws comes out of the call, from whichever thread it came: as it is, but for what error.hpp names. The call
  /// ends as one that is cancelled. The same goes for on_stage and on_note.
  std::function<void(const Progress&)> on_progress;
  std::function<void(std::string_view stage, double seconds)> on_stage;  ///< a stage has ended
  /// Something that people should know, although the work goes on: a GPU has failed, and the others take its part. May
  /// come from any thread, from one at a time.
  std::function<void(std::string_view note)> on_note;

  /// The best device of this machine for each operation: the GPU where one can be used and the work is large enough
  /// to pay for it, otherwise all cores of the CPU (see choose_device).
  static Context best();

  /// What the work runs on, for people: "CPU, 2 threads, AVX-512", "NVIDIA H200 (GPU 0)", "NVIDIA H200 (GPUs 0, 2)". Auto is described as the
  /// CPU, which is what it comes to where there is no GPU.
  [[nodiscard]] std::string describe() const;
  /// The same for what choose_device chose.
  [[nodiscard]] std::string describe(Device chosen) const;
};

/// Where an operation on an image of `voxels` voxels runs: Cpu or Cuda. Auto takes the GPU `context.gpu` if it can be
/// used and the work pays for the start of CUDA (a third of a second, once in a process) and the copies; small work
/// does not start CUDA. Throws ResourceError if the context asks for a GPU that cannot be used.
[[nodiscard]] Device choose_device(const Context& context, std::int64_t voxels);

/// Throws InputError for a context that is none: an unknown device or instruction set, a number below 0. Throws
/// ResourceError if it asks for a device that is not there, Cancelled if it was stopped. Every call begins with this.
void require_device(const Context& context);

}  // namespace tamis
