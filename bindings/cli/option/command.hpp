// A command of the program while it is put together: its arguments, its options and what it runs. Only command.cpp, the
// pages and main.cpp know the library that reads the command line; to include that takes seconds in every file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tamis::cli {

/// What helps say behind every file to read, and to write (docs/files.md).
inline constexpr std::string_view read_formats =
    ": TIFF, folders of slices, raw, raw.gz, HDF5 (file.h5:/name), .npy, Zarr, NRRD, MetaImage, NIfTI, DICOM, PNG, "
    "JPEG, PNM, "
    "PFM, BMP, MRC";
inline constexpr std::string_view written_formats =
    ": .tif, .raw, .raw.gz, .h5:/name, .npy, .zarr, .nrrd, .mha, .nii, .nii.gz, .png, .pgm, .ppm, .pbm, .pfm";

/// What a help says of an option.
struct OptionWords {
  std::string name;         ///< "--crop", "-q,--quiet"; of an argument by its place "in"
  std::string placeholder;  ///< "FILE"; lower-case words in it, split at '|', are what the shell completes
  std::string text;
  std::string section{};  ///< the title that it stands under
  std::string initial{};  ///< what it is where nobody gives it
};

/// A handle: copies are the same command, which the program owns.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  [[nodiscard]] Command add_command(const std::string& name, const std::string& text) const;
  /// The same command, whose own commands stand under `title` in its help from here on.
  [[nodiscard]] Command under(const std::string& title) const;
  /// One of its own commands has to follow it.
  void require_command() const;

  /// Arguments by their place. What they are put into has to live as long as the program, here and below.
  void add_argument(const OptionWords& words, std::string& target) const;
  void add_arguments(const OptionWords& words, std::vector<std::string>& target) const;
  void add_optional_argument(const OptionWords& words, std::string& target) const;

  /// `read` is given the text.
  void add_option(const OptionWords& words, const std::function<void(const std::string&)>& read) const;
  /// An option of former releases, which no help shows: given, it is an error that says `why`.
  void refuse_option(const std::string& name, const std::string& why) const;
  void add_flag(const OptionWords& words, bool& target) const;
  void add_flag(const OptionWords& words, const std::function<void(bool)>& turn) const;
  /// The two cannot be given together.
  void exclude(const std::string& name, const std::string& other) const;

  /// Command lines that show it, one a line.
  void show_examples(const std::string& lines) const;
  void run(const std::function<void()>& work) const;

 private:
  CLI::App* app_;
  std::string title_{};
};

/// The words of a command line without the program's name. "--" ends the options wherever it stands: it is left out,
/// and the words behind it carry a mark, so that none is taken for an option or a command.
[[nodiscard]] std::vector<std::string> words_of(int argc, const char* const* argv);
/// Without the mark.
[[nodiscard]] std::string word_as_typed(const std::string& word);

}  // namespace tamis::cli
