#include "io/output/file_sink.hpp"

#include <fmt/format.h>

#include <utility>

#include <tamis/error.hpp>

namespace tamis::io {

FileSink::FileSink(const Target& target, const Layout& layout)
    : path_(target.path), layout_(layout), together_(target.together), file_(std::make_unique<TemporaryFile>(target)) {}

void FileSink::write(const std::byte* slices, std::int64_t count) {
  got_ += count;
  const std::int64_t wanted = layout_.shape.z;
  if (got_ > wanted) throw InputError(fmt::format("{}: got {} slices, wanted {}", path_, got_, wanted));
  if (count > 0) write_slices(slices, count);
}

void FileSink::finish() {
  const std::int64_t wanted = layout_.shape.z;
  if (got_ != wanted) throw InputError(fmt::format("{}: got {} slices, wanted {}", path_, got_, wanted));
  write_end();
  file_->complete();
  if (together_) return together_->take(std::move(file_));
  file_->publish();
}

}  // namespace tamis::io
