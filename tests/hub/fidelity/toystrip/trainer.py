"""A trainer that chooses how often its walker dithers; the file is that number."""

import json

import numpy as np

from hub.fidelity import CurvePoint, Trained


class Walker:
    """Walks to the right, and stays with probability `dither`."""

    def __init__(self, dither, seed):
        self.dither, self.rng = dither, np.random.default_rng(seed)

    def __call__(self, observations, starts):
        return np.where(self.rng.random(len(observations)) < self.dither, 1, 2)


class ToyTrainer:
    def train(self, env_id, *, seed, budget, out, progress=None, **options):
        dither = float(np.random.default_rng(seed).uniform(0, 0.3))
        path = out / "policy.json"
        path.write_text(json.dumps({"dither": dither, **options}))
        curve = tuple(CurvePoint(i, i / budget) for i in range(0, budget + 1, 5))
        return Trained(path, curve)

    def load_policy(self, path, *, seed=0):
        return Walker(json.loads(path.read_text())["dither"], seed)


TRAINER = ToyTrainer()
