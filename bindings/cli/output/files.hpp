// The files a command writes: checked before the work starts, and all of them appear, or none.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/context.hpp>
#include <tamis/image.hpp>
#include <tamis/io.hpp>

#include "cli/session.hpp"

namespace tamis::cli {

/// Files are written under a hidden name beside their target and named by commit(); without commit() they go.
class Outputs {
 public:
  explicit Outputs(Session& session);
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// A file or folder that the command will not overwrite, known before it is opened.
  void protect(const std::string& input);
  /// A file that the command will write. Throws InputError where two targets are one file, a target is an input, or
  /// its ending is not `ending` (empty: any); ResourceError where it cannot be written.
  /// A pipe or a device is written to directly, as a shell would.
  void declare(const std::string& option, const std::string& path, std::string_view ending = {});
  /// Throws InputError if a target is one of the files that have been opened for reading. declare() and commit() do
  /// so too; this is for files that are opened in between.
  void require_apart_from_inputs() const;

  /// Throws InputError now if the format that goes with the name cannot hold `layout`.
  void check_format(const std::string& path, const Layout& layout);

  void write_text(const std::string& path, std::string_view text);
  [[nodiscard]] std::unique_ptr<SliceSink> create(const std::string& path, const Layout& layout);
  /// What an ended run has left of its outputs stays, for create_resumable() (OutputFiles).
  void resume() { files_.resume(); }
  /// The slices of an output that stay for another run if this one ends now.
  [[nodiscard]] std::int64_t kept(const std::string& path) const;
  [[nodiscard]] OutputFiles::Resumable create_resumable(const std::string& path, const Layout& layout,
                                                        const std::string& job);

  /// Of an output that is not wanted any more: what was written of it goes.
  void discard(const std::string& path);
  /// Gives every file its name. Returns the paths written.
  std::vector<std::string> commit();

 private:
  struct Target {
    std::string option;
    std::string path;     ///< as the user wrote it
    std::string real;     ///< links followed, without a path inside the file (sizes.h5:/sizes)
    bool direct = false;  ///< a pipe, a device or what a shell has opened
    bool written = false;
    std::int64_t slices = 0;  ///< that were written so far
    std::int64_t kept = 0;    ///< of these, that stay if this run ends
  };
  [[nodiscard]] const WriteOptions& writing() const { return session_.writing.as<WriteOptions>(); }
  Target& find(const std::string& path);
  [[nodiscard]] static std::unique_ptr<SliceSink> told(std::unique_ptr<SliceSink> sink, Target& target);
  void require_apart_from_inputs(const Target& target) const;

  Session& session_;  // told what of old files could not be kept
  std::vector<std::string> protected_;
  std::vector<Target> targets_;
  OutputFiles files_;
  /// A second Ctrl-C ends the program at once: its thread removes what has no name yet.
  std::stop_callback<std::function<void()>> at_sudden_end_;
};

// Names of outputs that several results share: "{name}" and "{phase}" stand for what tells them apart.

/// What the placeholders of one result stand for.
struct ResultName {
  std::string name;   ///< of the input, without folder and ending: "foam" of data/foam.tif
  std::string phase;  ///< "bright" or "dark"
};

/// "foam" of data/foam.tif, "scan" of scan.raw.gz, "a_data" of a.h5:/data.
[[nodiscard]] std::string plain_name(const std::string& input);

/// The path with its placeholders filled in.
[[nodiscard]] std::string filled_in(std::string path, const ResultName& result);

[[nodiscard]] bool has_placeholder(std::string_view path, std::string_view placeholder);

/// An output that all results stand in together: throws InputError where its name has a placeholder.
void require_shared_name(const char* option, const std::string& path);
/// An output that each result has for itself, an empty name where it is not wanted: throws InputError where those of
/// `files` files, or of both phases, would have the same name.
void require_own_name(const char* option, const std::string& path, std::size_t files, bool both);

// From a source to a file, slab by slab.

/// Copies all slices; the sink is finished. Throws Cancelled.
void copy(const Context& context, SliceSource& source, SliceSink& sink);

/// A binary image in memory as a source of u8, 0 and 255. The image has to outlive it.
[[nodiscard]] std::unique_ptr<SliceSource> black_and_white(const Image& image);

}  // namespace tamis::cli
