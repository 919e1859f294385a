#include "io/output/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <tamis/error.hpp>

namespace tamis::io {
namespace {

constexpr int most_slots = 10'000;
constexpr int patience_ms = 50;  // between two looks at whether a stop has been requested

[[noreturn]] void cannot_go_on(const std::string& path, std::string_view why) {
  throw ResourceError(
      fmt::format("{}: the unfinished file of {} {}; wanted it, or no resume", ledger_name(path), path, why));
}

bool is_pipe(const OutputPlace& place) { return place.old && S_ISFIFO(place.old->st_mode); }

}  // namespace

TemporaryFile::TemporaryFile(const Target& target)
    : shown_(target.path), cancel_(target.cancel), together_(target.together), place_(output_place(target.path)) {
  if (place_.direct) {
    open_directly();
    return;
  }
  const bool goes_on = target.resumption && target.resumption->taken;
  if (!target.keeps_unfinished || (target.resumption && !goes_on)) {
    remove_stale_files(place_);
    remove_ledger_without_part();
  }
  std::unique_lock<std::timed_mutex> lock;
  if (together_) lock = together_->lock();
  if (together_) together_->open_.reserve(together_->open_.size() + 1);
  if (goes_on) {
    take_up(*target.resumption->taken);
    remove_stale_files(place_);  // of other runs
  } else {
    create_hidden();
  }
  if (together_) together_->open_.push_back(this);
}

TemporaryFile::~TemporaryFile() {
  std::unique_lock<std::timed_mutex> lock;
  if (together_) {
    lock = std::unique_lock(together_->mutex_);
    std::erase(together_->open_, this);
  }
  unlink_hidden();
}

void TemporaryFile::open_directly() {
  if (place_.stream >= 0) {
    // The description that the shell has opened, with its position: to open the path again would start at the front.
    file_ = Descriptor(::fcntl(place_.stream, F_DUPFD_CLOEXEC, 3));
    if (!file_.valid()) cannot_write(shown_, std::strerror(errno));
    return;
  }
  // A pipe that nobody reads yet would keep us where no Ctrl-C is heard.
  const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (is_pipe(place_) ? O_NONBLOCK : 0);
  for (;;) {
    file_ = Descriptor(::openat(place_.opened.get(), place_.name.c_str(), flags));
    if (file_.valid()) break;
    if (errno != ENXIO || !is_pipe(place_)) cannot_write(shown_, std::strerror(errno));
    check_cancel();
    ::poll(nullptr, 0, patience_ms);
  }
  if (is_pipe(place_)) ::fcntl(file_.get(), F_SETFL, O_WRONLY);
}

void TemporaryFile::create_hidden() {
  // Never more open than the old file, whose mode it gets below if that works.
  const mode_t mode = place_.old ? place_.old->st_mode & 0666 : 0666;
  for (int slot = 0; slot < most_slots; ++slot) {
    const std::string name = hidden_name(place_, slot);
    file_ = Descriptor(::openat(place_.opened.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file_.valid() && errno == EEXIST) continue;
    if (!file_.valid()) cannot_write(shown_, std::strerror(errno));
    if (!lock_hidden(place_, name, file_.get())) continue;  // another run has taken it for stale
    hidden_ = name;
    slot_ = slot;
    if (place_.old) static_cast<void>(::fchmod(file_.get(), place_.old->st_mode & 07777));
    return;
  }
  cannot_write(shown_, fmt::format("{} partial files stand beside it", most_slots));
}

void TemporaryFile::take_up(const Ledger& ledger) {
  const std::string name = hidden_name(place_, ledger.part);
  file_ = Descriptor(::openat(place_.opened.get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file_.valid()) cannot_go_on(shown_, "is gone");
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) cannot_go_on(shown_, "is no file");
  if (status.st_size < ledger.bytes) cannot_go_on(shown_, "is shorter than its ledger says");
  // Exclusive for a moment, as no other run may have it; then as any file that is being written.
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) cannot_go_on(shown_, "is being written");
  if (!lock_hidden(place_, name, file_.get())) cannot_go_on(shown_, "is being written");
  if (::ftruncate(file_.get(), ledger.bytes) != 0 || ::lseek(file_.get(), 0, SEEK_END) < 0) fail_errno(errno);
  hidden_ = name;
  slot_ = ledger.part;
  stays_ = true;
}

bool TemporaryFile::checkpoint(const std::string& job, std::int64_t slices) {
  check_cancel();
  if (::fdatasync(file_.get()) != 0) fail_errno(errno);
  const Ledger ledger{job, slot_, slices, ::lseek(file_.get(), 0, SEEK_CUR)};
  const std::string text = to_text(ledger);
  const std::string name = ledger_name(place_.name);
  const std::string fresh = name + ".new";
  const int folder = place_.opened.get();
  const Descriptor file(
      ::openat(folder, fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
  const bool written = file.valid() && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fdatasync(file.get()) == 0 && ::renameat(folder, fresh.c_str(), folder, name.c_str()) == 0;
  if (!written) {
    const int error = errno;
    if (error == ENAMETOOLONG) return false;
    ::unlinkat(folder, fresh.c_str(), 0);
    throw ResourceError(fmt::format("could not write {}: {}", ledger_name(shown_), std::strerror(error)));
  }
  stays_ = true;
  return true;
}

void TemporaryFile::remove_ledger_without_part() {
  std::optional<Ledger> ledger;
  try {
    ledger = read_ledger(place_.folder + '/' + place_.name);
  } catch (const InputError&) {
    return;  // not ours
  }
  const int folder = place_.opened.get();
  if (!ledger) return;
  struct stat status {};
  const std::string part = hidden_name(place_, ledger->part);
  if (::fstatat(folder, part.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode)) return;
  ::unlinkat(folder, ledger_name(place_.name).c_str(), 0);
}

void TemporaryFile::remove_ledger() noexcept {
  if (stays_) ::unlinkat(place_.opened.get(), ledger_name(place_.name).c_str(), 0);
  stays_ = false;
}

void TemporaryFile::drop_checkpoint() noexcept { remove_ledger(); }

void TemporaryFile::write(const void* bytes, std::int64_t count) {
  // A pipe that can take anything takes this much without making us wait.
  constexpr std::int64_t direct_piece = 4096;
  constexpr std::int64_t piece = std::int64_t{4} << 20;
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    check_cancel();
    if (direct()) {
      pollfd ready{file_.get(), POLLOUT, 0};
      if (::poll(&ready, 1, patience_ms) == 0) continue;
    }
    const std::int64_t part = std::min(count, direct() ? direct_piece : piece);
    const ssize_t written = ::write(file_.get(), next, static_cast<std::size_t>(part));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) fail_errno(errno);
    next += written;
    count -= written;
  }
}

void TemporaryFile::flush() {
  // In parts, for no Ctrl-C is heard while one call waits for the disk. What is no error is a system that cannot.
  constexpr off_t part = off_t{32} << 20;
  constexpr unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail_errno(errno);
  for (off_t at = 0; !direct() && at + part < status.st_size; at += part) {
    check_cancel();
    ::sync_file_range(file_.get(), at + part, part, SYNC_FILE_RANGE_WRITE);  // the next one is on its way meanwhile
    if (::sync_file_range(file_.get(), at, part, wait) == 0) continue;
    if (errno == EIO || errno == ENOSPC || errno == EDQUOT) fail_errno(errno);
    break;
  }
}

void TemporaryFile::complete() {
  flush();
  check_cancel();
  // Some file systems report a full disk only here. Pipes and devices cannot be synchronised (EINVAL, ENOTSUP).
  if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOTSUP) fail_errno(errno);
  // Others report it when a descriptor is closed. Ours stays open, for it holds the lock.
  Descriptor copy(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid() || copy.close() != 0) fail_errno(errno);
  if (!direct()) check_cancel();  // that may have taken a second
}

