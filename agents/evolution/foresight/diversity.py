"""How different the members of a population are: four measures from 0 (all alike) to 1.

All are means over unordered pairs. Populations above :data:`MOST_COMPARED` members are compared on
that many, evenly spaced by rank, where the cost grows with the square (not for descriptions).
"""

import io
import tokenize
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ....evaluators.decisions import decision_distance

Value = TypeVar("Value")

MOST_COMPARED = 40
BEHAVIOUR_SCALE = 0.1
"""Two heuristics whose scores differ by this share on the average instance count as different."""


def description_diversity(descriptions: Sequence[str]) -> float:
    """Return the share of pairs whose descriptions are not exactly equal (HiFo-Prompt, section 2.1).

    Fewer than two members have diversity 0.
    """
    return _share_of_distinct_pairs(descriptions)


def code_diversity(programs: Sequence[str]) -> float:
    """Return the mean distance between the programs' normalised sources.

    The distance of two programs is 1 − |A ∩ B| / |A ∪ B| over their multisets of token pairs, where
    comments, layout and the values of numbers do not count.
    """
    bags = [_token_pairs(one) for one in _evenly(programs)]
    return _mean([_bag_distance(one, other) for one, other in combinations(bags, 2)])


def behaviour_diversity(
    scores: Sequence[NDArray[np.float64]], scale: float = BEHAVIOUR_SCALE
) -> float:
    """Return the mean distance between score vectors ``[instances]`` (same instances, same order).

    The distance of u and v is mean|u − v| as a share of the mean score (|u| + |v|)/2, divided by
    ``scale`` and capped at 1: so 0.3 means that scores differ by 3 % on the average instance.
    """
    vectors = [np.asarray(one, dtype=np.float64) for one in _evenly(scores)]
    if len({vector.shape for vector in vectors}) > 1:
        raise ValueError("score vectors must be of the same instances")
    return _mean([_score_distance(u, v, scale) for u, v in combinations(vectors, 2)])


def decision_diversity(sketches: Sequence[NDArray[np.uint16]]) -> float:
    """Return the mean share of decisions in which two programs differ, of sketches of the same data.

    For tours 0.3 means that three of ten edges are others.
    """
    pairs = combinations(_evenly(sketches), 2)
    return _mean([decision_distance(one, other) for one, other in pairs])


def _share_of_distinct_pairs(values: Sequence[Hashable]) -> float:
    pairs = len(values) * (len(values) - 1) // 2
    equal = sum(count * (count - 1) // 2 for count in Counter(values).values())
    return (pairs - equal) / pairs if pairs else 0.0


def _score_distance(u: NDArray[np.float64], v: NDArray[np.float64], scale: float) -> float:
    size = float(np.mean(np.abs(u) + np.abs(v))) / 2
    if size == 0:
        return 0.0
    return min(1.0, float(np.mean(np.abs(u - v))) / size / scale)


def _token_pairs(code: str) -> Counter[tuple[str, str]]:
    words = _words(code)
    return Counter(pairwise(words))


def _words(code: str) -> list[str]:
    """Return the tokens that matter; text that is not Python is taken word by word."""
    words: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.NUMBER:
                words.append("0")
            elif token.type == tokenize.STRING:
                words.append("''")
            elif token.type in (tokenize.NAME, tokenize.OP):
                words.append(token.string)
            elif token.type in (tokenize.INDENT, tokenize.DEDENT):
                words.append(tokenize.tok_name[token.type])
    except (tokenize.TokenError, SyntaxError):
        return code.split()
    return words


def _bag_distance(one: Counter[tuple[str, str]], other: Counter[tuple[str, str]]) -> float:
    union = (one | other).total()
    return 1 - (one & other).total() / union if union else 0.0


def _evenly(values: Sequence[Value]) -> list[Value]:
    if len(values) <= MOST_COMPARED:
        return list(values)
    step = (len(values) - 1) / (MOST_COMPARED - 1)
    return [values[round(index * step)] for index in range(MOST_COMPARED)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
