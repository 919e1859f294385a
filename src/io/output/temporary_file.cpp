#include "io/output/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/system/tree.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

constexpr int patience_ms = 50;  // between two looks at whether a stop has been requested

/// Why an unfinished file is not gone on with; empty where it may be. A second name could be that of somebody's data,
/// which must not be cut or written to, and samples that others may have written are not ours to trust.
std::string fault_of_part(int file, const Ledger& ledger) {
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) return fmt::format("cannot be opened ({})", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return "is no file";
  if (status.st_nlink != 1) return "has another name, too";
  if (status.st_uid != ::geteuid()) return "belongs to another user";
  if (status.st_size < ledger.end().bytes) return "is shorter than its ledger says";
  return {};
}

bool is_pipe(const OutputPlace& place) { return place.old && S_ISFIFO(place.old->st_mode); }

}  // namespace

TemporaryFile::TemporaryFile(const Target& target)
    : shown_(target.path), cancel_(target.cancel), together_(target.together), place_(output_place(target.path)) {
  if (place_.direct) {
    open_directly();
    return;
  }
  const bool wants_more = target.resumption && target.resumption->taken;
  if (!target.keeps_unfinished || (target.resumption && !wants_more)) {
    remove_stale_files(shown_, place_);
    remove_ledger_without_part();
  }
  std::unique_lock<std::timed_mutex> lock;
  if (together_) lock = together_->lock();
  if (together_) together_->open_.reserve(together_->open_.size() + 1);
  sums_ = target.resumption != nullptr;
  const bool goes_on = wants_more && take_up(*target.resumption->taken);
  if (wants_more) remove_stale_files(shown_, place_);  // of other runs, or what cannot be gone on with
  if (wants_more && !goes_on) remove_ledger_without_part();
  if (!goes_on) create_hidden();
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
  // Never more open than the old file, whose mode it may get when it takes its name.
  const mode_t mode = place_.old ? place_.old->st_mode & 0666 : 0666;
  for (int slot = 0; slot < most_slots; ++slot) {
    const std::string name = hidden_name(place_, slot);
    file_ = Descriptor(::openat(place_.opened.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file_.valid() && errno == EEXIST) continue;
    if (!file_.valid()) cannot_write(shown_, std::strerror(errno));
    const int error = lock_hidden(place_, name, file_.get());
    if (error == EAGAIN) continue;  // another run has taken it for stale
    hidden_ = name;
    slot_ = slot;
    if (error == 0) return;
    unlink_hidden();
    cannot_write(shown_, std::strerror(error));
  }
  cannot_write(shown_, fmt::format("{} partial files stand beside it", most_slots));
}

bool TemporaryFile::take_up(const Ledger& ledger) {
  const std::string name = hidden_name(place_, ledger.part);
  Descriptor file(::openat(place_.opened.get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  why_anew_ = fault_of_part(file.get(), ledger);
  if (!why_anew_.empty()) return false;
  // Exclusive for a moment, as no other run may have it; then as any file that is being written.
  const bool busy = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const int error = busy ? EAGAIN : lock_hidden(place_, name, file.get());
  if (error == EAGAIN) {
    give_up("{}: the unfinished file of {} is being written; wanted it, or no resume", ledger_name(shown_), shown_);
  }
  if (error != 0) cannot_write(shown_, std::strerror(error));
  ledger_ = ledger;
  keep_sound_slabs(ledger_, file.get(), [this] { check_cancel(); });
  const Ledger::Slab end = ledger_.end();
  if (end.slices < ledger.end().slices) {
    why_anew_ = "is damaged";
    if (end.slices == 0) return false;
  }
  if (::ftruncate(file.get(), end.bytes) != 0 || ::lseek(file.get(), 0, SEEK_END) < 0) fail_errno(errno);
  file_ = std::move(file);
  hidden_ = name;
  slot_ = ledger.part;
  taken_ = end.slices;
  stays_ = true;
  return true;
}

bool TemporaryFile::checkpoint(const std::string& job, std::int64_t slices) {
  check_cancel();
  if (::fdatasync(file_.get()) != 0) fail_errno(errno);
  ledger_.job = job;
  ledger_.part = slot_;
  ledger_.slabs.push_back({slices, ::lseek(file_.get(), 0, SEEK_CUR), std::exchange(sum_, 0U)});
  const std::string name = ledger_name(place_.name);
  const std::string fresh = name + ".new";
  const int folder = place_.opened.get();
  // Always a new file: one that stands there could be another name of something else.
  ::unlinkat(folder, fresh.c_str(), 0);
  Descriptor file(::openat(folder, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  const std::string text = to_text(ledger_);
  const bool written = file.valid() && tamis::write_at(file.get(), text.data(), std::ssize(text)) &&
                       ::fdatasync(file.get()) == 0 && ::renameat(folder, fresh.c_str(), folder, name.c_str()) == 0;
  if (!written) {
    const int error = errno;
    if (error == ENAMETOOLONG) return false;
    ::unlinkat(folder, fresh.c_str(), 0);
    give_up("could not write {}: {}", ledger_name(shown_), std::strerror(error));
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
    if (sums_) sum_ = add_to_checksum(sum_, next, static_cast<std::size_t>(written));
    next += written;
    count -= written;
  }
}

void TemporaryFile::write_at(std::int64_t at, const std::byte* bytes, std::int64_t count) {
  if (!tamis::write_at(file_.get(), bytes, count, at)) fail_errno(errno);
}

void TemporaryFile::read_at(std::int64_t at, std::byte* out, std::int64_t count) const {
  const std::int64_t got = tamis::read_at(file_.get(), out, count, at);
  if (got < 0) fail_errno(errno);
  std::fill_n(out + got, count - got, std::byte{0});
}

void TemporaryFile::set_length(std::int64_t bytes) {
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail_errno(errno);
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

std::string TemporaryFile::publish(bool keep_old) {
  if (direct()) return {};
  if (keep_old) keep_old_file();
  std::string lost = keep_attributes(place_.opened.get(), place_.name, file_.get());
  if (::renameat(place_.opened.get(), hidden_.c_str(), place_.opened.get(), place_.name.c_str()) != 0) {
    fail_errno(errno);
  }
  hidden_.clear();
  remove_ledger();
  published_ = true;
  static_cast<void>(file_.close());  // complete() has heard all that it could say
  return lost;
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

void TemporaryFile::fail(std::string_view reason) const { give_up("could not write {}: {}", shown_, reason); }

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

std::vector<std::string> OutputSet::publish() {
  std::vector<std::unique_ptr<UnnamedOutput>> files = std::exchange(complete_, {});
  const std::unique_lock<std::timed_mutex> held = lock();
  std::vector<std::string> notes;
  std::size_t next = 0;
  try {
    // The last one needs no way back: if it cannot take its name, its old file is still there.
    for (; next < files.size(); ++next) {
      const std::string lost = files[next]->publish(next + 1 < files.size());
      if (!lost.empty()) notes.push_back(fmt::format("{}: not kept of the old file: {}", files[next]->path(), lost));
    }
  } catch (const ResourceError& error) {
    std::string stayed;
    while (next-- > 0) {
      if (!files[next]->take_back()) stayed += fmt::format("; {} has been replaced already", files[next]->path());
    }
    throw ResourceError(error.what() + stayed);
  }
  for (const auto& file : files) file->forget_old();
  return notes;
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
