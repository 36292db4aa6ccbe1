"""How many policies and episodes a transfer test needs for its power.

The exact power of a paired TOST with variance estimated from n pairs: given the sample standard
deviation, the probability that the mean falls where both tests reject is a difference of two
normal probabilities; averaging over the chi distribution of the standard deviation gives the
power (Phillips 1990; Chow, Shao and Wang, Sample Size Calculations in Clinical Research).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hub.fidelity.plans import Floats, Transfer
from hub.fidelity.scipy_stats import stats

GRID = 4_001


@dataclass(frozen=True)
class Spread:
    """Standard deviations that the pilot found; the mean difference is not looked at.

    Attributes:
        between: Of the true difference from policy to policy.
        within: Of one episode pair's difference around its policy's.
    """

    between: float
    within: float

    def of_mean(self, episodes: int) -> float:
        """Standard deviation of one policy's mean difference over so many episode pairs."""
        return math.hypot(self.between, self.within / math.sqrt(episodes))


@dataclass(frozen=True)
class Sizes:
    """What the power calculation chose.

    Attributes:
        policies: Policies an arm.
        episodes: Episode pairs a policy.
        power: Probability to show equivalence at these sizes when the true difference is 0.
        enough: That power reaches the plan's; False says that the row cannot pass reliably
            within the plan's largest sizes.
        spread: What was assumed.
    """

    policies: int
    episodes: int
    power: float
    enough: bool
    spread: Spread


def tost_power(
    sd: float, pairs: int, margin: float, alpha: float = 0.05, difference: float = 0.0
) -> float:
    """Exact power of a paired TOST on normal differences.

    Args:
        sd: True standard deviation of a pair's difference.
        pairs: Number of pairs, at least 2.
        margin: The margin.
        alpha: Size of each one-sided test.
        difference: The true mean difference.

    Returns:
        Probability to reject on both sides.
    """
    if sd == 0:
        return float(abs(difference) < margin)
    dist = stats()
    df, error = pairs - 1, sd / math.sqrt(pairs)
    critical = float(dist.t.ppf(1 - alpha, df))
    # Above this ratio of estimated to true standard deviation no mean is accepted (and above
    # the other it never gets).
    largest = min(margin / (error * critical), float(dist.chi.isf(1e-15, df)) / math.sqrt(df))
    ratio = np.linspace(0, largest, GRID)
    density = dist.chi.pdf(ratio * math.sqrt(df), df) * math.sqrt(df)
    upper = dist.norm.cdf((margin - difference) / error - critical * ratio)
    lower = dist.norm.cdf(-(margin + difference) / error + critical * ratio)
    height = np.clip(upper - lower, 0, None) * density
    return float((height[1:] + height[:-1]).sum() / 2 * ratio[1])


def estimate_spread(differences: Floats) -> Spread:
    """Split the variance of episode differences by policy (one-way random effects).

    Args:
        differences: `[policies, episodes]`, both at least 2.

    Returns:
        Both standard deviations; a negative estimate between policies becomes 0.
    """
    episodes = differences.shape[1]
    within = float(differences.var(axis=1, ddof=1).mean())
    between = float(differences.mean(axis=1).var(ddof=1)) - within / episodes
    return Spread(math.sqrt(max(between, 0.0)), math.sqrt(within))


def choose_sizes(spread: Spread, plan: Transfer) -> Sizes:
    """Fewest policies, then fewest episodes, that reach the plan's power.

    Training costs more than evaluating, so policies are added only when no number of episodes
    up to `plan.max_episodes` is enough.
    """
    for policies in range(plan.policies, plan.max_policies + 1):
        if _power(spread, policies, plan.max_episodes, plan) >= plan.power:
            episodes = _fewest_episodes(spread, policies, plan)
            power = _power(spread, policies, episodes, plan)
            return Sizes(policies, episodes, power, True, spread)
    power = _power(spread, plan.max_policies, plan.max_episodes, plan)
    return Sizes(plan.max_policies, plan.max_episodes, power, False, spread)


def _fewest_episodes(spread: Spread, policies: int, plan: Transfer) -> int:
    low, high = plan.pilot_episodes, plan.max_episodes
    while low < high:
        middle = (low + high) // 2
        if _power(spread, policies, middle, plan) >= plan.power:
            high = middle
        else:
            low = middle + 1
    return low


def _power(spread: Spread, policies: int, episodes: int, plan: Transfer) -> float:
    return tost_power(spread.of_mean(episodes), policies, plan.margin, plan.alpha)
