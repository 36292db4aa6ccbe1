// A small persistent thread pool: one job at a time, one contiguous chunk for each thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hub {

class Pool {
  public:
    using Chunk = std::function<void(std::size_t index)>;

    // Starts `threads - 1` workers; the calling thread is the remaining one.
    explicit Pool(std::size_t threads) {
        for (std::size_t index = 1; index < threads; index++)
            workers_.emplace_back([this, index] { work(index); });
    }

    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    ~Pool() {
        {
            std::lock_guard<std::mutex> hold(mutex_);
            stop_ = true;
            round_.fetch_add(1, std::memory_order_release);
        }
        wake_.notify_all();
        for (auto &worker : workers_) worker.join();
    }

    // Calls chunk(0) .. chunk(threads - 1), each on its own thread, and waits for all of them.
    void run(const Chunk &chunk) {
        {
            std::lock_guard<std::mutex> hold(mutex_);
            chunk_ = &chunk;
            pending_.store(workers_.size(), std::memory_order_relaxed);
            round_.fetch_add(1, std::memory_order_release);
        }
        wake_.notify_all();
        chunk(0);
        if (spin([this] { return pending_.load(std::memory_order_acquire) == 0; })) return;
        std::unique_lock<std::mutex> hold(mutex_);
        done_.wait(hold, [this] { return pending_.load(std::memory_order_acquire) == 0; });
    }

  private:
    // Batches follow each other within microseconds while somebody is stepping, which is less than
    // waking a sleeping thread costs; the bound keeps idle workers off the processor.
    template <typename Ready> static bool spin(Ready ready) {
        for (int turn = 0; turn < 2000; turn++) {
            if (ready()) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        return false;
    }

    void work(std::size_t index) {
        std::size_t seen = 0;
        while (true) {
            const auto news = [&] { return round_.load(std::memory_order_acquire) != seen; };
            if (!spin(news)) {
                std::unique_lock<std::mutex> hold(mutex_);
                wake_.wait(hold, news);
            }
            seen = round_.load(std::memory_order_acquire);
            if (stop_) return;
            (*chunk_)(index);
            if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                std::lock_guard<std::mutex> hold(mutex_);
                done_.notify_one();
            }
        }
    }

    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::atomic<std::size_t> round_{0}, pending_{0};
    const Chunk *chunk_ = nullptr;
    bool stop_ = false;
};

}  // namespace hub
