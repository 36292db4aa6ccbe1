/* The rules of Pong: one lane, no memory management, no Python.
 *
 * Two paddles and a ball in a court of 500 x 640 units; y grows upwards and positions are those of
 * the lower left corner. The agent holds the right paddle, the left one follows the ball. A rally
 * ends when somebody misses; the first side with 21 points wins the episode.
 *
 * There are two rule sets. `compat = 1` keeps the published rules of PufferLib's Pong (Ocean,
 * pong.h of 2025) with every quirk; `compat = 0` mends them. The lines that differ say "quirk".
 * `hub_pong/reference.py` is the same game, written independently for people to read.
 *
 * All positions and velocities are whole numbers below 2^24, so float32 arithmetic on them is
 * exact in any order. Observations are one addition and one multiplication by a float32 constant
 * each, which leaves no room for contraction: they are the same bits in C, NumPy, Rust and XLA.
 */
#ifndef HUB_PONG_H
#define HUB_PONG_H

#include <stdbool.h>
#include <stdint.h>

#include "threefry.h"

#define PONG_OBSERVATION_SIZE 8
#define PONG_ACTIONS 3 /* 0 stay, 1 up, 2 down */
#define PONG_MAX_FRAME_SKIP 8

#define PONG_WIDTH 500.0f
#define PONG_HEIGHT 640.0f
#define PONG_BALL 32.0f          /* edge length */
#define PONG_PADDLE_HEIGHT 70.0f /* its width, 20, is only for pictures */
#define PONG_PADDLE_SPEED 8.0f   /* units per frame, both paddles */
#define PONG_BALL_SPEED_X 10.0f
#define PONG_SPIN 3.0f /* vertical speed that a moving paddle adds */
#define PONG_MAX_SPEED_Y 13.0f
#define PONG_MAX_SCORE 21.0f
#define PONG_SERVE_X 100.0f
#define PONG_BALL_MAX_X (PONG_WIDTH - PONG_BALL)
#define PONG_BALL_MAX_Y (PONG_HEIGHT - PONG_BALL)
#define PONG_REWARD_HIT 0.1

#if defined(__GNUC__)
#define PONG_RARE(condition) __builtin_expect(!!(condition), 0)
#else
#define PONG_RARE(condition) (condition)
#endif

/* One lane, a cache line. The first eight floats are in the order of the observation. */
typedef struct Pong {
    union {
        struct {
            float paddle_left, paddle_right, ball_x, ball_y, ball_vx, ball_vy;
            float score_left, score_right;
        };
        float observed[PONG_OBSERVATION_SIZE];
    };
    uint64_t seed;        /* names the lane's random stream */
    uint64_t draws;       /* how many draws it has used */
    uint64_t elapsed;     /* steps of this episode */
    uint64_t needs_reset; /* 1 after the end of an episode */
} Pong;

/* What the two rule sets and the frame-skip make different. */
typedef struct PongRules {
    bool compat;
    int frame_skip;                        /* 1..PONG_MAX_FRAME_SKIP frames per step */
    float paddle_min, paddle_max;          /* limits of both paddles */
    float aim;                             /* the opponent brings paddle_left + aim to ball_y */
    float shift[PONG_OBSERVATION_SIZE];    /* observation = (value + shift) * scale */
    float scale[PONG_OBSERVATION_SIZE];
} PongRules;

typedef enum PongEvent { PONG_NOTHING, PONG_HIT, PONG_WON_POINT, PONG_LOST_POINT } PongEvent;

static inline float pong_clamp(float value, float low, float high) {
    value = value < low ? low : value;
    return value > high ? high : value;
}

static inline PongRules pong_rules(bool compat, int frame_skip) {
    PongRules rules = {.compat = compat, .frame_skip = frame_skip};
    /* Quirk: paddles may leave the court by half their height. */
    rules.paddle_min = compat ? -PONG_PADDLE_HEIGHT / 2 : 0.0f;
    rules.paddle_max = PONG_HEIGHT - (compat ? PONG_PADDLE_HEIGHT / 2 : PONG_PADDLE_HEIGHT);
    /* Quirk: the opponent's centre follows the ball's lower edge, not its centre. */
    rules.aim = PONG_PADDLE_HEIGHT / 2 - (compat ? 0.0f : PONG_BALL / 2);
    const float paddle_scale = 1.0f / (rules.paddle_max - rules.paddle_min);
    /* Quirk: the scores are divided as integers, which gives 0 until the episode is over. */
    const float score_scale = compat ? 0.0f : 1.0f / PONG_MAX_SCORE;
    const float shift[PONG_OBSERVATION_SIZE] = {
        -rules.paddle_min, -rules.paddle_min, 0, 0, PONG_BALL_SPEED_X, PONG_MAX_SPEED_Y, 0, 0};
    const float scale[PONG_OBSERVATION_SIZE] = {
        paddle_scale, paddle_scale, 1.0f / PONG_WIDTH, 1.0f / PONG_HEIGHT,
        1.0f / (2 * PONG_BALL_SPEED_X), 1.0f / (2 * PONG_MAX_SPEED_Y), score_scale, score_scale};
    for (int i = 0; i < PONG_OBSERVATION_SIZE; i++) {
        rules.shift[i] = shift[i];
        rules.scale[i] = scale[i];
    }
    return rules;
}

/* Writes the eight observed values to `out`. */
static inline void pong_observe(const Pong *p, const PongRules *rules, float *out) {
    for (int i = 0; i < PONG_OBSERVATION_SIZE; i++)
        out[i] = (p->observed[i] + rules->shift[i]) * rules->scale[i];
}

