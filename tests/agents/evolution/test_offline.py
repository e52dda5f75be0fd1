"""The proposer that needs no language model: what each operator promises, and determinism."""

import dataclasses
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import pytest
import torch

from eurisko.agents.evolution.offline import NoGrammar, OfflineProposer, describe, render
from eurisko.agents.evolution.offline.algebra import terms_of, tidy
from eurisko.agents.evolution.offline.distance import distance, skeleton
from eurisko.agents.evolution.offline.generate import MAX_HEIGHT, MAX_NODES, grow, mixture
from eurisko.agents.evolution.offline.vocabulary import Vocabulary, is_constant
from eurisko.agents.evolution.proposal import OPERATORS, PARENTS, Parent, Proposal, Task
from eurisko.evaluators.grammar import BadGenome, Constant, Feature, Grammar, Operator, Rendering
from eurisko.evaluators.problems.tsp_construct.grammar import grammar

LINEAGE = """
import random
from eurisko.agents.evolution.offline import OfflineProposer
from eurisko.agents.evolution.proposal import OPERATORS, PARENTS, Parent, Task
from eurisko.evaluators.problems.tsp_construct.grammar import grammar

proposer, draw, made = OfflineProposer(grammar), random.Random(7), []
for index in range(200):
    operator = "i1" if index < 8 else OPERATORS[index % 6]
    parents = tuple(draw.sample(made, PARENTS[operator]))
    task = Task(None, "batched", operator, parents, "", draw.getrandbits(63))
    proposal = proposer.propose(task)
    print(proposal.thought, proposal.code, proposal.genome)
    made.append(Parent(proposal.thought, proposal.code, 0.0, proposal.genome))
"""

SPEC = cast(Any, None)  # the offline proposer knows the problem by its grammar alone


def parent(genome: str | None, code: str = "") -> Parent:
    """A member of the population."""
    return Parent("", code or (render(grammar, "batched", genome) if genome else ""), 0.0, genome)


def ask(
    operator: str,
    seed: int,
    *genomes: str,
    interface: str = "batched",
    proposer: OfflineProposer | None = None,
) -> Proposal:
    """One proposal of the TSP language."""
    proposer = proposer or OfflineProposer(grammar)
    parents = tuple(parent(genome) for genome in genomes)
    return proposer.propose(
        Task(SPEC, interface, operator, parents, f"g0/{operator}/{seed}/0", seed)
    )


def lineage(tasks: int) -> list[Proposal]:
    """Proposals of all operators, each from the ones before it."""
    proposer = OfflineProposer(grammar)
    draw = random.Random(7)
    made: list[Proposal] = []
    for index in range(tasks):
        operator = "i1" if index < 8 else OPERATORS[index % len(OPERATORS)]
        chosen = draw.sample(made, PARENTS[operator])
        genomes = [proposal.genome or "" for proposal in chosen]
        made.append(ask(operator, draw.getrandbits(63), *genomes, proposer=proposer))
    return made


@pytest.fixture(scope="module")
def family() -> list[Proposal]:
    """Three hundred related proposals."""
    return lineage(300)


def genome_of(proposal: Proposal) -> str:
    """The genome that an offline proposal always has."""
    assert proposal.genome is not None
    return proposal.genome


def cities(seed: int, instances: int, nodes: int) -> np.ndarray:
    """Distance matrices [instances, nodes, nodes] of uniform points in the unit square."""
    points = np.random.default_rng(seed).random((instances, nodes, 2))
    return np.asarray(np.linalg.norm(points[:, :, None] - points[:, None], axis=-1))


def batched_tours(code: str, matrices: np.ndarray) -> np.ndarray:
    """Tours [instances, nodes] of a batched heuristic, with every score checked."""
    space: dict[str, Any] = {}
    exec(code, space)
    distances = torch.tensor(matrices)
    count, nodes, _ = distances.shape
    rows = torch.arange(count)
    start = torch.zeros(count, dtype=torch.int64)
    unvisited = torch.ones((count, nodes), dtype=torch.bool)
    unvisited[:, 0] = False
    tours, current = [start], start
    for _ in range(nodes - 2):
        scores = space["score_next"](current, start, unvisited.clone(), distances)
        assert scores.shape == (count, nodes)
        assert scores.dtype == torch.float64
        assert torch.isfinite(scores).all()
        current = scores.masked_fill(~unvisited, -torch.inf).argmax(1)
        unvisited[rows, current] = False
        tours.append(current)
    return torch.stack([*tours, unvisited.int().argmax(1)], 1).numpy()


