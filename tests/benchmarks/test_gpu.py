"""The benchmark of devices: least bytes of operators, times by call, cells, the command's page."""

import json
import math
import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from eurisko.evaluators import get_problem
from eurisko.sandbox import SandboxError, devices
from eurisko.sandbox.devices import Device

gpu = pytest.importorskip("benchmarks.gpu", reason="needs the repository root")
from benchmarks.gpu import cells, kernels, measure, page, run, sweep, trace, traffic  # noqa: E402

STAND_IN = Device(
    "cpu-prepared", "stand-in", "cpu", "stand-in", ("/dev/null",), ("/proc/cpuinfo",), warm_s=60.0
)
SIDE = 100
WHOLE = 8 * SIDE * SIDE
X, Y = torch.rand(2, SIDE, SIDE, dtype=torch.float64)
MASK = X > 0.5
INDEX = torch.arange(SIDE).expand(SIDE, SIDE).contiguous()
BYTES: dict[str, tuple[Callable[[], Any], int | None]] = {
    "clone": (lambda: X.clone(), 2 * WHOLE),
    "add": (lambda: X + Y, 3 * WHOLE),
    "add a row": (lambda: X + Y[:1].expand(SIDE, SIDE), 2 * WHOLE + 8 * SIDE),
    "add to itself": (lambda: X + X, 2 * WHOLE),
    "add two overlapping views": (lambda: X[:, 1:] + X[:, :-1], 2 * 8 * SIDE * (SIDE - 1)),
    "add_": (lambda: X.clone().add_(Y), 3 * WHOLE),
    "add, out given": (lambda: torch.add(X, Y, out=torch.empty_like(X)), 3 * WHOLE),
    "copy_": (lambda: torch.empty_like(X).copy_(Y), 2 * WHOLE),
    "to another type": (lambda: X.to(torch.float32), WHOLE + WHOLE // 2),
    "sum": (lambda: X.sum(1), WHOLE + 8 * SIDE),
    "min with index": (lambda: X.min(1), WHOLE + 16 * SIDE),
    "sort": (lambda: X.sort(1), 3 * WHOLE),
    "cat": (lambda: torch.cat([X, Y]), 4 * WHOLE),
    "zeros": (lambda: torch.zeros(SIDE, SIDE, dtype=torch.float64), WHOLE),
    "gather": (lambda: X.gather(1, INDEX), 2 * WHOLE),
    "index": (lambda: X[INDEX[0], INDEX[1]], 3 * 8 * SIDE),
    "scatter_": (lambda: X.clone().scatter_(1, INDEX, Y), 2 * WHOLE),
    "where": (lambda: torch.where(MASK, X, Y), SIDE * SIDE + 2 * WHOLE),
    "where with a number": (lambda: torch.where(MASK, X, 0.0), SIDE * SIDE + 8 + WHOLE),
    "masked_fill_": (lambda: X.clone().masked_fill_(MASK, 0.0), SIDE * SIDE),
    "view": (lambda: X.t(), 0),
    "to another device": (lambda: X.to("meta"), None),
    "cholesky": (lambda: torch.linalg.cholesky_ex(X), None),
}


@pytest.mark.parametrize("name", BYTES)
def test_least_bytes_of_known_operators(name: str) -> None:
    """The last operator of a call moves what its tensors' sizes say, counted by hand."""
    work, wanted = BYTES[name]
    with kernels.Watch() as watch:
        work()
    assert watch.calls[-1][1] == wanted, watch.calls


def test_elements_at_one_address_count_once() -> None:
    """Against a list of all addresses: never more, and exact for slices and broadcasts."""
    draw = random.Random(5)
    base = torch.zeros(500)
    for _ in range(300):
        shape = [draw.randint(1, 4) for _ in range(3)]
        steps = [draw.randint(0, 9) for _ in range(3)]
        tensor = base.as_strided(shape, steps)
        places = product(*(range(size) for size in shape))
        addresses = {sum(map(math.prod, zip(at, steps, strict=True))) for at in places}
        assert traffic.distinct_bytes(tensor) <= 4 * len(addresses)
    for tensor in (X[::3, 5:], X[:1].expand(9, -1, -1), X.t(), X[:0], X[2, 3]):
        whole = tensor.untyped_storage().nbytes()
        alone = {one.data_ptr() for row in tensor.reshape(-1, 1) for one in row}
        numel = min(tensor.numel(), SIDE if tensor.dim() == 3 else whole)
        assert traffic.distinct_bytes(tensor) == 8 * numel <= max(8 * len(alone), 8 * numel)


def test_times_are_those_of_the_profiler(tmp_path: Path) -> None:
    """A call takes what torch's own account says of the operators within its range."""
    watch = kernels.Watch()
    with profile(activities=[ProfilerActivity.CPU]) as seen, watch:
        X.sort(1)
        (X + Y).roll(3, 1).to(torch.float32)
    path = tmp_path / "trace.json"
    seen.export_chrome_trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    wanted = {
        int(event.name.removeprefix(trace.RANGE)): sum(
            child.cpu_time_total for child in event.cpu_children
        )
        for event in seen.events()
        if event.name.startswith(trace.RANGE)
    }
    assert [name for name, _ in watch.calls] == ["sort", "add", "roll", "_to_copy"]
    assert trace.processor_times(events) == pytest.approx(wanted, abs=0.01)


def test_kernels_belong_to_the_call_that_launched_them() -> None:
    """By correlation of launch and kernel, else by the operator's id; annotations do not count."""

    def event(cat: str, name: str, ts: float, dur: float, **given: Any) -> dict[str, Any]:
        named = {key.replace("_", " "): value for key, value in given.items()}
        return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "tid": 1, "args": named}

    events = [
        event("user_annotation", f"{trace.RANGE}0", 10, 20),
        event("cpu_op", "aten::add", 12, 9, External_id=7),
        event("cuda_runtime", "cudaLaunchKernel", 14, 3, correlation=70, External_id=7),
        event("user_annotation", f"{trace.RANGE}1", 40, 20),
        event("cpu_op", "aten::sort", 42, 9, External_id=8),
        event("kernel", "late", 500, 30.5, correlation=70, External_id=7, stream=7),
        event("kernel", "by id", 540, 4, External_id=8, stream=7),
        event("gpu_memcpy", "Memcpy DtoD", 550, 2, External_id=8, stream=7),
        event("kernel", "of nobody", 560, 99, correlation=71, stream=7),
        event("gpu_user_annotation", f"{trace.RANGE}0", 500, 30.5, External_id=7),
    ]
    assert trace.device_times(events) == {0: 30.5, 1: 6.0}
    found = kernels.summed([("add", 61), ("sort", None)], trace.device_times(events))
    assert [one.name for one in found] == ["add", "sort"]
    assert found[0].bytes_per_s == pytest.approx(2e6) and found[1].bytes_per_s is None
    assert found[0].share == pytest.approx(30.5 / 36.5)
    assert "launch-bound" in kernels.hint(found[1]) and not kernels.hint(found[0])


