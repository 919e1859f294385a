// Which engines of the CPU do a step.
#pragma once

#include <cstdint>
#include <string>

#include <tamis/image.hpp>

#include "median/cpu/network/program.hpp"
#include "median/cpu/rank_set/run.hpp"
#include "median/plan/steps.hpp"

namespace tamis::median_detail {

// What was measured, and what follows from it: on two cores of an AMD EPYC (Zen 4, AVX-512) that others used too, one
// thread. Only ratios matter.

/// Nanoseconds for a result, for keys of one, two and four bytes.
struct CpuTuning {
  double bisection[3] = {0.6, 2, 4};
  double bisection_sample[3] = {0.09, 0.19, 0.4};    ///< for each sample of the window
  double network[3] = {0.009, 0.018, 0.035};         ///< for a cycle of a vector, see NetworkProgram
  double network_sample[3] = {0.009, 0.018, 0.035};  ///< for each sample of large windows at least
  double histogram[3] = {3.5, 13, 19};
  double histogram_slice[3] = {2, 4.4, 5};           ///< for each slice of the window but the first
  double histogram_sample[3] = {0, 0.0006, 0.0006};  ///< for each sample of the window: buckets grow with it
  double rank_set[3] = {20, 22, 27};
  double rank_set_change = 0.9;  ///< for each sample that comes or goes
  double bit_sums = 0.5;         ///< for a packed sample
  double bit_sample = 0.008;     ///< for each sample of the window
};
inline constexpr CpuTuning cpu_tuning;

}  // namespace tamis::median_detail

namespace tamis::median_detail::cpu {

/// Engines that find any rank, and that accept another rank for each pixel.
enum class Engine : std::uint8_t { Bisection, Histogram, RankSet };

struct Plan {
  Engine engine = Engine::Bisection;
  /// A network finds all results of one rank; the engine is left with those whose rank differs from pixel to pixel.
  bool by_network = false;
  NetworkProgram network;
  Slides slides;           ///< for Engine::RankSet
  double nanoseconds = 0;  ///< for a result, about, on one thread

  /// For people. `ranks_vary`: windows shrink.
  [[nodiscard]] std::string text(bool ranks_vary) const;
};

/// The fastest for samples of a type in rows of nx; packed bits have none of these.
[[nodiscard]] Plan make_plan(const RankStep& step, Type type, std::int64_t nx);

}  // namespace tamis::median_detail::cpu
