// The program in which libpng, libjpeg, libtiff, HDF5, libzstd and c-blosc decode files for tamis, and HDF5 makes one: questions come and answers go on its
// standard input, a socket, until that is closed. It confines itself before the first question.
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <new>
#include <utility>

#include "io/confined/decoder.hpp"
#include "io/confined/decompressor.hpp"
#include "io/confined/hdf5_decoder.hpp"
#include "io/confined/hdf5_writer.hpp"
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
        return read();
      case Question::Storage:
        return answer(wire_, [&] { return [storage = hdf5().storage()](const Wire& to) { return to.put(storage); }; });
      case Question::Chunks:
        return chunks();
      case Question::Decompress:
        return decompress();
      case Question::Create:
        return create();
      case Question::Write:
        return write();
      case Question::Finish:
        return finish();
    }
    return false;
  }

 private:
  bool open() {
    Decoder decoder{};
    std::string path;
    std::string dataset;
    std::int64_t time = -1;
    std::int64_t axes = -1;
    ReadOptions options;
    if (!wire_.get(decoder) || !wire_.get(path) || !wire_.get(dataset) || !wire_.get(time) || !wire_.get(axes) ||
        !wire_.get(options.channel)) {
      return false;
    }
    if (time >= 0) options.time = time;
    if (axes >= 0) options.axes = static_cast<AxesOrder>(axes);
    return answer(wire_, [&] {
      source_.reset();
      source_ = open_with(decoder, path, dataset, options);
      return [&](const Wire& to) { return to.put(source_->layout()) && to.put(source_->description()); };
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

  bool read() {
    std::int64_t z = 0;
    std::int64_t count = 0;
    if (!wire_.get(z) || !wire_.get(count)) return false;
    return answer(wire_, [&] {
      if (memory_ == MAP_FAILED) throw std::bad_alloc();
      source_->read(z, count, static_cast<std::byte*>(memory_));
      return [](const Wire&) { return true; };
    });
  }

  Hdf5Source& hdf5() { return dynamic_cast<Hdf5Source&>(*source_); }

  bool chunks() {
    std::int64_t layer = 0;
    std::int64_t row = 0;
    std::int64_t rows = 0;
    if (!wire_.get(layer) || !wire_.get(row) || !wire_.get(rows)) return false;
    return answer(wire_, [&] {
      return [chunks = hdf5().chunks(layer, row, rows)](const Wire& to) {
        return to.send(chunks.data(), chunks.size() * sizeof(Hdf5Chunk));
      };
    });
  }

  bool decompress() {
    Compression compression{};
    std::string path;
    std::int64_t in = 0;
    std::int64_t out = 0;
    if (!wire_.get(compression) || !wire_.get(path) || !wire_.get(in) || !wire_.get(out)) return false;
    return answer(wire_, [&] {
      if (memory_ == MAP_FAILED) throw std::bad_alloc();
      auto* const memory = static_cast<std::byte*>(memory_);
      const std::string fault = decompress_here(compression, {memory, static_cast<std::size_t>(in)},
                                                {memory + in, static_cast<std::size_t>(out)});
      if (!fault.empty()) refuse("{}: corrupt chunk: {}", path, fault);
      return [](const Wire&) { return true; };
    });
  }

  bool create() {
    std::string path;
    std::string dataset;
    Layout layout;
    std::array<std::int64_t, 3> chunk{};
    if (!wire_.get(path) || !wire_.get(dataset) || !wire_.get(layout) || !wire_.get(chunk)) return false;
    return answer(wire_, [&] {
      writer_ = std::make_unique<Hdf5Writer>(wire_, path, dataset, layout, chunk);
      return [](const Wire&) { return true; };
    });
  }

  bool write() {
    Hdf5Slab part;
    if (!wire_.get(part) || !writer_ || memory_ == MAP_FAILED) return false;
    return answer(wire_, [&] {
      writer_->write(part, static_cast<const std::byte*>(memory_));
      return [](const Wire&) { return true; };
    });
  }

  bool finish() {
    if (!writer_) return false;
    return answer(wire_, [&] { return [length = writer_->finish()](const Wire& to) { return to.put(length); }; });
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
