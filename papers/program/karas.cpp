#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>

#include "papers/karas/cpu/openings.hpp"
#include "papers/karas/study/measure.hpp"
#include "papers/program/commands.hpp"
#ifdef TAMIS_CUDA
#include "papers/karas/gpu/run.hpp"
#endif

namespace tamis::papers {
namespace {

struct Words {
  Shared shared;
  std::string length = "21", angle = "0", algorithm = "bartovsky", border = "neutral";
};

/// The zones and shared entries that the paper's table 1 names; the basic versions have neither.
Image on_gpu(const Context& context, const Image& image, std::int64_t length, double angle, bool fit,
             const std::string& algorithm) {
#ifdef TAMIS_CUDA
  using namespace karas::gpu;
  const std::string wanted = algorithm == "basic-morard"      ? "basic_morard"
                             : algorithm == "basic-bartovsky" ? "basic_bartovsky"
                                                              : algorithm;
  for (const Version version : all_versions) {
    if (name(version) != wanted) continue;
    const cuda::DeviceScope scope(context.gpu);
    const cuda::Stream stream(context.gpu);
    Paper paper(stream, image);
    paper.prepare(version, {length, {angle}, false, fit}, {});
    paper.run();
    stream.synchronize();
    return paper.result(0);
  }
  throw InputError(algorithm + " on a GPU; wanted morard, bartovsky, basic-morard or basic-bartovsky");
#else
  static_cast<void>(context), static_cast<void>(image), static_cast<void>(length), static_cast<void>(angle);
  static_cast<void>(fit), static_cast<void>(algorithm);
  return {};  // Shared::context() has refused it
#endif
}

karas::cpu::Algorithm algorithm_of(const std::string& word) {
  using karas::cpu::Algorithm;
  for (const Algorithm algorithm : {Algorithm::VanHerk, Algorithm::Morard, Algorithm::Bartovsky, Algorithm::Anchor}) {
    if (name(algorithm) == word) return algorithm;
  }
  throw InputError(word + " on the CPU; wanted vanherk, morard, bartovsky or anchor");
}

void run(const Words& words) {
  Context context = words.shared.context();
  const auto length = static_cast<std::int64_t>(number_of("--length", words.length));
  const double angle = number_of("--angle", words.angle);
  const bool cuda = context.device == Device::Cuda, fit = words.border == "fit";
  const Image image =
      words.shared.image(cuda ? std::vector{Type::U8} : std::vector{Type::U8, Type::U16, Type::I16, Type::F32});
  Image out;
  timed("opening", [&] {
    if (cuda) {
      out = on_gpu(context, image, length, angle, fit, words.algorithm);
    } else {
      context.device = Device::Cpu;
      out = karas::cpu::opening(context, image, length, angle, algorithm_of(words.algorithm),
                                fit ? Border::fit() : Border::neutral());
    }
  });
  out.spacing = image.spacing;
  write(out, words.shared.out);
}

}  // namespace

void add_karas(CLI::App& program) {
  static Words words;
  CLI::App* const paper = add_paper(program, "karas", "Karas et al. 2015: openings by segments at any angle");
  CLI::App* const command = paper->add_subcommand("open", "the opening by a segment along traced lines");
  words.shared.add_to(*command, true);
  command->add_option("--length", words.length, "samples of the segment [21]");
  command->add_option("--angle", words.angle, "degrees, counter-clockwise [0]");
  command->add_option("--algorithm", words.algorithm,
                      "CPU: vanherk, morard, bartovsky or anchor (u8, 0 and 90 degrees); GPU: morard, bartovsky, "
                      "basic-morard or basic-bartovsky [bartovsky]");
  command->add_option("--border", words.border, "neutral or fit [neutral]")->check(CLI::IsMember({"neutral", "fit"}));
  command->callback([] { run(words); });
  static karas::Arguments arguments;
  CLI::App* const measure = add_measure(*paper, "measure");
  measure->add_option("--repetitions", arguments.repetitions)->check(CLI::PositiveNumber);
  measure->add_option("--largest", arguments.largest)->check(CLI::Range(256, 1 << 15));
  measure->add_option("--only", arguments.only);
  measure->callback([] { karas::measure(arguments); });
}

}  // namespace tamis::papers
