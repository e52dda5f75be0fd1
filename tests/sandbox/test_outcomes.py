"""Each way in which a program can end gives its own outcome, and the next program runs right."""

import numpy as np
import pytest

from eurisko.sandbox import ArraySpec, Limits, OutcomeKind

from .conftest import EXPECTS, VALUES, Try

SHORT = Limits(cpu_s=0.3, wall_s=10.0)
DEFINE = "def heuristic(values):\n    "


def test_an_honest_program_returns_its_arrays(attempt: Try) -> None:
    """A right program's arrays come back exact and read-only, with times and memory measured."""
    outcome = attempt(DEFINE + "print('hello'); return values * 2")
    assert outcome.kind is OutcomeKind.OK
    np.testing.assert_array_equal(outcome.arrays["answer"], VALUES * 2)
    assert not outcome.arrays["answer"].flags.writeable
    assert outcome.stdout == "hello\n"
    assert 0 < outcome.cpu_s < 5
    assert outcome.peak_mib > 1
    assert outcome.isolation


FAULTS = [
    ("def heuristic(:\n    pass", "syntax_error", "SyntaxError", 1),
    ("x = 1\nx = (\n", "syntax_error", "SyntaxError", 2),
    ("x = 'a\0b'", "syntax_error", None, None),
    ("x = 1", "candidate_error", "NameError", None),
    ("heuristic = 3", "candidate_error", "NameError", None),
    ("def heuristic(a, b):\n    return a", "candidate_error", "TypeError", 1),
    ("def heuristic(*, values):\n    return values", "candidate_error", "TypeError", 1),
    (DEFINE + "\n    return 1 / 0", "candidate_error", "ZeroDivisionError", 3),
    (DEFINE + "raise KeyboardInterrupt", "candidate_error", "KeyboardInterrupt", 2),
    (DEFINE + "raise GeneratorExit", "candidate_error", "GeneratorExit", 2),
    ("class E(BaseException): pass\n" + DEFINE + "raise E('odd')", "candidate_error", "E", 3),
    (DEFINE + "return heuristic(values)", "candidate_error", "RecursionError", 2),
    (DEFINE + "values[0] = 1", "candidate_error", "ValueError", 2),
    ("import no_such_module", "candidate_error", "ModuleNotFoundError", 1),
    (DEFINE + "raise SystemExit(0)", "crash", "SystemExit", 2),
    (DEFINE + "import sys; sys.exit('bye')", "crash", "SystemExit", 2),
    (DEFINE + "import os; os._exit(0)", "crash", "exit", None),
    (DEFINE + "import ctypes; ctypes.string_at(0)", "crash", "SIGSEGV", None),
    (DEFINE + "import os; os.abort()", "crash", "SIGABRT", None),
    (DEFINE + "return bytearray(20 * 2**30)", "memory", "MemoryError", 2),
    (DEFINE + "import torch; torch.zeros(20 * 2**30)", "memory", "RuntimeError", 2),
    (DEFINE + "import numpy as n; n.ones(20 * 2**30)", "memory", "MemoryError", 2),
    (DEFINE + "return 'infeasible'", "infeasible", "Infeasible", None),
    (DEFINE + "return 'bad'", "bad_result", "Bad", None),
    (DEFINE + "return values[:5]", "bad_result", None, None),
    (DEFINE + "return object()", "bad_result", "TypeError", None),
    (DEFINE + "return {'answer': values, 'more': values}", "bad_result", None, None),
    (DEFINE + "return {}", "bad_result", None, None),
    (DEFINE + "return {'answer': values.astype('f4')}", "bad_result", None, None),
    (DEFINE + "return {'answer': values.astype(object)}", "bad_result", None, None),
    (DEFINE + "return {'answer': list(values)}", "bad_result", None, None),
    (DEFINE + "return {1: values}", "bad_result", None, None),
    (DEFINE + "raise ValueError('\\ud800\\x1b[31m\\u202e' + 'x' * 10**7)", "candidate_error",
     "ValueError", 2),
]  # fmt: skip


