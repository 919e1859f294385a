// The program in which libpng, libjpeg, libtiff, HDF5, libzstd and c-blosc decode files for tamis, and HDF5 makes one: questions come and answers go on its
// standard input, a socket, until that is closed. It confines itself before the first question.
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "io/confined/decoder.hpp"
#include "io/confined/hdf5/hdf5.hpp"
#include "io/confined/program.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

std::unique_ptr<Source> open_with(Decoder decoder, const std::string& path, const std::string& dataset,
                                  const ReadOptions& options) {
  switch (decoder) {
    case Decoder::Png:
      return open_png(path);
    case Decoder::Jpeg:
      return open_jpeg(path);
    case Decoder::Tiff:
      return open_tiff(path, options);
    case Decoder::Hdf5:
      return open_hdf5(path, dataset);
  }
  refuse("{}: of no format that is decoded here", path);
}

class Server {
 public:
  explicit Server(const Wire& wire) : wire_(wire) {}

  /// False when the other end is gone.
  bool serve() {
    Question question{};
    if (!wire_.get(question)) return false;
    switch (question) {
      case Question::Open:
        return open();
      case Question::Memory:
        return take_memory();
      case Question::Read:
        return reply<std::int64_t, std::int64_t>([&](auto z, auto count) { source_->read(z, count, memory()); });
      case Question::Storage:
        return reply([&] { return std::tuple(hdf5().storage()); });
      case Question::Chunks:
        return reply<std::int64_t, std::int64_t, std::int64_t>(
            [&](auto layer, auto row, auto rows) { return std::tuple(hdf5().chunks(layer, row, rows)); });
      case Question::Decompress:
        return decompress();
      case Question::Create:
        return reply<std::string, std::string, Layout, std::array<std::int64_t, 3>>(
            [&](const auto&... words) { writer_ = std::make_unique<Hdf5Writer>(wire_, words...); });
      case Question::Write:
        return reply<Hdf5Slab>([&](const auto& part) { writer().write(part, memory()); });
      case Question::Finish:
        return reply([&] { return std::tuple(writer().finish()); });
    }
    return false;
  }

 private:
  /// Does what the words behind a question say, and replies.
  template <class... Words, class Work>
  bool reply(const Work& work) {
    std::tuple<Words...> words;
    return std::apply([&](auto&... word) { return wire_.get(word...); }, words) &&
           answer(wire_, [&] { return std::apply(work, std::as_const(words)); });
  }

  bool open() {
    using Number = std::int64_t;
    return reply<Decoder, std::string, std::string, Number, Number, std::string>(
        [&](Decoder decoder, const auto& path, const auto& dataset, Number time, Number axes, const auto& channel) {
          ReadOptions options;
          options.channel = channel;
          if (time >= 0) options.time = time;
          if (axes >= 0) options.axes = static_cast<AxesOrder>(axes);
          source_.reset();
          source_ = open_with(decoder, path, dataset, options);
          return std::tuple(source_->layout(), source_->description());
        });
  }

  bool take_memory() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, static_cast<std::size_t>(memory_bytes_));
    int file = -1;
    if (!wire_.get(memory_bytes_) || !wire_.get_file(file)) return false;
    memory_ = ::mmap(nullptr, static_cast<std::size_t>(memory_bytes_), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return true;
  }

  bool decompress() {
    return reply<Compression, std::string, std::int64_t, std::int64_t>(
        [&](Compression compression, const auto& path, auto in, auto out) {
          const std::string fault = decompress_here(compression, {memory(), static_cast<std::size_t>(in)},
                                                    {memory() + in, static_cast<std::size_t>(out)});
          if (!fault.empty()) refuse("{}: corrupt chunk: {}", path, fault);
        });
  }

  [[nodiscard]] std::byte* memory() const {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::byte*>(memory_);
  }
  [[nodiscard]] Hdf5Source& hdf5() const { return dynamic_cast<Hdf5Source&>(*source_); }
  [[nodiscard]] Hdf5Writer& writer() const {
    if (!writer_) throw std::logic_error("no file has been created");
    return *writer_;
  }

  Wire wire_;
  std::unique_ptr<Source> source_;
  std::unique_ptr<Hdf5Writer> writer_;
  void* memory_ = MAP_FAILED;
  std::int64_t memory_bytes_ = 0;
};

}  // namespace
}  // namespace tamis::io

int main() {
  using namespace tamis::io;
  const Wire wire(STDIN_FILENO);
  H5open();  // looks at files of the system
  if (!become_confined(wire)) return 1;
  Server server(wire);
  while (server.serve()) continue;
  ::_exit(0);  // nothing is left to do, and libraries that tidy up may meet what the filter refuses
}
