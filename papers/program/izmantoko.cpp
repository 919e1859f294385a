#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

#include "papers/izmantoko/cpu/sequential.hpp"
#include "papers/izmantoko/study/measure.hpp"
#include "papers/program/commands.hpp"
#ifdef TAMIS_CUDA
#include "papers/izmantoko/gpu/run.hpp"
#endif

namespace tamis::papers {
namespace {

constexpr Operation operations[] = {Operation::Erode, Operation::Dilate, Operation::Open, Operation::Close};

struct Words {
  Shared shared;
  std::string size = "7", kernel = "shared";
};

/// Two values become 0 and 1.
Image zeros_and_ones(const Image& image, const std::string& file) {
  Image binary(Type::U8, image.shape(), image.spacing);
  const auto* const from = image.row<std::uint8_t>(0, 0);
  const auto [low, high] = std::minmax_element(from, from + image.shape().count());
  for (std::int64_t i = 0; i < image.shape().count(); ++i) {
    if (from[i] != *low && from[i] != *high) {
      throw InputError(fmt::format("{}: more than two values; wanted a black and white image (tamis threshold)", file));
    }
    binary.row<std::uint8_t>(0, 0)[i] = *low != *high ? from[i] == *high : from[i] != 0;
  }
  return binary;
}

Image filtered(const Context& context, Operation operation, const Image& image, int radius, const std::string& kernel) {
  if (context.device != Device::Cuda) return izmantoko::cpu::sequential(operation, image, radius);
#ifdef TAMIS_CUDA
  const cuda::DeviceScope scope(context.gpu);
  const cuda::Stream stream(context.gpu);
  const izmantoko::gpu::DeviceImage on_device(stream, image);
  on_device.filter(operation, on_device.by(izmantoko::gpu::kernel_of(kernel, radius), radius));
  return on_device.result();
#else
  static_cast<void>(kernel);
  return {};  // Shared::context() has refused it
#endif
}

void run(const Words& words, Operation operation) {
  const int radius = odd_size(words.size, 3) / 2;
  const Image read = words.shared.slice({Type::U8});
  const Image image = zeros_and_ones(read, words.shared.in);
  Image out;
  timed(std::string(name(operation)),
        [&] { out = filtered(words.shared.context(), operation, image, radius, words.kernel); });
  std::uint8_t* const samples = out.row<std::uint8_t>(0, 0);
  std::transform(samples, samples + out.shape().count(), samples,
                 [](std::uint8_t one) { return static_cast<std::uint8_t>(one * 255); });
  out.spacing = read.spacing;
  write(out, words.shared.out);
}

}  // namespace

void add_izmantoko(CLI::App& program) {
  static Words words[4];
  CLI::App* const paper = add_paper(program, "izmantoko", "Izmantoko and Choi 2013: binary images by squares");
  for (int i = 0; i < 4; ++i) {
    const Operation operation = operations[i];
    CLI::App* const command =
        paper->add_subcommand(std::string(name(operation)), "of a black and white image by a square");
    words[i].shared.add_to(*command, true);
    command->add_option("--size", words[i].size, "edge of the square, odd [7]");
    command->add_option("--kernel", words[i].kernel, "on the GPU: naive (up to 15), global or shared [shared]")
        ->check(CLI::IsMember({"naive", "global", "shared"}));
    command->callback([i, operation] { run(words[i], operation); });
  }
  static izmantoko::Measured what;
  static std::vector<std::string> names;
  CLI::App* const measure = add_measure(*paper, "measure");
  measure->add_option("IMAGE", what.image)->required();
  measure->add_option("--operation", names)->delimiter(',')->check(CLI::IsMember({"erode", "dilate", "open", "close"}));
  measure->add_option("--edge", what.edge);
  measure->add_option("--version", what.versions)->delimiter(',');
  measure->callback([] {
    static_cast<void>(odd_size(std::to_string(what.edge), 3));
    for (const std::string& word : names) {
      what.operations.push_back(*std::find_if(std::begin(operations), std::end(operations),
                                              [&](Operation operation) { return name(operation) == word; }));
    }
    izmantoko::measure(what);
  });
}

}  // namespace tamis::papers
