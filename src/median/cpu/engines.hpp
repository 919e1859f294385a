// Which engines of the CPU do a step.
#pragma once

#include <cstdint>
#include <string>

#include <tamis/image.hpp>

#include "median/cpu/network/program.hpp"
#include "median/cpu/rank_set/run.hpp"
#include "median/plan/steps.hpp"

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
