"""Tests of acquisition: functions, solver, scores, refusals, grammar, sandbox, lockstep."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from eurisko.agents.evolution.offline.render import render
from eurisko.evaluators import (
    Dataset,
    Infeasible,
    InputError,
    UnknownDataset,
    confirm,
    evaluate,
    get_problem,
)
from eurisko.evaluators.problems.acquisition import data as tables
from eurisko.evaluators.problems.acquisition import functions, solver
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

BO = get_problem("acquisition")
FACES = BO.spec.interfaces
HEAD = FACES["batched"].signature + "\n"
RULES = {
    "EI": FACES["batched"].seed,
    "UCB": f"{HEAD}    return 2 * std - mean\n",
    "least explored": f"{HEAD}    return std\n",
    "random": (
        f"import torch\n{HEAD}    draw = torch.Generator().manual_seed(int(count[0]))\n"
        "    return torch.rand(mean.shape, generator=draw, dtype=torch.float64)\n"
    ),
}


def part(data: Dataset, rows: slice, steps: int) -> Dataset:
    """Return some instances of a data set, with fewer steps."""
    arrays = {name: one[rows] for name, one in data.arrays.items()}
    arrays["steps"] = np.full_like(arrays["steps"], steps)
    return Dataset("part", arrays, None, data.origin)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """The tensors are small: more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def search() -> Dataset:
    """The functions that evolution sees."""
    return BO.dataset("mixed-25-search")


@pytest.fixture(scope="module")
def small(search) -> Dataset:
    """One function of each kind and dimension, six steps."""
    return part(search, slice(15), 6)


def test_expected_improvement_beats_blind_rules(search, drive) -> None:
    """EI has less than half the regret of random points and of pure exploration; UCB too."""
    some = part(search, slice(60), 15)
    score = {
        name: BO.score(some, drive(FACES["batched"], code, some)).objective
        for name, code in RULES.items()
    }
    worst = max(score["EI"], score["UCB"])
    assert 0 < worst < 0.5 * min(score["random"], score["least explored"])


@pytest.mark.parametrize("name", ["EI", "UCB"])
def test_both_interfaces_decide_alike(name: str, small, drive) -> None:
    """The same rule gives the same points as tensors over all functions and one by one."""
    scalar = {"EI": FACES["scalar"].seed}.get(name, RULES[name])
    ours = drive(FACES["batched"], RULES[name], small)["chosen"]
    np.testing.assert_array_equal(ours, drive(FACES["scalar"], scalar, small)["chosen"])


def test_scores_are_those_of_a_plain_loop(small) -> None:
    """The measure equals one written down value by value, for random choices."""
    plain = pytest.importorskip("benchmarks.plain.acquisition", reason="needs the repository root")
    random = np.random.default_rng(4)
    start = small.arrays["start"]
    rest = [[i for i in random.permutation(600).tolist() if i not in row][:6] for row in start]
    chosen = np.concatenate([start, np.array(rest)], axis=1)
    scores = BO.score(small, {"chosen": chosen})
    wanted = [
        plain.measure(values.tolist(), row.tolist(), 5)
        for values, row in zip(small.arrays["values"], chosen, strict=True)
    ]
    np.testing.assert_allclose(scores.raw, wanted, rtol=1e-12)
    assert scores.objective == pytest.approx(np.mean(wanted)) and scores.gaps is None


def test_the_optimum_has_no_regret(small) -> None:
    """Whoever evaluates the least value first has measure 0, and nobody has less."""
    start, values = small.arrays["start"], small.arrays["values"]
    order = np.argsort(values, axis=1)
    rest = np.stack([[i for i in o if i not in s][:6] for o, s in zip(order, start, strict=True)])
    best = BO.score(small, {"chosen": np.concatenate([start, rest], axis=1)})
    assert (best.raw == 0).all()


