// Memory that threads work in: a task takes a workspace, and leaves it for the next one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tamis {

template <class Workspace>
class WorkspacePool {
 public:
  explicit WorkspacePool(std::function<std::unique_ptr<Workspace>()> make) : make_(std::move(make)) {}

  /// Calls work(workspace) with one that no other thread has at the time.
  template <class Work>
  void with(const Work& work) {
    std::unique_ptr<Workspace> own = take();
    work(*own);
    const std::lock_guard lock(guard_);
    free_.push_back(std::move(own));
  }

 private:
  std::unique_ptr<Workspace> take() {
    {
      const std::lock_guard lock(guard_);
      if (!free_.empty()) {
        std::unique_ptr<Workspace> own = std::move(free_.back());
        free_.pop_back();
        return own;
      }
    }
    return make_();
  }

  std::function<std::unique_ptr<Workspace>()> make_;
  std::mutex guard_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

}  // namespace tamis
