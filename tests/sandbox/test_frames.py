"""The frame parser turns any bytes into a valid reply or one kind of error."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eurisko.sandbox.frames import HEADER_CAP, FrameError, FrameReader, Reply
from eurisko.sandbox.limits import ArraySpec
from eurisko.sandbox.outcome import OutcomeKind
from eurisko.sandbox.text import clean_text

EXPECTS = {"a": ArraySpec("<i4", (2, 3)), "b": ArraySpec("|b1", (4,))}


def frame(header: object, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<4sI", b"EUR1", len(text)) + text + body


def good() -> bytes:
    header = {"kind": "ok", "arrays": [["b", "|b1", [4]], ["a", "<i4", [2, 3]]]}
    return frame(header, b"\0\1\1\0" + np.arange(6, dtype="<i4").tobytes())


def parse(data: bytes, step: int = 1 << 20) -> Reply:
    reader = FrameReader(EXPECTS)
    for at in range(0, len(data), step):
        reader.feed(data[at : at + step])
    return reader.finish()


@pytest.mark.parametrize("step", [1, 3, 7, 1000])
def test_a_good_frame_gives_its_arrays_however_it_is_cut(step: int) -> None:
    """Arrays are found by the header's order, whatever pieces the bytes come in."""
    reply = parse(good(), step)
    assert reply.kind is OutcomeKind.OK
    np.testing.assert_array_equal(reply.arrays["a"], np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(reply.arrays["b"], [False, True, True, False])


def test_every_cut_and_every_extra_byte_is_an_error() -> None:
    """No prefix of a good frame is a frame, nor a good frame with one more byte."""
    data = good()
    for length in range(len(data)):
        with pytest.raises(FrameError):
            parse(data[:length])
    with pytest.raises(FrameError):
        parse(data + b"\0")


ERROR = {"kind": "candidate_error", "type": "E", "message": "m", "line": 3}
BAD_HEADERS = [
    [],
    {},
    None,
    ERROR | {"kind": "sandbox_failure"},
    ERROR | {"kind": ["ok"]},
    ERROR | {"line": True},
    ERROR | {"line": 10**30},
    ERROR | {"line": -1},
    ERROR | {"line": 1.5},
    ERROR | {"message": None},
    ERROR | {"more": 1},
    {"kind": "ok", "arrays": 3},
    {"kind": "ok", "arrays": []},
    {"kind": "ok", "arrays": [["a", "<i4", [2, 3]]] * 2},
    {"kind": "ok", "arrays": [["a", "<i4", [2, 3]], ["b", "|b1", [-4]]]},
    {"kind": "ok", "arrays": [["a", "<i4", [2, 3]], ["b", "|b1", [True]]]},
    {"kind": "ok", "arrays": [["a", "<i4", [3, 2]], ["b", "|b1", [4]]]},
    {"kind": "ok", "arrays": [["a", "<f4", [2, 3]], ["b", "|b1", [4]]]},
    {"kind": "ok", "arrays": [["a", "|O", [2, 3]], ["b", "|b1", [4]]]},
    {"kind": "ok", "arrays": [["a", ["<i4"], [2, 3]], ["b", "|b1", [4]]]},
    {"kind": "ok", "arrays": [["a", "<i4", [2, 3]], ["b", "|b1", [4]], ["c", "|u1", [1]]]},
    {"kind": "ok", "arrays": [["a", "<i4"], ["b", "|b1", [4]]]},
]


@pytest.mark.parametrize("header", BAD_HEADERS, ids=str)
def test_bad_headers_are_refused_at_once(header: object) -> None:
    """A header that is not exactly as agreed is refused before any array byte is read."""
    with pytest.raises(FrameError):
        FrameReader(EXPECTS).feed(frame(header))


RAW_HEADERS = [
    b"[" * 16000,
    b'{"kind": "ok", "kind": "ok", "arrays": []}',
    b'{"kind": "ok", "arrays": ' + b"1" * 9000 + b"}",
    b"\xff\xfe",
    b'{"kind": NaN}',
]


@pytest.mark.parametrize("text", RAW_HEADERS, ids=range(len(RAW_HEADERS)))
def test_malicious_json_is_refused(text: bytes) -> None:
    """Deep nesting, doubled keys, endless numbers and broken text raise only FrameError."""
    with pytest.raises(FrameError):
        FrameReader(EXPECTS).feed(struct.pack("<4sI", b"EUR1", len(text)) + text)


def test_impossible_booleans_are_refused() -> None:
    """A byte other than 0 and 1 in a boolean array is refused."""
    data = good().replace(b"\0\1\1\0", b"\0\2\1\0")
    with pytest.raises(FrameError, match="boolean"):
        parse(data)


@given(st.binary(max_size=400), st.integers(0, len(good())), st.integers(0, 40))
def test_any_bytes_give_a_reply_or_a_frame_error(noise: bytes, at: int, width: int) -> None:
    """Noise written over any part of a good frame gives valid arrays or FrameError."""
    data = good()
    mixed = data[:at] + noise + data[at + width :]
    for candidate in (noise, mixed, b"EUR1" + noise):
        reader = FrameReader(EXPECTS)
        try:
            reader.feed(candidate)
            reply = reader.finish()
        except FrameError:
            continue
        assert reader.wanted <= HEADER_CAP + 100
        if reply.kind is OutcomeKind.OK:
            assert {k: (v.dtype.str, v.shape) for k, v in reply.arrays.items()} == {
                k: (s.dtype, s.shape) for k, s in EXPECTS.items()
            }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)
