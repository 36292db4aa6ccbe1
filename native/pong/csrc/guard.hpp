// What keeps a native object from being used wrongly: closed, forked, or from two threads at once.
#pragma once

#include <pthread.h>

#include <atomic>
#include <string>

#include <pybind11/pybind11.h>

namespace hub {

namespace py = pybind11;

[[noreturn]] inline void raise(const char *module, const char *type, const std::string &message) {
    PyErr_SetString(py::module_::import(module).attr(type).ptr(), message.c_str());
    throw py::error_already_set();
}

// Counts the forks between the process that loaded this module and the current one.
inline std::atomic<unsigned> &forks() {
    static std::atomic<unsigned> count{0};
    return count;
}

inline void count_forks() {
    pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1, std::memory_order_relaxed); });
}

// Remembers the process of its owner, whether it is closed, and whether a call is running.
class Lifecycle {
  public:
    // Holds the object for one call; call with the GIL held.
    class Call {
      public:
        explicit Call(Lifecycle &life) : life_(life) {
            if (life.forked())
                raise("hub.errors", "ForkedError",
                      "this environment was made in another process, before a fork; "
                      "make a new one in each process (start workers with 'spawn')");
            if (life.busy_.exchange(true, std::memory_order_acquire))
                raise("hub.errors", "ConcurrentUseError",
                      "another thread is inside this environment; "
                      "give each thread its own, or guard it with a lock");
            if (life.closed_) {
                life.busy_.store(false, std::memory_order_release);
                raise("hub.errors", "ClosedError",
                      "this environment is closed; make a new one");
            }
        }
        ~Call() { life_.busy_.store(false, std::memory_order_release); }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

      private:
        Lifecycle &life_;
    };

    bool forked() const { return born_ != forks().load(std::memory_order_relaxed); }
    bool closed() const { return closed_; }
    void close() { closed_ = true; }

  private:
    const unsigned born_ = forks().load(std::memory_order_relaxed);
    std::atomic<bool> busy_{false};
    bool closed_ = false;
};

}  // namespace hub
