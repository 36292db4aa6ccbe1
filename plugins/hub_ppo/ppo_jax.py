"""PPO in JAX for functional environments: rollout, advantages and update in one compiled call.

The same algorithm, networks and policy file as `ppo_torch.py`; what differs is where it runs.
`hub.functional.rollout` scans environment and policy together and gives, where an episode ended,
the observation that ended it (`next_observation`), whose value is the bootstrap of a truncated
episode. Nothing leaves the device but the sums of a learning curve. Arrays are
`[steps, lanes, ...]`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

from hub.errors import TrainingError
from hub.fidelity import CurvePoint, Trained
from hub.functional import FunctionalEnv, begin, jit, lane_keys, precision, rollout, struct
from hub_ppo import network, policy
from hub_ppo.settings import Settings, training_seed
from hub_ppo.spaces import Interface
from hub_ppo.statistics import Moments

Array = jax.Array
Arrays = dict[str, Any]


def gae(
    rewards: Array, values: Array, next_values: Array, ended: Array, gamma: float, gae_lambda: float
) -> Array:
    """Generalised advantage estimation; arguments and result as `hub_ppo.ppo_torch.gae`."""
    deltas = rewards + gamma * next_values - values

    def back(flow: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        delta, end = now
        flow = delta + gamma * gae_lambda * jnp.where(end, 0, flow)
        return flow, flow

    flows: Array = jax.lax.scan(back, jnp.zeros_like(deltas[0]), (deltas, ended), reverse=True)[1]
    return flows


def log_probability(interface: Interface, weights: Arrays, outputs: Array, action: Array) -> Array:
    """Return the log-probabilities of actions under the network's `outputs`."""
    if not interface.continuous:
        logs = jax.nn.log_softmax(outputs)
        picked: Array = jnp.take_along_axis(logs, action[..., None], -1)[..., 0]
        return picked
    standard = (action - outputs) * jnp.exp(-weights["log_std"])
    each = -0.5 * standard**2 - weights["log_std"] - 0.5 * np.log(2 * np.pi)
    total: Array = each.sum(-1)
    return total


def mean_entropy(
    interface: Interface, weights: Arrays, outputs: Array, mean: Callable[[Array], Array]
) -> Array:
    """Return the policy's mean entropy."""
    if interface.continuous:
        return jnp.sum(weights["log_std"] + 0.5 * np.log(2 * np.pi * np.e))
    logs = jax.nn.log_softmax(outputs)
    return mean(-(jnp.exp(logs) * logs).sum(-1))


def loss(weights: Arrays, batch: Arrays, interface: Interface, settings: Settings) -> Array:
    """Return the loss of sequences `[T, B]`; steps that are not `valid` count nowhere."""
    outputs, values = network.sequence(
        jnp, weights, batch["memory"], batch["observation"], batch["started"], _scan
    )
    valid = batch["valid"]

    def mean(x: Array) -> Array:
        average: Array = (x * valid).sum() / jnp.maximum(valid.sum(), 1)
        return average

    advantage = batch["advantage"] - mean(batch["advantage"])
    advantage = advantage / (jnp.sqrt(mean(advantage**2)) + 1e-8)
    logprob = log_probability(interface, weights, outputs, batch["action"])
    ratio = jnp.exp(logprob - batch["logprob"])
    clipped = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    gain = mean(jnp.minimum(ratio * advantage, clipped * advantage))
    error = 0.5 * mean((values - batch["target"]) ** 2)
    entropy = mean_entropy(interface, weights, outputs, mean)
    total: Array = settings.value_weight * error - gain - settings.entropy * entropy
    return total


def _scan(recur: Callable[[Any, Any], Any], memory: Any, inputs: tuple[Any, Any]) -> Any:
    def one(before: Any, now: Any) -> tuple[Any, Any]:
        after = recur(before, now)
        return after, after

    return jax.lax.scan(one, memory, inputs)[1]


