"""How much two insights say the same."""

import re

from .constants import Similarity

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:\.\d+)?")
_ENDING = re.compile(r"(?:ings?|edly|ed|ies|es|ly|s)$")
_WITHOUT_CONTENT = (
    "a an and are as at be been but by can do does for from has have if in into is it its more most "
    "must not of on or rather should so than that the their them then there these they this those "
    "to too use used using very when where which while will with you your"
)
_EMPTY = frozenset(_WITHOUT_CONTENT.split())


def similarity(one: str, other: str, measure: Similarity = "overlap") -> float:
    """Return the similarity of two texts as sets of lower-cased words between white space.

    ``overlap`` divides what they share by the size of the larger set, ``jaccard`` by that of their
    union (HiFo-Prompt, section 3.4).
    """
    a, b = set(one.lower().split()), set(other.lower().split())
    size = max(len(a), len(b)) if measure == "overlap" else len(a | b)
    return len(a & b) / size if size else 0.0


def content_similarity(one: str, other: str) -> float:
    """Return the Jaccard similarity of two texts' content words.

    Punctuation, common endings and words without content do not count, so that rewordings come
    closer than by :func:`similarity`, which sees "edge," and "edges" as different words.
    """
    a, b = content_words(one), content_words(other)
    return len(a & b) / len(a | b) if a or b else 0.0


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry the meaning, without their endings."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _EMPTY)
    return frozenset(_stem(word) for word in words)


def _stem(word: str) -> str:
    stem = _ENDING.sub("", word)
    stem = stem if len(stem) > 2 else word
    return stem.removesuffix("e") if len(stem) > 3 else stem
