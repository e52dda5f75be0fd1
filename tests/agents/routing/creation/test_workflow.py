"""The whole workflow through a scripted endpoint: every way to fail ends as it should, and counts.

Only one test runs programs; the others put a stand-in in the place of the independent checks.
"""

import dataclasses
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from afl_instance import ROUND
from afl_script import Modeller, parts
from scripted_endpoint import Answer, ScriptedEndpoint, Status, Text
from support.runs import cli_environment

from eurisko.agents.models import ModelError
from eurisko.agents.routing.creation import (
    CreateBudgets,
    Created,
    CreateSettings,
    Declined,
    Interrupted,
    Task,
    Verified,
    create_solver,
    resume_creation,
)
from eurisko.evaluators.routing import parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.created import NAMES
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

SOLVER = (Path(__file__).parents[4] / "examples" / "solvers" / "ocvrpltw.py").read_text()
FUNCTIONS = parts(SOLVER)
Run = Callable[..., tuple[Created, Modeller]]


def fenced(code: str) -> str:
    return f"{{Idea.}}\n```python\n{code}\n```"


def marked(name: str, mark: str) -> str:
    """Return a right function with a helper that has a telling name."""
    helper = f"_{name}_{mark}"
    code = FUNCTIONS[name].replace(
        f"def {name}(", f"def {helper}():\n    return 0\n\n\ndef {name}(", 1
    )
    before, _, after = code.rpartition("    return ")
    return f"{before}    {helper}()\n    return {after}"


class Checks:
    """Stands in for the independent checks: a program passes unless it holds one of these words."""

    def __init__(self, faults: dict[str, str] | None = None) -> None:
        self.faults = faults or {}
        self.programs: list[str] = []

    def verify(self, code: str) -> Verified:
        """Judge a program by its words."""
        self.programs.append(code)
        failures = tuple(said for word, said in self.faults.items() if word in code)
        return Verified(not failures, 5, failures, routes=((0, 1),), values=(1.0,), feasible=True)


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


