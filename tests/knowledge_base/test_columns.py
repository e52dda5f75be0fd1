"""The same values come back from every database, whatever programs and models wrote."""

import json
import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from support.rows import RUN, candidate, key, result

from eurisko.knowledge_base import KnowledgeBase
from eurisko.knowledge_base.columns import clean, from_json, to_json
from eurisko.sandbox import OutcomeKind

NASTY = "a\0b\ud800c\u2028é𝔸"
CLEAN = "a\ufffdb\ufffdc\u2028é𝔸"
NUMBERS = {"a": math.inf, "b": [-math.inf, {"c": 1e308, "d": 0.1 + 0.2}], "e": "NaN", "f": "\0"}


def test_texts_are_stored_on_every_database(base: KnowledgeBase) -> None:
    """NUL and lone surrogates, which databases refuse, become the replacement character."""
    run = base.create_run(**RUN | {"folder": NASTY})
    fields = {"thought": NASTY, "code": NASTY, "proposal_error": NASTY}
    base.add_candidates([candidate(run.id, "g0/i1/0", **fields)])
    (found,) = base.run_candidates(run.id)
    assert (found.thought, found.code, found.proposal_error) == (CLEAN, CLEAN, CLEAN)
    base.add_call(
        run_id=run.id,
        key=NASTY,
        role="r",
        model="m",
        prompt_hash="h",
        request={"x": NASTY},
        text="t",
    )
    call = base.find_call(run.id, NASTY, "h")
    assert call is not None and call.request == {"x": NASTY}


def test_descriptions_are_cut(base: KnowledgeBase) -> None:
    """What endpoints and programs may make as long as they like fits on every database."""
    long = "é" * 500
    failed = result(kind=OutcomeKind.CANDIDATE_ERROR, error_type=long, isolation=long)
    base.add_evaluation(key(dataset=long), failed)
    (found,) = base.find_evaluations([key(dataset=long)]).values()
    assert found.error_type == found.isolation == found.dataset == long[:200]
    run = base.create_run(**RUN | {"proposer": long})
    assert base.get_run(run.id).proposer == long[:200]
    call = {"run_id": run.id, "key": "k", "role": "r", "prompt_hash": "h", "request": {}}
    base.add_call(**call, model=long, finish_reason=long, text="t")
    (stored,) = base.calls(run.id)
    assert (stored.model, stored.finish_reason) == (long[:200], long[:32])


def test_numbers_that_json_cannot_hold_come_back(base: KnowledgeBase) -> None:
    """Infinity and NaN survive in columns of JSON, which PostgreSQL checks."""
    run = base.create_run(**RUN | {"config": NUMBERS})
    assert base.get_run(run.id).config == NUMBERS
    base.update_run(run.id, result={"value": math.nan})
    assert math.isnan((base.get_run(run.id).result or {})["value"])


def test_rows_of_older_versions_are_read(base: KnowledgeBase) -> None:
    """SQLite files hold the bare NaN that Python used to write."""
    if base.engine.dialect.name == "postgresql":
        pytest.skip("PostgreSQL never took it")
    run = base.create_run(**RUN)
    with base.engine.begin() as connection:
        connection.execute(text("UPDATE run SET config = '{\"a\": NaN}'"))
    assert math.isnan(base.get_run(run.id).config["a"])


def test_times_come_back_in_utc(base: KnowledgeBase) -> None:
    """Whatever the zone of the writer and of the server (which tests set to Nepal's)."""
    when = datetime(2026, 3, 29, 2, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    run = base.create_run(**RUN | {"created_at": when})
    found = base.get_run(run.id).created_at
    assert found == when and found.tzinfo is UTC
    with pytest.raises(Exception, match="time zone"):
        base.create_run(**RUN | {"created_at": when.replace(tzinfo=None)})


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=40)
@given(VALUES)
def test_json_holds_any_value(value: object) -> None:
    """What is written is read again, and is strict JSON."""
    written = to_json(value)
    json.loads(written, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert from_json(written) == value


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_clean_texts_are_left_alone(value: str) -> None:
    """Only what no database takes is replaced, character by character."""
    cleaned = clean(value)
    assert len(cleaned) == len(value) and "\0" not in cleaned
    cleaned.encode()
    bad = {one for one in value if one == "\0" or "\ud800" <= one <= "\udfff"}
    assert all(a == b or a in bad for a, b in zip(value, cleaned, strict=True))