def scalar_choices(code: str, matrix: np.ndarray, tour: list[int]) -> list[int]:
    """What a scalar heuristic chooses at each step of a given tour, the last city left out."""
    space: dict[str, Any] = {}
    exec(code, space)
    chosen = []
    for step in range(len(tour) - 2):
        nodes = np.array(sorted(tour[step + 1 :], key=lambda node: matrix[tour[step], node]))
        chosen.append(int(space["select_next_node"](tour[step], 0, nodes, matrix)))
        assert chosen[-1] in nodes
    return chosen


def test_a_genome_survives_the_way_through_a_tree(family: list[Proposal]) -> None:
    """Reading a genome and writing the tree gives the genome, character by character."""
    words = Vocabulary(grammar)
    assert all(str(words.tree(genome_of(p))) == p.genome for p in family)


def test_trees_keep_within_the_caps(family: list[Proposal]) -> None:
    """No operator lets trees grow without bound."""
    trees = [Vocabulary(grammar).tree(genome_of(p)) for p in family]
    assert max(len(tree) for tree in trees) <= MAX_NODES
    assert max(tree.height for tree in trees) <= MAX_HEIGHT


def test_grown_trees_are_closed_under_types() -> None:
    """Every random tree of every type reads back as an expression of the language."""
    words = Vocabulary(grammar)
    draw = random.Random(1)
    for _ in range(500):
        tree = grow(words, draw, words.root, 5)
        assert str(words.tree(str(tree))) == str(tree)
        assert tree.height <= 5


def test_every_description_is_one_sentence(family: list[Proposal]) -> None:
    """Thoughts are one line that ends with its only full stop and names no symbol."""
    for proposal in family:
        words = re.sub(r"\d+\.\d+", "0", proposal.thought)
        assert words.count(".") == 1
        assert words.endswith(".")
        assert words[0].isupper()
        assert "\n" not in words
        assert "{" not in words


def test_every_program_runs_with_finite_scores(family: list[Proposal]) -> None:
    """Programs give finite float64 scores of the right shape at every step, down to four cities."""
    maps = cities(5, 3, 9)
    maps[1] = 0.0  # all cities in one place
    small = cities(6, 2, 4)
    for proposal in family[::3]:
        tours = batched_tours(proposal.code, maps)
        assert (np.sort(tours, 1) == np.arange(9)).all()
        batched_tours(proposal.code, small)


def test_programs_are_readable(family: list[Proposal]) -> None:
    """Lines are short, constants are rounded, and no line computes what is not used."""
    for proposal in family:
        lines = proposal.code.splitlines()
        assert max(map(len, lines)) <= 100
        assert not re.search(r"\d\.\d{8,}", proposal.code)
        for name in re.findall(r"^    (\w+) =", proposal.code, flags=re.MULTILINE):
            assert len(re.findall(rf"\b{name}\b", proposal.code)) > 1


def test_both_renderings_build_the_same_tours(family: list[Proposal]) -> None:
    """A genome means the same rule in both interfaces: they differ in nothing but exact ties."""
    maps = cities(11, 2, 12)
    for proposal in family[::6]:
        code = render(grammar, "scalar", genome_of(proposal))
        space: dict[str, Any] = {}
        exec(proposal.code, space)
        for matrix, tour in zip(maps, batched_tours(proposal.code, maps).tolist(), strict=True):
            for step, node in enumerate(scalar_choices(code, matrix, tour)):
                if node != tour[step + 1]:
                    unvisited = torch.zeros((1, 12), dtype=torch.bool)
                    unvisited[0, tour[step + 1 :]] = True
                    current, start = torch.tensor([tour[step]]), torch.tensor([0])
                    distances = torch.tensor(matrix[None])
                    scores = space["score_next"](current, start, unvisited, distances)[0]
                    assert scores[node] == pytest.approx(float(scores[tour[step + 1]]), abs=1e-12)