@pytest.fixture
def run(
    base: KnowledgeBase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scripted_endpoint: Callable[[Any], ScriptedEndpoint],
) -> Run:
    """Return a function that creates a solver with a model that errs as told."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def create(
        wrong: dict[str, list[Answer]] | None = None,
        verifier: Any = None,
        before: Callable[[int], None] = lambda number: None,
        **more: Any,
    ) -> tuple[Created, Modeller]:
        modeller = Modeller(FUNCTIONS, wrong or {}, before)
        endpoint = scripted_endpoint(modeller)
        rest = {name: more.pop(name) for name in ("confirm", "sandbox", "stop") if name in more}
        settings = CreateSettings(
            model="openai/scripted", base_url=endpoint.base_url, runs_folder=tmp_path, **more
        )
        reading = parse_routing(ROUND, "round.vrp")
        task = Task(ROUND, reading, analyse(reading))
        chosen = None if verifier == "real" else verifier or Checks()
        return create_solver(task, settings, base, verifier=chosen, **rest), modeller

    return create


def test_a_clean_creation_asks_nineteen_times(run: Run, base: KnowledgeBase) -> None:
    """Description and judgement, eight functions with one each, and one look at the whole."""
    created, model = run()
    assert created.passed and not created.stop
    assert created.calls == len(model.seen) == 19
    assert created.tokens == 19 * 150
    assert created.by_role == {"generation": 9, "judgment": 10}
    assert base.get_run(created.run).status == "finished"
    assert set(model.seen) == {
        "describe",
        "judge_description",
        "program",
        *(f"write {name}" for name in NAMES),
        *(f"judge {name}" for name in NAMES),
    }
    folder = Path(base.get_run(created.run).folder)
    assert (folder / "report.json").is_file() and (folder / "instance.txt").read_text() == ROUND
    compile((folder / "solver.py").read_text(), "solver", "exec")


def test_a_rejected_function_is_revised(run: Run) -> None:
    """The revised function is judged again, and is the one that stays."""
    created, model = run(
        {
            "judge cost": ["REJECT: the last leg is forgotten"],
            "revise cost": [fenced(marked("cost", "better"))],
        }
    )
    assert created.passed and "_cost_better" in created.code
    assert model.seen.count("revise cost") == 1 and model.seen.count("judge cost") == 2
    assert created.by_role["revision"] == 1


def test_a_reviewer_who_never_agrees_does_not_hold_things_up(run: Run) -> None:
    """After the cap the function stays as it is, and the checks decide."""
    created, model = run({"judge insert": ["REJECT: not nice enough"] * 50}, function_revisions=2)
    assert created.passed
    assert model.seen.count("judge insert") == 2


def test_a_rejected_description_is_revised(run: Run) -> None:
    """One revision, then it is taken."""
    created, model = run({"judge_description": ["REJECT: the capacity is missing"]})
    assert created.passed
    assert model.seen.count("revise_description") == 1


def test_the_judge_of_the_whole_program_sends_a_function_back(run: Run) -> None:
    """What it names is revised once; then the program runs."""
    said = "REJECT\nFUNCTION: initial\nThe instance has no key of that name."
    created, model = run({"program": [said]})
    assert created.passed
    assert model.seen.count("revise initial") == 1
    assert model.seen.count("program") == 1


def test_an_answer_that_never_parses_is_counted_and_ends(run: Run, base: KnowledgeBase) -> None:
    """Two unreadable answers leave a hole; a program with a hole is never run, only named."""
    checks = Checks()
    created, model = run({"write destroy": ["I cannot."] * 90}, checks, repairs=2)
    assert not created.passed and created.code == "" and not checks.programs
    assert created.verified is not None
    assert created.verified.failures == ("the program has no usable function destroy",)
    assert created.unread == 3 and created.repairs == 2
    assert model.seen.count("write destroy") == 6 and "diagnose" not in model.seen
    assert base.get_run(created.run).status == "finished"


def test_an_unreadable_answer_is_asked_for_once_more(run: Run) -> None:
    """The second answer counts, and nothing is unread."""
    created, model = run({"write solve": ["Sorry, what?"]})
    assert created.passed and created.unread == 0
    assert model.seen.count("write solve") == 2


@pytest.mark.parametrize("refused", ["open('x')", "print(1)"])
def test_what_may_not_run_is_sent_back_unjudged(run: Run, refused: str) -> None:
    """A function that prints or opens files costs no judgement."""
    bad = marked("cost", "x").replace("return 0", refused, 1)
    created, model = run({"write cost": [fenced(bad)]})
    assert created.passed
    assert model.seen.count("write cost") == 2 and model.seen.count("judge cost") == 1


def test_failed_checks_are_diagnosed_and_mended(run: Run) -> None:
    """The failure reaches the analyst, its advice the reviser, and the mended program passes."""
    checks = Checks({"_cost_bad": "cost: It claims cost 3 on your instance; its routes cost 4."})
    created, model = run(
        {
            "write cost": [fenced(marked("cost", "bad"))],
            "diagnose": ["FUNCTION: cost\nIt leaves out the first leg."],
        },
        checks,
    )
    assert created.passed and created.repairs == 1
    assert model.seen.count("diagnose") == 1 and model.seen.count("revise cost") == 1
    assert len(checks.programs) == 2 and "_cost_bad" not in checks.programs[1]


def test_repairs_are_capped_and_the_best_program_is_kept(run: Run) -> None:
    """A model that makes things worse ends with its best program, reported as not accepted."""
    checks = Checks({"def ": "feasible: breaks capacity", "_cost_worse": "run: raised"})
    created, model = run(
        {
            "diagnose": ["FUNCTION: cost\nx"] * 9,
            "revise cost": [fenced(marked("cost", "worse"))] * 9,
        },
        checks,
        repairs=3,
    )
    assert not created.passed and created.repairs == 3
    assert model.seen.count("diagnose") == 3
    assert "_cost_worse" not in created.code and len(checks.programs) == 4
    assert created.verified is not None
    assert created.verified.failures == ("feasible: breaks capacity",)


def test_a_diagnosis_that_cannot_be_read_falls_on_the_function_that_failed(run: Run) -> None:
    """The check's own words name the suspect."""
    checks = Checks({"def ": "validate:capacity: validate accepts a plan that breaks capacity"})
    _, model = run({"diagnose": ["Hm."] * 9}, checks, repairs=1)
    assert "revise validate" in model.seen


