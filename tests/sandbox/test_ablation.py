"""With a layer switched off, known attacks get through: so the suite can fail."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eurisko.sandbox import Layers, Sandbox
from eurisko.sandbox import jail as jailing

from .attacks import KNOWN
from .own_attacks import OWN
from .test_attacks import Scene, attacked, breached, scene

__all__ = ["scene"]

ATTACKS = {attack.name.split()[0]: attack for attack in (*KNOWN, *OWN)}
WITHOUT = {
    "all layers": (
        Layers(seccomp=False, landlock=False, jail=False),
        ["05", "06", "08b", "16", "18", "20", "24", "26", "27", "28", "28b", "46", "47", "o34"],
    ),
    "landlock, with opens": (
        Layers(landlock=False, jail=False, opens=True),
        ["18", "20", "20b", "46", "47", "o17", "o31"],
    ),
    "seccomp": (
        Layers(seccomp=False, jail=False),
        ["05", "06", "08b", "16", "27", "28b", "29b", "42b", "45", "o34", "o44"],
    ),
    "seccomp and landlock, in the jail": (
        Layers(seccomp=False, landlock=False),
        ["05", "06", "08b", "24", "28b", "46", "o34", "o44"],
    ),
}


@pytest.fixture(scope="module", params=WITHOUT)
def weakened(request: pytest.FixtureRequest) -> Iterator[tuple[Sandbox, list[str]]]:
    layers, names = WITHOUT[request.param]
    if layers.jail and jailing.binary() is None:
        pytest.skip("bubblewrap is not installed")
    with Sandbox(workers=1, layers=layers, allow_unsafe=True, policy=None) as sandbox:
        sandbox.start()
        yield sandbox, names


def test_what_a_missing_layer_lets_through(
    weakened: tuple[Sandbox, list[str]], scene: Scene
) -> None:
    """Each named attack succeeds without its layer, and the level tells that it is only L1."""
    sandbox, names = weakened
    assert sandbox.isolation.startswith("L1")
    contained = []
    for name in names:
        outcome = attacked(sandbox, ATTACKS[name], scene)
        if breached(outcome, ATTACKS[name], scene) is None:
            contained.append(name)
        for planted in ("filler", "planted", "l", "x"):
            Path(scene.scratch / planted).unlink(missing_ok=True)
    assert contained == []