def test_a_solver_is_profiled_with_the_same_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A heuristic that draws random numbers makes the same calls each time, of the same bytes."""
    monkeypatch.setattr(kernels, "ITERATIONS", 1)
    monkeypatch.setattr(kernels, "ROUNDS", 1)
    problem = get_problem("flow_shop_gls")
    assert kernels.iterates(problem) and not kernels.iterates(get_problem("flow_shop"))
    data = problem.generate("7x2", 2, 1)
    once, again = (
        {
            one.name: (one.calls, one.least)
            for one in kernels.profiled(problem, data, "cpu").operators
        }
        for _ in range(2)
    )
    assert once == again and once["cummax"][0] > 10 and once["cummax"][1]


def test_sizes_and_what_does_not_fit() -> None:
    """Shops get ten machines; what cannot be made is told in the problem's own words."""
    shop, tour = get_problem("flow_shop"), get_problem("tsp_construct")
    assert (cells.shape(shop, 50), cells.shape(tour, 50)) == ("50x10", "50")
    with pytest.raises(cells.Skipped, match="5000 at most"):
        cells.shape(tour, 10**6)
    with pytest.raises(cells.Skipped, match="fit into memory"):
        cells.make(tour, cells.Cell("tsp_construct", "200", 200, 8192), 600.0)
    with pytest.raises(cells.Skipped, match="making the data set would take about"):
        cells.make(tour, cells.Cell("tsp_construct", "50", 50, 4000), 1e-6)
    assert cells.make(tour, cells.Cell("tsp_construct", "5", 5, 3)).instances == 3


def stub(*kinds: str) -> Any:
    """A program that ends in these ways, one after the other, the last one again and again."""
    left = list(kinds)

    def once() -> Any:
        kind = left.pop(0) if len(left) > 1 else left[0]
        if kind == "none":
            raise SandboxError("no worker")
        return SimpleNamespace(kind=measure.OutcomeKind(kind), message="a | b", wall_s=0.5)

    return SimpleNamespace(run=once, seconds=20.0)


