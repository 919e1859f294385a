#include "core/shared/pieces.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <tamis/error.hpp>

namespace tamis::shared {
namespace {

Context on_gpus(std::vector<int> more) {
  Context context;
  context.more_gpus = std::move(more);
  return context;
}

void pause(int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }

/// How often each part of a length was done.
class Done {
 public:
  explicit Done(std::int64_t length) : times_(static_cast<std::size_t>(length)) {}
  void add(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++times_[static_cast<std::size_t>(i)];
  }
  void expect_once() const {
    for (std::size_t i = 0; i < times_.size(); ++i) ASSERT_EQ(times_[i], 1) << i;
  }

 private:
  std::vector<std::atomic<int>> times_;
};

TEST(SharedPieces, of_any_size_are_each_done_once) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    for (const std::int64_t length : {1, 2, 7, 100}) {
      for (const std::int64_t most : {1, 3, 1000}) {
        Done done(length);
        run_shared(on_gpus(std::vector<int>(workers - 1, 0)), length, [&](const Context&, Hand& hand, std::size_t worker) {
          while (const auto piece = hand.take(most)) {
            pause(worker == 1 ? 50 : 1);  // GPUs of different speed
            done.add(piece->begin, piece->end);
          }
        });
        done.expect_once();
      }
    }
  }
}

TEST(SharedPieces, that_a_worker_holds_side_by_side_are_each_done_once) {
  for (const std::size_t workers : {1U, 3U}) {
    Done done(100);
    run_shared(on_gpus(std::vector<int>(workers - 1, 0)), 100, [&](const Context&, Hand& hand, std::size_t) {
      std::deque<Piece> held;
      while (const auto piece = held.empty() ? hand.take(3) : hand.take_another(3)) {
        held.push_back(*piece);
        if (held.size() < 4) continue;
        done.add(held.front().begin, held.front().end);
        hand.finish(held.front().begin);
        held.pop_front();
      }
      for (const Piece& piece : held) {
        done.add(piece.begin, piece.end);
        hand.finish(piece.begin);
      }
    });
    done.expect_once();
  }
}

TEST(SharedPieces, that_are_given_back_together_come_again_and_those_that_are_done_do_not) {
  run_shared(on_gpus({}), 10, [](const Context&, Hand& hand, std::size_t) {
    EXPECT_EQ(hand.take(3)->begin, 0);
    EXPECT_EQ(hand.take_another(3)->begin, 3);
    EXPECT_EQ(hand.take_another(3)->begin, 6);
    hand.finish(3);
    hand.give_back();
    EXPECT_EQ(hand.take(100)->begin, 0);
    EXPECT_EQ(hand.take_another(100)->begin, 6);
    EXPECT_EQ(hand.take_another(100)->begin, 9);
    EXPECT_FALSE(hand.take_another(100));
    EXPECT_FALSE(hand.take(100));
  });
}

TEST(SharedPieces, of_a_worker_that_is_lost_are_done_by_the_others) {
  Done done(60);
  std::vector<std::string> notes;
  Context context = on_gpus({1, 2});
  context.on_note = [&](std::string_view note) { notes.emplace_back(note); };
  std::atomic<bool> lost{false};  // on a busy machine the others could be done before it begins
  const auto gone = run_shared(context, 60, [&](const Context& one, Hand& hand, std::size_t) {
    while (const auto piece = hand.take(10)) {
      if (one.gpu == 1) {
        lost = true;
        throw ResourceError("out of memory");
      }
      while (!lost) pause(100);
      done.add(piece->begin, piece->end);
    }
  });
  done.expect_once();
  EXPECT_EQ(gone, std::vector<std::size_t>{1});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "cuda:1: out of memory; the other GPUs go on without it");
}

TEST(SharedPieces, go_on_without_a_worker_that_is_left_out) {
  Context context = on_gpus({3, 5});
  context.gpu = 1;
  leave_out(context, 2);
  EXPECT_EQ(context.more_gpus, std::vector<int>{3});
  leave_out(context, 0);
  EXPECT_EQ(context.gpu, 3);
  EXPECT_TRUE(context.more_gpus.empty());
}

