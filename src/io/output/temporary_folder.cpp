#include "io/output/output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/system/tree.hpp"
#include "io/refuse.hpp"

namespace tamis::io {
namespace {

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

TemporaryFolder::TemporaryFolder(const Target& target)
    : shown_(target.path), cancel_(target.cancel), together_(target.together), place_(output_folder_place(target.path)) {
  remove_stale_folders(shown_, place_);
  std::unique_lock<std::timed_mutex> lock;
  if (together_) lock = together_->lock();
  if (together_) together_->open_.reserve(together_->open_.size() + 1);
  create_hidden();
  if (together_) together_->open_.push_back(this);
}

TemporaryFolder::~TemporaryFolder() {
  std::unique_lock<std::timed_mutex> lock;
  if (together_) {
    lock = std::unique_lock(together_->mutex_);
    std::erase(together_->open_, this);
  }
  unlink_hidden();
}

void TemporaryFolder::create_hidden() {
  // Never more open than the old folder.
  const mode_t mode = place_.old ? place_.old->st_mode & 0777 : 0777;
  for (int slot = 0; slot < most_slots; ++slot) {
    const std::string name = hidden_name(place_, slot);
    if (::mkdirat(place_.opened.get(), name.c_str(), mode) != 0) {
      if (errno == EEXIST) continue;
      cannot_write(shown_, std::strerror(errno));
    }
    folder_ = Descriptor(::openat(place_.opened.get(), name.c_str(), folder_flags));
    if (!folder_.valid() && errno == ENOENT) continue;  // another run has taken it for stale
    hidden_ = name;
    int error = folder_.valid() ? lock_hidden(place_, name, folder_.get()) : errno;
    if (error == EAGAIN) continue;
    for (Descriptor& kept : reserve_) {
      if (error == 0) kept = Descriptor(::fcntl(folder_.get(), F_DUPFD_CLOEXEC, 3));
      if (error == 0 && !kept.valid()) error = errno;
    }
    if (error == 0) return;
    unlink_hidden();
    cannot_write(shown_, std::strerror(error));
  }
  cannot_write(shown_, fmt::format("{} partial folders stand beside it", most_slots));
}

void TemporaryFolder::make_folder(const std::string& name) {
  check_cancel();
  if (::mkdirat(folder_.get(), name.c_str(), 0777) != 0 && errno != EEXIST) fail_errno(errno);
}

void TemporaryFolder::write(const std::string& name, std::span<const std::byte> bytes) {
  check_cancel();
  Descriptor file(::openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.valid()) fail_errno(errno);
  while (!bytes.empty()) {
    constexpr std::size_t piece = std::size_t{4} << 20;
    const ssize_t written = ::write(file.get(), bytes.data(), std::min(piece, bytes.size()));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    check_cancel();
  }
  // On its way to the disk, so that complete() waits less; what fails here fails there too.
  static_cast<void>(::sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE));
  if (file.close() != 0) fail_errno(errno);
}

void TemporaryFolder::complete() {
  const int error = sync_tree(folder_.get(), [this](int entry) {
    if (place_.old) keep_owner(*place_.old, entry);
    return !cancel_.stop_requested();
  });
  check_cancel();
  if (error != 0) fail_errno(error);
}

std::string TemporaryFolder::free_name() const {
  for (int slot = 0; slot < most_slots; ++slot) {
    std::string name = hidden_name(place_, slot);
    if (!stands_beside(place_, name)) return name;
  }
  return {};
}

/// The hidden folder and that of the target's name change places. False, with errno, where they do not.
bool TemporaryFolder::exchange() noexcept {
  const int beside = place_.opened.get();
  const char* const name = place_.name.c_str();
  if (::renameat2(beside, hidden_.c_str(), beside, name, RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system that cannot: for a moment there is neither.
  const std::string aside = free_name();
  if (::renameat(beside, name, beside, aside.c_str()) != 0) return false;
  if (::renameat(beside, hidden_.c_str(), beside, name) != 0) {
    const int error = errno;
    ::renameat(beside, aside.c_str(), beside, name);
    errno = error;
    return false;
  }
  hidden_ = aside;
  return true;
}

std::string TemporaryFolder::publish(bool keep_old) {
  const int beside = place_.opened.get();
  // What is there may have come meanwhile.
  old_ = Descriptor(::openat(beside, place_.name.c_str(), folder_flags));
  no_old_ = !old_.valid() && errno == ENOENT;
  std::string lost;
  if (!no_old_) {
    if (!old_.valid()) fail_errno(errno);
    if (!may_be_replaced(old_.get())) fail_errno(EEXIST);
    lost = keep_attributes(place_.opened.get(), place_.name, folder_.get());
    static_cast<void>(::flock(old_.get(), LOCK_SH | LOCK_NB));
    if (!exchange()) fail_errno(errno);
  } else if (::renameat(beside, hidden_.c_str(), beside, place_.name.c_str()) != 0) {
    fail_errno(errno);
  } else {
    hidden_.clear();
  }
  published_ = true;
  static_cast<void>(folder_.close());
  if (!keep_old) forget_old();
  return lost;
}

bool TemporaryFolder::take_back() noexcept {
  if (!published_) return true;
  const int beside = place_.opened.get();
  published_ = false;
  if (no_old_) return remove_tree(beside, place_.name) == 0;
  return exchange();  // what is hidden then is the new one, which goes with this
}

void TemporaryFolder::forget_old() noexcept {
  if (!published_ || hidden_.empty()) return;
  free_reserve();
  static_cast<void>(remove_tree(place_.opened.get(), hidden_));
  hidden_.clear();
}

void TemporaryFolder::unlink_hidden() noexcept {
  given_up_ = true;
  if (hidden_.empty()) return;
  free_reserve();
  // A thread that was about to make a file may have made it.
  constexpr int most_tries = 5;
  for (int i = 0; i < most_tries && remove_tree(place_.opened.get(), hidden_) == ENOTEMPTY; ++i) continue;
  hidden_.clear();
}

void TemporaryFolder::free_reserve() noexcept {
  for (Descriptor& kept : reserve_) static_cast<void>(kept.close());
}

void TemporaryFolder::check_cancel() const {
  if (given_up_ || cancel_.stop_requested()) throw Cancelled();
}

void TemporaryFolder::fail_errno(int error) const { give_up("could not write {}: {}", shown_, std::strerror(error)); }

}  // namespace tamis::io
