"""A genome as one sentence."""

from collections.abc import Iterator

from ....evaluators.grammar import Feature, Grammar, Literal, Symbol

__all__ = ["describe"]

LONGEST = 400
"""A part with a longer phrase is summed up by the features that it blends."""


def describe(grammar: Grammar, genome: str) -> str:
    """What the heuristic does, in one sentence."""
    return grammar.sentence.format(_phrase(iter(grammar.parse(genome)))[0])


def _phrase(symbols: Iterator[Symbol]) -> tuple[str, list[str]]:
    symbol = next(symbols)
    if isinstance(symbol, Literal):
        return f"{symbol.value:g}", []
    if isinstance(symbol, Feature):
        return symbol.phrase, [symbol.phrase]
    parts = [_phrase(symbols) for _ in symbol.arguments]
    features = list(dict.fromkeys(name for _, names in parts for name in names))
    text = symbol.phrase.format(*(phrase for phrase, _ in parts)).replace(" plus -", " minus ")
    if len(text) > LONGEST and features:
        text = f"a blend of {_list(features)}"
    return text, features


def _list(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
