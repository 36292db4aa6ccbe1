/* Threefry-2x32, 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
 *
 * Draw k of a lane with 64-bit seed s is the first output word for the key (low, high word of s)
 * and the counter (low, high word of k). `hub/threefry.py` states the contract and its known
 * answers; every language of the hub implements this one definition.
 */
#ifndef HUB_THREEFRY_H
#define HUB_THREEFRY_H

#include <stdint.h>

static inline uint32_t threefry_rotate(uint32_t word, int bits) {
    return (word << bits) | (word >> (32 - bits));
}

/* Encrypts `block` in place under `key`. */
static inline void threefry2x32(const uint32_t key[2], uint32_t block[2]) {
    static const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    const uint32_t schedule[3] = {key[0], key[1], UINT32_C(0x1BD11BDA) ^ key[0] ^ key[1]};
    uint32_t x = block[0] + schedule[0];
    uint32_t y = block[1] + schedule[1];
    for (uint32_t group = 1; group <= 5; group++) {
        const int *turn = rotations + (group % 2 ? 0 : 4);
        for (int round = 0; round < 4; round++) {
            x += y;
            y = threefry_rotate(y, turn[round]) ^ x;
        }
        x += schedule[group % 3];
        y += schedule[(group + 1) % 3] + group;
    }
    block[0] = x;
    block[1] = y;
}

/* Returns draw `index` of the stream that `seed` names. */
static inline uint32_t threefry_draw(uint64_t seed, uint64_t index) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t block[2] = {(uint32_t)index, (uint32_t)(index >> 32)};
    threefry2x32(key, block);
    return block[0];
}

#endif
