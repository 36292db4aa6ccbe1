#include "core.hpp"

#include <pybind11/stl.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

namespace hub {
namespace {

// Frames below which a batch is stepped with the GIL held (releasing costs some 30 ns), and frames
// that make a thread worth waking.
constexpr std::size_t kReleaseFrames = 16;
constexpr std::size_t kFramesPerThread = 8192;

[[noreturn]] void bad_value(const std::string &message) { throw py::value_error(message); }

template <typename T>
T *bind(const char *name, py::array &array, std::vector<py::ssize_t> shape, py::list &keep) {
    const std::vector<py::ssize_t> actual(array.shape(), array.shape() + array.ndim());
    if (!py::dtype::of<T>().equal(array.dtype()))
        throw py::type_error(std::string(name) + ": dtype " +
                             py::str(array.dtype()).cast<std::string>() + ", expected " +
                             py::str(py::dtype::of<T>()).cast<std::string>());
    if (actual != shape)
        bad_value(std::string(name) + ": shape " +
                  py::str(py::cast(actual)).cast<std::string>() + ", expected " +
                  py::str(py::cast(shape)).cast<std::string>());
    if (!(array.flags() & py::array::c_style)) bad_value(std::string(name) + ": not C-contiguous");
    if (!array.writeable()) bad_value(std::string(name) + ": not writeable");
    keep.append(array);
    return static_cast<T *>(array.mutable_data());
}

PongAutoreset parse_autoreset(const std::string &name) {
    if (name == "NextStep") return PONG_NEXT_STEP;
    if (name == "SameStep") return PONG_SAME_STEP;
    if (name == "Disabled") return PONG_DISABLED;
    bad_value("autoreset '" + name + "': expected 'NextStep', 'SameStep' or 'Disabled'");
}

std::size_t usable_cores() {
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) ? 1 : std::max(CPU_COUNT(&cores), 1);
}

std::size_t choose_threads(std::optional<int> wanted, std::size_t lanes, std::size_t frames) {
    if (wanted && *wanted < 1)
        bad_value("num_threads " + std::to_string(*wanted) + ": expected 1 or more, or None");
    const std::size_t worth = std::max<std::size_t>(1, frames / kFramesPerThread);
    const std::size_t threads = wanted ? *wanted : std::min(worth, usable_cores());
    return std::min(threads, lanes);
}

std::string describe(const PongConfig &config, std::size_t lanes, const std::string &autoreset) {
    return "hub_pong.Pong state 1: compat=" + std::string(config.compat ? "puffer" : "none") +
           " frame_skip=" + std::to_string(config.frame_skip) + " autoreset=" + autoreset +
           " max_episode_steps=" + std::to_string(config.max_episode_steps) +
           " num_envs=" + std::to_string(lanes);
}

}  // namespace

PongCore::PongCore(py::array observations, py::object final_observations, py::array rewards,
                   py::array terminations, py::array truncations, const std::string &autoreset,
                   std::optional<std::uint64_t> max_episode_steps, std::optional<int> num_threads,
                   bool compat, int frame_skip) {
    if (frame_skip < 1 || frame_skip > 8)
        bad_value("frame_skip " + std::to_string(frame_skip) + ": expected 1 to 8");
    if (max_episode_steps && *max_episode_steps == 0)
        bad_value("max_episode_steps 0: expected 1 or more, or None for no limit");
    if (rewards.ndim() != 1 || rewards.shape(0) < 1)
        bad_value("rewards: expected one dimension with at least one lane");
    lanes_ = static_cast<std::size_t>(rewards.shape(0));
    const PongConfig config{compat, frame_skip, parse_autoreset(autoreset),
                            max_episode_steps.value_or(0)};
    if (config.autoreset == PONG_SAME_STEP && final_observations.is_none())
        bad_value("final_observations None: expected an array under 'SameStep'");
    const py::object last = config.autoreset == PONG_SAME_STEP ? final_observations : py::none();
    bind_buffers(observations, last, rewards, terminations, truncations);
    const std::size_t frames = lanes_ * static_cast<std::size_t>(frame_skip);
    threads_ = choose_threads(num_threads, lanes_, frames);
    release_ = frames >= kReleaseFrames || threads_ > 1;
    disabled_ = config.autoreset == PONG_DISABLED;
    config_ = describe(config, lanes_, autoreset);
    batch_.reset(pong_batch_new(lanes_, config, buffers_));
    if (!batch_) throw std::bad_alloc();
}