def test_a_budget_ends_cleanly_and_more_goes_on(run: Run, base: KnowledgeBase) -> None:
    """With the calls used up the run is stopped with its reason; resumed, it asks only the rest."""
    created, model = run(budgets=CreateBudgets(calls=9))
    assert created.stop.startswith("The model budget is used up: 9 calls")
    assert created.calls == 9 and created.code == ""
    assert base.get_run(created.run).status == "stopped"
    more = CreateBudgets(calls=40)
    whole = resume_creation(created.run, base, budgets=more, verifier=Checks())
    assert whole.passed and whole.calls == 19
    assert len(model.seen) == 19


def test_no_time_is_left(run: Run) -> None:
    """A time budget that is used up at once asks nothing."""
    created, model = run(budgets=CreateBudgets(seconds=1e-9))
    assert not model.seen and "time budget" in created.stop


def test_the_user_can_decline_the_description(run: Run) -> None:
    """What is shown is the description; declined, nothing is written."""
    shown: list[Any] = []

    def decline(description: Any) -> bool:
        shown.append(description)
        return False

    with pytest.raises(Declined):
        run(confirm=decline)
    assert "time_windows" in shown[0].names


def test_the_user_can_accept_the_description(run: Run) -> None:
    """The creation waits for the word, once, and goes on."""
    shown: list[Any] = []
    created, model = run(confirm=lambda described: shown.append(described) is None)
    assert created.passed and len(shown) == 1
    assert model.seen.count("describe") == 1


def test_an_interrupted_creation_asks_nothing_twice(run: Run, base: KnowledgeBase) -> None:
    """Stopped in the middle and resumed: the same nineteen questions in all."""
    stop = threading.Event()
    seen: list[int] = []

    def before(number: int) -> None:
        seen.append(number)
        if number == 11:
            stop.set()

    with pytest.raises(Interrupted):
        run(stop=stop, before=before)
    stored = base.get_run("last")
    assert stored.status == "interrupted"
    whole = resume_creation(stored.id, base, verifier=Checks())
    assert whole.passed and whole.calls == 19 and len(seen) == 19


def test_a_server_that_refuses_ends_the_run(run: Run, base: KnowledgeBase) -> None:
    """The reason is raised, and stored with the run."""
    with pytest.raises(ModelError):
        run({"describe": [Status(401)] * 9})
    assert base.get_run("last").status == "failed"


def test_truncated_functions_are_not_taken(run: Run) -> None:
    """Half a function goes back, though it would parse."""
    half = FUNCTIONS["solve"].rpartition("return")[0]
    cut = Text(f"```python\n{half}", finish_reason="length")
    created, model = run({"write solve": [cut]})
    assert created.passed and model.seen.count("write solve") == 2


