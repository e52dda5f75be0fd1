"""Rules outside the vocabulary, from the user's sentence to a checker that was tried and confirmed."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from afl_instance import SMALL

from eurisko.agents.models import ModelReply, ModelRequest
from eurisko.agents.routing.creation.asking import Agents
from eurisko.agents.routing.generated import RuleAttempt, write_rule
from eurisko.evaluators.routing import Plan, Route, RoutingError, parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.generated import (
    GeneratedRule,
    check_rules,
    judge_plans,
    rule_fault,
    rule_violations,
)
from eurisko.sandbox import Sandbox

READING = parse_routing(SMALL, "small.vrp")
INSTANCE, NAMES = READING.instance, analyse(READING).names
HEAD = "def check(routes, vehicles, times, instance):\n"
TOGETHER = (
    HEAD
    + """    rows = {name: row for row, name in enumerate(instance["node_ids"])}
    for number, route in enumerate(routes, 1):
        if (rows["2"] in route) != (rows["3"] in route):
            return False, f"route {number} visits only one of 2 and 3"
    return True, ""
"""
)
RULE = GeneratedRule(
    name="together",
    request="2 and 3 on one vehicle",
    meaning="Customers 2 and 3 are in the same route.",
    code=TOGETHER,
    accepted=((0, 1, 2, 0),),
    rejected=((0, 1, 0), (0, 2, 0)),
)


def reply(code: str = TOGETHER, accepted: str = "[[0, 1, 2, 0]]") -> str:
    return (
        "{Customers 2 and 3 are in the same route.}\nNAME: together\n"
        f"ACCEPTED: {accepted}\nREJECTED: [[0, 1, 0], [0, 2, 0]]\n```python\n{code}```\n"
    )


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as opened:
        yield opened


@dataclass
class Scripted:
    """Answers in order, the last one again and again; remembers who was asked what."""

    answers: list[str]
    asked: list[ModelRequest] = field(default_factory=list)

    def ask(self, request: ModelRequest) -> ModelReply:
        """Answer the next question."""
        text = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(request)
        return ModelReply(text, "scripted", 10, 5, 0.0, 0.0, finish_reason="stop")

    @property
    def roles(self) -> list[str]:
        """Roles in the order of the questions."""
        return [request.role for request in self.asked]


Attempt = Callable[..., tuple[RuleAttempt, Scripted]]


@pytest.fixture
def attempt(sandbox: Sandbox) -> Attempt:
    """Return what writes the rule with scripted answers."""

    def write(*answers: str, confirm: bool = True, **more: int) -> tuple[RuleAttempt, Scripted]:
        model = Scripted(list(answers))
        agents = Agents(model, model)  # type: ignore[arg-type]
        found = write_rule(
            RULE.request, INSTANCE, NAMES, agents, sandbox, lambda rule: confirm, **more
        )
        return found, model

    return write


def test_a_rule_is_written_tried_judged_and_confirmed(attempt: Attempt) -> None:
    """Two calls, one of each role, and the rule is what was written."""
    found, model = attempt(reply(), "ACCEPT")
    assert found.rule is not None
    assert found.rule.model_copy(update={"code": RULE.code}) == RULE
    assert model.roles == ["generation", "judgment"]


def test_without_the_users_word_there_is_no_rule(attempt: Attempt) -> None:
    """What a model wrote and a model judged is not yet what the user meant."""
    found, _ = attempt(reply(), "ACCEPT", confirm=False)
    assert found.rule is None and "not confirmed" in found.reason


def test_a_faulty_checker_goes_back_before_anybody_judges(attempt: Attempt) -> None:
    """One that accepts everything is found by its own rejected plan."""
    found, model = attempt(reply(HEAD + "    return True, ''\n"), reply(), "ACCEPT")
    assert found.rule is not None
    assert model.roles == ["generation", "revision", "judgment"]
    assert "check accepts the rejected plan" in model.asked[1].messages[0].content


def test_a_judge_sends_a_checker_back(attempt: Attempt) -> None:
    """The judge's words reach the reviser, and the revision is judged again."""
    found, model = attempt(reply(), "REJECT: both must be there", reply(), "ACCEPT")
    assert found.rule is not None
    assert model.roles == ["generation", "judgment", "revision", "judgment"]
    assert "both must be there" in model.asked[2].messages[0].content


