"""The page of a job: its groups are right, every chart has data, and hostile names do nothing."""

import itertools
import math
import random
from typing import NamedTuple

import pytest
from support.browser import Seen, look

from eurisko.agents.batch.page.data import PageData, cliques, page_data
from eurisko.agents.batch.page.write import render
from eurisko.agents.batch.results import Record, critical_difference
from eurisko.agents.pages import save
from eurisko.knowledge_base import Job

ATTACK = "</script><img src=x onerror=\"document.title='owned'\"> 🚚 | a"
PROGRAMS = ("seed", ATTACK, "third", "fourth")
DATASETS = ("small", "<b>large</b>")


class Page(NamedTuple):
    data: PageData
    seen: Seen


def record(number: int, program: int, dataset: int, seed: int) -> Record:
    """Return a made-up result; the last program fails on the second data set."""
    failed = program == 3 and dataset == 1
    return Record(
        number=number,
        program=PROGRAMS[program],
        program_hash=f"p{program}",
        problem="job_shop",
        interface="scalar",
        dataset=DATASETS[dataset],
        instances=4,
        seed=seed,
        device="cpu",
        status="done",
        outcome="candidate_error" if failed else "ok",
        objective=None if failed else 1.0 + program + 10 * dataset + seed / 10,
        cpu_s=0.1 * (4 - program),
        wall_s=0.1,
        peak_mib=1.0,
        message=ATTACK if failed else "",
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Open the page of 24 results once."""
    where = itertools.product(range(4), range(2), range(3))
    found = [record(number, *one) for number, one in enumerate(where)]
    job = Job(id="shops-123456", name=ATTACK, spec={}, status="finished", version="0")
    data = page_data(job, {"done": len(found)}, found)
    file = save(render(data), tmp_path_factory.mktemp("page") / "page.html")
    return Page(data, look(file))


def test_programs_come_by_rank(page: Page) -> None:
    """The best mean rank first, failures last, and the numbers are those of the results."""
    (part,) = page.data.parts
    assert part.programs == list(PROGRAMS)
    assert part.ranks == [1.0, 2.0, 3.0, 4.0] and part.blocks == 6
    assert part.values[0] == [pytest.approx(1.1), pytest.approx(11.1)]
    assert part.values[3] == [pytest.approx(4.1), None] and part.failed[3] == [0, 3]
    assert part.seconds[1] == pytest.approx(0.075)
    assert page.data.fault_count == 3


def test_every_chart_has_data(page: Page) -> None:
    """A cross for the failure, a mark for each rank and bar, points and front of time."""
    marks = {name.removeprefix("chart-"): count for name, count in page.seen.marks.items()}
    (part,) = page.data.parts
    assert marks["heat-0"] == 1
    assert marks["ranks-0"] == len(part.cliques) + len(PROGRAMS)
    assert marks["time-0"] == len(PROGRAMS) + 1
    for text in ("11.1", "failed 3", "4 shown", "candidate_error", "All numbers"):
        assert text in page.seen.text


def test_attacks_are_shown_and_do_nothing(page: Page) -> None:
    """Names and messages are text; nothing is loaded, run or complained of."""
    assert ATTACK in page.seen.text and "<b>large</b>" in page.seen.text
    assert page.seen.title.endswith("Eurisko") and "owned" not in page.seen.title.split("·")[-1]
    assert page.seen.images == 0 and not page.seen.dialogs and not page.seen.wrong
    assert len(page.seen.asked) == 1


def test_it_fits_a_phone(page: Page) -> None:
    """Nothing but tables is wider than the window."""
    assert all(width <= window for window, width in page.seen.wide.items())


def test_groups_are_those_of_all_pairs() -> None:
    """Against the definition: a group is a longest run of programs of which no two differ by enough."""
    rng = random.Random(0)
    for _ in range(300):
        ranks = sorted(rng.uniform(1, 8) for _ in range(rng.randint(1, 9)))
        difference = rng.uniform(0.2, 4)
        spans = {
            (first, last)
            for first, last in itertools.combinations(range(len(ranks)), 2)
            if ranks[last] - ranks[first] < difference
        }
        longest = {
            (first, last)
            for first, last in spans
            if not any(a <= first and last <= b and (a, b) != (first, last) for a, b in spans)
        }
        assert set(cliques([*ranks, None], difference)) == longest
    assert cliques([1.0, 2.0], None) == []


@pytest.mark.parametrize(("programs", "q"), [(2, 1.960), (5, 2.728), (10, 3.164)])
def test_critical_differences_of_the_literature(programs: int, q: float) -> None:
    """Demšar (2006), table 5: critical values of the two-tailed Nemenyi test at 5 %."""
    blocks = 14
    expected = q * math.sqrt(programs * (programs + 1) / (6 * blocks))
    assert critical_difference(programs, blocks) == pytest.approx(expected, rel=2e-3)