def test_decisions_do_not_depend_on_the_unit_of_length(family: list[Proposal]) -> None:
    """The types are dimensions, so a map in other units gives the same tours."""
    maps = cities(13, 2, 12)
    for proposal in family[::10]:
        assert (
            batched_tours(proposal.code, maps) == batched_tours(proposal.code, maps * 1024)
        ).all()


def test_the_seed_is_nearest_neighbour() -> None:
    """The seed genome visits the nearest unvisited city, as an independent loop does."""
    (matrix,) = cities(17, 1, 15)
    tour, left = [0], set(range(1, 15))
    while left:
        tour.append(min(left, key=lambda node: matrix[tour[-1], node]))
        left.remove(tour[-1])
    code = render(grammar, "batched", grammar.seed)
    assert batched_tours(code, matrix[None])[0].tolist() == tour


def test_no_proposal_repeats_a_parent() -> None:
    """Whatever the operator and however small the parents, the source is a new one."""
    genomes = [
        "step",
        "home",
        "add(step, scale(home, -0.5))",
        "fade(near, left, 0.1)",
        "lower(step, near)",
    ]
    for seed in range(40):
        for operator in OPERATORS[1:]:
            chosen = [genomes[(seed + i * (seed % 3)) % 5] for i in range(PARENTS[operator])]
            proposal = ask(operator, seed, *chosen)
            assert proposal.code not in {render(grammar, "batched", genome) for genome in chosen}


def test_e1_differs_in_structure(family: list[Proposal]) -> None:
    """e1's trees are no re-tuned parents, and are further from them than e2's on average."""
    words = Vocabulary(grammar)
    means = {}
    for operator in ("e1", "e2"):
        found = []
        for seed in range(60):
            pair = [genome_of(family[seed]), genome_of(family[seed + 60])]
            child = words.tree(genome_of(ask(operator, seed, *pair)))
            trees = [words.tree(genome) for genome in pair]
            if operator == "e1":
                assert all(skeleton(child) != skeleton(tree) for tree in trees)
            found.append(min(distance(child, tree) for tree in trees))
        means[operator] = sum(found) / len(found)
    assert means["e1"] > means["e2"]


def test_e2_uses_what_its_parents_have() -> None:
    """e2 invents no symbol: a child of two sums is made of their features."""
    one, other = "add(step, scale(home, -0.5))", "add(step, fade(spread, -0.2, 0.3))"
    for seed in range(100):
        genome = genome_of(ask("e2", seed, one, other))
        symbols = set(re.findall(r"[a-z]\w*", genome))
        assert symbols <= set(re.findall(r"[a-z]\w*", one + other))


def test_e2_keeps_the_shared_idea() -> None:
    """Terms that both parents have are kept, more often than not by far."""
    one, other = (
        "add(step, scale(home, -0.5))",
        "add(scale(spread, 0.4), add(step, scale(home, -0.3)))",
    )
    genomes = [genome_of(ask("e2", seed, one, other)) for seed in range(200)]
    assert sum("step" in genome and "home" in genome for genome in genomes) > 140


def test_m1_changes_the_structure(family: list[Proposal]) -> None:
    """m1's trees differ from the parent in more than constants."""
    words = Vocabulary(grammar)
    for seed in range(150):
        before = genome_of(family[seed])
        after = genome_of(ask("m1", seed, before))
        assert skeleton(words.tree(before)) != skeleton(words.tree(after))


def test_m2_changes_constants_only(family: list[Proposal]) -> None:
    """m2 keeps the structure; a parent without constants gets exactly one."""
    words = Vocabulary(grammar)
    for seed in range(150):
        before = words.tree(genome_of(family[seed]))
        after = words.tree(genome_of(ask("m2", seed, str(before))))
        constants = sum(is_constant(node) for node in before)
        if constants:
            assert skeleton(after) == skeleton(before)
            assert str(after) != str(before)
        else:
            assert sum(is_constant(node) for node in after) == 1
            assert len(after) == len(before) + 2


