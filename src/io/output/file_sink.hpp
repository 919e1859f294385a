// What every sink of a file does: it counts slices, and its file takes its name when all are there.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <tamis/io.hpp>

#include "io/output/temporary_file.hpp"

namespace tamis::io {

class FileSink : public SliceSink {
 public:
  void write(const std::byte* slices, std::int64_t count) final;
  void show(const Display& display) final { display_ = display; }
  bool checkpoint() final;
  void drop_checkpoint() final;
  /// The slices of the unfinished file that this one goes on with, and why they are not those of its ledger.
  [[nodiscard]] std::int64_t taken() const { return file_->taken(); }
  [[nodiscard]] const std::string& why_anew() const { return file_->why_anew(); }
  void finish() final;

 protected:
  /// `grows`: what has been written is all of the slices so far, so that another run can append the rest.
  FileSink(const Target& target, const Layout& layout, bool grows = false);
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const std::optional<Display>& display() const { return display_; }
  [[nodiscard]] TemporaryFile& file() const { return *file_; }

 private:
  /// They are not too many, and at least one.
  virtual void write_slices(const std::byte* slices, std::int64_t count) = 0;
  /// Writes what follows the samples.
  virtual void write_end() {}

  std::string path_;
  Layout layout_;
  std::optional<Display> display_;
  std::int64_t got_ = 0;
  std::optional<std::string> job_;  ///< there are checkpoints
  OutputSet* together_;
  std::unique_ptr<TemporaryFile> file_;
};

}  // namespace tamis::io
