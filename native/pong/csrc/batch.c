#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "pong.h"

#define ROW (PONG_OBSERVATION_SIZE * sizeof(float))

struct PongBatch {
    Pong *lanes;
    size_t num_lanes;
    PongRules rules;
    PongAutoreset autoreset;
    uint64_t max_episode_steps;
    PongBuffers out;
};

PongBatch *pong_batch_new(size_t lanes, PongConfig config, PongBuffers buffers) {
    PongBatch *batch = malloc(sizeof *batch);
    /* A lane is a cache line, so that two threads never share one. */
    Pong *memory = lanes > SIZE_MAX / sizeof(Pong) ? NULL : aligned_alloc(64, lanes * sizeof(Pong));
    if (!batch || !memory) {
        free(batch);
        free(memory);
        return NULL;
    }
    memset(memory, 0, lanes * sizeof(Pong));
    *batch = (PongBatch){
        .lanes = memory,
        .num_lanes = lanes,
        .rules = pong_rules(config.compat, config.frame_skip),
        .autoreset = config.autoreset,
        .max_episode_steps = config.max_episode_steps ? config.max_episode_steps : UINT64_MAX,
        .out = buffers,
    };
    return batch;
}

void pong_batch_free(PongBatch *batch) {
    if (!batch) return;
    free(batch->lanes);
    free(batch);
}

size_t pong_batch_lanes(const PongBatch *batch) { return batch->num_lanes; }

static float *observation(const PongBatch *batch, size_t lane) {
    return batch->out.observations + lane * PONG_OBSERVATION_SIZE;
}

static void start_episode(PongBatch *batch, size_t lane) {
    pong_reset(&batch->lanes[lane], &batch->rules);
    pong_observe(&batch->lanes[lane], &batch->rules, observation(batch, lane));
}

static void write_outcome(PongBatch *batch, size_t lane, double reward, bool over, bool cut) {
    batch->out.rewards[lane] = reward;
    batch->out.terminations[lane] = over;
    batch->out.truncations[lane] = cut;
}

void pong_batch_reset(PongBatch *batch, size_t begin, size_t end, const uint64_t *seeds,
                      const uint8_t *mask) {
    for (size_t lane = begin; lane < end; lane++) {
        if (mask && !mask[lane]) continue;
        if (seeds) {
            batch->lanes[lane].seed = seeds[lane];
            batch->lanes[lane].draws = 0;
        }
        start_episode(batch, lane);
        write_outcome(batch, lane, 0, false, false);
    }
}

size_t pong_batch_bad_action(const PongBatch *batch, const int64_t *actions) {
    /* All actions are in 0..2 exactly when no bit but the lowest two is set and never both. */
    uint64_t bits = 0, both = 0;
    for (size_t lane = 0; lane < batch->num_lanes; lane++) {
        const uint64_t action = (uint64_t)actions[lane];
        bits |= action;
        both |= action & (action >> 1);
    }
    if (bits < 4 && !both) return batch->num_lanes;
    size_t lane = 0;
    while ((uint64_t)actions[lane] < PONG_ACTIONS) lane++;
    return lane;
}

size_t pong_batch_needs_reset(const PongBatch *batch) {
    size_t lane = 0;
    while (lane < batch->num_lanes && !batch->lanes[lane].needs_reset) lane++;
    return lane;
}

static void finish_episode(PongBatch *batch, size_t lane) {
    if (batch->autoreset == PONG_SAME_STEP) {
        float *last = batch->out.final_observations + lane * PONG_OBSERVATION_SIZE;
        memcpy(last, observation(batch, lane), ROW);
        start_episode(batch, lane);
    } else {
        batch->lanes[lane].needs_reset = 1;
    }
}

size_t pong_batch_step(PongBatch *batch, size_t begin, size_t end, const int64_t *actions) {
    const PongRules rules = batch->rules;
    size_t finished = 0;
    for (size_t lane = begin; lane < end; lane++) {
        Pong *p = &batch->lanes[lane];
        if (PONG_RARE(p->needs_reset)) {
            start_episode(batch, lane);
            write_outcome(batch, lane, 0, false, false);
            continue;
        }
        double reward;
        const bool over = pong_step(p, &rules, actions[lane], &reward, observation(batch, lane));
        const bool cut = ++p->elapsed >= batch->max_episode_steps;
        write_outcome(batch, lane, reward, over, cut);
        if (PONG_RARE(over || cut)) {
            finished++;
            finish_episode(batch, lane);
        }
    }
    return finished;
}

size_t pong_batch_snapshot_size(const PongBatch *batch) {
    return batch->num_lanes * (sizeof(Pong) + ROW);
}

void pong_batch_snapshot(const PongBatch *batch, void *out) {
    const size_t state = batch->num_lanes * sizeof(Pong);
    memcpy(out, batch->lanes, state);
    memcpy((char *)out + state, batch->out.observations, batch->num_lanes * ROW);
}

void pong_batch_restore(PongBatch *batch, const void *data) {
    const size_t state = batch->num_lanes * sizeof(Pong);
    memcpy(batch->lanes, data, state);
    memcpy(batch->out.observations, (const char *)data + state, batch->num_lanes * ROW);
}

void pong_batch_lane(const PongBatch *batch, size_t lane, float out[8]) {
    memcpy(out, batch->lanes[lane].observed, ROW);
}
