"""Functional environments and processes: spawned workers serve, forked ones say why they cannot."""

import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import jax
import numpy as np
import pytest

from hub.functional import FunctionalVectorEnv
from tests.hub.functional.games import script

FORKED = """
import multiprocessing, warnings
warnings.simplefilter("ignore")
import numpy as np
from hub.functional import FunctionalSingleEnv, FunctionalVectorEnv
from tests.hub.functional.games import script

def work(env, queue):
    try:
        env.reset(seed=0)
    except Exception as error:
        queue.put(f"{type(error).__name__}: {error}")

for env in (FunctionalVectorEnv(script(), 2), FunctionalSingleEnv(script())):
    env.reset(seed=0)
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    child = fork.Process(target=work, args=(env, queue))
    child.start()
    print(queue.get(timeout=60))
    child.join(timeout=60)
"""


def test_a_forked_process_gets_an_error_that_names_the_fix_not_a_hang():
    result = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=120, check=True
    )
    lines = result.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("ForkedError: ") and "'spawn'" in line for line in lines)


def test_forked_workers_of_make_vec_hand_the_error_with_the_fix_to_their_caller():
    code = (
        "import gymnasium\n"
        "env = gymnasium.make_vec('hub:jax/Pong-v0', 2, 'async')\n"
        "try:\n"
        "    env.reset(seed=3)\n"
        "except RuntimeError as error:\n"
        "    print(type(error).__name__, error)\n"
        "env.close(terminate=True)\n"
    )
    path = os.environ | {"PYTHONWARNINGS": "ignore"}
    args = [sys.executable, "-c", code]
    result = subprocess.run(args, capture_output=True, text=True, timeout=240, check=True, env=path)
    assert result.stdout.startswith("ForkedError ")
    assert "vector_kwargs={'context': 'spawn'}" in result.stdout


def test_spawned_workers_step_the_same_environment():
    code = (
        "import gymnasium, numpy as np\n"
        "if __name__ == '__main__':\n"
        "    env = gymnasium.make_vec('hub:jax/Pong-v0', 2, 'async',"
        " vector_kwargs={'context': 'spawn'})\n"
        "    env.reset(seed=3)\n"
        "    for _ in range(100):\n"
        "        seen = env.step(np.array([1, 2]))[0]\n"
        "    print(seen.tolist())\n"
        "    env.close()\n"
    )
    path = os.environ | {"PYTHONWARNINGS": "ignore"}
    args = [sys.executable, "-c", code]
    result = subprocess.run(args, capture_output=True, text=True, timeout=240, check=True, env=path)
    env = gymnasium.make_vec("hub:jax/Pong-v0", 2)
    env.reset(seed=3)
    for _ in range(100):
        seen = env.step(np.array([1, 2]))[0]
    assert result.stdout.strip() == str(seen.tolist())


def test_nothing_of_ours_starts_a_process():
    before = children()  # of tests that came earlier in this process
    env = FunctionalVectorEnv(script(), 8)
    env.reset(seed=0)
    env.step(np.zeros(8, int))
    assert children() == before


def children():
    tasks = Path("/proc/self/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


@pytest.mark.gpu
def test_a_gpu_gives_the_lanes_of_the_cpu():
    if not any(device.platform == "gpu" for device in jax.devices()):
        pytest.skip("JAX finds no GPU here")
    cpu, gpu = (FunctionalVectorEnv(script(), 4, device=name) for name in ("cpu", "gpu"))
    np.testing.assert_array_equal(cpu.reset(seed=0)[0], gpu.reset(seed=0)[0])
    for a, b in zip(cpu.step(np.ones(4, int))[:4], gpu.step(np.ones(4, int))[:4], strict=True):
        np.testing.assert_array_equal(a, b)