def test_m3_makes_nothing_larger(family: list[Proposal]) -> None:
    """m3's trees differ from the parent and are no larger; larger parents shrink at last."""
    words = Vocabulary(grammar)
    for seed in range(150):
        before = words.tree(genome_of(family[seed]))
        after = words.tree(genome_of(ask("m3", seed, str(before))))
        assert str(after) != str(before)
        assert len(after) <= len(before)
    genome = "add(add(step, scale(home, -0.5)), add(fade(near, 0.1, 0.2), scale(spread, 0.3)))"
    for seed in range(30):
        if len(words.tree(genome)) > 1:
            genome = genome_of(ask("m3", seed, genome))
    assert len(words.tree(genome)) == 1


@pytest.mark.parametrize(
    ("genome", "simple"),
    [
        ("add(step, step)", "scale(step, 2.0)"),
        ("scale(scale(step, 0.5), 0.5)", "scale(step, 0.25)"),
        ("scale(step, 1.0)", "step"),
        ("scale(step, plus(0.25, 0.5))", "scale(step, 0.75)"),
        ("lower(step, step)", "step"),
        ("scale(step, times(left, 1.0))", "scale(step, left)"),
        ("add(step, add(home, scale(step, -1.0)))", "home"),
        ("add(step, scale(step, -1.0))", "add(step, scale(step, -1.0))"),
        ("fade(step, 0.5, 0.5)", "scale(step, 0.5)"),
        ("add(scale(step, 0.5), fade(step, 0.25, -0.25))", "fade(step, 0.75, 0.25)"),
        ("scale(fade(step, 0.5, -0.25), 2.0)", "fade(step, 1.0, -0.5)"),
    ],
)
def test_algebra_simplifies(genome: str, simple: str) -> None:
    """The laws of the language, one by one."""
    words = Vocabulary(grammar)
    assert str(tidy(words, words.tree(genome))) == simple


def value(genome: str, features: dict[str, float]) -> float:
    """What an expression is worth by the meaning of its operators, written down once more."""
    left = features["left"]
    meaning: dict[str, Any] = {
        "add": lambda a, b: a + b,
        "scale": lambda a, w: a * w,
        "fade": lambda a, v, w: a * (v * left + w * (1 - left)),
        "lower": min,
        "upper": max,
        "until": lambda r, a, b: a if left > r else b,
        "share": lambda a, b: a / (abs(a) + abs(b) + 1e-12),
        "plus": lambda a, b: a + b,
        "times": lambda a, b: a * b,
        "square": lambda a: a * a,
        "root": lambda a: abs(a) ** 0.5,
    }
    return float(eval(genome, meaning | features))


def test_algebra_keeps_the_value() -> None:
    """Simplified random trees are worth the same, up to the rounding of merged constants."""
    words = Vocabulary(grammar)
    draw = random.Random(3)
    smaller = 0
    for _ in range(1000):
        tree = grow(words, draw, words.root, 5)
        simple = tidy(words, tree)
        assert len(simple) <= len(tree)
        smaller += len(simple) < len(tree)
        features = {f.name: draw.random() for f in grammar.features}
        assert value(str(simple), features) == pytest.approx(value(str(tree), features), 0.02, 0.01)
    assert smaller > 50


def test_same_task_same_proposal_in_any_process() -> None:
    """Two processes with different hash seeds propose the same 200 candidates."""
    found = set()
    for hash_seed in ("1", "2"):
        environment = os.environ | {
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        command = [sys.executable, "-c", LINEAGE]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1
    assert found.pop().count("Visit next") == 200


def test_threads_do_not_disturb_each_other() -> None:
    """One proposer asked from many threads gives each task its own answer."""
    proposer = OfflineProposer(grammar)
    genomes = ["add(step, scale(home, -0.5))", "fade(near, -0.5, 0.1)"]

    def work(seed: int) -> Proposal:
        operator = OPERATORS[seed % len(OPERATORS)]
        return ask(operator, seed, *genomes[: PARENTS[operator]], proposer=proposer)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(120))) == [work(seed) for seed in range(120)]


def test_global_random_states_are_left_alone() -> None:
    """Neither Python's, NumPy's nor torch's global generator is drawn from or seeded."""
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # type: ignore[index]
    lineage(40)
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # type: ignore[index]
    assert before == after


