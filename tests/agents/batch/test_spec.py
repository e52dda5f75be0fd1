"""Job files: what they may say, and the sentence for what they may not."""

from pathlib import Path
from typing import Any

import pytest

from eurisko.agents.batch.spec import parse_spec, read_spec
from eurisko.evaluators import InputError

GOOD: dict[str, Any] = {
    "name": "small",
    "programs": [{"files": "*.py"}, {"run": "last", "take": "all"}, {"seed": True}],
    "problems": [{"name": "job_shop", "datasets": ["test"], "instances": ["a/*.txt"]}],
    "seeds": [0, 1],
}


def test_a_good_file_is_read(tmp_path: Path) -> None:
    """YAML becomes the job; defaults are one seed, the CPU and the problem's own time limit."""
    path = tmp_path / "jobs.yaml"
    path.write_text("programs: [{seed: true}]\nproblems: [{name: job_shop}]\n")
    spec = read_spec(path)
    assert (spec.seeds, spec.devices, spec.limits.cpu_s) == ((0,), ("cpu",), None)
    assert parse_spec(GOOD, "x").programs[1].take == "all"


def dataset(**keys: Any) -> dict[str, Any]:
    """A change that asks for one generated data set."""
    return {"problems": [{"name": "job_shop", "datasets": [keys]}]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"problms": []}, "problms: there is no such key"),
        ({"problms": []}, "did you mean problems"),
        ({"programs": [{"file": "a.py"}]}, "did you mean files"),
        ({"programs": [{"files": "a", "run": "b"}]}, "exactly one of files, run and seed"),
        ({"programs": [{"files": "a", "take": "all"}]}, "take belongs to run"),
        ({"programs": []}, "name programs"),
        ({"problems": []}, "problems"),
        ({"seeds": [1, 1]}, "names one twice"),
        ({"seeds": [-1]}, "seeds.0"),
        ({"limits": {"cpu_s": 0}}, "limits.cpu_s"),
        ({"name": "a/b"}, "name"),
        (dataset(size=30, instance=8), "problems.0.datasets.0.instances: Field required"),
        (dataset(size=30, instances=8, sed=1), "problems.0.datasets.0.sed: there is no such key"),
        (dataset(size=30, instances=8, sed=1), "did you mean seed"),
        (dataset(size="30 by 4", instances=8), "datasets.0.size: a size is a positive number"),
        (dataset(size=True, instances=8), "datasets.0.size"),
        (dataset(size=0, instances=8), "datasets.0.size"),
        (dataset(size="4x3", instances=0), "datasets.0.instances"),
        ({"problems": [{"name": "job_shop", "datasets": [7]}]}, "problems.0.datasets.0"),
    ],
)
def test_a_mistake_is_named(change: dict[str, Any], said: str) -> None:
    """The first mistake, where it is, in one sentence."""
    with pytest.raises(InputError, match=said.replace(".", r"\.")):
        parse_spec({**GOOD, **change}, "jobs.yaml")


def test_files_that_are_none(tmp_path: Path) -> None:
    """A missing file, no YAML, and YAML that is no job."""
    with pytest.raises(InputError, match="Cannot read"):
        read_spec(tmp_path / "none.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [1,\nb: }")
    with pytest.raises(InputError, match="is no YAML"):
        read_spec(broken)
    broken.write_text("- a\n- b\n")
    with pytest.raises(InputError, match="is no job"):
        read_spec(broken)
