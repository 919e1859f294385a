// tamis-papers: the algorithms of four papers as they describe them, on the user's own files.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <tamis/error.hpp>
#include <tamis/gpu.hpp>
#include <tamis/operations/parse.hpp>

#include "bench/measure.hpp"
#include "core/cpu/parallel.hpp"
#include "core/device.hpp"
#include "papers/program/commands.hpp"

namespace tamis::papers {

void Shared::add_to(CLI::App& command, bool writes) {
  command.add_option("IN", in, "the image or volume, of any format that tamis reads")->required();
  if (writes) command.add_option("OUT", out, "the file to write")->required();
  command.add_option("--device", device, "auto, cpu or cuda [auto]")->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  command.add_option("--threads", threads, "threads of the CPU, 0 for all [0]");
  command.add_option("--shape", shape, "WxHxD, of a raw file whose name does not say it");
  command.add_option("--dtype", dtype, "u8, u16, i16, f32, of such a file");
}

double number_of(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  throw InputError(fmt::format("{} {}: wanted a number", option, text));
}

Context Shared::context() const {
  Context context;
  context.device = device == "cpu" ? Device::Cpu : device == "cuda" ? Device::Cuda : Device::Auto;
  context.threads = static_cast<int>(number_of("--threads", threads));
  if (context.device == Device::Cuda) require_device(context);
  return context;
}

ReadOptions Shared::read_options() const {
  ReadOptions options;
  if (!shape.empty()) options.shape = parse_shape(shape);
  if (!dtype.empty()) options.dtype = parse_type(dtype);
  return options;
}

Image Shared::image(const std::vector<Type>& types) const {
  Image image = tamis::read(in, read_options());
  std::string wanted;
  for (const Type type : types) {
    if (image.type() == type) return image;
    wanted += (wanted.empty() ? "" : ", ") + std::string(name(type));
  }
  throw InputError(fmt::format("{}: {} samples; wanted {}: tamis convert {} ... --as {}", in, name(image.type()),
                               wanted, in, name(types.front())));
}

Image Shared::slice(const std::vector<Type>& types) const {
  Image one = image(types);
  if (one.shape().z != 1) throw InputError(fmt::format("{}: a volume; wanted an image", in));
  return one;
}

int odd_size(const std::string& text, int least) {
  const double size = number_of("--size", text);
  const int edge = static_cast<int>(size);
  if (size == edge && edge >= least && edge % 2 == 1) return edge;
  throw InputError(fmt::format("--size {}: wanted an odd number from {}", text, least));
}

void timed(const std::string& what, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("  {:<16}  {:.4f} s\n", what, seconds);
}

CLI::App* add_paper(CLI::App& program, const std::string& author, const std::string& text) {
  CLI::App* const paper = program.add_subcommand(author, text);
  paper->require_subcommand(1);
  CLI::App* const study =
      paper->add_subcommand("study", "the paper's tables and figures on this machine, tamis beside them (--help)")
          ->prefix_command();
  study->set_help_flag();  // it goes on too
  study->callback([study, author] {
    const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
    const std::filesystem::path folder = exists(beside / "papers/study.py") ? beside / "papers" : TAMIS_PAPERS;
    std::vector<std::string> words{"python3", (folder / "study.py").string(), author};
    for (const std::string& word : study->remaining()) words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    throw InputError("python3: cannot be run; wanted Python 3 with NumPy");
  });
  return paper;
}

CLI::App* add_measure(CLI::App& paper, const std::string& name) { return paper.add_subcommand(name, "")->group(""); }

namespace {

/// What studies say of a machine.
void print_machine() {
  const Context context;
  const std::vector<Gpu> all = gpus();
  std::string driver;
  std::getline(std::ifstream("/sys/module/nvidia/version"), driver);
  bench::print({{"gpu", all.empty() ? "" : all.front().name},
                {"no_gpu", why_no_gpu()},
                {"driver", driver},
                {"built_for", cuda_build()},
                {"cpu", context.describe(Device::Cpu)},
                {"cpu_threads", thread_count(context)}});
}

}  // namespace

}  // namespace tamis::papers

int main(int count, char** words) {
  CLI::App program{"tamis-papers: the algorithms of four papers, as they describe them"};
  program.require_subcommand(1);
  tamis::papers::add_boulos(program);
  tamis::papers::add_izmantoko(program);
  tamis::papers::add_perrot(program);
  tamis::papers::add_karas(program);
  tamis::papers::add_measure(program, "machine")->callback(tamis::papers::print_machine);
  try {
    program.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? program.exit(error) : (program.exit(error), 2);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tamis-papers: {}\n", error.what());
    return 2;
  }
  return 0;
}