header_like = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from([k.value for k in OutcomeKind]) | json_values,
        "type": st.text() | json_values,
        "message": st.text() | json_values,
        "line": st.integers() | json_values,
        "arrays": st.lists(st.tuples(st.sampled_from("ab"), st.text(), st.lists(st.integers())))
        | json_values,
    },
)


@given(header_like | json_values)
def test_any_json_header_gives_a_reply_or_a_frame_error(header: object) -> None:
    """Headers of the right shape but any content never raise anything else, nor leak raw text."""
    try:
        reply = parse(frame(header))
    except FrameError:
        return
    assert reply.kind is not OutcomeKind.OK
    assert reply.message == clean_text(reply.message, 2000)
    assert len(reply.error_type or "") <= 100


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Co", "Zl", "Zp", "L"])))
def test_clean_text_has_no_hidden_characters(text: str) -> None:
    """Whatever goes in, what comes out prints as it reads, encodes as UTF-8 and is bounded."""
    shown = clean_text(text, 50)
    assert len(shown) <= 50
    shown.encode()
    assert all(c in "\n\t" or c.isprintable() for c in shown)


def test_a_known_head_is_not_trusted_beyond_itself() -> None:
    """After a checked frame the same head passes, and any other one is checked like the first."""
    expects = {"bin": ArraySpec("<i8", (2,))}

    head = {"kind": "ok", "arrays": [["bin", "<i8", [2]]]}
    reader = FrameReader(expects)
    assert reader.steady() is None
    reader.feed(frame(head, struct.pack("<2q", 1, 2)))
    assert reader.finish().arrays["bin"].tolist() == [1, 2]
    form = reader.steady()
    whole = frame(head, struct.pack("<2q", 3, 4))
    assert form.length == len(whole)
    found = form.arrays(whole)
    assert found["bin"].tolist() == [3, 4] and not found["bin"].flags.writeable
    other = frame({"kind": "ok", "arrays": [["bin", "<u8", [2]]]}, bytes(16))
    assert len(other) == len(whole)
    for raw in (whole[:-1], whole + b"x", b"", other):  # left to a reader that checks everything
        assert form.arrays(raw) is None


def test_a_known_head_does_not_vouch_for_values() -> None:
    """Bytes that are not booleans are refused behind a known head as behind a new one."""
    reader = FrameReader({"taken": ArraySpec("|b1", (2,))})
    head = {"kind": "ok", "arrays": [["taken", "|b1", [2]]]}
    reader.feed(frame(head, b"\0\1"))
    with pytest.raises(FrameError, match="not booleans"):
        reader.steady().arrays(frame(head, b"\0\2"))