def test_failures_are_told_in_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little memory at once leaves the rate of one alone; a failure alone leaves none."""
    monkeypatch.setattr(measure, "ENOUGH_S", 0.0)
    seen = measure.measure(stub("ok"), (1, 3))
    assert seen.kind == "ok" and set(seen.rates) == {1, 3} and None not in seen.rates.values()
    seen = measure.measure(stub("ok", "memory"), (3,))
    assert (seen.kind, seen.rates, seen.failed) == ("memory", {3: None}, False)
    assert seen.remark == "x3: memory, a / b"
    alone = measure.measure(stub("timeout"), (1, 3))
    assert (alone.kind, alone.best, alone.failed) == ("timeout", None, True)
    for gone in (stub("none"), stub("ok", "none")):
        broken = measure.measure(gone, (1, 3))
        assert (broken.kind, broken.failed, broken.remark) == ("sandbox_failure", True, "no worker")
    small, large = (cells.Cell("p", "5", 5, count) for count in (4, 8))
    other = cells.Cell("p", "4", 4, 99)
    rows = [sweep.Row(small, "cpu", alone)]
    assert sweep.too_large(large, "cpu", rows) == "4 x 5 ended as timeout already"
    assert not sweep.too_large(other, "cpu", rows) and not sweep.too_large(large, "cuda:0", rows)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of two problems on the processor and on a stand-in for a graphics processor."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(devices._private, STAND_IN.name, (STAND_IN,))
        patch.setattr(measure, "ENOUGH_S", 0.0)
        patch.setattr(measure, "ENOUGH_RUNS", 2)
        patch.setattr(kernels, "ROUNDS", 1)
        patch.setattr(run, "device_fact", lambda name: f"{name}: no device at all")
        patch.setattr(run, "device_name", lambda _: "Stand-In (1 MB)")
        patch.setattr(run, "bandwidth", lambda _: 1e9)
        patch.setattr(run, "profiled", lambda one, data, _: kernels.profiled(one, data, "cpu"))
        patch.setattr(torch.cuda, "empty_cache", lambda: None)
        gpu.main(
            "--problems tsp_construct,bin_packing_online --instances 2,3 --sizes 6 --seconds 20 "
            f"--candidates 1,2 --devices cpu,{STAND_IN.name} --folder {folder}".split()
        )
    yield (folder / "gpu-stand-in-1-mb.md").read_text()


def table(text: str, number: int) -> list[list[str]]:
    """Return the cells of one of a page's tables."""
    blocks = [block for block in text.split("\n\n") if block.startswith("| ")]
    lines = blocks[number].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_cells_of_both_devices(text: str) -> None:
    """Each cell has its rates, the second device its ratio; online problems have the processor."""
    rows = table(text, 0)
    both = [["tsp_construct", "6", n, d] for n in "23" for d in ("cpu", STAND_IN.name)]
    assert [row[:4] for row in rows] == [
        *both,
        *(["bin_packing_online", "6", n, "cpu"] for n in "23"),
    ]
    for row in rows:
        first, alone, _, per_s = (float(one.replace(",", "")) for one in (*row[4:7], row[7]))
        assert first > 0 and per_s >= int(row[2]) * alone * 0.98
        assert row[9].endswith("x") == (row[3] != "cpu")
    assert "No GPU has been measured" not in text
    assert "bin_packing_online is played in lockstep" in text
    assert "- cpu-prepared: no device at all" in text and "+stand-in" in text


def test_operators_beside_the_bandwidth(text: str) -> None:
    """The table's figures agree with each other; nothing is profiled in lockstep."""
    rows = table(text, 1)
    assert [row[1] for row in rows] == ["cpu"] * 3 + [STAND_IN.name] * 3 + ["cpu"]
    assert rows[-1][2] == "-" and "lockstep" in rows[-1][-1]
    for row in rows[:-1]:
        if row[6] == "-":
            continue
        moved_mb, reached_gb_s, percent = map(float, row[6:9])
        took_s = int(row[4]) * float(row[5]) / 1e6
        assert reached_gb_s == pytest.approx(moved_mb / 1e3 / took_s, rel=0.02, abs=1e-6)
        assert percent == pytest.approx(100 * reached_gb_s, rel=0.06, abs=1e-6)


def test_without_a_gpu_the_page_says_so() -> None:
    """A page of the processor alone names what is missing; skipped cells say why."""
    cell = cells.Cell("p", "5", 5, 4)
    text = page.page(sweep.Plan(), [sweep.Row(cell, "cpu", None, "too large")], [], {}, "run", [])
    assert page.NO_GPU in text
    assert table(text, 0)[0] == ["p", "5", "4", "cpu", *["-"] * 6, "too large"]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--problems", "circle_packing"),
        ("--problems", "nothing"),
        ("--devices", "tpu"),
        ("--instances", "0"),
        ("--seconds", "-1"),
    ],
)
def test_wrong_arguments(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """They are refused with a reason before anything starts."""
    with pytest.raises(SystemExit):
        gpu.main([*wrong, "--folder", "/nonexistent"])
    assert "error:" in capsys.readouterr().err