@pytest.mark.parametrize(("code", "kind", "error", "line"), FAULTS)
def test_each_fault_has_its_kind_type_and_line(
    attempt: Try, code: str, kind: str, error: str | None, line: int | None
) -> None:
    """A fault gives its kind, the error's type, the line in the candidate and a short message."""
    outcome = attempt(code)
    assert outcome.kind == kind, outcome
    assert not outcome.arrays
    if error is not None:
        assert outcome.error_type == error
    assert outcome.line == line
    assert 0 < len(outcome.message) <= 2100
    assert outcome.message.replace("…", "").isascii() and "\x1b" not in outcome.message


def test_result_messages_name_key_got_and_wanted(attempt: Try) -> None:
    """A bad result's message says which array, what came and what was wanted."""
    wrong_shape = attempt(DEFINE + "return values[:5]").message
    assert "'answer'" in wrong_shape and "(5,)" in wrong_shape and "(6,)" in wrong_shape
    wrong_type = attempt(DEFINE + "return {'answer': values.astype('i4')}").message
    assert "<i4" in wrong_type and "<f8" in wrong_type
    assert "'more'" in attempt(DEFINE + "return {'answer': values, 'more': values}").message
    assert "lacks" in attempt(DEFINE + "return {}").message


def test_a_call_that_does_not_fit_is_explained(attempt: Try) -> None:
    """The message of a wrong signature shows the signature and what did not fit."""
    message = attempt("def heuristic(a, b):\n    return a").message
    assert "heuristic(a, b)" in message and "'b'" in message


LOOPS = {
    "plain": "while True: pass",
    "native": "import itertools; sum(itertools.repeat(0))",
    "deaf to signals": "import signal\n"
    "    for s in (1, 2, 3, 10, 12, 13, 14, 15):\n"
    "        signal.signal(s, signal.SIG_IGN)\n"
    "    while True: pass",
    "catching": "\n    while True:\n        try:\n            while True: pass\n"
    "        except BaseException: pass",
}


@pytest.mark.parametrize("name", LOOPS)
def test_endless_loops_stop_at_the_processor_limit(attempt: Try, name: str) -> None:
    """A loop that no signal handler can save ends as timeout, near its limit."""
    outcome = attempt(DEFINE + LOOPS[name], SHORT)
    assert outcome.kind is OutcomeKind.TIMEOUT
    assert 0.25 <= outcome.cpu_s <= 1.6


SLEEPS = {
    "sleeping": "import time; time.sleep(100)",
    "stopping itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
}


@pytest.mark.parametrize("name", SLEEPS)
def test_waiting_ends_at_the_wall_clock_limit(attempt: Try, name: str) -> None:
    """A program that uses no processor time is stopped by the clock."""
    outcome = attempt(DEFINE + SLEEPS[name], Limits(cpu_s=5.0, wall_s=0.4))
    assert outcome.kind is OutcomeKind.TIMEOUT
    assert outcome.cpu_s < 0.4 <= outcome.wall_s


def test_non_finite_values_pass_as_arrays(attempt: Try) -> None:
    """NaN and infinity are the scorer's business: they come out unchanged."""
    outcome = attempt(DEFINE + "return values / 0 * float('nan')")
    assert outcome.ok
    assert np.isnan(outcome.arrays["answer"]).all()


