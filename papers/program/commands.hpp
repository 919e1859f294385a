// The commands of tamis-papers, one source for each paper.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/io.hpp>

namespace tamis::papers {

/// What all commands take.
struct Shared {
  std::string in, out;
  std::string device = "auto", threads = "0";
  std::string shape, dtype;

  /// Adds the files and `--device`, `--shape`, `--dtype` and `--threads`; OUT where `writes`.
  void add_to(CLI::App& command, bool writes);
  /// Throws ResourceError for --device cuda where there is none.
  [[nodiscard]] Context context() const;
  [[nodiscard]] ReadOptions read_options() const;
  /// The image in IN. Throws InputError where its type is none of `types`.
  [[nodiscard]] Image image(const std::vector<Type>& types) const;
  /// The same of one slice.
  [[nodiscard]] Image slice(const std::vector<Type>& types) const;
};

/// The number that a word of a command line is. Throws InputError.
[[nodiscard]] double number_of(const std::string& option, const std::string& text);
/// The edge of a square. Throws InputError where it is even or less than `least`.
[[nodiscard]] int odd_size(const std::string& text, int least);
/// Prints how long `work` took, and runs it.
void timed(const std::string& what, const std::function<void()>& work);
/// The commands of a paper, and `study`, which makes its tables and figures: arguments behind it go to
/// papers/study.py.
CLI::App* add_paper(CLI::App& program, const std::string& author, const std::string& text);
/// What `study` calls, which no help shows: prints lines of JSON.
CLI::App* add_measure(CLI::App& paper, const std::string& name);

void add_boulos(CLI::App& program);
void add_karas(CLI::App& program);
void add_izmantoko(CLI::App& program);
void add_perrot(CLI::App& program);

}  // namespace tamis::papers