@pytest.mark.slow
def test_programs_are_judged_by_what_they_do(run: Run) -> None:
    """Through the real checks: a run error, a forged validate and a wrong cost, each mended in turn."""
    head = "def solve(text: str, seconds: float, seed: int) -> dict:"
    raising = FUNCTIONS["solve"].replace(
        head,
        f"def _solve_bad():\n    raise KeyError('no such field')\n\n\n{head}\n    _solve_bad()",
    )
    assert raising != FUNCTIONS["solve"]
    forged = "def validate(routes, instance, D):\n    return True, ''\n"
    doubled = (
        "def cost(routes, instance, D):\n"
        "    return 1.0 + sum(float(D[a, b]) for r in routes for a, b in zip(r, r[1:]))\n"
    )
    with Sandbox(workers=1) as sandbox:
        created, model = run(
            {
                "write solve": [fenced(raising)],
                "write validate": [fenced(forged)],
                "write cost": [fenced(doubled)],
                "diagnose": [
                    "FUNCTION: solve\nIt raises.",
                    "FUNCTION: cost\nOne too much.",
                    "FUNCTION: validate\nIt looks at nothing.",
                ],
            },
            "real",
            sandbox=sandbox,
            judge=False,
            seconds=0.3,
        )
    assert created.passed, created.verified
    assert created.repairs == 3 and model.seen.count("diagnose") == 3
    assert created.plan is not None
    assert created.verified is not None and created.verified.feasible
    again = Verified.from_json(created.verified.to_json())
    assert dataclasses.asdict(again) == dataclasses.asdict(created.verified)


@pytest.mark.slow
def test_a_program_that_does_not_stop_is_ended_and_mended(run: Run, base: KnowledgeBase) -> None:
    """A time-out is the program's fault: the model is told so, and mends it; calls are counted."""
    endless = fenced(
        FUNCTIONS["solve"].replace("    return ", "    while True: pass\n    return ", 1)
    )
    with Sandbox(workers=1) as sandbox:
        created, model = run(
            {
                "write solve": [endless],
                "diagnose": ["FUNCTION: solve\nIt never looks at the clock."],
            },
            "real",
            sandbox=sandbox,
            judge=False,
            seconds=0.3,
        )
    assert created.passed and created.repairs == 1
    assert model.seen.count("diagnose") == 1 and model.seen.count("revise solve") == 1
    assert created.calls == len(model.seen)
    diagnosis = next(one for one in base.calls(created.run) if one.role == "error_analysis")
    assert "did not stop in time" in str(diagnosis.request)


CREATE = (
    "import sys\n"
    "from pathlib import Path\n"
    "from eurisko.agents.routing.creation import CreateSettings, create_solver\n"
    "from eurisko.knowledge_base import KnowledgeBase\n"
    "with KnowledgeBase(sys.argv[3]) as base:\n"
    "    create_solver(Path(sys.argv[1]), CreateSettings.model_validate_json(sys.argv[2]), base)\n"
)


@pytest.mark.slow
@pytest.mark.parametrize("moment", [1, 8, 17])
def test_a_killed_creation_goes_on(
    base: KnowledgeBase, tmp_path: Path, scripted_endpoint: Any, moment: int
) -> None:
    """Killed while a question is under way, it asks that one again, and none of those before it."""
    process: list[subprocess.Popen[bytes]] = []

    def before(number: int) -> None:
        if number == moment and process[0].poll() is None:
            process[0].kill()
            process[0].wait()

    model = Modeller(FUNCTIONS, {}, before)
    settings = CreateSettings(
        model="openai/scripted",
        base_url=scripted_endpoint(model).base_url,
        runs_folder=tmp_path,
    )
    (tmp_path / "round.vrp").write_text(ROUND)
    url = f"sqlite:///{tmp_path / 'kb.db'}"
    arguments = [str(tmp_path / "round.vrp"), settings.model_dump_json(), url]
    environment = {**cli_environment(tmp_path), "OPENAI_API_KEY": "none"}
    process.append(
        subprocess.Popen([sys.executable, "-c", CREATE, *arguments], cwd=tmp_path, env=environment)
    )
    assert process[0].wait(timeout=200) == -signal.SIGKILL
    stored = base.get_run("last")
    whole = resume_creation(stored.id, base, verifier=Checks())
    assert whole.passed and whole.calls == 19
    assert len(model.seen) == 20
