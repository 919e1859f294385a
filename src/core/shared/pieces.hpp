// A length of work that several workers share: slices of a volume that several GPUs take, a piece at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <tamis/context.hpp>

namespace tamis::shared {

struct Piece {
  std::int64_t begin = 0, end = 0;
};

/// How long pieces are at most. The outermost ones have neighbours on one side only, and so less that is done twice.
struct PieceSizes {
  std::int64_t inner = 0;
  std::int64_t outer = 0;  ///< at either end of the length
};

/// What is not done yet, and who works on what. Workers come to it by their hands.
class Length {
 public:
  Length(std::int64_t length, std::size_t workers) : length_(length), hands_(workers) {}

 private:
  friend class Hand;
  [[nodiscard]] std::int64_t first_undone() const;

  const std::int64_t length_;
  std::int64_t fresh_ = 0;  ///< from here on nobody has worked
  std::vector<Piece> returned_;
  std::vector<std::vector<Piece>> hands_;
  bool stopped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// What one worker holds of a length: a piece, several that it works on side by side, or nothing.
class Hand {
 public:
  Hand(Length& length, std::size_t worker) : length_(length), worker_(worker) {}

  /// The piece it held is done; the next one, of at most so many. What was given back comes first. Nothing when all is
  /// done or stopped: until then it waits, as others may give back what they have.
  [[nodiscard]] std::optional<Piece> take(const PieceSizes& most);
  [[nodiscard]] std::optional<Piece> take(std::int64_t most) { return take(PieceSizes{most, most}); }
  /// One more beside what it holds, which is not done yet. Nothing where there is none at the moment: it does not wait.
  [[nodiscard]] std::optional<Piece> take_another(std::int64_t most);
  /// One of several pieces is done, the one that begins there.
  void finish(std::int64_t begin);
  /// Of the piece, what lies before `begin` is done.
  void advance(std::int64_t begin);
  /// What is left of all that it holds is for others.
  void give_back();
  /// For results that are wanted in order: waits until everything before the piece is done. False where something
  /// before it was given back, or the work is stopped: then this piece is given back too, and take() gives that.
  [[nodiscard]] bool wait_for_turn();
  /// No worker takes any more.
  void stop();

 private:
  std::vector<Piece>& own() { return length_.hands_[worker_]; }
  /// What is left for it now, with the length locked.
  std::optional<Piece> take_now(const PieceSizes& most);

  Length& length_;
  std::size_t worker_;
};

/// What a worker does: it takes pieces until there are none. `one`: the context with one GPU, which reports nothing.
using Work = std::function<void(const Context& one, Hand& hand, std::size_t worker)>;

/// Workers of a context: the GPUs that share the work.
[[nodiscard]] std::size_t worker_count(const Context& context);

/// A worker for each GPU of the context, in a thread of its own; one works in the caller's. A worker that throws
/// ResourceError gives back what it held, and the others go on: Context::on_note hears of it. If it was the last one,
/// its error is thrown, as is any other error of a worker, which ends the work of all. Returns who was lost, from the
/// last to the first.
std::vector<std::size_t> run_shared(const Context& context, std::int64_t length, const Work& work);

/// The context without one of its workers.
void leave_out(Context& context, std::size_t worker);

/// So many of a length at a time that workers are done at about the same time, and what they do twice, `overlap` on
/// either side of a piece, is a tenth of it; more only where each has one piece.
[[nodiscard]] std::int64_t fair_piece(std::int64_t length, std::size_t workers, std::int64_t overlap);
/// As many pieces, of the same work each: the outermost ones are longer by what they do not do twice.
[[nodiscard]] PieceSizes fair_pieces(std::int64_t length, std::size_t workers, std::int64_t overlap);

}  // namespace tamis::shared
