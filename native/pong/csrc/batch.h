/* A batch of Pong lanes over buffers that the caller owns. */
#ifndef HUB_PONG_BATCH_H
#define HUB_PONG_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PongAutoreset { PONG_NEXT_STEP, PONG_SAME_STEP, PONG_DISABLED } PongAutoreset;

typedef struct PongConfig {
    bool compat;
    int frame_skip;             /* 1..8 */
    PongAutoreset autoreset;
    uint64_t max_episode_steps; /* 0: no limit */
} PongConfig;

/* Borrowed arrays, C-contiguous; they must outlive the batch. */
typedef struct PongBuffers {
    float *observations;       /* [lanes, 8] */
    float *final_observations; /* [lanes, 8] under PONG_SAME_STEP, otherwise may be NULL */
    double *rewards;           /* [lanes] */
    uint8_t *terminations;     /* [lanes] 0 or 1 */
    uint8_t *truncations;      /* [lanes] 0 or 1 */
} PongBuffers;

typedef struct PongBatch PongBatch;

/* Returns NULL when memory is out. */
PongBatch *pong_batch_new(size_t lanes, PongConfig config, PongBuffers buffers);
void pong_batch_free(PongBatch *batch);
size_t pong_batch_lanes(const PongBatch *batch);

/* Starts an episode in lanes [begin, end) where `mask` is NULL or non-zero. With `seeds` the lane's
 * random stream starts anew, without it goes on. Clears reward and flags of those lanes. */
void pong_batch_reset(PongBatch *batch, size_t begin, size_t end, const uint64_t *seeds,
                      const uint8_t *mask);

/* Returns the first lane whose action is none of 0, 1, 2, or `lanes` when all are good. */
size_t pong_batch_bad_action(const PongBatch *batch, const int64_t *actions);

/* Returns the first lane whose episode is over, or `lanes`. */
size_t pong_batch_needs_reset(const PongBatch *batch);

/* Steps lanes [begin, end) with checked actions; returns how many episodes ended. */
size_t pong_batch_step(PongBatch *batch, size_t begin, size_t end, const int64_t *actions);

/* State and observations of all lanes, host byte order. */
size_t pong_batch_snapshot_size(const PongBatch *batch);
void pong_batch_snapshot(const PongBatch *batch, void *out);
void pong_batch_restore(PongBatch *batch, const void *data);

/* Copies paddles, ball, velocities and scores of one lane, in the order of the observation. */
void pong_batch_lane(const PongBatch *batch, size_t lane, float out[8]);

#ifdef __cplusplus
}
#endif

#endif
