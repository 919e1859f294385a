#include "io/medical/place.hpp"

#include <fmt/format.h>

#include <utility>

#include <tamis/error.hpp>

#include "io/flat/flat.hpp"
#include "io/mapped_file.hpp"
#include "io/medical/rescale.hpp"
#include "io/medical/stream.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

std::unique_ptr<Source> open_samples(MappedFile file, const SamplePlace& place) {
  if (place.packing != Packing::None) return open_stream(std::move(file), place);
  const std::int64_t volume = checked_bytes(place.path, place.layout);
  const std::int64_t wanted = (Checked(volume) * place.times).value(place.path, "the length of its samples");
  const Checked left = Checked(file.size()) - place.offset;
  if (!left.is(wanted)) wrong_length(place, fmt::format("{} bytes of samples", left.value_or(0)), wanted);
  const FlatPlace flat{place.offset + place.time * volume, volume / place.layout.shape.z, place.swapped};
  return open_flat(std::move(file), flat, place.layout, place.description, place.options.cancel);
}

}  // namespace

std::unique_ptr<Source> open_place(SamplePlace place) {
  std::unique_ptr<Source> samples = open_samples(MappedFile(place.data), place);
  if (place.rescaled()) samples = open_rescaled(std::move(samples), place.slope, place.intercept);
  samples->also_reads({place.path, place.data});
  return samples;
}

void wrong_length(const SamplePlace& place, std::string_view got, std::int64_t wanted) {
  const std::string times = place.times > 1 ? fmt::format(", {} times", place.times) : "";
  throw InputError(fmt::format("{}: got {}, wanted {} ({} {}{})", place.data, got, wanted,
                               to_string(place.layout.shape), name(place.layout.type), times));
}

}  // namespace tamis::io
