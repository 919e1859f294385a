// Frames on the CPU: one thread filters them in turn, so that the caller can fetch the next one meanwhile.
#include "core/frames.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

namespace tamis::core_detail::cpu {
namespace {

class CpuFrames final : public FrameWork {
 public:
  CpuFrames(const Context& context, Type type, const Shape& shape, int most, FilterFrame filter)
      : FrameWork(Device::Cpu, most),
        context_(context),
        filter_(std::move(filter)),
        image_(type, shape),
        out_(type, shape) {
    context_.device = Device::Cpu;
    filter_(context_, image_, out_);  // says what cannot be, and takes the memory
    worker_ = std::jthread([this](const std::stop_token& end) { work(end); });
  }

  void submit(const void* frame, void* result) override {
    std::packaged_task<void*()> task([=, this] {
      filter_one(frame, result);
      return result;
    });
    results_.push_back(task.get_future());
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(task));
    }
    came_.notify_one();
  }

  void* take() override {
    std::future<void*> oldest = std::move(results_.front());
    results_.pop_front();
    return oldest.get();
  }

 private:
  void filter_one(const void* frame, void* result) {
    const auto bytes = static_cast<std::size_t>(image_.bytes());
    std::memcpy(image_.data(), frame, bytes);
    filter_(context_, image_, out_);
    std::memcpy(result, out_.data(), bytes);
  }

  /// Runs until the end is asked for and no frame waits: after that nobody touches memory of the caller.
  void work(const std::stop_token& end) {
    while (true) {
      std::packaged_task<void*()> task;
      {
        std::unique_lock lock(mutex_);
        if (!came_.wait(lock, end, [this] { return !waiting_.empty(); })) return;
        task = std::move(waiting_.front());
        waiting_.pop_front();
      }
      task();
    }
  }

  Context context_;
  FilterFrame filter_;
  Image image_, out_;
  std::deque<std::future<void*>> results_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::deque<std::packaged_task<void*()>> waiting_;
  std::jthread worker_;  ///< last: it ends before what it uses
};

}  // namespace

std::unique_ptr<FrameWork> frames(const Context& context, Type type, const Shape& shape, int in_flight,
                                  FilterFrame filter) {
  return std::make_unique<CpuFrames>(context, type, shape, in_flight, std::move(filter));
}

}  // namespace tamis::core_detail::cpu
