// Steps of a plan as kernels: the place where a step gets the fastest one that can do it.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/morphology.hpp>

#include "core/cuda/stream.hpp"
#include "morphology/box_cuda.hpp"
#include "morphology/morphology_plan.hpp"

namespace tamis::morphology_detail {

/// A step, or a part of one.
class Move {
 public:
  using Work =
      std::function<void(const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to, unsigned* nan)>;

  /// One whose kernel does not look for NaN. Work: void(stream, from, to).
  template <class Plain>
  explicit Move(Plain work)
      : work_([work = std::move(work)](const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to,
                                       unsigned*) { work(stream, from, to); }) {}
  /// One whose kernel sets *nan to 1 if it reads NaN, unless `nan` is null.
  [[nodiscard]] static Move that_looks_for_nan(Work work) {
    Move move;
    move.work_ = std::move(work);
    move.looks_for_nan_ = true;
    return move;
  }

  [[nodiscard]] bool looks_for_nan() const { return looks_for_nan_; }

  /// Queues it: from one image to another, both as DeviceStore has them, not the same.
  void run(const cuda::Stream& stream, const DeviceImage& from, const DeviceImage& to, unsigned* nan = nullptr) const {
    work_(stream, from, to, nan);
  }

 private:
  Move() = default;

  Work work_;
  bool looks_for_nan_ = false;
};

/// One after the other they make the step. It has to outlive them.
[[nodiscard]] std::vector<Move> moves_of(const Step& step, const Border& border, int rank, Type type,
                                         const Shape& shape);
/// Those of all steps.
[[nodiscard]] std::vector<Move> moves_of(const Plan& plan, Type type, const Shape& shape);

/// Whether they say if the image that they begin with holds NaN.
[[nodiscard]] inline bool look_for_nan(const std::vector<Move>& moves) {
  return !moves.empty() && moves.front().looks_for_nan();
}

/// The results go to `to` and `other` in turn, the last one to `to`; `other` is not used by one move alone. Neither is
/// `from`. No moves: a copy, `bytes` long. `nan` is for moves that look_for_nan().
void run_moves(const cuda::Stream& stream, const std::vector<Move>& moves, const DeviceImage& from,
               const DeviceImage& to, const DeviceImage& other, std::int64_t bytes, unsigned* nan = nullptr);

}  // namespace tamis::morphology_detail