@struct
class Adam:
    """State of the optimiser (Kingma & Ba 2015)."""

    count: Array  # [] float32
    mean: Any  # like the weights
    square: Any  # like the weights

    @classmethod
    def none(cls, weights: Any) -> Adam:
        """Return the state before the first step."""
        mean, square = (jax.tree.map(jnp.zeros_like, weights) for _ in range(2))
        return cls(jnp.zeros((), jnp.float32), mean, square)

    def step(self, weights: Any, grads: Any, rate: Any, max_norm: float) -> tuple[Any, Adam]:
        """Step against `grads`, scaled down to `max_norm` beforehand."""
        norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads)))
        grads = jax.tree.map(lambda g: g * jnp.minimum(1, max_norm / (norm + 1e-6)), grads)
        count = self.count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, self.mean, grads)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, self.square, grads)
        bias, bias2 = 1 - 0.9**count, 1 - 0.999**count

        def moved(w: Any, m: Any, s: Any) -> Any:
            return w - rate * (m / bias) / (jnp.sqrt(s / bias2) + 1e-5)

        return jax.tree.map(moved, weights, mean, square), Adam(count, mean, square)


@struct
class Learner:
    """All that goes from one iteration to the next."""

    weights: Arrays  # trained
    fixed: Arrays  # how observations are normalised
    adam: Adam
    runner: Any  # of hub.functional.rollout
    moments: Moments
    returns: Array  # [lanes] float32: of the episodes that run
    key: Array  # [] key: shuffles


@struct
class Told:
    """What leaves the device after an iteration."""

    ended: Array  # [] int32: episodes
    total: Array  # [] float32: sum of their returns


