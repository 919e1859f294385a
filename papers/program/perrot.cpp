#include <algorithm>

#include <fmt/format.h>
#include <tamis/convert.hpp>
#include <tamis/error.hpp>

#include "papers/perrot/cpu/sequential.hpp"
#include "papers/perrot/study/measure.hpp"
#include "papers/program/commands.hpp"
#ifdef TAMIS_CUDA
#include "papers/perrot/gpu/kernels.hpp"
#endif

namespace tamis::papers {
namespace {

struct Words {
  Shared shared;
  std::string size = "5", kernel = "forgetful", outputs = "1";
};

/// Images of bytes as the paper's kernels take them, and back.
template <class From, class To>
Image cast(const Image& image, Type type) {
  Image out(type, image.shape(), image.spacing);
  const auto* const from = image.row<From>(0, 0);
  std::transform(from, from + image.shape().count(), out.row<To>(0, 0),
                 [](From value) { return static_cast<To>(value); });
  return out;
}

#ifdef TAMIS_CUDA
Image on_gpu(const Context& context, const Image& image, int edge, const Words& words) {
  using namespace perrot::gpu;
  Version version{Kernel::Forgetful, edge, static_cast<int>(number_of("--outputs", words.outputs))};
  for (const Kernel kernel : {Kernel::Identity, Kernel::Histogram, Kernel::HistogramShared, Kernel::Sort,
                              Kernel::Forgetful, Kernel::ForgetfulShared, Kernel::Smoother}) {
    if (name(kernel) == words.kernel) version.kernel = kernel;
  }
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  Paper paper(stream, image.shape());
  paper.prepare(version, blocks_of(version).front());
  Image out(Type::U16, image.shape(), image.spacing);
  paper.upload(image.data());
  paper.run();
  paper.download(out.data());
  stream.synchronize();
  return out;
}
#endif

Image filtered(const Context& context, const Image& image, int edge, const Words& words) {
  if (context.device != Device::Cuda) {
    const auto* const samples = image.row<std::uint16_t>(0, 0);
    if (*std::max_element(samples, samples + image.shape().count()) > 255) {
      throw InputError(fmt::format("{}: values above 255; wanted 256 grey levels, or --device cuda", words.shared.in));
    }
    Image out(Type::U16, image.shape(), image.spacing);
    perrot::sequential_histogram(image, edge, out);
    return out;
  }
#ifdef TAMIS_CUDA
  return on_gpu(context, image, edge, words);
#else
  return {};  // Shared::context() has refused it
#endif
}

void run(const Words& words) {
  const int edge = odd_size(words.size, 1);
  const Image read = words.shared.slice({Type::U8, Type::U16});
  const bool bytes = read.type() == Type::U8;
  const Image words_of_bytes = bytes ? cast<std::uint8_t, std::uint16_t>(read, Type::U16) : Image();
  const Image& image = bytes ? words_of_bytes : read;
  Image out;
  timed("median", [&] { out = filtered(words.shared.context(), image, edge, words); });
  if (bytes) out = cast<std::uint16_t, std::uint8_t>(out, Type::U8);
  out.spacing = read.spacing;
  write(out, words.shared.out);
}

}  // namespace

void add_perrot(CLI::App& program) {
  static Words words;
  CLI::App* const paper = add_paper(program, "perrot", "Perrot 2013: medians with samples in registers");
  CLI::App* const command =
      paper->add_subcommand("median", "of an image by a square; on the CPU a histogram of 256 levels for each pixel");
  words.shared.add_to(*command, true);
  command->add_option("--size", words.size, "edge of the square, odd [5]");
  command->add_option("--kernel", words.kernel,
                      "on the GPU: histogram, histogram_shared, sort (3), forgetful (3 to 9), forgetful_shared (5) or "
                      "smoother, medians along y, then x [forgetful]");
  command->add_option("--outputs", words.outputs, "pixels a thread, 1 or 2 [1]");
  command->callback([] { run(words); });
  static perrot::Arguments arguments;
  CLI::App* const measure = add_measure(*paper, "measure");
  measure->add_option("--calls", arguments.most_calls)->check(CLI::Range(2, 1 << 30));
  measure->add_option("--seconds", arguments.seconds)->check(CLI::PositiveNumber);
  measure->add_option("--largest", arguments.largest)->check(CLI::Range(512, 1 << 15));
  measure->add_option("--only", arguments.only);
  measure->callback([] { perrot::measure(arguments); });
}

}  // namespace tamis::papers
