#include "io/output/output.hpp"

#include <utility>

#include "io/refuse.hpp"

namespace tamis::io {

namespace {

Target without_checkpoints(Target target) {
  target.resumption = nullptr;
  target.keeps_unfinished = false;
  return target;
}

}  // namespace

FileSink::FileSink(const Target& target, const Layout& layout, bool grows)
    : path_(target.path),
      layout_(layout),
      together_(target.together),
      file_(std::make_unique<TemporaryFile>(grows ? target : without_checkpoints(target))) {
  if (!grows || !target.resumption) return;
  job_ = target.resumption->job;
  got_ = file_->taken();
}

bool FileSink::checkpoint() {
  if (!file_ || !job_ || file_->direct()) return false;
  return file_->checkpoint(*job_, got_);
}

void FileSink::drop_checkpoint() {
  if (file_) file_->drop_checkpoint();
}

void FileSink::write(const std::byte* slices, std::int64_t count) {
  got_ += count;
  const std::int64_t wanted = layout_.shape.z;
  if (got_ > wanted) refuse("{}: got {} slices, wanted {}", path_, got_, wanted);
  if (count > 0) write_slices(slices, count);
}

void FileSink::finish() {
  if (!file_) return;
  const std::int64_t wanted = layout_.shape.z;
  if (got_ != wanted) refuse("{}: got {} slices, wanted {}", path_, got_, wanted);
  write_end();
  file_->complete();
  if (together_) return together_->take(std::move(file_));
  static_cast<void>(file_->publish());
  file_.reset();
}

}  // namespace tamis::io
