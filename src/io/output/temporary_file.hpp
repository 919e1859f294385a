// Output that appears under its name whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/io.hpp>

#include "io/output/ledger.hpp"
#include "io/output/place.hpp"

namespace tamis::io {

class OutputSet;

/// A hidden file or folder that is to take the name of its target.
class UnnamedOutput {
 public:
  UnnamedOutput() = default;
  UnnamedOutput(const UnnamedOutput&) = delete;
  UnnamedOutput& operator=(const UnnamedOutput&) = delete;
  virtual ~UnnamedOutput() = default;

  /// Takes the target's name. With `keep_old` what had it stays at hand until forget_old(). Returns what of the old
  /// one's owner, rights and attributes could not be kept, in words.
  virtual std::string publish(bool keep_old) = 0;
  /// After publish(true): the old one is back, or there is none where there was none. False where that failed.
  [[nodiscard]] virtual bool take_back() noexcept = 0;
  virtual void forget_old() noexcept = 0;
  /// For a sudden end of the process: what is hidden goes. Descriptors stay as they are.
  virtual void unlink_hidden() noexcept = 0;
  /// The name the caller knows.
  [[nodiscard]] virtual const std::string& path() const = 0;
};

/// How a file is written by more than one run.
struct Resumption {
  std::string job;              ///< what the samples come from, for the ledger
  std::optional<Ledger> taken;  ///< of the unfinished file that is to be gone on with; nothing: a new file
};

/// Where a format writes to, and how.
struct Target {
  std::string path;
  std::stop_token cancel{};       ///< writing throws Cancelled soon after a stop is requested
  OutputSet* together = nullptr;  ///< that names the file once it is whole; null: it is named at once
  bool keeps_unfinished = false;  ///< what earlier runs have left of this target stays
  const Resumption* resumption = nullptr;  ///< null: without checkpoints
  WriteOptions options{};
};

/// A new file beside the target. publish() gives it the target's name; without it the file is removed.
/// While it is written it is hidden and locked (flock): what carries such a name and is not locked is left of a run
/// that was killed, and the next TemporaryFile of the same target removes it. A target that exists and is not a regular
/// file (a pipe, a device), or that names a descriptor (/dev/stdout), is written to directly, as a shell would. Throws
/// ResourceError "cannot write PATH: ..." at the start, "could not write PATH: ..." later.
class TemporaryFile final : public UnnamedOutput {
 public:
  explicit TemporaryFile(const Target& target);
  ~TemporaryFile() override;

  /// Appends. Small pieces should be gathered by the caller.
  void write(const void* bytes, std::int64_t count);
  void write(std::string_view text) { write(text.data(), static_cast<std::int64_t>(text.size())); }
  /// What is written so far is on the disk, and from now on stays, with a ledger beside the target, also where this run
  /// ends before the file is whole: publish() or drop_checkpoint() remove both. False where the ledger's name would be
  /// longer than the file system takes.
  bool checkpoint(const std::string& job, std::int64_t slices);
  void drop_checkpoint() noexcept;
  /// The slices that stand in it from an earlier run.
  [[nodiscard]] std::int64_t taken() const { return taken_; }
  /// Why nothing, or less than the ledger says, is gone on with; empty where there is nothing to say.
  [[nodiscard]] const std::string& why_anew() const { return why_anew_; }
  /// For formats that write where they like; these bytes are no part of a checkpoint.
  void write_at(std::int64_t at, const std::byte* bytes, std::int64_t count);
  /// What has been written there; zeros where nothing was.
  void read_at(std::int64_t at, std::byte* out, std::int64_t count) const;
  void set_length(std::int64_t bytes);
  /// Nothing more is written: flushes to the disk.
  void complete();
  std::string publish(bool keep_old = false) override;
  [[nodiscard]] bool take_back() noexcept override;
  void forget_old() noexcept override;

  /// Is the target written to directly?
  [[nodiscard]] bool direct() const { return place_.direct; }
  [[nodiscard]] const std::string& path() const override { return shown_; }
  /// Throws Cancelled if a stop has been requested; for what takes long between two writes.
  void check_cancel() const;
  [[noreturn]] void fail(std::string_view reason) const;
  [[noreturn]] void fail_errno(int error) const;
  void unlink_hidden() noexcept override;

 private:
  void open_directly();
  void create_hidden();
  [[nodiscard]] bool take_up(const Ledger& ledger);
  void remove_ledger_without_part();
  void remove_ledger() noexcept;
  void keep_old_file();
  void flush();

  std::string shown_;  // the name the caller knows
  std::stop_token cancel_;
  OutputSet* together_;
  OutputPlace place_;
  Descriptor file_;
  std::string hidden_;      // in the folder of the target; empty: there is none
  int slot_ = 0;            // whose name that is
  bool stays_ = false;      // the hidden file has a ledger
  bool sums_ = false;       // there will be checkpoints
  Ledger ledger_;           // of what this run and those before it have written
  std::uint32_t sum_ = 0;   // of what was written since the last checkpoint
  std::int64_t taken_ = 0;
  std::string why_anew_;
  std::string old_hidden_;  // of the file that had the target's name
  Descriptor old_file_;     // holds the lock of it
  bool no_old_ = false;
  bool published_ = false;
};

/// Files and folders that take their names together, or none does. Thread-safe where it says so.
class OutputSet {
 public:
  OutputSet() = default;
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  /// One that is complete.
  void take(std::unique_ptr<UnnamedOutput> output) { complete_.push_back(std::move(output)); }
  /// The complete one of this target goes, where there is one.
  void discard(const std::string& path);
  /// Returns a line for each old file of which not all could be kept.
  std::vector<std::string> publish();
  /// From any thread: removes all that is hidden, and no other is made or named from then on.
  void abandon() noexcept;

 private:
  friend class TemporaryFile;
  friend class TemporaryFolder;
  /// Throws Cancelled after abandon().
  [[nodiscard]] std::unique_lock<std::timed_mutex> lock();

  std::timed_mutex mutex_;
  bool abandoned_ = false;
  std::vector<UnnamedOutput*> open_;  // all that exist
  std::vector<std::unique_ptr<UnnamedOutput>> complete_;
};

}  // namespace tamis::io
