#include "io/format.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "io/confined/decoder.hpp"
#include "io/confined/process.hpp"
#include "io/output/output.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

// About 256 KB for u8, and a layer of chunks of a 2048 x 2048 volume takes 64 MB of cache.
constexpr std::array<std::int64_t, 3> usual_chunk{16, 128, 128};

/// The process has nothing from strangers here, so that it may run where it cannot be confined.
ReadOptions of_writer(const Target& target) {
  ReadOptions options;
  options.unconfined = true;
  options.cancel = target.cancel;
  return options;
}

class Hdf5Sink final : public FileSink {
 public:
  Hdf5Sink(const Target& target, const std::string& dataset, const Layout& layout)
      : FileSink(target, layout), hdf5_(Decoders::Pictures, of_writer(target)) {
    if (file().direct()) file().fail("HDF5 needs a regular file");
    hdf5_.writes_to(file());
    ask(0, Question::Create, file().path(), dataset, layout, usual_chunk);
  }

 private:
  void write_slices(const std::byte* slices, std::int64_t count) override {
    // Whole rows of chunks at a time, so that a Ctrl-C is heard between two of them.
    constexpr std::int64_t piece = std::int64_t{16} << 20;
    const std::int64_t row = count * layout().shape.x * sample_bytes(layout().type);
    const std::int64_t at_once = std::max<std::int64_t>(1, piece / row / usual_chunk[1]) * usual_chunk[1];
    for (std::int64_t y = 0; y < layout().shape.y; y += at_once) {
      file().check_cancel();
      write_part({next_, count, y, std::min(at_once, layout().shape.y - y)}, slices);
    }
    next_ += count;
  }

  void write_part(const Hdf5Slab& part, const std::byte* slices) {
    const std::int64_t row = layout().shape.x * sample_bytes(layout().type);
    const std::int64_t bytes = part.rows * row;
    try {
      static_cast<void>(hdf5_.memory(part.slices * bytes));
    } catch (const ResourceError& error) {
      file().fail(error.what());
    }
    for (std::int64_t z = 0; z < part.slices; ++z) {
      put(z * bytes, {slices + (z * layout().shape.y + part.y0) * row, static_cast<std::size_t>(bytes)});
    }
    ask(part.slices * bytes, Question::Write, part);
  }

  void put(std::int64_t at, std::span<const std::byte> samples) {
    if (layout().type != Type::Bool) return hdf5_.put(samples, at);
    bytes_.resize(samples.size());
    std::transform(samples.begin(), samples.end(), bytes_.begin(),
                   [](std::byte sample) { return sample == std::byte{0} ? std::byte{0} : std::byte{255}; });
    hdf5_.put(bytes_, at);
  }

  void write_end() override {
    ask(0, Question::Finish);
    std::int64_t length = 0;
    hdf5_.get(length);
    file().set_length(length);
  }

  /// Puts a question and waits until it is done.
  template <class... Words>
  void ask(std::int64_t bytes, const Words&... words) {
    hdf5_.begin(file().path(), 0, bytes);
    hdf5_.ask(words...);
  }

  DecoderProcess hdf5_;
  std::int64_t next_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<SliceSink> create_hdf5(const Target& target, const Layout& layout) {
  const std::string& path = target.path;
  require_grey(path, "HDF5", layout);
  const auto [file, dataset] = split_dataset(path);
  if (dataset == "/" || dataset.ends_with('/')) {
    refuse("{}: got no name of a dataset, wanted {}:/data or the like", path, file);
  }
  return std::make_unique<Hdf5Sink>(Target{file, target.cancel, target.together}, dataset.empty() ? "/data" : dataset, layout);
}

}  // namespace tamis::io
