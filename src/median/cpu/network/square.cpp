#include "median/cpu/network/kernels.hpp"

#include <utility>

namespace tamis::median_detail::cpu {
namespace {

bool has_kernels(const NetworkWindow& window) {
  const std::int64_t size = window.width;
  if (window.height != size || window.rank != window.count() / 2) return false;
  if (window.depth == 1) return size % 2 == 1 && size >= 5 && size <= 15;
  return window.depth == size && (size == 3 || size == 5);
}

/// Slices sorted at each sample.
void sort_slices(Program& program, int depth, int phases) {
  program.made_elements = phases * depth;
  if (depth == 1) return;
  for (int phase = 0; phase < phases; ++phase) {
    Instruction instruction;
    for (int z = 0; z < depth; ++z) instruction.inputs.push_back({space::rows + z, phase, 0});
    instruction.out = {space::made, phase * depth, 0};
    instruction.end = depth;
    program.instructions.push_back(std::move(instruction));
  }
}

}  // namespace

NetworkProgram square_program(const NetworkWindow& window) {
  NetworkProgram program;
  if (!has_kernels(window)) return program;
  const auto size = static_cast<int>(window.width);
  const auto depth = static_cast<int>(window.depth);
  program.window = window;
  program.tile_x = square_tile_x(size);
  program.tile_y = square_tile_y;
  program.kernel = ProgramKernel::Square;
  program.last_lane = (size - 1) / program.tile_x;
  sort_slices(program.row, depth, program.tile_x);
  for (int merged = 1; merged <= program.tile_x; merged *= 2) {
    program.columns.made_elements += program.tile_x * depth * (size + 1 - square_tile_y);
  }
  return program;
}

template <class K>
SquareKernels<K> square_kernels(Simd simd, const NetworkWindow& window) {
  if (window.depth == 3) return square_kernels_of<K, 3, 3>(simd);
  if (window.depth == 5) return square_kernels_of<K, 5, 5>(simd);
  if (window.width == 5) return square_kernels_of<K, 5, 1>(simd);
  if (window.width == 7) return square_kernels_of<K, 7, 1>(simd);
  if (window.width == 9) return square_kernels_of<K, 9, 1>(simd);
  if (window.width == 11) return square_kernels_of<K, 11, 1>(simd);
  if (window.width == 13) return square_kernels_of<K, 13, 1>(simd);
  return square_kernels_of<K, 15, 1>(simd);
}

template SquareKernels<std::uint8_t> square_kernels(Simd, const NetworkWindow&);
template SquareKernels<std::uint16_t> square_kernels(Simd, const NetworkWindow&);
template SquareKernels<std::uint32_t> square_kernels(Simd, const NetworkWindow&);

}  // namespace tamis::median_detail::cpu
