// Distances on the GPU: erosions, four a pass, counted per voxel. granulometry/README.md tells the story.
#pragma once

#include <cstdint>

#include "core/gpu/stream.hpp"
#include "granulometry/gpu/recursion/recursion.hpp"
#include "granulometry/gpu/windows.hpp"

namespace tamis::granulometry_detail::gpu {

/// One row of a window as bits: the even voxels and the odd ones.
struct BitRow {
  std::uint32_t even, odd;
};

/// How many of the four erosions of a pass a voxel survives, modulo 4: those that survive all count as a pass.
struct CountRow {
  BitRow ones, twos;
};

struct BitImage {
  const std::uint64_t* words = nullptr;  ///< rows as in Image, from the first slice of the volume on
  std::int64_t words_of_row = 0;
  std::int64_t slices = 0;  ///< 1: the same slice everywhere
};

/// Queues the packing of an image into windows; `depth`, if any, gets 1 for each group of rows with a voxel in it.
/// With a domain, voxels outside it are 1 (they never erode), and so is everything outside the image.
void pack_windows(const cuda::Stream& stream, const Windows& windows, const BitImage& object, const BitImage* domain,
                  BitRow* out, std::uint8_t* depth);

struct ErosionPass {
  Windows windows;
  Neighbours neighbours = Neighbours::Cross3;
  bool neutral = false;                         ///< voxels outside the domain are 1 and stay 1
  bool open_below = false, open_above = false;  ///< the volume goes on there: what lies outside does not erode
  int chunk = 0;                                ///< slices of a warp
  const BitRow* from = nullptr;
  const BitRow* domain = nullptr;  ///< only if neutral
  BitRow* to = nullptr;            ///< after four erosions
  CountRow* counts = nullptr;
  int index = 0;                        ///< of the pass in its round
  std::uint8_t* depth = nullptr;        ///< of each group of rows: 1 + the passes that something of it survived
  const unsigned* left_from = nullptr;  ///< 0: nothing is left, the pass does nothing
  unsigned* left_to = nullptr;          ///< voxels left (some number above 0), 0 before the pass
  unsigned* changed = nullptr;          ///< above 0 if anything eroded, 0 before the pass
};

/// Queues four erosions.
void erosion_pass(const cuda::Stream& stream, const ErosionPass& pass);

/// Queues the start of another round: what survived all passes has depth 1, all else 0.
void restart_depths(const cuda::Stream& stream, std::uint8_t* depth, std::int64_t count);

struct Assembly {
  static constexpr int most_passes = 16;
  Windows windows;
  bool neutral = false;
  int passes = 0;                               ///< erosion passes to gather
  std::int64_t base = 0;                        ///< distance of what was alive before the first of them
  const BitRow* rows = nullptr;                 ///< passes + 1 volumes, one after the other
  const CountRow* counts = nullptr;             ///< passes volumes
  const std::uint8_t* depth = nullptr;          ///< as the passes left it
  const unsigned* left = nullptr;               ///< of each pass: 0 if there was nothing left for it
  const BitRow* domain = nullptr;               ///< only if neutral
  bool end = false;                             ///< nothing of what is alive after them ever erodes, or all is capped
  std::int64_t cap = 0;                         ///< distances above are this; 0: none
  std::int64_t peaks_begin = 0, peaks_end = 0;  ///< slices whose largest distance is asked for
  std::int64_t count_begin = 0, count_end = 0;  ///< slices in which what never erodes is counted
  PlaneRows to[2];                              ///< distances, twice: passes read one and write the other
  std::uint16_t* peaks = nullptr;
  unsigned* largest = nullptr;          ///< maximum over the asked slices, 0 before
  unsigned long long* never = nullptr;  ///< voxels that never erode, 0 before
};

/// Queues the gathering of counts to distances in planes. Where base > 0, distances up to it are there already.
void assemble_distances(const cuda::Stream& stream, int planes, const Assembly& assembly);

}  // namespace tamis::granulometry_detail::gpu