@pytest.mark.parametrize(
    ("place", "point", "complaint"),
    [
        (0, 599, "instance 1: it starts at points"),
        (7, 600, "evaluation 7: there is no point 600"),
        (7, -1, "evaluation 7: there is no point -1"),
        (8, None, "evaluation 8: point .* was evaluated before"),
    ],
)
def test_hostile_decisions_are_refused(place, point, complaint: str, small, drive) -> None:
    """Other starts, points that do not exist and repeated ones get no score."""
    chosen = drive(FACES["batched"], RULES["UCB"], small)["chosen"].copy()
    chosen[1, place] = chosen[1, 2] if point is None else point
    with pytest.raises(Infeasible, match=complaint):
        BO.score(small, {"chosen": chosen})
    for wrong in (chosen[:3], chosen.astype(float), chosen[0]):
        with pytest.raises(ValueError, match="chosen"):
            BO.score(small, {"chosen": wrong})


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("answer", ["None", "std[:1]", "std > 0", "std * 1j", "[std, std]"])
def test_bad_scores_are_named(face: str, answer: str, small, drive) -> None:
    """What is not one number per candidate is a bad result."""
    if (face, answer) == ("scalar", "std[:1]"):
        answer = "std[1:]"
    with pytest.raises(Exception, match="the heuristic returned") as raised:
        drive(FACES[face], f"{HEAD}    return {answer}\n", small)
    assert raised.value.outcome == "bad_result"


@pytest.mark.parametrize("face", FACES)
def test_nan_is_named_unless_it_does_not_matter(face: str, small, drive) -> None:
    """NaN is refused at a free point, ignored at an evaluated one; infinities are scores."""
    body = "    std[..., 7] = float('nan')\n    return std\n"
    with pytest.raises(Exception, match="the score of point 7 in instance 0 is NaN") as raised:
        drive(FACES[face], HEAD + body, small)
    assert raised.value.outcome == "bad_result"
    for value in ("-inf", "inf"):
        code = f"{HEAD}    return std * 0 + (std > 0) * float('{value}')\n".replace(
            "std * 0 + ", ""
        )
        code = code.replace("(std > 0)", "(std + 1)")
        chosen = drive(FACES[face], code, small)["chosen"]
        BO.score(small, {"chosen": chosen})
        free = [min(set(range(20)) - set(row[:5].tolist())) for row in chosen]
        assert chosen[:, 5].tolist() == free, "equal scores go to the lowest free index"


def test_writing_into_the_inputs_changes_nothing(small, drive) -> None:
    """A rule that overwrites all that it is given decides as one that does not."""
    spoil = "    score = 2 * std - mean\n" + "".join(
        f"    {one}.fill_(7.0)\n" for one in FACES["batched"].parameters
    )
    ours = drive(FACES["batched"], f"{HEAD}{spoil}    return score\n", small)["chosen"]
    np.testing.assert_array_equal(ours, drive(FACES["batched"], RULES["UCB"], small)["chosen"])