void TemporaryFile::publish(bool keep_old) {
  if (direct()) return;
  if (keep_old) keep_old_file();
  if (::renameat(place_.opened.get(), hidden_.c_str(), place_.opened.get(), place_.name.c_str()) != 0) {
    fail_errno(errno);
  }
  hidden_.clear();
  remove_ledger();
  published_ = true;
  static_cast<void>(file_.close());  // complete() has heard all that it could say
}

/// A second, hidden name. The lock keeps another run from taking that for stale; where there is no lock to be had,
/// only a run of the same output in this very moment could.
void TemporaryFile::keep_old_file() {
  const int folder = place_.opened.get();
  old_file_ = Descriptor(::openat(folder, place_.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  no_old_ = !old_file_.valid() && errno == ENOENT;
  if (no_old_) return;
  if (old_file_.valid()) static_cast<void>(::flock(old_file_.get(), LOCK_SH | LOCK_NB));
  for (int slot = 0; slot < most_slots; ++slot) {
    const std::string name = hidden_name(place_, slot);
    if (::linkat(folder, place_.name.c_str(), folder, name.c_str(), 0) == 0) {
      old_hidden_ = name;
      return;
    }
    if (errno != EEXIST) return;  // a file system without links: there will be no way back
  }
}

bool TemporaryFile::take_back() noexcept {
  if (!published_) return true;
  const int folder = place_.opened.get();
  if (no_old_) return ::unlinkat(folder, place_.name.c_str(), 0) == 0;
  if (old_hidden_.empty() || ::renameat(folder, old_hidden_.c_str(), folder, place_.name.c_str()) != 0) return false;
  old_hidden_.clear();
  return true;
}

void TemporaryFile::forget_old() noexcept {
  if (!old_hidden_.empty()) ::unlinkat(place_.opened.get(), old_hidden_.c_str(), 0);
  old_hidden_.clear();
}

void TemporaryFile::unlink_hidden() noexcept {
  if (!hidden_.empty() && !stays_) ::unlinkat(place_.opened.get(), hidden_.c_str(), 0);
  hidden_.clear();
  forget_old();
}

void TemporaryFile::check_cancel() const {
  if (cancel_.stop_requested()) throw Cancelled();
}

void TemporaryFile::fail(std::string_view reason) const {
  throw ResourceError(fmt::format("could not write {}: {}", shown_, reason));
}

void TemporaryFile::fail_errno(int error) const {
  // The samples of a mapped file that another program has shortened.
  if (error == EFAULT) fail("an input was shortened while it was read");
  fail(std::strerror(error));
}

std::unique_lock<std::timed_mutex> OutputSet::lock() {
  std::unique_lock lock(mutex_);
  if (abandoned_) throw Cancelled();
  return lock;
}

void OutputSet::discard(const std::string& path) {
  std::erase_if(complete_, [&](const auto& output) { return output->path() == path; });
}

void OutputSet::publish() {
  std::vector<std::unique_ptr<UnnamedOutput>> files = std::exchange(complete_, {});
  const std::unique_lock<std::timed_mutex> held = lock();
  std::size_t next = 0;
  try {
    // The last one needs no way back: if it cannot take its name, its old file is still there.
    for (; next < files.size(); ++next) files[next]->publish(next + 1 < files.size());
  } catch (const ResourceError& error) {
    std::string stayed;
    while (next-- > 0) {
      if (!files[next]->take_back()) stayed += fmt::format("; {} has been replaced already", files[next]->path());
    }
    throw ResourceError(error.what() + stayed);
  }
  for (const auto& file : files) file->forget_old();
}

void OutputSet::abandon() noexcept {
  // A folder that does not answer may hold the lock for good: then the end is worth more than its hidden file.
  // Until a time of day: waiting for a duration takes a call that the thread sanitizer of GCC 12 does not see.
  const std::unique_lock held(mutex_, std::chrono::system_clock::now() + std::chrono::milliseconds(500));
  if (!held) return;
  abandoned_ = true;
  for (UnnamedOutput* const output : open_) output->unlink_hidden();
}

}  // namespace tamis::io
