#include "io/itk/place.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include <tamis/error.hpp>

#include "io/checked.hpp"
#include "io/flat/flat.hpp"
#include "io/itk/client.hpp"
#include "io/itk/inflate.hpp"
#include "io/itk/rescale.hpp"
#include "io/mapped_file.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

void check_length(const MappedFile& file, const ItkPlace& place) {
  if (place.deflated) return check_stream(file, place);
  const std::int64_t wanted = checked_bytes(place.path, place.layout);
  const Checked left = Checked(file.size()) - place.offset;
  if (left.is(wanted)) return;
  const std::int64_t got = left.value_or(0);
  throw InputError(fmt::format("{}: got {} bytes of samples, wanted {} ({} {})", place.data, got, wanted,
                               to_string(place.layout.shape), name(place.layout.type)));
}

/// Two readings of one header that differ mean that one of them is wrong; better none than the wrong one.
void require_same(const ItkPlace& place, const ItkHeader& itk) {
  const Shape& s = place.layout.shape;
  const bool same_shape = itk.sizes == std::array<std::int64_t, 3>{s.x, s.y, s.z};
  // ITK says floats of what it would rescale.
  if (same_shape && (place.rescaled() || itk.type == place.layout.type)) return;
  throw InputError(fmt::format("{}: an ambiguous header: ITK takes it for {}x{}x{} {}, wanted {} {}", place.path,
                               itk.sizes[0], itk.sizes[1], itk.sizes[2], name(itk.type), to_string(s),
                               name(place.layout.type)));
}

Spacing spacing_of(const ItkPlace& place, const ItkHeader& itk) {
  if (!place.spaced || place.unit.empty()) return {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(place.layout.shape.rank); ++d) {
    if (!std::isfinite(itk.spacing[d]) || itk.spacing[d] <= 0) return {};
  }
  Spacing spacing{1, rounded_to_float(itk.spacing[1]), rounded_to_float(itk.spacing[0]), place.unit};
  if (place.layout.shape.rank == 3) spacing.z = rounded_to_float(itk.spacing[2]);
  return spacing;
}

std::unique_ptr<Source> open_samples(MappedFile file, const ItkPlace& place) {
  if (place.deflated) return open_stream(std::move(file), place);
  return open_flat(std::move(file),
                   {place.offset, checked_bytes(place.path, place.layout) / place.layout.shape.z, place.swapped},
                   place.layout, place.description, place.options.cancel);
}

}  // namespace

std::unique_ptr<Source> open_place(ItkPlace place) {
  MappedFile file(place.data);
  check_length(file, place);
  const ItkHeader header = ItkClient(place.options).header(place.format, place.path);
  require_same(place, header);
  place.layout.spacing = spacing_of(place, header);
  std::unique_ptr<Source> samples = open_samples(std::move(file), place);
  if (place.rescaled()) samples = open_rescaled(std::move(samples), place.slope, place.intercept);
  samples->also_reads({place.path, place.data});
  return samples;
}

}  // namespace tamis::io