TEST(SharedPieces, what_a_lost_worker_had_done_of_one_stays_done) {
  Done done(60);
  run_shared(on_gpus({1}), 60, [&](const Context& one, Hand& hand, std::size_t) {
    while (const auto piece = hand.take(20)) {
      for (std::int64_t z = piece->begin; z < piece->end; z += 5) {
        if (one.gpu == 1 && z > piece->begin) throw ResourceError("an error");
        done.add(z, z + 5);
        hand.advance(z + 5);
        pause(10);
      }
    }
  });
  done.expect_once();
}

TEST(SharedPieces, end_with_the_error_of_the_last_worker) {
  const auto lose_all = [](const Context& one, Hand& hand, std::size_t) {
    while (hand.take(1)) throw ResourceError("no memory on " + std::to_string(one.gpu));
  };
  EXPECT_THROW(run_shared(on_gpus({1, 2}), 9, lose_all), ResourceError);
}

TEST(SharedPieces, end_for_all_with_any_other_error) {
  std::atomic<int> taken{0};
  const auto work = [&](const Context& one, Hand& hand, std::size_t) {
    while (hand.take(1)) {
      ++taken;
      if (one.gpu == 2) throw InputError("NaN");
      pause(1000);
    }
  };
  EXPECT_THROW(run_shared(on_gpus({1, 2}), 1'000'000, work), InputError);
  EXPECT_LT(taken, 1'000'000);
}

TEST(SharedPieces, are_delivered_in_order) {
  for (const int lost : {-1, 0, 1, 2}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::vector<std::int64_t> delivered;
      run_shared(on_gpus({1, 2}), 40, [&](const Context& one, Hand& hand, std::size_t worker) {
        std::mt19937 random(seed * 3 + static_cast<unsigned>(worker));
        int taken = 0;
        while (const auto piece = hand.take(4)) {
          pause(static_cast<int>(random() % 200));
          if (one.gpu == lost && ++taken == 2) throw ResourceError("lost");
          if (!hand.wait_for_turn()) continue;
          for (std::int64_t z = piece->begin; z < piece->end; ++z) delivered.push_back(z);
        }
      });
      ASSERT_EQ(delivered.size(), 40U);
      for (std::int64_t z = 0; z < 40; ++z) ASSERT_EQ(delivered[static_cast<std::size_t>(z)], z);
    }
  }
}

TEST(SharedPieces, are_fair_and_overlap_little) {
  EXPECT_EQ(fair_piece(1000, 1, 5), 1000);
  EXPECT_EQ(fair_piece(1000, 2, 0), 125);
  EXPECT_EQ(fair_piece(1000, 2, 8), 167);
  EXPECT_EQ(fair_piece(1000, 2, 50), 500);
  EXPECT_EQ(fair_piece(1000, 2, 500), 500);
  EXPECT_EQ(fair_piece(3, 4, 0), 1);
}

/// The pieces that workers take one after the other.
std::vector<std::int64_t> lengths_of(std::int64_t length, const PieceSizes& sizes) {
  Length all(length, 1);
  Hand hand(all, 0);
  std::vector<std::int64_t> lengths;
  while (const auto piece = hand.take(sizes)) lengths.push_back(piece->end - piece->begin);
  return lengths;
}

TEST(Pieces, that_do_more_twice_are_shorter) {
  using Lengths = std::vector<std::int64_t>;
  EXPECT_EQ(lengths_of(2048, fair_pieces(2048, 4, 128)), (Lengths{576, 448, 448, 576}));
  EXPECT_EQ(lengths_of(2050, fair_pieces(2050, 4, 128)), (Lengths{577, 449, 449, 575}));
  EXPECT_EQ(lengths_of(2048, fair_pieces(2048, 2, 128)), (Lengths{1024, 1024}));
  EXPECT_EQ(lengths_of(900, fair_pieces(900, 3, 200)), (Lengths{300, 300, 300}));
  EXPECT_EQ(lengths_of(7, fair_pieces(7, 1, 128)), (Lengths{7}));
  EXPECT_EQ(lengths_of(3, fair_pieces(3, 4, 0)), (Lengths{1, 1, 1}));
  EXPECT_EQ(lengths_of(2400, fair_pieces(2400, 2, 30)).size(), 4U);
}

}  // namespace
}  // namespace tamis::shared
