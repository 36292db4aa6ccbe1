"""PPO in torch for any Gymnasium vector environment (Schulman et al. 2017, clipped objective).

Collect `steps` of every lane, estimate advantages, make a few passes of clipped gradient steps,
begin again. Episodes end inside the batch, and both native autoreset modes are treated exactly:

- NEXT_STEP: the step after an end only resets. Its action was ignored, so it is masked out of
  every loss and statistic; the observation before it is the episode's last, whose value is the
  bootstrap of a truncated episode.
- SAME_STEP: the observation of the step that ended an episode belongs to the next one already;
  a truncated episode's bootstrap is the value of `final_obs`.

A terminated episode has no bootstrap. Arrays are `[steps, lanes, ...]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from hub.errors import TrainingError
from hub.fidelity import CurvePoint, Trained
from hub_ppo import network, policy
from hub_ppo.clock import Clock
from hub_ppo.settings import Settings, training_seed
from hub_ppo.spaces import Interface
from hub_ppo.statistics import Moments, Returns

Tensors: TypeAlias = dict[str, torch.Tensor]


def gae(
    rewards: NDArray[Any],
    values: NDArray[Any],
    next_values: NDArray[Any],
    ended: NDArray[Any],
    gamma: float,
    gae_lambda: float,
) -> NDArray[Any]:
    """Generalised advantage estimation (Schulman et al. 2016, equation 16).

    Args:
        rewards: `[T, N]`.
        values: `[T, N]`, of the observations acted on.
        next_values: `[T, N]`, of the observations that followed, in the same episode: 0 where it
            terminated, the last observation's value where it was truncated.
        ended: `[T, N] bool`: the step ended an episode, so nothing flows back over it.
        gamma: Discount.
        gae_lambda: 0 trusts the values, 1 the rewards.

    Returns:
        Advantages `[T, N]`.
    """
    deltas = rewards + gamma * next_values - values
    advantages, flow = np.empty_like(deltas), np.zeros_like(deltas[0])
    for t in reversed(range(len(deltas))):
        flow = deltas[t] + gamma * gae_lambda * ~ended[t] * flow
        advantages[t] = flow
    result: NDArray[Any] = advantages
    return result


def distribution(interface: Interface, weights: Mapping[str, Any], outputs: torch.Tensor) -> Any:
    """Return the distribution of actions that the network's `outputs` describe."""
    if interface.continuous:
        normal = torch.distributions.Normal(outputs, weights["log_std"].exp(), validate_args=False)
        return torch.distributions.Independent(normal, 1, validate_args=False)
    return torch.distributions.Categorical(logits=outputs, validate_args=False)


def loss(
    weights: Mapping[str, torch.Tensor], batch: Tensors, interface: Interface, settings: Settings
) -> torch.Tensor:
    """Return the loss of sequences `[T, B]`; steps that are not `valid` count nowhere."""
    outputs, values = network.sequence(
        torch, weights, batch["memory"], batch["observation"], batch["started"], _scan
    )
    chosen, valid = distribution(interface, weights, outputs), batch["valid"]

    def mean(x: torch.Tensor) -> torch.Tensor:
        return (x * valid).sum() / valid.sum().clamp(min=1)

    advantage = batch["advantage"] - mean(batch["advantage"])
    advantage = advantage / (mean(advantage.square()).sqrt() + 1e-8)
    ratio = (chosen.log_prob(batch["action"]) - batch["logprob"]).exp()
    clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    gain = mean(torch.minimum(ratio * advantage, clipped * advantage))
    error = 0.5 * mean((values - batch["target"]).square())
    entropy = mean(chosen.entropy())
    return settings.value_weight * error - gain - settings.entropy * entropy


def _scan(recur: Callable[[Any, Any], Any], memory: Any, inputs: tuple[Any, Any]) -> torch.Tensor:
    memories = []
    for one in zip(*inputs, strict=True):
        memory = recur(memory, one)
        memories.append(memory)
    return torch.stack(memories)


