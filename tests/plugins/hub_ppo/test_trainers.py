"""Acting from a saved policy needs NumPy alone; training names the framework that it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hub.errors import MissingDependency, PolicyError
from hub.fidelity import find_trainer
from tests.plugins.hub_ppo.test_policy import DISCRETE, write

ACTING = """
import sys
for name in ("torch", "jax", "jaxlib", "scipy"):
    sys.modules[name] = None  # as if it were not installed

import numpy as np
from hub.fidelity import find_trainer

policy = find_trainer(sys.argv[1]).load_policy(sys.argv[2])
print(policy(np.ones((2, 3), np.float32), np.ones(2, bool)).shape)
"""


@pytest.mark.parametrize("trainer", ["ppo", "ppo-jax"])
def test_a_saved_policy_acts_without_any_framework(tmp_path: Path, trainer: str) -> None:
    write(tmp_path / "p.npz", DISCRETE)
    command = [sys.executable, "-c", ACTING, trainer, str(tmp_path / "p.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "(2,)\n"), done.stderr


@pytest.mark.parametrize(("trainer", "framework"), [("ppo", "torch"), ("ppo-jax", "jax")])
def test_training_without_the_framework_names_the_fix(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trainer: str, framework: str
) -> None:
    monkeypatch.setitem(sys.modules, framework, None)
    monkeypatch.delitem(sys.modules, f"hub_ppo.ppo_{framework}", raising=False)
    with pytest.raises(MissingDependency, match=f"Fix: pip install {framework}$"):
        find_trainer(trainer).train("CartPole-v1", seed=0, budget=1, out=tmp_path)


def test_a_policy_refuses_observations_of_another_environment(tmp_path: Path) -> None:
    import numpy as np

    write(tmp_path / "p.npz", DISCRETE)
    acting = find_trainer("ppo").load_policy(str(tmp_path / "p.npz"))
    with pytest.raises(PolicyError, match="takes 1 lanes of 3 numbers"):
        acting(np.ones((1, 4), np.float32), np.ones(1, bool))
