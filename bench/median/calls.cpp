// Medians behind C functions, on images that bench/morphology/calls.cpp made, so that cpu.py can time the library and
// its peers in turn in one process.
#include <tamis/context.hpp>
#include <tamis/error.hpp>
#include <tamis/median.hpp>

#include <cstdio>

namespace {

tamis::Context on_cpu(int threads) {
  tamis::Context context;
  context.device = tamis::Device::Cpu;
  context.threads = threads;
  return context;
}

}  // namespace

extern "C" {

/// A median into memory that is there; `border` is the number of a tamis::Border::Kind. 0 if it went well.
int bench_median(const void* in, void* out, const char* window, double percentile, int border, int threads) {
  try {
    tamis::median(on_cpu(threads), *static_cast<const tamis::Image*>(in),
                  {.window = tamis::StructuringElement(window),
                   .percentile = percentile,
                   .border = {static_cast<tamis::Border::Kind>(border), 0}},
                  *static_cast<tamis::Image*>(out));
    return 0;
  } catch (const tamis::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

int bench_smooth(const void* in, void* out, int edge, int border, int threads) {
  try {
    tamis::SmoothOptions options;
    options.width = options.height = edge;
    options.border = {static_cast<tamis::Border::Kind>(border), 0};
    tamis::smooth(on_cpu(threads), *static_cast<const tamis::Image*>(in), options, *static_cast<tamis::Image*>(out));
    return 0;
  } catch (const tamis::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
}