void PongCore::bind_buffers(py::array observations, py::object final_observations,
                            py::array rewards, py::array terminations, py::array truncations) {
    const auto lanes = static_cast<py::ssize_t>(lanes_);
    const auto flags = [&](const char *name, py::array &array) {
        return reinterpret_cast<std::uint8_t *>(bind<bool>(name, array, {lanes}, keep_alive_));
    };
    buffers_.observations = bind<float>("observations", observations, {lanes, 8}, keep_alive_);
    buffers_.rewards = bind<double>("rewards", rewards, {lanes}, keep_alive_);
    buffers_.terminations = flags("terminations", terminations);
    buffers_.truncations = flags("truncations", truncations);
    if (!final_observations.is_none()) {
        auto last = py::cast<py::array>(final_observations);
        buffers_.final_observations =
            bind<float>("final_observations", last, {lanes, 8}, keep_alive_);
    }
}

PongCore::~PongCore() {
    // The workers did not survive the fork: joining them would wait for ever.
    if (life_.forked()) static_cast<void>(pool_.release());
}

void PongCore::reset(std::optional<Seeds> seeds, std::optional<Mask> mask) {
    const Lifecycle::Call call(life_);
    const auto lanes = static_cast<py::ssize_t>(lanes_);
    if (seeds && (seeds->ndim() != 1 || seeds->size() != lanes))
        bad_value("seeds: expected one per lane");
    if (mask && (mask->ndim() != 1 || mask->size() != lanes))
        bad_value("mask: expected one per lane");
    if (!started_ && (mask || !seeds))
        raise("gymnasium.error", "ResetNeeded", "the first reset must seed every lane");
    pong_batch_reset(batch_.get(), 0, lanes_, seeds ? seeds->data() : nullptr,
                     mask ? reinterpret_cast<const std::uint8_t *>(mask->data()) : nullptr);
    started_ = true;
    waiting_ = mask && pong_batch_needs_reset(batch_.get()) < lanes_;
}

void PongCore::require_ready() {
    if (!started_) raise("gymnasium.error", "ResetNeeded", "call reset() before step()");
    if (!(waiting_ && disabled_)) return;
    const std::size_t lane = pong_batch_needs_reset(batch_.get());
    if (lane == lanes_) return;
    if (lanes_ == 1)
        raise("gymnasium.error", "ResetNeeded", "the episode is over: call reset() before step()");
    raise("gymnasium.error", "ResetNeeded",
          "the episode of lane " + std::to_string(lane) + " is over and autoreset is disabled; "
          "reset it with reset(options={'reset_mask': terminated | truncated})");
}

void PongCore::refuse_action(std::size_t lane, const std::string &value) const {
    raise("hub.errors", "InvalidAction",
          "action " + value + (lanes_ > 1 ? " of lane " + std::to_string(lane) : "") +
              ": expected 0 (stay), 1 (up) or 2 (down); nothing was stepped");
}

void PongCore::check_actions(const std::int64_t *actions) const {
    const std::size_t bad = pong_batch_bad_action(batch_.get(), actions);
    if (bad < lanes_) refuse_action(bad, std::to_string(actions[bad]));
}

