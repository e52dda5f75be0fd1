"""Expansion: every program on every data set that it fits, once; nothing vanishes silently."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eurisko.agents.batch import Expansion, plan
from eurisko.evaluators import InputError, get_problem, program_hash
from eurisko.knowledge_base import KnowledgeBase, UnknownRun

SHOP = get_problem("job_shop").spec.interfaces
BATCHED, SCALAR = SHOP["batched"], SHOP["scalar"]


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "a.py").write_text(BATCHED.seed)
    (programs / "b.py").write_text(SCALAR.seed)
    (programs / "c.py").write_text("def other():\n    return 1\n")
    return tmp_path


def expand(base: KnowledgeBase, folder: Path, **job: Any) -> Expansion:
    given = {"programs": [{"files": "programs"}], "problems": [{"name": "job_shop"}]}
    return plan({**given, **job}, base, folder)[1]


def test_programs_times_data_times_seeds(base: KnowledgeBase, folder: Path) -> None:
    """Two programs that fit, the data sets of a split, three seeds; the third program is named."""
    found = expand(base, folder, seeds=[1, 2, 3])
    sets = get_problem("job_shop").spec.splits["test"]
    assert len(found.items) == 2 * len(sets) * 3
    assert len({item.identity for item in found.items}) == len(found.items)
    assert [one.label for one in found.programs] == ["programs/a.py", "programs/b.py"]
    assert [item.interface for item in found.items[:2]] == ["batched", "scalar"]
    (left_out,) = found.left_out
    assert "c.py" in left_out and "defines none of" in left_out


def test_the_same_data_are_named_once(base: KnowledgeBase, folder: Path) -> None:
    """A data set that is named by itself and by its split is evaluated once."""
    name = get_problem("job_shop").spec.splits["search"][0]
    data = [{"name": "job_shop", "datasets": ["search", name]}]
    assert len(expand(base, folder, problems=data).items) == 2


def test_an_interface_can_be_chosen(base: KnowledgeBase, folder: Path) -> None:
    """Then only programs of that interface are evaluated."""
    part = [{"name": "job_shop", "datasets": ["search"], "interface": "scalar"}]
    found = expand(base, folder, problems=part)
    assert {item.interface for item in found.items} == {"scalar"}


def test_seeds_of_problems_and_own_programs(base: KnowledgeBase, folder: Path) -> None:
    """The heuristic that a problem starts from takes part; programs of one problem stay with it."""
    found = expand(
        base,
        folder,
        programs=[{"seed": True}],
        problems=[
            {"name": "job_shop", "datasets": ["search"]},
            {
                "name": "flow_shop",
                "datasets": ["taillard-20x5"],
                "programs": [{"seed": True}],
                "interface": "batched",
            },
        ],
    )
    by_problem = {item.problem: found.programs[item.program].hash for item in found.items}
    assert by_problem["flow_shop"] == program_hash(
        get_problem("flow_shop").spec.interfaces["batched"].seed
    )
    assert len(found.items) == 3


def test_programs_of_a_run(base: KnowledgeBase, folder: Path) -> None:
    """All programs of an evolution, each once, or its last generation; only on its problem."""
    run = base.create_run(
        workflow="evolve",
        problem="job_shop",
        problem_version="1",
        interface="batched",
        proposer="offline",
        seed=0,
        config={},
        folder=str(folder),
        version="0",
    )
    codes = [BATCHED.seed, BATCHED.seed + "\nX = 1\n", BATCHED.seed]
    base.add_candidates(
        [
            {
                "run_id": run.id,
                "key": f"k{n}",
                "generation": n,
                "operator": "m1",
                "slot": 0,
                "code": code,
                "hash": program_hash(code),
            }
            for n, code in enumerate(codes)
        ]
    )
    data = [{"name": "job_shop", "datasets": ["search"]}]
    every = expand(base, folder, programs=[{"run": run.id, "take": "all"}], problems=data)
    assert len(every.programs) == 2
    last = expand(base, folder, programs=[{"run": run.id, "take": "population"}], problems=data)
    assert [one.label for one in last.programs] == [f"{run.id}/k2"]
    with pytest.raises(InputError, match="No program of the job fits"):
        other = [{"name": "flow_shop", "datasets": ["taillard-20x5"]}]
        expand(base, folder, programs=[{"run": run.id, "take": "all"}], problems=other)


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ({"programs": [{"files": "none/*.py"}]}, "No file matches"),
        ({"programs": [{"files": "none.py"}]}, "Cannot read"),
        ({"programs": [{"files": "programs/c.py"}]}, "No program of the job fits"),
        ({"problems": [{"name": "job_shp"}]}, "did you mean job_shop"),
        ({"problems": [{"name": "job_shop", "datasets": ["tst"]}]}, "tst"),
        ({"problems": [{"name": "job_shop", "interface": "x"}]}, "no interface"),
        ({"problems": [{"name": "job_shop", "instances": ["*.none"]}]}, "No instance file"),
    ],
)
def test_what_is_not_there_is_named(
    base: KnowledgeBase, folder: Path, job: dict[str, Any], said: str
) -> None:
    """One sentence, before anything is stored."""
    with pytest.raises(InputError, match=said):
        expand(base, folder, **job)
    assert base.jobs.all() == []


def test_a_run_that_is_not_there(base: KnowledgeBase, folder: Path) -> None:
    """As everywhere else."""
    with pytest.raises(UnknownRun):
        expand(base, folder, programs=[{"run": "nothing"}])
