"""Statistics: distributions by closed forms of the standard library, and by scipy."""

from __future__ import annotations

import math
from statistics import NormalDist

from hub_agents.science.family import Draw, Family

_ = "statistics"


def _poisson_at_most(mean: float, count: float) -> float:
    return math.fsum(
        math.exp(-mean + i * math.log(mean) - math.lgamma(i + 1)) for i in range(int(count) + 1)
    )


def _binomial_at_least(n: float, p: float, k: float) -> float:
    total, least = int(n), int(k)
    return math.fsum(
        math.comb(total, i) * p**i * (1 - p) ** (total - i) for i in range(least, total + 1)
    )


def _t_interval(mean: float, deviation: float, n: float) -> float:
    from scipy import stats

    return float(mean + stats.t.ppf(0.975, n - 1) * deviation / math.sqrt(n))


def _chi_square(statistic: float, freedom: float) -> float:
    from scipy import stats

    return float(stats.chi2.sf(statistic, freedom))


FAMILIES = (
    Family("normal_interval", _,
           "A quantity is normal with mean {mean} and standard deviation {deviation}. What is the "
           "probability of a value above {limit}?",
           {"mean": Draw(40, 60), "deviation": Draw(5, 15), "limit": Draw(55, 80)},
           lambda mean, deviation, limit: 0.5
           * math.erfc((limit - mean) / deviation / math.sqrt(2))),
    Family("binomial_tail", _,
           "A trial succeeds with probability {p}. What is the probability of at least {k} "
           "successes in {n} independent trials?",
           {"n": Draw(16, 24, whole=True), "p": Draw(0.3, 0.5), "k": Draw(8, 11, whole=True)},
           lambda n, p, k: _binomial_at_least(n, p, k)),
    Family("poisson_at_most", _,
           "Events follow a Poisson law with a mean of {mean} per hour. What is the probability of "
           "at most {count} events in one hour?",
           {"mean": Draw(4, 12), "count": Draw(3, 8, whole=True)}, _poisson_at_most),
    Family("exponential_wait", _,
           "Waiting times are exponential with a mean of {mean}. What is the probability of "
           "waiting longer than {time}?",
           {"mean": Draw(2, 30, "minute"), "time": Draw(3, 40, "minute")},
           lambda mean, time: math.exp(-time / mean)),
    Family("bayes_test", _,
           "A condition has a prevalence of {prevalence}. A test has a sensitivity of "
           "{sensitivity} and a specificity of {specificity}. What is the probability of the "
           "condition after a positive test?",
           {"prevalence": Draw(0.005, 0.2), "sensitivity": Draw(0.7, 0.99),
            "specificity": Draw(0.7, 0.99)},
           lambda prevalence, sensitivity, specificity: prevalence * sensitivity
           / (prevalence * sensitivity + (1 - prevalence) * (1 - specificity))),
    Family("t_interval", _,
           "A sample of {n} values from a normal law has mean {mean} and sample standard deviation "
           "{deviation}. What is the upper end of the two-sided 95 % confidence interval (Student) "
           "of the mean?",
           {"n": Draw(5, 30, whole=True), "mean": Draw(20, 90), "deviation": Draw(5, 30)},
           lambda n, mean, deviation: _t_interval(mean, deviation, n), "", 0.003),
    Family("chi_square_p", _,
           "A chi-square statistic of {statistic} was found with {freedom} degrees of freedom. "
           "What is the p-value?",
           {"statistic": Draw(6, 25), "freedom": Draw(2, 10, whole=True)}, _chi_square),
    Family("coupon_collector", _,
           "Each packet holds one of {n} different cards, all equally likely. How many packets "
           "must one open on average to own every card?",
           {"n": Draw(4, 40, whole=True)},
           lambda n: n * math.fsum(1 / i for i in range(1, int(n) + 1))),
    Family("sample_size", _,
           "How large must the sample be for the half-width of the two-sided 95 % interval (normal "
           "law, known standard deviation {deviation}) of a mean to be {width}? Leave the number "
           "unrounded.",
           {"deviation": Draw(5, 40), "width": Draw(0.5, 4)},
           lambda deviation, width: (NormalDist().inv_cdf(0.975) * deviation / width) ** 2),
)  # fmt: skip
