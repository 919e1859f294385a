// The files a command writes: checked before the work starts, and all of them appear, or none.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/image.hpp>
#include <tamis/io.hpp>

namespace tamis::cli {

/// Files are written under a temporary name beside their target and renamed by commit(); without commit() they go.
class Outputs {
 public:
  Outputs() = default;
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// A file that the command will not overwrite.
  void protect(const std::string& input);
  /// A file that the command will write. Throws InputError where two targets are one file, a target is an input, or
  /// its ending is not `ending` (empty: any); EnvironmentError where it cannot be written.
  /// A pipe or a device is written to directly, as a shell would.
  void declare(const std::string& option, const std::string& path, std::string_view ending = {});

  /// Throws InputError now if the format that goes with the name cannot hold `layout`.
  void check_format(const std::string& path, const Layout& layout);

  void write_text(const std::string& path, std::string_view text);
  [[nodiscard]] std::unique_ptr<SliceSink> create(const std::string& path, const Layout& layout);

  /// Gives every file its name. Returns the paths written.
  std::vector<std::string> commit();

 private:
  struct Target {
    std::string option;
    std::string path;    ///< as the user wrote it
    std::string file;    ///< without a path inside the file (sizes.h5:/sizes)
    std::string staged;  ///< temporary name of `file`; the same for a pipe or a device
    bool written = false;
    [[nodiscard]] bool direct() const { return staged == file; }
  };
  Target& find(const std::string& path);
  /// Path under which the library writes: staged file, then the path inside it.
  static std::string staged_path(const Target& target);
  /// Runs `write`; an error then names the target instead of the temporary file.
  template <class Write>
  static auto named(const Target& target, Write write);

  std::vector<std::string> inputs_;
  std::vector<Target> targets_;
};

}  // namespace tamis::cli
