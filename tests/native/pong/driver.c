/* Plays both rule sets in every autoreset mode; run under AddressSanitizer and UBSan. */
#include <stdio.h>
#include <stdlib.h>

#include "batch.h"

#define LANES 33
#define STEPS 4000

static size_t play(bool compat, int frame_skip, PongAutoreset mode) {
    float observations[LANES * 8], last[LANES * 8];
    double rewards[LANES];
    uint8_t over[LANES], cut[LANES];
    uint64_t seeds[LANES];
    int64_t actions[LANES];
    PongBuffers buffers = {observations, mode == PONG_SAME_STEP ? last : NULL, rewards, over, cut};
    PongBatch *batch = pong_batch_new(LANES, (PongConfig){compat, frame_skip, mode, 500}, buffers);
    if (!batch) abort();
    for (size_t lane = 0; lane < LANES; lane++) seeds[lane] = UINT64_MAX - lane;
    pong_batch_reset(batch, 0, LANES, seeds, NULL);
    void *saved = malloc(pong_batch_snapshot_size(batch));
    uint32_t word = 1;
    size_t ended = 0;
    for (int step = 0; step < STEPS; step++) {
        for (size_t lane = 0; lane < LANES; lane++) {
            word = word * UINT32_C(1664525) + UINT32_C(1013904223);
            actions[lane] = (word >> 16) % 3;
        }
        if (pong_batch_bad_action(batch, actions) != LANES) abort();
        ended += pong_batch_step(batch, 0, LANES / 2, actions);
        ended += pong_batch_step(batch, LANES / 2, LANES, actions);
        if (step == STEPS / 2) pong_batch_snapshot(batch, saved);
        for (size_t lane = 0; lane < LANES; lane++) over[lane] |= cut[lane];
        if (mode == PONG_DISABLED) pong_batch_reset(batch, 0, LANES, NULL, over);
    }
    pong_batch_restore(batch, saved);
    free(saved);
    actions[LANES - 1] = 3;
    if (pong_batch_bad_action(batch, actions) != LANES - 1) abort();
    pong_batch_free(batch);
    return ended;
}

int main(void) {
    for (int compat = 0; compat < 2; compat++)
        for (int frame_skip = 1; frame_skip <= 8; frame_skip++)
            for (int mode = PONG_NEXT_STEP; mode <= PONG_DISABLED; mode++)
                if (play(compat, frame_skip, (PongAutoreset)mode) == 0) return 1;
    puts("clean");
    return 0;
}
