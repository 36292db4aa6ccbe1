// The batch core that `hub.native.BatchCore` describes, for Pong.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "batch.h"
#include "guard.hpp"
#include "pool.hpp"

namespace hub {

using Actions = py::array_t<std::int64_t, py::array::c_style>;
using Seeds = py::array_t<std::uint64_t, py::array::c_style>;
using Mask = py::array_t<bool, py::array::c_style>;

class PongCore {
  public:
    PongCore(py::array observations, py::object final_observations, py::array rewards,
             py::array terminations, py::array truncations, const std::string &autoreset,
             std::optional<std::uint64_t> max_episode_steps, std::optional<int> num_threads,
             bool compat, int frame_skip);
    ~PongCore();

    void reset(std::optional<Seeds> seeds, std::optional<Mask> mask);
    std::size_t step(const Actions &actions);
    py::tuple step_lane(py::handle action);
    std::size_t loop(const Actions &actions, std::size_t batches);
    py::bytes snapshot();
    void restore(const py::bytes &payload);
    py::tuple lane(std::size_t index);
    void close();

    std::size_t num_threads() const { return threads_; }
    const std::string &config() const { return config_; }

  private:
    void bind_buffers(py::array observations, py::object final_observations, py::array rewards,
                      py::array terminations, py::array truncations);
    std::size_t run(const std::int64_t *actions);
    void check_actions(const std::int64_t *actions) const;
    void require_ready();
    [[noreturn]] void refuse_action(std::size_t lane, const std::string &value) const;

    Lifecycle life_;
    py::list keep_alive_;  // the bound arrays
    PongBuffers buffers_{};
    std::unique_ptr<PongBatch, decltype(&pong_batch_free)> batch_{nullptr, pong_batch_free};
    std::unique_ptr<Pool> pool_;
    std::size_t lanes_ = 0, threads_ = 1;
    std::string config_;
    bool disabled_ = false;  // autoreset
    bool release_ = false;   // whether a step is long enough to release the GIL
    bool started_ = false;   // whether every lane has been reset once
    bool waiting_ = false;   // whether a lane of a disabled autoreset may need a reset
};

}  // namespace hub