def test_a_parent_without_genome_counts_as_the_seed() -> None:
    """A hand-written parent is varied as nearest neighbour, and its source is not repeated."""
    proposer = OfflineProposer(grammar)
    by_hand = parent(None, "def score_next(current, start, unvisited, distances): ...")
    for operator in OPERATORS[1:]:
        parents = (by_hand,) * PARENTS[operator]
        proposal = proposer.propose(Task(SPEC, "batched", operator, parents, "k", 5))
        assert proposal.genome not in (None, "step")
        compile(proposal.code, "candidate", "exec")


def test_what_cannot_be_proposed_is_refused_in_one_sentence() -> None:
    """A missing grammar or rendering, a wrong operator, too few parents, a bad genome."""
    with pytest.raises(NoGrammar, match="declares no grammar"):
        OfflineProposer(None)
    with pytest.raises(NoGrammar, match="no grammar for the interface 'other'"):
        ask("i1", 0, interface="other")
    with pytest.raises(ValueError, match="no operator 'x9'"):
        ask("x9", 0)
    with pytest.raises(ValueError, match="e2 needs 2 parents, not 1"):
        ask("e2", 0, "step")
    with pytest.raises(BadGenome, match="no symbol 'nothing'"):
        OfflineProposer(grammar).propose(
            Task(SPEC, "batched", "m1", (Parent("", "", 0.0, "nothing"),), "k", 0)
        )


def test_a_language_without_sums_evolves_too() -> None:
    """All operators work on the smallest language: one feature, one operator, constants."""
    tiny = Grammar(
        name="tiny",
        root="number",
        sentence="Take the lowest {0}.",
        renderings={"plain": Rendering("def score(x):", "cost", ("return cost",))},
        features=(Feature("size", "number", "the size", {"plain": "x"}),),
        operators=(
            Operator(
                "less", ("number", "number"), "number", "{0} less {1}", {"plain": "{0} - {1}"}
            ),
        ),
        constants=(Constant("number", 1.0, 2.0),),
        seed="size",
    )
    proposer = OfflineProposer(tiny)
    for seed in range(20):
        for operator in OPERATORS:
            parents = (Parent("", "", 0.0, "less(size, 1.5)"), Parent("", "", 0.0, "size"))
            proposal = proposer.propose(Task(SPEC, "plain", operator, parents, "k", seed))
            space: dict[str, Any] = {}
            exec(proposal.code, space)
            assert np.isfinite(space["score"](3.0))
            assert describe(tiny, genome_of(proposal)) == proposal.thought


def test_rendering_writes_a_weighted_sum_plainly() -> None:
    """Sums are written from left to right, negative weights as subtractions."""
    genome = "add(scale(home, -0.3), add(step, fade(spread, -0.1, 0.2)))"
    code = render(grammar, "batched", genome)
    assert "    cost = step - 0.3 * home + (0.2 * (1 - left) - 0.1 * left) * spread\n" in code
    assert "near" not in code


def test_a_grammar_says_how_sums_begin() -> None:
    """Frequent operators are drawn more often, and a faded seed gets a weight below one."""
    from eurisko.evaluators.problems.bin_packing_online.grammar import grammar as packing

    words = Vocabulary(packing)
    trees = [mixture(words, random.Random(seed)) for seed in range(200)]
    rare = dataclasses.replace(
        packing, operators=tuple(dataclasses.replace(o, frequency=1) for o in packing.operators)
    )
    seldom = [mixture(Vocabulary(rare), random.Random(seed)) for seed in range(200)]
    peaks = [sum("peak" in str(tree) for tree in drawn) for drawn in (trees, seldom)]
    assert peaks[0] > 100 > 50 > peaks[1]
    weights = []
    for tree in trees:
        terms = [term for term in terms_of(words, tree) if str(term.base) == "rest"]
        weights += [term.weights[0] for term in terms if len(terms_of(words, tree)) > 1]
        assert 2 <= len(terms_of(words, tree)) + 2 <= 6
    assert np.mean([0 <= weight < 1 for weight in weights]) > 0.8  # a random term may add to it