class Iteration:
    """One compiled iteration: `steps` of every lane, then the update.

    Args:
        env: The environment.
        interface: Its spaces.
        settings: The hyper-parameters.
        limit: Episode limit in steps, None for the environment's own.
    """

    def __init__(
        self,
        env: FunctionalEnv[Any, Any],
        interface: Interface,
        settings: Settings,
        limit: int | None = None,
    ) -> None:
        self.env, self.interface, self.settings, self.limit = env, interface, settings, limit
        self._run = jit(env, self._iterate, donate_argnums=0)

    def begin(self, seed: int) -> Learner:
        """Return the learner before the first iteration."""
        settings, interface = self.settings, self.interface
        weights: Arrays = dict(
            network.initial_weights(
                seed,
                network=settings.network,
                hidden=settings.hidden,
                inputs=interface.inputs,
                outputs=interface.outputs,
                continuous=interface.continuous,
            )
        )
        fixed = {name: jnp.asarray(weights.pop(name)) for name in network.STATISTICS}
        weights = {name: jnp.asarray(w) for name, w in weights.items()}
        first = training_seed(seed)
        memory = jnp.zeros((settings.lanes, network.memory_size(weights)), jnp.float32)
        actions, shuffles = jax.random.split(jax.random.key(first))
        with precision(self.env):
            keys = lane_keys(range(first, first + settings.lanes))
            runner = begin(self.env, keys, memory, actions)
        none = Moments(*map(jnp.asarray, Moments.none(interface.inputs)))
        returns = jnp.zeros(settings.lanes, jnp.float32)
        learner = Learner(weights, fixed, Adam.none(weights), runner, none, returns, shuffles)
        # Buffers are donated, and a buffer that two leaves share cannot be donated twice.
        apart: Learner = jax.tree.map(lambda leaf: leaf.copy(), learner)
        return apart

    def __call__(self, learner: Learner, left: float = 1.0) -> tuple[Learner, Told]:
        """Run one iteration; `left` is the share of the budget still to come."""
        with precision(self.env):
            result: tuple[Learner, Told] = self._run(learner, np.float32(left))
        return result

    def _iterate(self, now: Learner, left: Array) -> tuple[Learner, Told]:
        runner, data, batch = self.collect(now.weights | now.fixed, now.runner)
        weights, adam, key = self._update(now, batch, left)
        moments, fixed = now.moments, now.fixed
        if self.settings.normalize:
            moments = moments.merged(batch["observation"], batch["valid"])
            fixed = {"input.mean": moments.mean, "input.scale": moments.scale()}
        returns, told = _returns(now.returns, data)
        return Learner(weights, fixed, adam, runner, moments, returns, key), told

    def collect(self, weights: Arrays, runner: Any) -> tuple[Any, Any, Arrays]:
        """Step every lane `settings.steps` times: runner, `Rollout`, batch with advantages."""
        memory, steps = runner.memory, self.settings.steps
        runner, data = rollout(
            self.env, self._act, runner, weights, steps=steps, max_episode_steps=self.limit
        )
        return runner, data, self._batch(weights, memory, data, runner)

    def _act(
        self, weights: Any, key: Array, memory: Any, observation: Any, info: Any, started: Array
    ) -> Any:
        seen = self._flat(observation)
        memory, outputs, value = network.step(jnp, weights, memory, seen, started)
        if self.interface.continuous:
            noise = jax.random.normal(key, outputs.shape, jnp.float32)
            raw = outputs + noise * jnp.exp(weights["log_std"])
            low, high = self.interface.bounds()
            action = jnp.clip(raw, low, high).reshape(-1, *self.interface.shape)
        else:
            raw = jax.random.categorical(key, outputs)
            action = raw + self.interface.start
        logprob = log_probability(self.interface, weights, outputs, raw)
        return memory, action, {"action": raw, "logprob": logprob, "value": value}

    def _flat(self, observation: Array) -> Array:
        lead = observation.ndim - len(self.env.observation_space.shape or ())
        return observation.reshape(*observation.shape[:lead], -1).astype(jnp.float32)

    def _batch(self, weights: Arrays, memory: Array, data: Any, runner: Any) -> Arrays:
        settings, values = self.settings, data.extra["value"]
        seen = self._flat(data.observation)
        after = network.step(
            jnp, weights, runner.memory, self._flat(runner.observation), runner.started
        )[2]
        follow = jnp.concatenate([values[1:], after[None]])
        cut = data.truncated & ~data.terminated
        last = self._flat(data.next_observation)
        # Most batches hold no truncated episode, and looking at every last observation is dear.
        follow = jax.lax.cond(
            cut.any(),
            lambda: jnp.where(cut, _last_values(weights, memory, seen, data.started, last), follow),
            lambda: follow,
        )
        follow = jnp.where(data.terminated, 0, follow)
        rewards = (data.reward * settings.reward_scale).astype(jnp.float32)
        ended = data.terminated | data.truncated
        advantage = gae(rewards, values, follow, ended, settings.gamma, settings.gae_lambda)
        return {
            "observation": seen,
            "started": data.started,
            "action": data.extra["action"],
            "logprob": data.extra["logprob"],
            "advantage": advantage,
            "target": advantage + values,
            "valid": jnp.ones_like(ended),
            "memory": memory,
        }

    def _update(self, now: Learner, batch: Arrays, left: Array) -> tuple[Arrays, Adam, Array]:
        settings = self.settings
        memory = batch.pop("memory")
        if not memory.shape[-1]:  # without a memory every step is a sequence of its own
            batch = {name: x.reshape(1, -1, *x.shape[2:]) for name, x in batch.items()}
            memory = jnp.zeros((settings.batch, 0), jnp.float32)
        rate = settings.learning_rate * (left if settings.anneal else 1.0)

        def part(carry: tuple[Arrays, Adam], index: Array) -> tuple[tuple[Arrays, Adam], None]:
            weights, adam = carry
            mine = {n: x[:, index] for n, x in batch.items()} | {"memory": memory[index]}

            def of(trained: Arrays) -> Array:
                return loss(trained | now.fixed, mine, self.interface, settings)

            return adam.step(weights, jax.grad(of)(weights), rate, settings.max_grad_norm), None

        key, *epochs = jax.random.split(now.key, settings.epochs + 1)
        order = [jax.random.permutation(k, len(memory)) for k in epochs]
        parts = jnp.concatenate(order).reshape(settings.epochs * settings.minibatches, -1)
        (weights, adam), _ = jax.lax.scan(part, (now.weights, now.adam), parts)
        return weights, adam, key


