#include "io/confined/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/system/mapped_file.hpp"
#include "io/refuse.hpp"
#include "io/samples.hpp"
#include "io/units.hpp"

namespace tamis::io {
namespace {

/// The process may say anything; what is wrong in itself it does not say twice.
void check(const std::string& path, Opened& opened) {
  Layout& l = opened.layout;
  constexpr int most_channels = 64;
  const bool sound = l.type <= Type::F64 && l.channels >= 1 && l.channels <= most_channels &&
                     (l.shape.rank == 3 || (l.shape.rank == 2 && l.shape.z == 1));
  if (!sound) refuse("{}: decoding it gave no image; wanted a file that follows its standard", path);
  static_cast<void>(checked_bytes(path, l));
  for (const double length : {l.spacing.z, l.spacing.y, l.spacing.x}) {
    if (!std::isfinite(length) || length <= 0) l.spacing = {};
  }
  if (!micrometres(l.spacing.unit)) l.spacing = {};
}

class RemoteSource final : public Source {
 public:
  RemoteSource(Decoder decoder, const std::string& path, ReadOptions options, const Opened& opened,
               SharedDecoder process)
      : Source(path, opened.layout, opened.description),
        decoder_(decoder),
        options_(std::move(options)),
        process_(std::move(process)),
        opened_(process_->opened()) {}

 private:
  static constexpr std::int64_t piece = std::int64_t{16} << 20;

  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    if (process_->opened() != opened_) open_again();
    const std::int64_t at_once = std::clamp<std::int64_t>(piece / slice_bytes(), 1, count);
    for (std::int64_t z = z0; z < z0 + count; z += at_once) {
      const std::int64_t slices = std::min(at_once, z0 + count - z);
      const std::int64_t bytes = slices * slice_bytes();
      process_->begin(path(), file_length_of(path()), bytes);
      const std::byte* const memory = process_->memory(bytes);
      process_->ask(Question::Read, z, slices);
      std::memcpy(out, memory, static_cast<std::size_t>(bytes));
      if (layout().type == Type::Bool) normalise_bool(out, bytes);
      out += bytes;
    }
  }

  /// Another file of the same folder was opened since, or the process died of one.
  void open_again() {
    const Opened now = ask_to_open(*process_, decoder_, path(), options_, file_length_of(path()));
    const Layout& was = layout();
    if (now.layout.type != was.type || now.layout.shape != was.shape || now.layout.channels != was.channels) {
      refuse("{}: the file has changed since it was opened", path());
    }
    opened_ = process_->opened();
  }

  static std::int64_t file_length_of(const std::string& path) { return file_length(split_dataset(path).first); }

  Decoder decoder_;
  ReadOptions options_;
  SharedDecoder process_;
  std::int64_t opened_;
};

}  // namespace

Opened ask_to_open(DecoderProcess& process, Decoder decoder, const std::string& path, const ReadOptions& options,
                   std::int64_t file_bytes) {
  const auto [file, dataset] = split_dataset(path);
  process.begin(file, file_bytes, 0);
  process.count_opened();
  process.ask(Question::Open, decoder, file, dataset, options.time.value_or(-1),
              options.axes ? static_cast<std::int64_t>(*options.axes) : -1, options.channel);
  Opened opened;
  process.get(opened.layout, opened.description);
  opened.description = one_line(std::move(opened.description));
  check(path, opened);
  return opened;
}

std::unique_ptr<Source> remote_source(Decoder decoder, const std::string& path, const ReadOptions& options,
                                      const Opened& opened, SharedDecoder process) {
  return std::make_unique<RemoteSource>(decoder, path, options, opened, std::move(process));
}

std::unique_ptr<Source> open_remote(Decoder decoder, const std::string& path, const ReadOptions& options,
                                    SharedDecoder process) {
  if (!process) process = std::make_shared<DecoderProcess>(Decoders::Pictures, options);
  const Opened opened = ask_to_open(*process, decoder, path, options, file_length(split_dataset(path).first));
  return remote_source(decoder, path, options, opened, std::move(process));
}

}  // namespace tamis::io