/* Puts paddles and ball in place for a new rally; uses one draw. */
static inline void pong_serve(Pong *p, const PongRules *rules) {
    const uint32_t word = threefry_draw(p->seed, p->draws++);
    const bool first = word & 1, second = word & 2;
    p->paddle_left = p->paddle_right = (PONG_HEIGHT - PONG_PADDLE_HEIGHT) / 2;
    p->ball_y = PONG_BALL_MAX_Y / 2;
    if (rules->compat) {
        /* Quirks: always towards the agent; the vertical speed is -1 or 0, never upwards. */
        p->ball_vx = PONG_BALL_SPEED_X;
        p->ball_vy = first ? 0.0f : -1.0f;
    } else {
        p->ball_vx = second ? -PONG_BALL_SPEED_X : PONG_BALL_SPEED_X;
        p->ball_vy = first ? 1.0f : -1.0f;
    }
    p->ball_x = p->ball_vx > 0 ? PONG_SERVE_X : PONG_BALL_MAX_X - PONG_SERVE_X;
}

/* Starts an episode; the random stream goes on. */
static inline void pong_reset(Pong *p, const PongRules *rules) {
    p->score_left = p->score_right = 0;
    p->elapsed = p->needs_reset = 0;
    pong_serve(p, rules);
}

static inline bool pong_covers(float paddle_y, float ball_y) {
    return ball_y + PONG_BALL > paddle_y && ball_y < paddle_y + PONG_PADDLE_HEIGHT;
}

/* The ball has passed x = 0. */
static inline PongEvent pong_left_edge(Pong *p, const PongRules *rules) {
    if (!pong_covers(p->paddle_left, p->ball_y)) return PONG_WON_POINT;
    p->ball_vx = -p->ball_vx;
    if (!rules->compat) p->ball_x = 0; /* quirk: left outside the court for a frame */
    return PONG_NOTHING;
}

/* The ball has passed the right end while the agent moved in `direction`. */
static inline PongEvent pong_right_edge(Pong *p, float direction) {
    if (!pong_covers(p->paddle_right, p->ball_y)) return PONG_LOST_POINT;
    p->ball_vx = -p->ball_vx;
    const float spun = p->ball_vy + PONG_SPIN * direction;
    p->ball_vy = pong_clamp(spun, -PONG_MAX_SPEED_Y, PONG_MAX_SPEED_Y);
    /* Quirk: a level ball is sent upwards. Served at +-1 and spun by 3 it is never level. */
    if (p->ball_vy == 0) p->ball_vy = PONG_SPIN;
    p->ball_x = PONG_BALL_MAX_X;
    p->ball_y = pong_clamp(p->ball_y, 0, PONG_BALL_MAX_Y);
    return PONG_HIT;
}

/* Advances paddles and ball by one frame. */
static inline PongEvent pong_frame(Pong *p, const PongRules *rules, float direction) {
    const float low = rules->paddle_min, high = rules->paddle_max;
    const float gap = p->ball_y - (p->paddle_left + rules->aim);
    const float follow = pong_clamp(gap, -PONG_PADDLE_SPEED, PONG_PADDLE_SPEED);
    p->paddle_right = pong_clamp(p->paddle_right + PONG_PADDLE_SPEED * direction, low, high);
    p->paddle_left = pong_clamp(p->paddle_left + follow, low, high);
    p->ball_x += p->ball_vx;
    p->ball_y += p->ball_vy;
    if (PONG_RARE(p->ball_y < 0 || p->ball_y > PONG_BALL_MAX_Y)) {
        p->ball_vy = -p->ball_vy;
        /* Quirk: the ball is left outside the court for a frame. */
        if (!rules->compat) p->ball_y = pong_clamp(p->ball_y, 0, PONG_BALL_MAX_Y);
    }
    if (PONG_RARE(p->ball_x < 0)) return pong_left_edge(p, rules);
    if (PONG_RARE(p->ball_x > PONG_BALL_MAX_X)) return pong_right_edge(p, direction);
    return PONG_NOTHING;
}

/* Gives the point to its winner and serves again; returns true when it was the last one. */
static inline bool pong_score(Pong *p, const PongRules *rules, PongEvent event) {
    float *score = event == PONG_WON_POINT ? &p->score_right : &p->score_left;
    *score += 1;
    if (*score < PONG_MAX_SCORE) {
        pong_serve(p, rules);
        return false;
    }
    p->ball_x = pong_clamp(p->ball_x, 0, PONG_BALL_MAX_X);
    return true;
}

/* One step of `frame_skip` frames; a point ends it early.
 *
 * Writes the reward, and the observation to the eight floats at `observation`, which must hold the
 * lane's previous one: under `compat` a scoring frame leaves it as it was (quirk).
 * Returns true when the episode is over.
 */
static inline bool pong_step(Pong *p, const PongRules *rules, int64_t action, double *reward,
                             float *observation) {
    const float direction = (float)(action == 1) - (float)(action == 2);
    double earned = 0;
    bool over = false;
    for (int frame = 0; frame < rules->frame_skip; frame++) {
        const PongEvent event = pong_frame(p, rules, direction);
        if (PONG_RARE(event > PONG_HIT)) {
            earned = event == PONG_WON_POINT ? 1.0 : -1.0;
            over = pong_score(p, rules, event);
            break;
        }
        if (PONG_RARE(event == PONG_HIT)) earned = PONG_REWARD_HIT;
        if (rules->compat) pong_observe(p, rules, observation);
    }
    if (!rules->compat) pong_observe(p, rules, observation);
    *reward = earned;
    return over;
}

#endif
