// Balls on their way to the tiles that they touch: a list for each tile and thread, of chunks that are used again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "granulometry/cpu/balls/tile.hpp"

namespace tamis::granulometry_detail::cpu::balls {

/// One thread's lists. Layers of tiles come and go: layer l has the place l % `layers`.
template <class Lane>
class Lists {
 public:
  Lists(std::int64_t layers, std::int64_t tiles_of_layer)
      : layers_(layers), tiles_(tiles_of_layer), heads_(static_cast<std::size_t>(layers * tiles_of_layer)) {}

  void push(std::int64_t layer, std::int64_t tile, const Ball<Lane>& ball) {
    Chunk*& head = heads_[place(layer, tile)];
    if (head == nullptr || head->count == capacity) {
      Chunk* const fresh = take();
      fresh->next = head;
      fresh->count = 0;
      head = fresh;
    }
    head->balls[head->count++] = ball;
  }

  /// Appends the balls of a tile. Lists of different tiles may be read at the same time.
  void read(std::int64_t layer, std::int64_t tile, std::vector<Ball<Lane>>& out) const {
    for (const Chunk* chunk = heads_[place(layer, tile)]; chunk != nullptr; chunk = chunk->next) {
      out.insert(out.end(), chunk->balls, chunk->balls + chunk->count);
    }
  }

  /// Empties a layer; its chunks serve again.
  void clear(std::int64_t layer) {
    for (std::int64_t tile = 0; tile < tiles_; ++tile) {
      for (Chunk*& head = heads_[place(layer, tile)]; head != nullptr;) {
        Chunk* const next = head->next;
        head->next = free_;
        free_ = head;
        head = next;
      }
    }
  }

 private:
  static constexpr int capacity = 80;
  struct Chunk {
    Chunk* next = nullptr;
    int count = 0;
    Ball<Lane> balls[capacity];
  };

  [[nodiscard]] std::size_t place(std::int64_t layer, std::int64_t tile) const {
    return static_cast<std::size_t>(layer % layers_ * tiles_ + tile);
  }
  Chunk* take() {
    if (free_ == nullptr) {
      constexpr std::int64_t at_once = 64;
      blocks_.push_back(std::make_unique<Chunk[]>(at_once));
      for (std::int64_t i = 0; i < at_once; ++i) {
        blocks_.back()[i].next = free_;
        free_ = &blocks_.back()[i];
      }
    }
    Chunk* const chunk = free_;
    free_ = chunk->next;
    return chunk;
  }

  std::int64_t layers_;
  std::int64_t tiles_;
  std::vector<Chunk*> heads_;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
  Chunk* free_ = nullptr;
};

}  // namespace tamis::granulometry_detail::cpu::balls
