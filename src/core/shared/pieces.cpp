#include "core/shared/pieces.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <tamis/error.hpp>

namespace tamis::shared {
namespace {

bool is_earlier(const Piece& a, const Piece& b) { return a.begin < b.begin; }

/// As many pieces for each worker as for the others: one more than that would keep one busy while the others wait.
std::int64_t fair_number(std::int64_t length, std::size_t workers, std::int64_t overlap) {
  constexpr std::int64_t most_pieces_each = 4, least_of_overlap = 20;
  if (workers == 1) return 1;
  const auto count = static_cast<std::int64_t>(workers);
  const std::int64_t least = std::max<std::int64_t>(least_of_overlap * overlap, 1);
  return count * std::clamp<std::int64_t>(length / (count * least), 1, most_pieces_each);
}

/// The context of one worker.
Context context_of(const Context& all, std::size_t worker) {
  Context one = all;
  one.on_progress = nullptr;
  one.on_stage = nullptr;
  if (worker > 0) one.gpu = all.more_gpus[worker - 1];
  one.more_gpus.clear();
  return one;
}

/// What became of the workers.
class Fates {
 public:
  Fates(const Context& context, std::size_t workers) : context_(context), left_(workers) {}

  /// In a handler: the error of a worker that ends the work of all.
  void fail() {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
  /// The same of a worker without which the others can go on. False where there are no others.
  bool lose(std::size_t worker, int gpu, const std::string& why) {
    const std::lock_guard lock(mutex_);
    lost_.push_back(worker);
    if (--left_ == 0) {
      if (!error_) error_ = std::current_exception();
      return false;
    }
    if (context_.on_note) context_.on_note(fmt::format("cuda:{}: {}; the other GPUs go on without it", gpu, why));
    return true;
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  [[nodiscard]] std::vector<std::size_t> lost() && {
    std::sort(lost_.begin(), lost_.end(), std::greater());
    return std::move(lost_);
  }

 private:
  const Context& context_;
  std::size_t left_;
  std::vector<std::size_t> lost_;
  std::exception_ptr error_;
  std::mutex mutex_;
};

}  // namespace

std::int64_t Length::first_undone() const {
  std::int64_t first = fresh_;
  for (const Piece& piece : returned_) first = std::min(first, piece.begin);
  for (const std::vector<Piece>& held : hands_) {
    for (const Piece& piece : held) first = std::min(first, piece.begin);
  }
  return first;
}

std::optional<Piece> Hand::take(const PieceSizes& most) {
  std::unique_lock lock(length_.mutex_);
  own().clear();
  length_.changed_.notify_all();
  const auto nobody_works = [&] {
    return std::all_of(length_.hands_.begin(), length_.hands_.end(), [](const auto& held) { return held.empty(); });
  };
  length_.changed_.wait(lock, [&] {
    return length_.stopped_ || !length_.returned_.empty() || length_.fresh_ < length_.length_ || nobody_works();
  });
  return take_now(most);
}

std::optional<Piece> Hand::take_another(std::int64_t most) {
  const std::lock_guard lock(length_.mutex_);
  return take_now({most, most});
}

std::optional<Piece> Hand::take_now(const PieceSizes& most) {
  if (length_.stopped_) return {};
  if (!length_.returned_.empty()) {
    const auto first = std::min_element(length_.returned_.begin(), length_.returned_.end(), is_earlier);
    const bool is_outer = first->begin == 0 || first->end == length_.length_;
    const Piece taken{first->begin, std::min(first->end, first->begin + (is_outer ? most.outer : most.inner))};
    first->begin = taken.end;
    if (first->begin == first->end) length_.returned_.erase(first);
    own().push_back(taken);
    return taken;
  }
  if (length_.fresh_ == length_.length_) return {};
  const std::int64_t left = length_.length_ - length_.fresh_;
  const bool is_outer = length_.fresh_ == 0 || left <= most.outer;
  const Piece taken{length_.fresh_, length_.fresh_ + std::min(left, is_outer ? most.outer : most.inner)};
  length_.fresh_ = taken.end;
  own().push_back(taken);
  return taken;
}

void Hand::finish(std::int64_t begin) {
  const std::lock_guard lock(length_.mutex_);
  std::erase_if(own(), [&](const Piece& piece) { return piece.begin == begin; });
  length_.changed_.notify_all();
}

void Hand::advance(std::int64_t begin) {
  const std::lock_guard lock(length_.mutex_);
  own().front().begin = begin;
  length_.changed_.notify_all();
}

void Hand::give_back() {
  const std::lock_guard lock(length_.mutex_);
  for (const Piece& piece : own()) {
    if (piece.begin < piece.end) length_.returned_.push_back(piece);
  }
  own().clear();
  length_.changed_.notify_all();
}

bool Hand::wait_for_turn() {
  std::unique_lock lock(length_.mutex_);
  const auto is_first = [&] { return length_.first_undone() == own().front().begin; };
  const auto waits_in_vain = [&] {
    return length_.stopped_ || std::any_of(length_.returned_.begin(), length_.returned_.end(),
                                           [&](const Piece& piece) { return is_earlier(piece, own().front()); });
  };
  length_.changed_.wait(lock, [&] { return is_first() || waits_in_vain(); });
  if (!length_.stopped_ && is_first()) return true;
  length_.returned_.push_back(own().front());
  own().clear();
  length_.changed_.notify_all();
  return false;
}

void Hand::stop() {
  const std::lock_guard lock(length_.mutex_);
  length_.stopped_ = true;
  length_.changed_.notify_all();
}

std::size_t worker_count(const Context& context) { return 1 + context.more_gpus.size(); }

std::vector<std::size_t> run_shared(const Context& context, std::int64_t length, const Work& work) {
  const std::size_t workers = worker_count(context);
  Length undone(length, workers);
  if (workers == 1) {
    Hand hand(undone, 0);
    work(context, hand, 0);
    return {};
  }
  Fates fates(context, workers);
  const auto run = [&](std::size_t worker) {
    const Context one = context_of(context, worker);
    Hand hand(undone, worker);
    try {
      try {
        work(one, hand, worker);
      } catch (const ResourceError& error) {
        hand.give_back();
        if (!fates.lose(worker, one.gpu, error.what())) hand.stop();
      }
    } catch (...) {
      fates.fail();
      hand.give_back();
      hand.stop();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t worker = 1; worker < workers; ++worker) threads.emplace_back(run, worker);
    run(0);
  }
  fates.rethrow();
  return std::move(fates).lost();
}

void leave_out(Context& context, std::size_t worker) {
  if (worker == 0) {
    context.gpu = context.more_gpus.front();
    worker = 1;
  }
  context.more_gpus.erase(context.more_gpus.begin() + static_cast<std::ptrdiff_t>(worker) - 1);
}

std::int64_t fair_piece(std::int64_t length, std::size_t workers, std::int64_t overlap) {
  const std::int64_t pieces = fair_number(length, workers, overlap);
  return (length + pieces - 1) / pieces;
}

PieceSizes fair_pieces(std::int64_t length, std::size_t workers, std::int64_t overlap) {
  const std::int64_t pieces = fair_number(length, workers, overlap);
  const std::int64_t same = (length + pieces - 1) / pieces;
  // Outer pieces that would have most of the work take it from short inner ones, which are mostly overlap anyway.
  if (pieces < 3 || same < 2 * overlap) return {same, same};
  const std::int64_t inner = (length - 2 * overlap + pieces - 1) / pieces;
  return {inner, inner + overlap};
}

}  // namespace tamis::shared