std::size_t PongCore::run(const std::int64_t *actions) {
    if (threads_ == 1) return pong_batch_step(batch_.get(), 0, lanes_, actions);
    if (!pool_) pool_ = std::make_unique<Pool>(threads_);
    std::atomic<std::size_t> finished{0};
    pool_->run([&](std::size_t index) {
        const std::size_t begin = lanes_ * index / threads_;
        const std::size_t end = lanes_ * (index + 1) / threads_;
        finished += pong_batch_step(batch_.get(), begin, end, actions);
    });
    return finished;
}

std::size_t PongCore::step(const Actions &actions) {
    const Lifecycle::Call call(life_);
    if (actions.ndim() != 1 || static_cast<std::size_t>(actions.size()) != lanes_)
        bad_value("actions: expected shape (" + std::to_string(lanes_) + ",)");
    require_ready();
    const std::int64_t *values = actions.data();
    check_actions(values);
    std::size_t finished;
    if (release_) {
        const py::gil_scoped_release nogil;
        finished = run(values);
    } else {
        finished = run(values);
    }
    waiting_ = waiting_ || finished > 0;
    return finished;
}

std::size_t PongCore::loop(const Actions &actions, std::size_t batches) {
    const Lifecycle::Call call(life_);
    if (actions.ndim() != 2 || actions.shape(0) < 1 ||
        static_cast<std::size_t>(actions.shape(1)) != lanes_)
        bad_value("actions: expected shape (rounds, " + std::to_string(lanes_) + ")");
    if (disabled_) bad_value("loop: needs an autoreset mode");
    require_ready();
    const auto rounds = static_cast<std::size_t>(actions.shape(0));
    const std::int64_t *values = actions.data();
    for (std::size_t round = 0; round < rounds; round++) check_actions(values + round * lanes_);
    const py::gil_scoped_release nogil;
    std::size_t finished = 0;
    for (std::size_t i = 0; i < batches; i++) finished += run(values + i % rounds * lanes_);
    return finished;
}

py::tuple PongCore::step_lane(py::handle action) {
    const Lifecycle::Call call(life_);
    if (lanes_ != 1) bad_value("step_lane: expected one lane, got " + std::to_string(lanes_));
    require_ready();
    const std::int64_t value = PyNumber_AsSsize_t(action.ptr(), PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        refuse_action(0, py::repr(action).cast<std::string>());
    }
    if (value < 0 || value > 2) refuse_action(0, std::to_string(value));
    waiting_ = pong_batch_step(batch_.get(), 0, 1, &value) > 0 || waiting_;
    return py::make_tuple(py::float_(buffers_.rewards[0]),
                          py::bool_(buffers_.terminations[0] != 0),
                          py::bool_(buffers_.truncations[0] != 0));
}

py::bytes PongCore::snapshot() {
    const Lifecycle::Call call(life_);
    if (!started_) raise("gymnasium.error", "ResetNeeded", "call reset() before snapshot()");
    std::string data(pong_batch_snapshot_size(batch_.get()), '\0');
    pong_batch_snapshot(batch_.get(), data.data());
    return data;
}

void PongCore::restore(const py::bytes &payload) {
    const Lifecycle::Call call(life_);
    const std::string_view data = payload;
    const std::size_t size = pong_batch_snapshot_size(batch_.get());
    if (data.size() != size)
        raise("hub.errors", "SnapshotError",
              std::to_string(data.size()) + " bytes of state, expected " + std::to_string(size));
    pong_batch_restore(batch_.get(), data.data());
    started_ = true;
    waiting_ = true;
}

py::tuple PongCore::lane(std::size_t index) {
    const Lifecycle::Call call(life_);
    if (index >= lanes_) throw py::index_error("lane " + std::to_string(index));
    if (!started_) raise("gymnasium.error", "ResetNeeded", "call reset() before render()");
    float values[8];
    pong_batch_lane(batch_.get(), index, values);
    py::tuple result(8);
    for (std::size_t i = 0; i < 8; i++) result[i] = values[i];
    return result;
}

void PongCore::close() {
    if (life_.closed() || life_.forked()) return;
    const Lifecycle::Call call(life_);
    pool_.reset();
    life_.close();
}

}  // namespace hub