class Learner:
    """Weights and their optimiser."""

    def __init__(self, interface: Interface, settings: Settings, seed: int) -> None:
        self.interface, self.settings = interface, settings
        self.device = torch.device(
            settings.device or ("cuda" if torch.cuda.is_available() else "cpu")
        )
        initial = network.initial_weights(
            seed,
            network=settings.network,
            hidden=settings.hidden,
            inputs=interface.inputs,
            outputs=interface.outputs,
            continuous=interface.continuous,
        )
        self.weights = {n: torch.from_numpy(w).to(self.device) for n, w in initial.items()}
        self.trained = [
            w.requires_grad_() for n, w in self.weights.items() if n not in network.STATISTICS
        ]
        self.optimiser = torch.optim.Adam(self.trained, settings.learning_rate, eps=1e-5)
        self._rng = np.random.default_rng([seed, 1])

    def update(self, batch: Tensors, left: float = 1.0) -> None:
        """Make the passes over one batch; `left` is the share of the budget still to come."""
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = settings.learning_rate * (left if settings.anneal else 1.0)
        for _ in range(settings.epochs):
            for part in self._parts(batch):
                self.optimiser.zero_grad(set_to_none=True)
                loss(self.weights, part, self.interface, settings).backward()
                torch.nn.utils.clip_grad_norm_(self.trained, settings.max_grad_norm)
                self.optimiser.step()

    def _parts(self, batch: Tensors) -> Iterator[Tensors]:
        """Shuffle and cut: whole lanes when there is a memory, single steps otherwise."""
        if not network.memory_size(self.weights):
            rest = {name: x for name, x in batch.items() if name != "memory"}
            batch = {name: x.flatten(0, 1)[None] for name, x in rest.items()}
            batch["memory"] = batch["logprob"].new_zeros((batch["logprob"].shape[1], 0))
        count = batch["logprob"].shape[1]
        order = torch.from_numpy(self._rng.permutation(count)).to(self.device)
        for index in order.chunk(self.settings.minibatches):
            part = {n: x[:, index] for n, x in batch.items() if n != "memory"}
            yield part | {"memory": batch["memory"][index]}

    def observe(self, moments: Moments) -> None:
        """Normalise observations by `moments` from now on."""
        self.weights["input.mean"].copy_(torch.from_numpy(moments.mean))
        self.weights["input.scale"].copy_(torch.from_numpy(moments.scale()))