def test_all_six_data_types_and_empty_arrays_come_back(attempt: Try) -> None:
    """Every agreed data type survives the way out bit for bit, also with no elements."""
    code = DEFINE + "import numpy as np\n    return {t: np.arange(4).astype(t).reshape(2, 2) for t"
    code += " in ('<f8', '<f4', '<i8', '<i4', '|u1', '|b1')} | {'none': np.zeros((0, 3))}"
    expects = {t: ArraySpec(t, (2, 2)) for t in ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1")}
    outcome = attempt(code, expects=expects | {"none": ArraySpec("<f8", (0, 3))})
    assert outcome.ok, outcome
    for key in expects:
        wanted = np.arange(4).astype(key).reshape(2, 2)
        np.testing.assert_array_equal(outcome.arrays[key], wanted)
        assert outcome.arrays[key].dtype.str == key
    assert outcome.arrays["none"].shape == (0, 3)


def test_much_output_is_read_and_cut(attempt: Try) -> None:
    """Megabytes of print neither block the program nor reach the caller."""
    code = DEFINE + "print('x' * 5_000_000); return values"
    outcome = attempt(code, Limits(cpu_s=5.0, output_kib=2))
    assert outcome.ok
    assert len(outcome.stdout) <= 2048
    endless = DEFINE + "\n    while True: print('x' * 100_000)"
    stopped = attempt(endless, Limits(cpu_s=5.0, wall_s=30.0, output_cut_mib=4))
    assert stopped.kind is OutcomeKind.CANDIDATE_ERROR
    assert "4 MiB" in stopped.message


def test_output_is_cleaned(attempt: Try) -> None:
    """Terminal escapes, bidirectional marks and broken UTF-8 never reach the caller."""
    code = DEFINE + "import os; os.write(1, b'\\x1b[2J\\xff\\xe2\\x80\\xaeok'); return values"
    assert attempt(code).stdout == "\\x1b[2J\\xff\\u202eok"


def test_forged_and_oversized_frames_are_bad_results(attempt: Try) -> None:
    """Bytes that a program writes into the result pipe itself never become a result."""
    frame = (
        "import os, json, struct\n"
        "    head = json.dumps({'kind': 'ok', 'arrays': [['answer', '<f8', [6]]]}).encode()\n"
        "    frame = struct.pack('<4sI', b'EUR1', len(head)) + head\n    "
    )
    twice = attempt(DEFINE + frame + "os.write(4, frame + bytes(48)); return values")
    assert twice.kind is OutcomeKind.BAD_RESULT
    cut = attempt(DEFINE + frame + "os.write(4, frame + bytes(47)); os._exit(0)")
    assert cut.kind is OutcomeKind.BAD_RESULT
    noise = attempt(DEFINE + "import os\n    while True: os.write(4, b'x' * 65536)")
    assert noise.kind is OutcomeKind.BAD_RESULT
    claim = "struct.pack('<4sI', b'EUR1', 2**31)"
    huge = attempt(DEFINE + frame + f"os.write(4, {claim}); import time; time.sleep(60)")
    assert huge.kind is OutcomeKind.BAD_RESULT and huge.wall_s < 20


def test_a_program_cannot_claim_a_sandbox_failure(attempt: Try) -> None:
    """The kinds that are decided outside are refused in a frame, so no free retries exist."""
    for kind in ("sandbox_failure", "timeout", "policy_violation", "nonsense"):
        code = DEFINE + (
            "import os, json, struct\n"
            f"    head = json.dumps(dict(kind={kind!r}, type='', message='', line=None)).encode()\n"
            "    os.write(4, struct.pack('<4sI', b'EUR1', len(head)) + head); os._exit(97)"
        )
        assert attempt(code).kind is OutcomeKind.BAD_RESULT


def test_a_source_too_long_is_refused(attempt: Try) -> None:
    """A source of megabytes is refused before it is copied anywhere."""
    assert attempt("#" * 1_000_001).kind is OutcomeKind.SYNTAX_ERROR


def test_the_expected_arrays_stay_exact_after_all_this(attempt: Try) -> None:
    """After every fault above, an honest program gets its exact result."""
    outcome = attempt(DEFINE + "return values[::-1]")
    np.testing.assert_array_equal(outcome.arrays["answer"], VALUES[::-1])
    assert set(outcome.arrays) == set(EXPECTS)
