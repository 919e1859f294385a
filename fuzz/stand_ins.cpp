// What fuzzers have instead of processes, for which they cannot wait. The linker sends a call here (--wrap,
// CMakeLists.txt): what a foreign library decodes is decoded in the fuzzer. The function that has chunks decompressed is another one here. So all that stands behind the answers of processes is fuzzed too.
#include <array>
#include <string>
#include <utility>

#include <tamis/error.hpp>

#include "io/confined/decoder.hpp"
#include "io/confined/process.hpp"
#include "io/samples.hpp"

namespace tamis::io {
namespace {

/// A decoder's bools may be any byte; who asks the process makes them 0 and 1.
class DecodedHere final : public Source {
 public:
  explicit DecodedHere(std::unique_ptr<Source> source)
      : Source(source->path(), source->layout(), source->description()), source_(std::move(source)) {}

 private:
  void read_slices(std::int64_t z0, std::int64_t count, std::byte* out) override {
    source_->read(z0, count, out);
    if (layout().type == Type::Bool) normalise_bool(out, count * slice_bytes());
  }

  std::unique_ptr<Source> source_;
};

std::unique_ptr<Source> decoded_here(Decoder decoder, const std::string& path, const ReadOptions& options) {
  switch (decoder) {
    case Decoder::Png:
      return open_png(path);
    case Decoder::Jpeg:
      return open_jpeg(path);
    case Decoder::Tiff:
      return open_tiff(path, options);
    case Decoder::Hdf5:
      return open_hdf5(path, "");
  }
  throw ResourceError("a decoder that fuzzers do not know");
}

}  // namespace

std::unique_ptr<Source>
wrapped_open_remote(Decoder decoder, const std::string& path, const ReadOptions& options, SharedDecoder process) __asm__(
    "__wrap__ZN5tamis2io11open_remoteENS0_7DecoderERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_"
    "11ReadOptionsESt10shared_ptrINS0_14DecoderProcessEE");

std::unique_ptr<Source> wrapped_open_remote(Decoder decoder, const std::string& path, const ReadOptions& options,
                                            SharedDecoder) {
  return std::make_unique<DecodedHere>(decoded_here(decoder, path, options));
}

void Decompressor::run(const std::string& path, Compression compression, std::span<const std::byte> in,
                       std::span<std::byte> out) {
  const std::string fault = decompress_here(compression, in, out);
  if (!fault.empty()) throw InputError(path + ": corrupt chunk: " + fault);
}

}  // namespace tamis::io
