// How files and folders appear: whole or not at all, and together.
#pragma once

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/io.hpp>

#include "core/system/descriptor.hpp"

namespace tamis::io {

// How far a file has been written by runs that ended before it was whole: beside the target, for the run that goes on.

/// "foam.tif" -> "foam.tif.tamis-ledger".
[[nodiscard]] std::string ledger_name(const std::string& target);

struct Ledger {
  /// What stood in the file at a checkpoint.
  struct Slab {
    std::int64_t slices = 0;     ///< that are whole in the file, from its first on
    std::int64_t bytes = 0;      ///< of the file up to there
    std::uint32_t checksum = 0;  ///< CRC-32 of the bytes since the slab before
  };
  std::string job;  ///< what the samples come from; one line. Empty: another version of tamis wrote the ledger
  int part = 0;     ///< which of the target's hidden files holds them
  std::vector<Slab> slabs;

  [[nodiscard]] Slab end() const { return slabs.empty() ? Slab{} : slabs.back(); }
};

[[nodiscard]] std::string to_text(const Ledger& ledger);
/// Nothing where the text is not such a one.
[[nodiscard]] std::optional<Ledger> ledger_from(std::string_view text);

/// The checksum of bytes that follow those of `sum`, which is 0 at the start of a slab.
[[nodiscard]] std::uint32_t add_to_checksum(std::uint32_t sum, const void* bytes, std::size_t count);

/// Leaves only those slabs that stand in an open file as the ledger has them; `wanted` is asked between pieces whether
/// to go on. Reads the file up to there.
void keep_sound_slabs(Ledger& ledger, int file, const std::function<void()>& wanted);

/// The ledger of a target, if there is one. Throws InputError where a file of that name is no ledger.
[[nodiscard]] std::optional<Ledger> read_ledger(const std::string& target);

// Where an output lands: links followed, the folder held open, the names of hidden files in it.

/// The folder and the name that a path leads to. A link is followed also where its target does not exist yet: the link
/// stays, and its target is made.
struct OutputPlace {
  std::string folder;
  std::string name;
  Descriptor opened;  ///< the folder; by descriptor it stays the same one if somebody renames it
  bool direct = false;
  std::optional<struct stat> old;  ///< what is there
  int stream = -1;                 ///< the descriptor of ours that a path like /dev/stdout names
};

/// Throws ResourceError "cannot write PATH: ...", also for a folder, and for a file that must not be written.
[[nodiscard]] OutputPlace output_place(const std::string& path);
/// The same for a folder, which takes the place of a store of Zarr or of an empty folder. A slash at the end is fine.
[[nodiscard]] OutputPlace output_folder_place(std::string path);
/// Is an open folder empty, or a store of Zarr?
[[nodiscard]] bool may_be_replaced(int folder);

[[noreturn]] void cannot_write(const std::string& path, std::string_view reason);

/// So many runs may write one target at once.
constexpr int most_slots = 10'000;

/// ".foam.tif.tamis-0.part", one for each `slot`: hidden, so that a folder of slices being written is not read with it.
/// Never longer than the file system allows; of a name that is cut the rest is told by a hash.
[[nodiscard]] std::string hidden_name(const OutputPlace& place, int slot);

/// Does anything have that name in the folder of the target?
[[nodiscard]] bool stands_beside(const OutputPlace& place, const std::string& name);

/// Removes the hidden files of this target, which the caller calls `path`, whose writers have ended. Throws
/// ResourceError where the system cannot say what is there.
void remove_stale_files(const std::string& path, const OutputPlace& place);
/// The same for a target that is a folder.
void remove_stale_folders(const std::string& path, const OutputPlace& place);

/// Takes the lock that says that a hidden file is in use. 0 also where the file system has no locks: there a hidden
/// file is never taken for stale. EAGAIN: it has just been taken for stale; another number is what the system says.
[[nodiscard]] int lock_hidden(const OutputPlace& place, const std::string& name, int fd);

// Output that appears under its name whole or not at all.

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

// A folder that appears under its name whole or not at all.

/// As TemporaryFile, for a store of Zarr: it takes the place of another store or of an empty folder, which stays until
/// then, and goes afterwards. It is hidden and locked while it is written.
class TemporaryFolder final : public UnnamedOutput {
 public:
  explicit TemporaryFolder(const Target& target);
  ~TemporaryFolder() override;

  /// Makes "0" or "0/3", the folder before it being there. Nothing if it is.
  void make_folder(const std::string& name);
  /// A new file "0/3/1" of these bytes. Threads may call it at once.
  void write(const std::string& name, std::span<const std::byte> bytes);
  /// Nothing more is written: flushes to the disk.
  void complete();

  std::string publish(bool keep_old) override;
  [[nodiscard]] bool take_back() noexcept override;
  void forget_old() noexcept override;
  void unlink_hidden() noexcept override;
  [[nodiscard]] const std::string& path() const override { return shown_; }

  /// Throws Cancelled if a stop has been requested, or the folder was given up.
  void check_cancel() const;
  [[noreturn]] void fail_errno(int error) const;

 private:
  void create_hidden();
  [[nodiscard]] bool exchange() noexcept;
  [[nodiscard]] std::string free_name() const;
  void free_reserve() noexcept;

  std::string shown_;
  std::stop_token cancel_;
  OutputSet* together_;
  OutputPlace place_;
  Descriptor folder_;     // the hidden one
  std::string hidden_;    // its name, or after publish() that of the old one; empty: there is none
  // As many as removing a store takes at once, so that nothing is left where the process may open no more.
  std::array<Descriptor, 4> reserve_;
  Descriptor old_;        // holds the lock of the old one
  bool published_ = false;
  bool no_old_ = false;
  std::atomic<bool> given_up_ = false;
};

// What every sink of a file does: it counts slices, and its file takes its name when all are there.

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