def _last_values(weights: Arrays, memory: Array, seen: Array, started: Array, last: Array) -> Array:
    """Values of the observations that followed each step in its own episode, `[T, N]`."""

    def one(before: Array, now: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        observation, begins, follows = now
        after = network.step(jnp, weights, before, observation, begins)[0]
        return after, network.step(jnp, weights, after, follows, jnp.zeros_like(begins))[2]

    values: Array = jax.lax.scan(one, memory, (seen, started, last))[1]
    return values


def _returns(running: Array, data: Any) -> tuple[Array, Told]:
    """Add up the rewards of a rollout, lane by lane, and sum the returns of what ended."""

    def one(carry: tuple[Array, Told], now: tuple[Array, Array]) -> tuple[tuple[Array, Told], None]:
        (sums, told), (reward, end) = carry, now
        sums = sums + reward.astype(jnp.float32)
        total = told.total + jnp.where(end, sums, 0).sum()
        return (jnp.where(end, 0, sums), Told(told.ended + end.sum(dtype=jnp.int32), total)), None

    none = Told(jnp.int32(0), jnp.float32(0))
    ended = data.terminated | data.truncated
    return jax.lax.scan(one, (running, none), (data.reward, ended))[0]


def train(
    env_id: str,
    *,
    seed: int,
    budget: int,
    out: Path,
    progress: Callable[[CurvePoint], None] | None = None,
    **options: Any,
) -> Trained:
    """Train one policy; options are those of `hub_ppo.settings.Settings`.

    Raises:
        UnknownOption: A `TypeError`: there is no such option.
        TrainingError: A `ValueError`: an option or a space does not suit, or the environment is
            not functional.
    """
    settings = Settings.of(options)
    iteration = make_iteration(env_id, settings)
    with jax.default_device(_device(settings)):
        learner, steps, curve = _learn(iteration, seed, budget, progress)
    header = policy.header("ppo-jax", env_id, seed, steps, iteration.interface, settings)
    policy.save(out / policy.FILE, jax.device_get(learner.weights | learner.fixed), header)
    return Trained(out / policy.FILE, tuple(curve), steps)


def make_iteration(env_id: str, settings: Settings) -> Iteration:
    """Return the compiled iteration of a registered environment.

    Raises:
        TrainingError: A `ValueError`: it is not written against `hub.functional`.
    """
    env = gymnasium.make_vec(env_id, num_envs=1, **settings.env_options)
    functional = getattr(env, "functional", None)
    limit = env.spec.max_episode_steps if env.spec else None
    env.close()
    if not isinstance(functional, FunctionalEnv):
        raise TrainingError(
            f"{env_id} is no functional JAX environment, which trainer 'ppo-jax' needs: "
            "use trainer 'ppo', which takes any"
        )
    interface = Interface.of(functional.observation_space, functional.action_space)
    return Iteration(functional, interface, settings, limit)


def _device(settings: Settings) -> Any:
    return jax.devices(settings.device)[0] if settings.device else None


def _learn(
    iteration: Iteration, seed: int, budget: int, progress: Callable[[CurvePoint], None] | None
) -> tuple[Learner, int, list[CurvePoint]]:
    learner, steps, curve = iteration.begin(seed), 0, []
    while steps < budget:
        learner, told = iteration(learner, 1 - steps / budget)
        steps += iteration.settings.batch
        if ended := int(told.ended):
            point = CurvePoint(steps, float(told.total) / ended)
            curve.append(point)
            if progress:
                progress(point)
    return learner, steps, curve
