// The GPU versions of Karas, Morard, Bartovsky, Grandpierre, Dokladalova, Matula and Dokladal, "GPU Implementation of
// Linear Morphological Openings with Arbitrary Angle" (2015), for the benchmark. History: tamis uses none of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>

#include "core/gpu/stream.hpp"

namespace tamis::karas::gpu {

/// Basic: section 4.3, one thread a line, its queue or stack in global memory. Optimised: section 5, zones, the last
/// entries in shared memory, the image as a texture, shallow lines written turned and turned back.
enum class Version : std::uint8_t { BasicMorard, BasicBartovsky, Morard, Bartovsky };
[[nodiscard]] std::string_view name(Version version);
constexpr Version all_versions[] = {Version::BasicMorard, Version::BasicBartovsky, Version::Morard, Version::Bartovsky};
[[nodiscard]] constexpr bool is_optimised(Version version) {
  return version == Version::Morard || version == Version::Bartovsky;
}

/// Section 5.4; basic versions know the block only.
struct Configuration {
  int block = 32;          ///< S_b, a multiple of 32
  int zones = 1;           ///< Z
  int near_capacity = 16;  ///< l, a power of two
};
/// Table 1, compute capability 2.x, for lines side by side on `across` samples: Z no more than rule 3 allows.
[[nodiscard]] Configuration table_1(std::int64_t across, std::int64_t along, std::int64_t length, int multiprocessors);
/// Rule 3: zones that overlap by no more than they have.
[[nodiscard]] int most_zones(std::int64_t along, std::int64_t length);

struct Task {
  std::int64_t length = 1;
  std::vector<double> angles;
  bool dark = false;  ///< closings
  bool fit = false;   ///< border fit, else neutral
};

/// A U8 image on the device and openings of it, one slice an angle.
class Paper {
 public:
  Paper(const cuda::Stream& stream, const Image& image);
  ~Paper();
  Paper(const Paper&) = delete;
  Paper& operator=(const Paper&) = delete;

  /// Takes the memory that run() needs.
  void prepare(Version version, const Task& task, const Configuration& configuration);
  /// Queues what is prepared: openings at all angles at once.
  void run() const;
  /// The result at one of the angles.
  [[nodiscard]] Image result(std::size_t angle) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tamis::karas::gpu