def test_the_posterior_is_botorchs(small) -> None:
    """Mean and deviation agree with an exact Gaussian process of BoTorch with the same kernel."""
    from botorch.models import SingleTaskGP
    from gpytorch.kernels import MaternKernel
    from gpytorch.means import ZeroMean

    points = torch.from_numpy(small.arrays["points"][5:7].copy())
    dimension = torch.from_numpy(small.arrays["dimension"][5:7].copy())[:, None].double()
    seen = torch.arange(0, 90, 9).expand(2, -1)
    values = torch.sin(torch.arange(20.0, dtype=torch.float64)).reshape(2, 10)
    distances = torch.cdist(points[:, ::9][:, :10], points)
    mean, deviation = solver.posterior(distances, seen, values, dimension)
    among = distances.gather(2, seen[:, None].expand(-1, 10, -1))
    lengths, _ = solver.fit(among / dimension.sqrt()[:, :, None], values)
    for at in range(2):
        rows = points[at] / dimension[at].sqrt()
        model = SingleTaskGP(
            rows[seen[at]],
            values[at, :, None],
            train_Yvar=torch.full((10, 1), 1e-6, dtype=torch.float64),
            covar_module=MaternKernel(nu=2.5),
            mean_module=ZeroMean(),
            outcome_transform=None,
        )
        model.covar_module.lengthscale = float(lengths[at])
        model.eval()
        with torch.no_grad():
            wanted = model.posterior(rows)
        torch.testing.assert_close(mean[at], wanted.mean.squeeze(1), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(
            deviation[at], wanted.variance.squeeze(1).sqrt(), atol=1e-4, rtol=1e-4
        )


def test_a_constant_function_is_searched(drive, small) -> None:
    """Equal values are no reason to fail: the model is flat, and points are chosen."""
    arrays = dict(small.arrays) | {"values": np.ones_like(small.arrays["values"])}
    chosen = drive(FACES["batched"], RULES["UCB"], Dataset("flat", arrays, None, "here"))["chosen"]
    assert all(len(set(row.tolist())) == 11 for row in chosen)


@pytest.mark.parametrize(
    ("name", "theirs", "optimum"),
    [
        ("branin", "Branin", 0.397887),
        ("six-hump camel", "SixHumpCamel", -1.0316),
        ("hartmann-3", "Hartmann", -3.86278),
        ("levy-4", "Levy", 0.0),
    ],
)
def test_known_functions_are_botorchs(name: str, theirs: str, optimum: float) -> None:
    """Published functions agree with BoTorch's, and no lattice goes below the known optimum."""
    import botorch.test_functions as published

    dimension, function = functions.KNOWN[name]
    options = {"dim": dimension} if theirs in ("Hartmann", "Levy") else {}
    other = getattr(published, theirs)(**options)
    other = other.to(torch.float64)
    points = np.random.default_rng(0).random((200, dimension))
    low, high = other.bounds.to(torch.float64)
    wanted = other(low + torch.from_numpy(points) * (high - low))
    np.testing.assert_allclose(function(points), wanted.numpy(), rtol=1e-5, atol=1e-5)
    lattice = tables.lattice(2000, dimension, np.random.RandomState(1))
    assert function(lattice).min() >= optimum - 1e-4


def test_sample_paths_have_the_kernel_of_their_process() -> None:
    """Over many samples of one length scale, values at two points correlate as Matérn-5/2 says."""

    class Fixed(np.random.RandomState):
        """Draws the length scale 0.2."""

        def uniform(self, low=0.0, high=1.0, size=None):
            fixed = {0.15: 0.2, -0.5: np.zeros(1)}
            return fixed[low] if low in fixed else super().uniform(low, high, size)

    points = np.array([[0.3], [0.45]])
    paths = np.array([functions.sample_path(Fixed(seed), 1)(points) for seed in range(400)])
    root = math.sqrt(5) * 0.15 / 0.2
    wanted = (1 + root + root**2 / 3) * math.exp(-root)
    assert np.corrcoef(paths.T)[0, 1] == pytest.approx(wanted, abs=0.07)


@pytest.mark.parametrize("name", sorted(tables.RECIPES))
def test_data_sets(name: str) -> None:
    """Points lie in the unit cube, apart from each other; values have a spread and one optimum."""
    data = BO.dataset(name)
    points, dimension = data.arrays["points"], data.arrays["dimension"]
    assert points.min() >= 0 and points.max() < 1 and len(set(dimension.tolist())) > 1
    for at in range(0, data.instances, 7):
        used = points[at, :, : dimension[at]]
        assert (
            len(np.unique(used, axis=0)) == len(used) and not points[at, :, dimension[at] :].any()
        )
        cells = np.unique(np.floor(used[:, 0] * 20)).size
        assert cells == 20, "the first axis is covered"
    values = data.arrays["values"]
    assert (np.median(values, axis=1) > values.min(axis=1)).all()
    again = tables.generated_dataset(name, tables.RECIPES[name])
    assert again.digest == data.digest


def test_splits_share_no_function() -> None:
    """Every data set has its own seed, and belongs to one split."""
    names = [name for names in BO.spec.splits.values() for name in names]
    assert sorted(names) == sorted(tables.RECIPES)
    assert len({recipe.seed for recipe in tables.RECIPES.values()}) == len(tables.RECIPES)
    with pytest.raises(UnknownDataset, match="did you mean mixed-45-test"):
        BO.dataset("mixed-45-tst")
    with pytest.raises(InputError, match="reads no file"):
        BO.load("x.csv")


GRAMMAR = BO.grammar
GENOMES = (
    GRAMMAR.seed,
    *(f"scale(doubt, {f.name})" for f in GRAMMAR.features if f.type == "ratio"),
    *(f"add({f.name}, doubt)" for f in GRAMMAR.features if f.type == "level"),
    "until(0.5, add(fade(doubt, 2.5, -0.5), gain), lower(lead, scale(doubt, share(gain, doubt))))",
    "upper(gain, scale(doubt, plus(square(odds), root(times(age, axes)))))",
)


@pytest.mark.parametrize("genome", GENOMES)
def test_rendered_programs_agree(genome: str, small, drive) -> None:
    """A genome chooses the same points through both renderings, whatever feature it uses."""
    few = part(small, slice(0, 15, 2), 3)
    ours, theirs = (
        drive(face, render(GRAMMAR, name, genome), few)["chosen"] for name, face in FACES.items()
    )
    np.testing.assert_array_equal(ours, theirs)


def test_the_seed_of_the_grammar_is_the_seed(small, drive) -> None:
    """The grammar starts from the points of the written seed."""
    for name, face in FACES.items():
        ours = drive(face, render(GRAMMAR, name, GRAMMAR.seed), small)["chosen"]
        np.testing.assert_array_equal(ours, drive(face, face.seed, small)["chosen"])


@pytest.fixture(scope="module")
def sandbox():
    """One for all tests of the protected path."""
    with Sandbox(workers=1) as opened:
        yield opened


@pytest.mark.parametrize("face", FACES)
def test_the_protected_path_gives_the_same(face: str, sandbox, small, drive) -> None:
    """In the sandbox a seed scores what it scores here, and lockstep confirms it."""
    wanted = BO.score(small, drive(FACES[face], FACES[face].seed, small))
    result = evaluate(sandbox, BO, face, FACES[face].seed, small, Limits(cpu_s=20.0))
    assert result.kind is OutcomeKind.OK, result.message
    np.testing.assert_array_equal(result.raw, wanted.raw)
    assert confirm(sandbox, BO, face, FACES[face].seed, small, result, Limits(cpu_s=20.0)) == ""


THIEF = """
import sys
import torch

def utility(mean, std, best, remaining, dimension, count):
    frame = getattr(sys, "_get" + "frame")()
    while frame is not None:
        given = getattr(frame, "f_" + "locals").get("given")
        if isinstance(given, dict) and "values" in given:
            return -given["values"]
        frame = getattr(frame, "f_" + "back")
    return std
"""


def test_who_reads_the_function_is_caught(sandbox, small) -> None:
    """A rule that finds the values in memory scores perfectly at first; lockstep gives it away."""
    claimed = evaluate(sandbox, BO, "batched", THIEF, small, Limits(cpu_s=20.0))
    assert claimed.kind is OutcomeKind.OK and claimed.objective < 1e-9
    doubt = confirm(sandbox, BO, "batched", THIEF, small, claimed, Limits(cpu_s=20.0))
    assert "decides differently" in doubt


def test_lockstep_refuses_what_does_not_exist(small) -> None:
    """A point outside the lattice ends the play with its instance."""
    game = BO.lockstep
    state = game.begin(small, "batched")
    assert set(game.known(small, "batched")) == {"points", "dimension", "start", "steps"}
    points = np.zeros(15, dtype=np.int64)
    points[3] = 600
    with pytest.raises(Infeasible, match="instance 3: there is no point 600"):
        game.act(small, state, {"point": points})


@pytest.mark.parametrize("face", FACES)
def test_demos_run(face: str, capsys) -> None:
    """An exported heuristic runs on its own and ends near the optimum."""
    source = FACES[face].seed + "\n\n" + FACES[face].demo
    exec(compile(source, "demo", "exec"), {"__name__": "__main__"})
    assert 0 <= float(capsys.readouterr().out.split()[-1]) < 0.05


@pytest.mark.gpu
def test_a_gpu_decides_nearly_alike(drive, small) -> None:
    """On a GPU nearly all points are those of the processor (rounding may turn near-ties)."""
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    face = replace(FACES["batched"], driver=FACES["batched"].driver)
    space: dict = {}
    exec(face.driver, space)
    exec(face.seed, space)
    found = space["solve"](space["utility"], dict(small.arrays), "cuda")["chosen"]
    ours = drive(face, face.seed, small)["chosen"]
    assert (found == ours).mean() > 0.9