def test_revisions_are_capped(attempt: Attempt) -> None:
    """A judge who never agrees ends it, and the reason is said."""
    found, model = attempt(
        reply(), "REJECT: no", reply(), "REJECT: no", reply(), "REJECT: never", revisions=2
    )
    assert found.rule is None and "never" in found.reason
    assert len(model.asked) == 6


def test_an_unreadable_judge_confirms_nothing(attempt: Attempt) -> None:
    """Unlike for programs, no independent check stands behind a judgement of meaning."""
    found, _ = attempt(reply(), "Hm.", revisions=0)
    assert found.rule is None and "judge" in found.reason


def test_what_the_data_cannot_show_is_said_at_once(attempt: Attempt) -> None:
    """One call; the reason is the model's."""
    found, model = attempt("IMPOSSIBLE: no driver has a name in the file.")
    assert found.rule is None and "no driver has a name" in found.reason
    assert len(model.asked) == 1


def test_answers_that_never_parse_end_it(attempt: Attempt) -> None:
    """Each is asked for twice; the reason names the missing part."""
    found, model = attempt("I would rather not.", revisions=1)
    assert found.rule is None and "no usable checker" in found.reason
    assert len(model.asked) == 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"code": HEAD + "    raise KeyError('x')\n"}, "no verdict"),
        ({"code": HEAD + "    return 1, ''\n"}, "no verdict"),
        ({"code": HEAD + "    return False, 'no'\n"}, "rejects the accepted plan"),
        (
            {"code": "seen = []\n" + HEAD + "    seen.append(1)\n    return len(seen) < 2, 'no'\n"},
            "different verdicts",
        ),
        (
            {"code": HEAD + "    return routes == [[0, 1, 2, 0]], ''\n"},
            "without saying",
        ),
        ({"accepted": ((0, 1, 2),)}, "accepted plan is none.*closed"),
        ({"rejected": ((0, 1, 2, 3, 0),)}, "rejected plan is none.*capacity"),
        ({"rejected": ((0, 1, 0), (0, 1, 0))}, "twice"),
        ({"accepted": ((0, 99, 0),)}, "does not exist"),
    ],
)
def test_faults_are_found_without_knowing_the_meaning(
    sandbox: Sandbox, change: dict[str, object], said: str
) -> None:
    """Trying it tells: errors, no verdicts, memory, wrong probes."""
    wrong = RULE.model_copy(update=change)
    assert re.search(said, rule_fault(sandbox, wrong, INSTANCE, NAMES))
    assert rule_fault(sandbox, RULE, INSTANCE, NAMES) == ""


def test_checkers_see_recomputed_times(sandbox: Sandbox) -> None:
    """Arrival at the second customer is the length of two legs, as the checker has it."""
    code = HEAD + (
        '    return bool(abs(times["arrival"][0][2] - 10.0) < 1e-9), str(times["arrival"])\n'
    )
    answers = judge_plans(sandbox, code, INSTANCE, [Plan((Route((0, 1, 2, 0)),))])
    assert answers[0].kept, answers[0].message  # (0, 0) to (3, 4) to (6, 8): 5 and 5


def test_no_verdict_is_a_violation(sandbox: Sandbox) -> None:
    """A plan is not right because its checker broke down; the label shows where it comes from."""
    broken = RULE.model_copy(update={"code": HEAD + "    return 1 / 0\n"})
    plan = Plan((Route((0, 1, 2, 0)), Route((0, 3, 0))))
    assert not rule_violations(check_rules(sandbox, [RULE], INSTANCE, plan))
    (found,) = rule_violations(check_rules(sandbox, [broken], INSTANCE, plan))
    assert found.constraint == "generated:together" and "ZeroDivisionError" in found.message


def test_checkers_run_in_the_sandbox_only(sandbox: Sandbox) -> None:
    """One that reads a file gets no verdict, nor does one that never ends."""
    plan = Plan((Route((0, 1, 0)),))
    reading = HEAD + "    return bool(open('/etc/passwd').read()), ''\n"
    endless = HEAD + "    while True:\n        pass\n"
    assert judge_plans(sandbox, reading, INSTANCE, [plan])[0].kept is None
    assert judge_plans(sandbox, endless, INSTANCE, [plan], seconds=0.3)[0].kept is None


def test_nonsense_is_refused_before_it_is_sent(sandbox: Sandbox) -> None:
    """A row that does not exist has no times."""
    with pytest.raises(RoutingError, match="does not exist"):
        judge_plans(sandbox, TOGETHER, INSTANCE, [Plan((Route((0, 44, 0)),))])
