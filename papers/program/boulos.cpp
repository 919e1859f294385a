#include "papers/boulos/granulometry.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/threshold.hpp>

#include "papers/program/commands.hpp"
#ifdef TAMIS_CUDA
#include "papers/boulos/study/measure.hpp"
#endif

namespace tamis::papers {
namespace {

struct Words {
  Shared shared;
  std::string threshold, phase = "bright", element = "cross", border = "background", max_size, csv, map;
};

GranulometryOptions options_of(const Words& words) {
  GranulometryOptions options;
  options.element = words.element == "cube"     ? Element::Cube
                    : words.element == "square" ? Element::Square
                                                : Element::Cross;
  options.border = words.border == "neutral" ? DomainBorder::Neutral : DomainBorder::Background;
  if (!words.max_size.empty()) options.max_size = static_cast<std::int64_t>(number_of("--max-size", words.max_size));
  return options;
}

ThresholdOptions threshold_of(const Words& words) {
  ThresholdOptions options;
  options.phase = words.phase == "dark" ? Phase::Dark : Phase::Bright;
  if (words.threshold.empty()) return options;  // an image of two values
  if (words.threshold == "otsu") {
    options.method = ThresholdMethod::Otsu;
  } else {
    options.method = ThresholdMethod::Value;
    options.value = number_of("--threshold", words.threshold);
  }
  return options;
}

std::string table_of(const Sizes& sizes) {
  std::string table = "size,volume,fraction,spectrum\n";
  for (std::int64_t n = 0; n < sizes.rows(); ++n) {
    table += fmt::format("{},{},{},{}\n", n, sizes.volume[static_cast<std::size_t>(n)], sizes.fraction(n),
                         sizes.spectrum(n));
  }
  return table;
}

void run(const Words& words) {
  const Context context = words.shared.context();
  const auto source = open_file(words.shared.in, words.shared.read_options());
  const Binary binary = binarise(context, *source, threshold_of(words));
  const GranulometryOptions options = options_of(words);
  Sizes sizes;
  timed("openings", [&] { sizes = boulos::granulometry(context, binary.object, options); });
  if (!words.map.empty()) {
    Image map;
    timed("size map", [&] { map = boulos::size_map(context, binary.object, options); });
    write(map, words.map);
  }
  const std::string table = table_of(sizes);
  if (words.csv.empty()) {
    fmt::print("{}", table);
  } else {
    write_text(words.csv, table);
  }
}

}  // namespace

void add_boulos(CLI::App& program) {
  static Words words;
  CLI::App* const paper = add_paper(program, "boulos", "Boulos et al. 2012: granulometry of volumes");
  CLI::App* const command = paper->add_subcommand(
      "granulometry", "sizes by one more unit erosion and n unit dilations for size n, on packed bits");
  words.shared.add_to(*command, false);
  command->add_option("--threshold", words.threshold, "bright is above this number, or above what otsu finds");
  command->add_option("--phase", words.phase, "bright or dark [bright]")->check(CLI::IsMember({"bright", "dark"}));
  command->add_option("--element", words.element, "cross, cube or square [cross]")
      ->check(CLI::IsMember({"cross", "cube", "square"}));
  command->add_option("--border", words.border, "background or neutral [background]")
      ->check(CLI::IsMember({"background", "neutral"}));
  command->add_option("--max-size", words.max_size, "last size; otherwise until nothing is left");
  command->add_option("--csv", words.csv, "the table; otherwise it is printed");
  command->add_option("--map", words.map, "at every voxel the number of the opening that removes it");
  command->callback([] { run(words); });
#ifdef TAMIS_CUDA
  using namespace gpu_bench;
  static std::string what;
  static int repetitions = 20;
  const auto add = [&](const char* name, const auto& work) {
    CLI::App* const measure = add_measure(*paper, name);
    measure->add_option("WHAT", what)->required();
    measure->add_option("REPETITIONS", repetitions)->check(CLI::PositiveNumber);
    measure->callback(work);
    return measure;
  };
  add("one", [] { bench_one(what, repetitions); });
  add("jobs", [] { bench_jobs(what, repetitions); });
  add("sweep", [] { bench_sweep(what); })
      ->get_option("WHAT")
      ->check(CLI::IsMember({"cube", "x", "y", "z", "openings"}));
#endif
}

}  // namespace tamis::papers
