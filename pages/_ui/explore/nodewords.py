"""What a variable depends on, in a sentence. No Streamlit here.

The fitted probability f(c) of a variable over all settings c of its causes is averaged over what the others do (each
other cause at its own frequency). That gives, in plain probabilities, what one cause does on its own,

    main_i = f̄(i=1) − f̄(i=0),

and the four levels f̄(i, j) of two causes. Two causes are described as a pair when they meet in a clear interaction and

    |f̄(1,1) − f̄(1,0) − f̄(0,1) + f̄(0,0)|  is at least half of the smaller of |main_i|, |main_j| .
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from binotears_core.explain.coefficients import NodeFit
from binotears_core.model.features import products
from pages._ui.graphview.effects import Terms, acting_together, clear, terms_of_fit

Say = Callable[[str], str]
Levels = Mapping[tuple[int, int], float]

CLOSE = 0.3  # of the whole spread: levels this near to each other count as equal
NOTABLE = 0.5
SMALLEST = 0.005  # changes in probability below this are not worth a word
MOST_CAUSES = 10  # f is looked at in 2^causes settings


def sentence(fit: NodeFit, say: Say = str) -> str:
    """The whole sentence; `say` dresses up the names."""
    if not fit.parents:
        return f"{say(fit.node)} has no causes in this graph. It is 1 in {float(fit.observed[0]):.0%} of rows."
    terms = terms_of_fit(fit)
    frequency = (fit.counts @ fit.configurations) / fit.counts.sum()
    phrases, more = describe(terms, frequency, [say(name) for name in fit.parents])
    rest = " What one cause does depends on the others." if more else ""
    return f"{say(fit.node)} is {'; '.join(phrases)}.{rest}"


def extremes(fit: NodeFit) -> str:
    """Between which probabilities the causes move a variable; empty when there are none."""
    if not fit.parents:
        return ""
    low, high = float(fit.predicted.min()), float(fit.predicted.max())
    return f"Its causes move its probability between {low:.0%} and {high:.0%}."


def describe(terms: Terms, frequency: npt.NDArray[np.float64], names: Sequence[str]) -> tuple[list[str], bool]:
    """Phrases to be read after "is", and whether there are interactions they do not tell of.

    `names` and `frequency` (share of ones) belong to causes 0, 1, …
    """
    together = acting_together(terms, range(len(names)))
    if len(names) > MOST_CAUSES:
        mains = [terms.get((i,), (0.0, 0.0))[0] for i in range(len(names))]
        return _singles(mains, names, set()), len(together) > 1
    settings = (np.arange(2 ** len(names))[:, None] >> np.arange(len(names))) & 1
    levels = expit(products(settings.astype(np.uint8), list(terms)) @ [value for value, _ in terms.values()])
    average = _Average(settings, levels, frequency)
    mains = [average.level({i: 1}) - average.level({i: 0}) for i in range(len(names))]
    pairs = _pairs(terms, average, mains)
    phrases = [_pair(average.pair(i, j), names[i], names[j]) for i, j in pairs]
    paired = {i for pair in pairs for i in pair}
    return [*phrases, *_singles(mains, names, paired)], bool(together - paired) or len(pairs) > 1


class _Average:
    """Mean of f over what the causes that are not fixed do, each independently at its frequency."""

    def __init__(
        self, settings: npt.NDArray[np.int_], levels: npt.NDArray[np.float64], frequency: npt.NDArray[np.float64]
    ) -> None:
        self._settings, self._levels = settings, levels
        self._weights = np.where(settings == 1, frequency, 1 - frequency)

    def level(self, fixed: Mapping[int, int]) -> float:
        free = [i for i in range(self._settings.shape[1]) if i not in fixed]
        there = np.all([self._settings[:, i] == value for i, value in fixed.items()], axis=0)
        return float(self._levels[there] @ self._weights[there][:, free].prod(axis=1))

    def pair(self, i: int, j: int) -> Levels:
        return {(a, b): self.level({i: a, j: b}) for a in (0, 1) for b in (0, 1)}


def _pairs(terms: Terms, average: _Average, mains: Sequence[float]) -> list[tuple[int, int]]:
    """Disjoint pairs with a notable interaction, the largest first."""
    found = []
    for i, j in combinations(range(len(mains)), 2):
        level = average.pair(i, j)
        contrast = abs(level[1, 1] - level[1, 0] - level[0, 1] + level[0, 0])
        meet = any({i, j} <= set(term) and (clear(value) or (i,) not in terms) for term, value in terms.items())
        if meet and contrast > max(NOTABLE * min(abs(mains[i]), abs(mains[j])), SMALLEST):
            found.append((contrast, i, j))
    chosen: list[tuple[int, int]] = []
    for _, i, j in sorted(found, reverse=True):
        if not {i, j} & {k for pair in chosen for k in pair}:
            chosen.append((i, j))
    return chosen


def _pair(levels: Levels, a: str, b: str) -> str:
    """What two causes do together, by the pattern of their four levels."""
    near = CLOSE * (max(levels.values()) - min(levels.values()))
    alike, unlike = (levels[0, 0], levels[1, 1]), (levels[1, 0], levels[0, 1])
    if abs(alike[0] - alike[1]) <= near and abs(unlike[0] - unlike[1]) <= near:
        verb = "agree" if sum(alike) > sum(unlike) else "differ"
        return f"more likely when {a} and {b} {verb}, and neither matters alone"
    for setting, level in levels.items():
        rest = [other for place, other in levels.items() if place != setting]
        if max(rest) - min(rest) <= near:
            return _one_apart(setting, level > max(rest), a, b)
    return _each(levels, a, b)


def _one_apart(setting: tuple[int, int], higher: bool, a: str, b: str) -> str:
    """Three settings are alike and one stands out."""
    word, other = ("more", "less") if higher else ("less", "more")
    if setting == (0, 0):
        return f"{other} likely as soon as {a} or {b} is 1"
    if setting == (1, 1):
        return f"{word} likely only when {a} and {b} are both 1"
    on, off = (a, b) if setting == (1, 0) else (b, a)
    return f"{word} likely only when {on} is 1 and {off} is 0"


def _each(levels: Levels, a: str, b: str) -> str:
    """What each of two causes does, without and with the other."""
    of_a = (levels[1, 0] - levels[0, 0], levels[1, 1] - levels[0, 1])
    of_b = (levels[0, 1] - levels[0, 0], levels[1, 1] - levels[1, 0])
    for first, second, effect, other in ((a, b, of_a, of_b), (b, a, of_b, of_a)):
        if effect[0] * effect[1] < 0:
            words = ("more", "less") if effect[0] > 0 else ("less", "more")
            turns = f"{words[0]} likely with {first} when {second} is 0, but {words[1]} likely when {second} is 1"
            always = f"; {'more' if sum(other) > 0 else 'less'} likely with {second} in both cases"
            return turns + (always if min(np.abs(other)) > SMALLEST and other[0] * other[1] > 0 else "")
    word_a, word_b = ("more" if sum(effect) > 0 else "less" for effect in (of_a, of_b))
    further = abs(of_a[1]) > abs(of_a[0])
    if word_a == word_b:
        both = "and more than their sum with both" if further else "and little more with both"
        return f"{word_a} likely with {a} or {b}, {both}"
    how = "the more so" if further else "less so"
    return f"{word_a} likely with {a} ({how} when {b} is 1) and {word_b} likely with {b}"


def _singles(mains: Sequence[float], names: Sequence[str], paired: set[int]) -> list[str]:
    phrases = []
    for word, sign in (("more", 1), ("less", -1)):
        found = [names[i] for i, main in enumerate(mains) if i not in paired and main * sign > SMALLEST]
        if found:
            phrases.append(f"{word} likely with {'each of ' if len(found) > 1 else ''}{_listed(found)}")
    return phrases or ([] if paired else ["moved by its causes in ways that cancel on average"])


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
