"""Simulated coverage of the interval in `memlab.harness.scoring.intervals`, beside that of other methods.

Each method takes samples as rows, one scenario a column, and returns the lower and upper limits, one a row.
"""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from memlab.harness.scoring.intervals import difference, interval

Array = NDArray[np.float64]
Limits = tuple[Array, Array]
SEEDS = 5
SIZES = (8, 13, 20, 30)
MEANS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
PASS_FAIL = 0.0
SPREADS = (PASS_FAIL, 0.5, 4.0)
PAIRS = ((0.5, 0.5), (0.8, 0.8), (0.9, 0.7), (0.9, 0.5), (0.95, 0.3), (0.95, 0.05), (0.95, 0.95), (0.98, 0.7))
DRAWS = 800
_Z = float(stats.norm.ppf(0.975))


def student_t(samples: Array) -> Limits:
    n = samples.shape[1]
    mean = samples.mean(1)
    reach = stats.t.ppf(0.975, n - 1) * np.sqrt(samples.var(1, ddof=1) / n)
    return mean - reach, mean + reach


def wilson(samples: Array) -> Limits:
    return _wilson(samples.mean(1), np.full(len(samples), float(samples.shape[1])))


def wilson_raw_effective(samples: Array) -> Limits:
    return _wilson(samples.mean(1), _raw_effective(samples))


def agresti_coull(samples: Array) -> Limits:
    n = samples.shape[1] + _Z**2
    mean = (samples.sum(1) + _Z**2 / 2) / n
    reach = _Z * np.sqrt(mean * (1 - mean) / n)
    return mean - reach, mean + reach


def jeffreys(samples: Array) -> Limits:
    return _jeffreys(samples.mean(1), np.full(len(samples), float(samples.shape[1])))


def jeffreys_raw_effective(samples: Array) -> Limits:
    return _jeffreys(samples.mean(1), _raw_effective(samples))


def clopper_pearson(samples: Array) -> Limits:
    return _clopper_pearson(samples.mean(1), np.full(len(samples), float(samples.shape[1])))


def korn_graubard(samples: Array) -> Limits:
    """Clopper-Pearson with the effective sample size of Korn and Graubard 1998, Survey Methodology 24:193."""
    degrees = samples.shape[1] - 1
    return _clopper_pearson(samples.mean(1), _raw_effective(samples) * (_Z / stats.t.ppf(0.975, degrees)) ** 2)


def percentile_bootstrap(samples: Array, grades: int = SEEDS) -> Limits:
    cumulated, _, steps = _bootstrap(samples, grades)
    low, high = (_quantile(cumulated, np.full(len(samples), share), steps) for share in (0.025, 0.975))
    return low, high


def bca_bootstrap(samples: Array) -> Limits:
    """Bias-corrected and accelerated: Efron 1987, JASA 82:171."""
    cumulated, mass, steps = _bootstrap(samples, SEEDS)
    rows = np.arange(len(samples))
    seen = np.rint(samples * SEEDS).sum(1).astype(int)
    bias = stats.norm.ppf(np.clip(cumulated[rows, seen] - mass[rows, seen] / 2, 1e-6, 1 - 1e-6))
    gaps = samples.mean(1, keepdims=True) - samples
    acceleration = (gaps**3).sum(1) / np.maximum(6 * (gaps**2).sum(1) ** 1.5, 1e-12)

    def limit(z: float) -> Array:
        return _quantile(cumulated, stats.norm.cdf(bias + (bias + z) / (1 - acceleration * (bias + z))), steps)

    return limit(-_Z), limit(_Z)


CANDIDATES: dict[str, Callable[[Array], Limits]] = {
    method.__name__: method
    for method in (
        student_t,
        wilson,
        wilson_raw_effective,
        agresti_coull,
        jeffreys,
        jeffreys_raw_effective,
        clopper_pearson,
        korn_graubard,
        percentile_bootstrap,
        bca_bootstrap,
    )
}


