#include "cli/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace tamis::cli {
namespace {

constexpr std::chrono::milliseconds patience{1000};
constexpr std::chrono::milliseconds redraw{100};
constexpr std::int64_t bar_width = 30;

void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::string bar(const Progress& progress) {
  if (progress.total <= 0) return progress.done > 0 ? fmt::format("{}", progress.done) : "";
  const std::int64_t done = std::clamp<std::int64_t>(progress.done, 0, progress.total);
  const auto share = static_cast<double>(done) / static_cast<double>(progress.total);
  const auto filled = static_cast<std::size_t>(share * bar_width);
  return fmt::format("[{}{}] {:3.0f} %", std::string(filled, '#'), std::string(bar_width - filled, '.'), 100 * share);
}

}  // namespace

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1), start_(Clock::now()), drawn_(start_) {}

void ProgressBar::report(const Progress& progress) {
  if (!terminal_) return;
  const std::unique_lock lock(drawing_, std::try_to_lock);
  const Clock::time_point now = Clock::now();
  if (!lock || now - start_ < patience || now - drawn_ < redraw) return;
  drawn_ = now;
  visible_ = true;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
  // Back to the first column, text, erase what a longer line left behind.
  put(fmt::format("\r{:<10} {}  {} s\x1b[K", progress.stage, bar(progress), seconds));
}

void ProgressBar::clear() {
  const std::lock_guard lock(drawing_);
  if (visible_) put("\r\x1b[K");
  visible_ = false;
}

}  // namespace tamis::cli
