// A process that decodes and has been taken over by its file: it answers whatever it likes (stand_in.cpp), and tamis
// must believe none of it. HDF5 has the longest talk of all formats.
#include <algorithm>
#include <vector>

#include <tamis/error.hpp>

#include "fuzz/input_file.hpp"
#include "fuzz/read_all.hpp"

namespace {

/// All slices; they need not be the same twice.
void read_once(tamis::FileSource& source) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
  const tamis::Layout& l = source.layout();
  const std::int64_t slice = l.shape.y * l.shape.x * l.channels * tamis::sample_bytes(l.type);
  if (slice > most_bytes || l.shape.z > 64) return;
  std::vector<std::byte> samples(static_cast<std::size_t>(slice));
  for (std::int64_t z = 0; z < l.shape.z; ++z) {
    source.read(z, 1, samples.data());
    if (l.type != tamis::Type::Bool) continue;
    tamis::fuzz::expect(std::all_of(samples.begin(), samples.end(), [](std::byte b) { return b <= std::byte{1}; }),
                        "a bool that is neither 0 nor 1");
  }
}

}  // namespace

TAMIS_FUZZ_TARGET(answers) {
#ifdef TAMIS_FUZZ_REPLAY
  static_cast<void>(bytes);  // the program that answers is the true one
  static_cast<void>(read_once);
#else
  static tamis::fuzz::InputFile file("input.h5");
  static tamis::fuzz::InputFile answers("input.h5.answers");
  static const bool filled = [] {
    std::vector<std::uint8_t> content{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    content.resize(4096, 7);
    file.put(content);
    return true;
  }();
  static_cast<void>(filled);
  answers.put(bytes);
  tamis::ReadOptions options;
  options.unconfined = true;
  try {
    read_once(*tamis::open_file(file.path(), options));
  } catch (const tamis::ResourceError&) {  // it may claim that the machine is at fault
  }
#endif
}