def _wilson(mean: Array, n: Array) -> Limits:
    centre = (mean + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z / (1 + _Z**2 / n) * np.sqrt(mean * (1 - mean) / n + _Z**2 / (4 * n**2))
    return centre - reach, centre + reach


def _jeffreys(mean: Array, n: Array) -> Limits:
    passed, failed = mean * n + 0.5, (1 - mean) * n + 0.5
    low, high = stats.beta.ppf(0.025, passed, failed), stats.beta.ppf(0.975, passed, failed)
    return np.where(mean <= 0, 0.0, low), np.where(mean >= 1, 1.0, high)


def _clopper_pearson(mean: Array, n: Array) -> Limits:
    passed, failed = mean * n, (1 - mean) * n
    low = stats.beta.ppf(0.025, np.maximum(passed, 1e-9), failed + 1)
    high = stats.beta.ppf(0.975, passed + 1, np.maximum(failed, 1e-9))
    return np.where(mean <= 0, 0.0, low), np.where(mean >= 1, 1.0, high)


def _raw_effective(samples: Array) -> Array:
    """Give binary over observed variance, times n; n itself where nothing varies."""
    n = samples.shape[1]
    mean: Array = samples.mean(1)
    variance: Array = samples.var(1, ddof=1)
    size: Array = n * mean * (1 - mean) / np.where(variance > 0, variance, 1.0)
    known: Array = np.where(variance > 0, size, n)
    least: Array = np.maximum(known, n - 1.0)
    return least


def _bootstrap(samples: Array, grades: int) -> tuple[Array, Array, int]:
    """Give the bootstrap distribution of the sum exactly, as no number of resamples can: an n-fold convolution."""
    n = samples.shape[1]
    steps = grades * n
    levels = np.rint(samples * grades).astype(int)
    weights = np.stack([(levels == level).mean(1) for level in range(grades + 1)], axis=1)
    mass = np.fft.irfft(np.fft.rfft(weights, n=steps + 1, axis=1) ** n, n=steps + 1, axis=1)
    return np.cumsum(mass, axis=1), mass, steps


def _quantile(cumulated: Array, share: Array, steps: int) -> Array:
    below: Array = (cumulated < share[:, None] - 1e-9).sum(1) / steps
    return below


def ours(samples: Array) -> Limits:
    limits = np.array([interval(sample)[1:3] for sample in samples.tolist()])
    return limits[:, 0], limits[:, 1]


def draw(chance: np.random.Generator, shape: tuple[int, int], mean: float, spread: float) -> Array:
    """Draw scenario scores: pass or fail for all seeds alike, or five seeds each with a scenario's own probability."""
    if spread == PASS_FAIL:
        return (chance.random(shape) < mean).astype(np.float64)
    return chance.binomial(SEEDS, chance.beta(mean * spread, (1 - mean) * spread, shape)) / SEEDS


def covers(limits: Limits, truth: float) -> float:
    low, high = limits
    return float(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).mean())


@pytest.fixture(scope="module")
def coverage() -> dict[str, Array]:
    """Give the share of samples whose interval holds the true mean, for each size, mean and spread."""
    chance = np.random.default_rng(20_240_229)
    methods: dict[str, Callable[[Array], Limits]] = {**CANDIDATES, "ours": ours}
    shares: dict[str, list[float]] = {name: [] for name in methods}
    for size, mean, spread in product(SIZES, MEANS, SPREADS):
        samples = draw(chance, (DRAWS, size), mean, spread)
        for name, method in methods.items():
            shares[name].append(covers(method(samples), mean))
    return {name: np.array(values) for name, values in shares.items()}


def test_no_candidate_comes_nearer_to_95_percent_than_the_chosen_interval(coverage: dict[str, Array]) -> None:
    distance = {name: float(abs(shares - 0.95).mean()) for name, shares in coverage.items()}
    assert min(distance, key=distance.__getitem__) == "ours", distance
    assert distance["ours"] < 0.018


def test_coverage_stays_within_its_stated_band_in_the_worst_case(coverage: dict[str, Array]) -> None:
    assert coverage["ours"].min() >= 0.83
    assert 0.945 <= coverage["ours"].mean() <= 0.965


def test_coverage_comes_nearer_still_at_the_size_of_a_whole_library() -> None:
    chance = np.random.default_rng(5)
    for size in (60, 134, 250):
        shares = [covers(ours(draw(chance, (DRAWS, size), *how)), how[0]) for how in product(MEANS, SPREADS)]
        assert min(shares) > 0.91, size
        assert float(abs(np.array(shares) - 0.95).mean()) < 0.018, size


def test_a_plain_percentile_bootstrap_covers_a_third_where_ours_covers_nine_tenths(coverage: dict[str, Array]) -> None:
    where = list(product(SIZES, MEANS, SPREADS)).index((8, 0.95, PASS_FAIL))
    assert coverage["percentile_bootstrap"][where] < 0.4
    assert coverage["ours"][where] > 0.9


def paired_samples() -> Iterator[tuple[Array, Array, float]]:
    """Draw correlated pass-fail and independent graded scores of two systems, with the true difference."""
    chance = np.random.default_rng(7)
    for size, (a, b) in product(SIZES, PAIRS):
        shared = chance.normal(size=(DRAWS, size))
        luck = [stats.norm.cdf(np.sqrt(0.5) * (shared + chance.normal(size=shared.shape))) for _ in "ab"]
        yield (luck[0] < a).astype(np.float64), (luck[1] < b).astype(np.float64), a - b
        yield draw(chance, shared.shape, a, 0.5), draw(chance, shared.shape, b, 0.5), a - b


def our_differences(a: Array, b: Array) -> Limits:
    ids = [str(scenario) for scenario in range(a.shape[1])]
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    found = [difference(dict(zip(ids, x, strict=True)), dict(zip(ids, y, strict=True))) for x, y in pairs]
    return np.array([each.low for each in found]), np.array([each.high for each in found])


def test_paired_differences_cover_nearer_to_95_percent_than_students_t_and_the_bootstrap() -> None:
    shares: dict[str, list[float]] = {"ours": [], "t": [], "bootstrap": []}
    for a, b, truth in paired_samples():
        shares["ours"].append(covers(our_differences(a, b), truth))
        shares["t"].append(covers(CANDIDATES["student_t"](a - b), truth))
        low, high = percentile_bootstrap((1 + a - b) / 2, grades=2 * SEEDS)
        shares["bootstrap"].append(covers((2 * low - 1, 2 * high - 1), truth))
    distance = {name: float(abs(np.array(values) - 0.95).mean()) for name, values in shares.items()}
    assert min(distance, key=distance.__getitem__) == "ours", distance
    assert min(shares["ours"]) > 0.84 > min(shares["t"]), shares