class Collector:
    """Steps a vector environment with a learner's policy.

    Args:
        env: In autoreset mode NEXT_STEP or SAME_STEP.
        learner: Whose policy acts.
        seed: Of the environment and of the actions.
        clock: Counts environment, transfer and model.
    """

    def __init__(
        self, env: VectorEnv[Any, Any, Any], learner: Learner, seed: int, clock: Clock | None = None
    ) -> None:
        self.env, self.learner, self.clock = env, learner, clock or Clock()
        mode = AutoresetMode(env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP))
        if mode is AutoresetMode.DISABLED:
            raise TrainingError(f"autoreset mode {mode}: PPO needs NEXT_STEP or SAME_STEP")
        self._next_step, lanes = mode is AutoresetMode.NEXT_STEP, env.num_envs
        self.returns = Returns(lanes)
        self._random = torch.Generator(learner.device).manual_seed(seed)
        self._seen = learner.interface.flat(env.reset(seed=seed)[0])
        self._started = np.ones(lanes, bool)
        self._due = np.zeros(lanes, bool)  # lanes whose next step only resets (NEXT_STEP)
        size = network.memory_size(learner.weights)
        self._memory = torch.zeros((lanes, size), device=learner.device)

    @torch.no_grad()  # type: ignore[untyped-decorator]  # torch is taken as Any
    def collect(self) -> Tensors:
        """Step every lane `settings.steps` times and return the batch, advantages included."""
        settings, memory = self.learner.settings, self._memory
        self.clock.start()
        rows = [self._step() for _ in range(settings.steps)]
        batch = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
        after = self._values(self._seen, self._started)
        values, ended = batch["value"], batch.pop("ended")
        follow = np.concatenate([values[1:], after[None]])
        if not self._next_step:
            follow = np.where(ended, batch.pop("final_value"), follow)
        follow = np.where(batch.pop("terminated"), 0, follow)
        rewards = batch.pop("reward") * settings.reward_scale
        batch["advantage"] = gae(
            rewards, values, follow, ended, settings.gamma, settings.gae_lambda
        ).astype(np.float32)
        batch["target"] = batch["advantage"] + batch.pop("value")
        self.clock.lap("model")
        tensors = {name: self._tensor(array) for name, array in batch.items()}
        self.clock.lap("transfer")
        return tensors | {"memory": memory}

    def _step(self) -> dict[str, NDArray[Any]]:
        row = {"observation": self._seen, "started": self._started, "valid": ~self._due}
        inputs = self._tensor(self._seen), self._tensor(self._started)
        self.clock.lap("transfer")
        weights = self.learner.weights
        self._memory, outputs, value = network.step(torch, weights, self._memory, *inputs)
        action, logprob = self._draw(outputs)
        self.clock.lap("model")
        row |= {"action": action.cpu().numpy(), "logprob": logprob.cpu().numpy()}
        row["value"] = value.cpu().numpy()
        given = self.learner.interface.actions(row["action"])
        self.clock.lap("transfer")
        observation, reward, terminated, truncated, infos = self.env.step(given)
        self.clock.lap("environment")
        ended = terminated | truncated
        row |= {"reward": reward.astype(np.float32), "terminated": terminated, "ended": ended}
        self.returns.add(reward, ended)
        if self._next_step:
            self._started, self._due = self._due, ended
        else:
            row["final_value"] = self._final_values(infos, truncated & ~terminated)
            self._started = ended
        self._seen = self.learner.interface.flat(observation)
        return row

    def _draw(self, outputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        chosen = distribution(self.learner.interface, self.learner.weights, outputs)
        if self.learner.interface.continuous:
            noise = torch.empty_like(outputs).normal_(generator=self._random)
            action = outputs + noise * self.learner.weights["log_std"].exp()
        else:
            action = torch.multinomial(chosen.probs, 1, generator=self._random)[:, 0]
        return action, chosen.log_prob(action)

    def _final_values(self, infos: Mapping[str, Any], wanted: NDArray[Any]) -> NDArray[Any]:
        """Values of `final_obs` in the lanes `wanted`, 0 elsewhere (SAME_STEP)."""
        if not wanted.any():
            return np.zeros(len(wanted), np.float32)
        last = self._seen.copy()
        for lane in np.flatnonzero(wanted):
            last[lane] = self.learner.interface.flat(infos["final_obs"][lane])[0]
        return np.where(wanted, self._values(last, np.zeros(len(wanted), bool)), 0)

    def _values(self, seen: NDArray[Any], started: NDArray[Any]) -> NDArray[Any]:
        """Values of observations that follow the memory; it stays as it is."""
        inputs = self._tensor(seen), self._tensor(started)
        values: NDArray[Any] = (
            network.step(torch, self.learner.weights, self._memory, *inputs)[2].cpu().numpy()
        )
        return values

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array).to(self.learner.device)


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
        TrainingError: A `ValueError`: an option or a space does not suit.
    """
    settings = Settings.of(options)
    env = gymnasium.make_vec(env_id, num_envs=settings.lanes, **settings.env_options)
    try:
        interface = Interface.of(env.single_observation_space, env.single_action_space)
        learner = Learner(interface, settings, seed)
        steps, curve = _learn(env, learner, seed, budget, progress)
    finally:
        env.close()
    header = policy.header("ppo", env_id, seed, steps, interface, settings)
    weights = {name: w.detach().cpu().numpy() for name, w in learner.weights.items()}
    policy.save(out / policy.FILE, weights, header)
    return Trained(out / policy.FILE, tuple(curve), steps)


def _learn(
    env: VectorEnv[Any, Any, Any],
    learner: Learner,
    seed: int,
    budget: int,
    progress: Callable[[CurvePoint], None] | None,
) -> tuple[int, list[CurvePoint]]:
    collector = Collector(env, learner, training_seed(seed))
    steps, curve = 0, []
    moments = Moments.none(learner.interface.inputs)
    while steps < budget:
        batch = collector.collect()
        learner.update(batch, 1 - steps / budget)
        steps += int(batch["valid"].sum())
        if learner.settings.normalize:
            host = (batch[name].cpu().numpy() for name in ("observation", "valid"))
            moments = moments.merged(*host)
            learner.observe(moments)
        if point := collector.returns.point(steps):
            curve.append(point)
            if progress:
                progress(point)
    return steps, curve
