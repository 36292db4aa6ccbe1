"""Threefry-2x32, the random stream of every lane, in plain Python.

The contract that C, Rust, JAX and Python share: draw `k` of a lane with the 64-bit seed `s` is the
first output word of Threefry-2x32 with 20 rounds for

    key     = (s & 0xffffffff, s >> 32)
    counter = (k & 0xffffffff, k >> 32)

so a lane's draws depend on its seed and on nothing else: no batch order, no thread, no history.
Seeds are whole numbers from 0 to 2**64 - 1; `reset(seed=s)` gives lane `i` the seed
`(s + i) mod 2**64`, and every seeded reset starts again at draw 0. A reset without a seed goes on
with the stream.

Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
1, 2, 3", SC11; known answers as published with their Random123 library.
"""

from __future__ import annotations

_MASK = 0xFFFFFFFF
_PARITY = 0x1BD11BDA
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def threefry2x32(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """Encrypt `counter` under `key`; all four are 32-bit words.

    Raises:
        ValueError: A word is outside 0..2**32 - 1.
    """
    for word in (*key, *counter):
        if not 0 <= word <= _MASK:
            raise ValueError(f"word {word}: expected 0 to 2**32 - 1")
    schedule = (*key, _PARITY ^ key[0] ^ key[1])
    x, y = ((c + k) & _MASK for c, k in zip(counter, key, strict=True))
    for group in range(1, 6):
        for bits in _ROTATIONS[(group - 1) % 2]:
            x = (x + y) & _MASK
            y = ((y << bits | y >> (32 - bits)) & _MASK) ^ x
        x = (x + schedule[group % 3]) & _MASK
        y = (y + schedule[(group + 1) % 3] + group) & _MASK
    return x, y


def draw(seed: int, index: int) -> int:
    """Return draw `index` of the stream that `seed` names: a whole number below 2**32.

    Raises:
        ValueError: `seed` or `index` is outside 0..2**64 - 1.
    """
    for name, value in (("seed", seed), ("index", index)):
        if not 0 <= value < 1 << 64:
            raise ValueError(f"{name} {value}: expected 0 to 2**64 - 1")
    return threefry2x32((seed & _MASK, seed >> 32), (index & _MASK, index >> 32))[0]
