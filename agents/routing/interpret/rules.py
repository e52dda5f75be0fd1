"""Text to changes, questions and commands without a model: whole clauses by rules, or nothing."""

import re
from collections.abc import Sequence

from pydantic import ValidationError

from ....evaluators.routing import Kind, RoutingError
from ....evaluators.routing.analysis import Question
from ..changes import Change, RoutingTask
from .about_customers import CUSTOMER_RULES
from .about_more import MORE_RULES
from .about_routes import ROUTE_RULES
from .asking import COMMAND_RULES, QUESTION_RULES
from .grammar import Meaning
from .lacking import lacking
from .limits import read_limit
from .results import Ask, Command, Interpretation, NotUnderstood, Unclear, UnitUnknown
from .slots import find_slots

RULES = (*COMMAND_RULES, *QUESTION_RULES, *CUSTOMER_RULES, *ROUTE_RULES, *MORE_RULES)
LIMIT_EXAMPLES = (
    "no driver over 9 hours",
    "driving time at most 9 h",
    "route length at most 120",
)
EXAMPLES = tuple(dict.fromkeys((*LIMIT_EXAMPLES, *(one.example for one in RULES))))
_SENTENCES = re.compile(r"[;\n]+|(?<=[^\d\s])\.(?:\s+|$)|(?<=\d)\.\s+|(?<=\?)\s+|!\s*")
_JOINS = re.compile(r"\s*,\s*(?:and|but)\s+|\s+(?:and|but)\s+|\s*,\s*")
UNKNOWN = "this is not understood"
_SHOWN = 3
_LONGEST = 2000  # characters of a text
_PARTS = 8  # joins tried in one sentence


def interpret(text: str, task: RoutingTask, questions: Sequence[Question] = ()) -> Interpretation:
    """Return what a text means by the rules.

    Args:
        text: what the user wrote; sentences may be joined by full stops, semicolons, or "and".
        task: the problem as it stands: names of nodes, units.
        questions: the analysis' open questions; one of their options alone is an answer.
    """
    changes: list[Change] = []
    asks: list[Ask] = []
    unclear: list[Unclear] = []
    command: Command | None = None
    if len(text) > _LONGEST:
        return Interpretation(unclear=(Unclear(text[:60], "the text is too long"),))
    for sentence in filter(None, (part.strip() for part in _SENTENCES.split(text))):
        try:
            meanings = _read_sentence(sentence, task)
        except NotUnderstood as reason:
            examples = similar(sentence) if str(reason) == UNKNOWN else ()
            needs_unit = isinstance(reason, UnitUnknown)
            unclear.append(Unclear(sentence, str(reason), examples, needs_unit))
            continue
        for meaning in meanings:
            if isinstance(meaning, Change):
                try:
                    task = meaning.apply(task)
                except RoutingError as error:
                    unclear.append(Unclear(sentence, str(error)))
                    continue
                changes.append(meaning)
            elif isinstance(meaning, Ask):
                asks.append(meaning)
            else:
                command = meaning
    return Interpretation(tuple(changes), tuple(asks), command, tuple(unclear))


def _read_sentence(sentence: str, task: RoutingTask) -> tuple[Meaning, ...]:
    """Return the meaning of a sentence, as a whole or in parts that all mean something.

    Raises:
        NotUnderstood: neither.
    """
    whole, reason = _try_clause(sentence, task)
    if whole is not None:
        return whole
    if reason is None:
        parts = _read_parts(sentence, task)
        if parts is not None:
            return parts
    raise reason or NotUnderstood(lacking(sentence) or UNKNOWN)


def _read_parts(sentence: str, task: RoutingTask) -> tuple[Meaning, ...] | None:
    """Cut a sentence at its joins so that every part means something, the first part long."""
    joins = list(_JOINS.finditer(sentence))[:_PARTS]
    for join in reversed(joins):
        first, _ = _try_clause(sentence[: join.start()], task)
        if first is None:
            continue
        later = task
        for meaning in first:
            if isinstance(meaning, Change):
                try:
                    later = meaning.apply(later)
                except RoutingError as error:
                    raise NotUnderstood(str(error)) from error
        rest = sentence[join.end() :]
        second, reason = _try_clause(rest, later)
        if second is None and reason is None:
            second = _read_parts(rest, later)
        if reason is not None:
            raise reason
        if second is not None:
            return (*first, *second)
    return None


def _try_clause(
    clause: str, task: RoutingTask
) -> tuple[tuple[Meaning, ...] | None, NotUnderstood | None]:
    """Return the meaning of a clause, or the reason why a clause that matches is not clear."""
    instance = task.instance
    customers = [
        name
        for name, kind in zip(instance.node_ids, instance.kinds, strict=True)
        if kind == Kind.CUSTOMER
    ]
    slots = find_slots(clause.rstrip("?"), customers)
    if not slots.text:
        return None, None
    try:
        for one in RULES:
            meaning = one.read(slots, instance)
            if meaning is not None:
                return meaning, None
        limit = read_limit(slots, instance)
        if limit is not None:
            return (limit,), None
    except NotUnderstood as reason:
        return None, reason
    except ValidationError as error:  # such as one customer where it takes two
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return None, NotUnderstood(f"this makes no sense: {place}: {first['msg']}")
    return None, None


def similar(text: str, count: int = _SHOWN) -> tuple[str, ...]:
    """Return examples of what is understood that share the most words with a text."""
    words = _stems(text)
    scored = [
        (len(words & _stems(example)) / (len(_stems(example)) ** 0.5), -place, example)
        for place, example in enumerate(EXAMPLES)
    ]
    best = sorted((one for one in scored if one[0] > 0), reverse=True)[:count]
    return tuple(example for _, _, example in best)


def _stems(text: str) -> set[str]:
    common = {
        "the",
        "a",
        "is",
        "are",
        "at",
        "of",
        "in",
        "to",
        "and",
        "be",
        "must",
        "it",
        "for",
        "on",
    }
    found = re.findall(r"[a-z]{2,}", text.lower())
    return {word.rstrip("s")[:6] for word in found if word not in common}
