"""The same promises on a real graphics processor; skipped with a reason where there is none."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from eurisko.sandbox import ArraySpec, Limits, Outcome, OutcomeKind, Program, Rows, Sandbox, devices

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA device here"),
]

DRIVER = """
import torch
def solve(heuristic, inputs, device):
    values = torch.from_numpy(inputs["values"].copy()).to(device)
    return {"answer": heuristic(values).double().cpu().numpy()}
"""
DEFINE = "import torch\ndef heuristic(values):\n    "
VALUES = np.random.default_rng(0).random((32, 32))
LIMITS = Limits(cpu_s=30.0, wall_s=60.0)
FIRST_USES = {
    "sort": "return values.sort(-1).values",
    "cumulative product": "return values.cumprod(-1)",
    "solve": "return torch.linalg.solve(values, values)",
    "singular values": "return values + 0 * torch.linalg.svd(values).S",
    "convolution": "x = values[None, None]\n    return torch.nn.functional.conv2d("
    "x, x[:, :, :3, :3], padding=1)[0, 0]",
    "fourier": "return torch.fft.fft(values).real",
    "half precision": "return (values.half() @ values.half()).float()",
    "gradient": "w = values.clone().requires_grad_()\n    (w @ w).sum().backward()\n    return w.grad",
    "optimiser": "w = values.clone().requires_grad_()\n    o = torch.optim.Adam([w])\n"
    "    (w @ w).sum().backward()\n    o.step()\n    return w.detach()",
    "attention": "x = values[None, None]\n    return torch.nn.functional."
    "scaled_dot_product_attention(x, x, x)[0, 0]",
}


@pytest.fixture(scope="module")
def gpu() -> Iterator[Sandbox]:
    with Sandbox(policy=None, device="cuda") as sandbox:
        yield sandbox


def attempt(sandbox: Sandbox, body: str, limits: Limits = LIMITS, **options: int) -> Outcome:
    program = Program(DEFINE + body, "heuristic", DRIVER)
    expects = {"answer": ArraySpec("<f8", (32, 32))}
    return sandbox.run(program, {"values": VALUES}, expects, limits, **options)  # type: ignore[arg-type]


def test_the_self_test_holds(gpu: Sandbox) -> None:
    """Every canary is contained in workers of the device, and the level says gpu."""
    report = gpu.report()
    assert all(canary.contained for canary in report.canaries), report.explain()
    assert report.modifiers == ("gpu",) and "+gpu (" in report.isolation


@pytest.mark.parametrize("name", FIRST_USES)
def test_first_uses_work_after_the_tightening(gpu: Sandbox, name: str) -> None:
    """Kernels that are loaded at their first use need no file: same results as on the CPU."""
    outcome = attempt(gpu, FIRST_USES[name])
    assert outcome.ok, outcome
    with Sandbox(workers=1, policy=None) as plain:
        usual = attempt(plain, FIRST_USES[name])
    assert usual.ok, usual
    loose = 2e-2 if name == "half precision" else 1e-6
    np.testing.assert_allclose(
        outcome.arrays["answer"], usual.arrays["answer"], rtol=loose, atol=loose
    )


def test_seeds_of_the_device_are_set(gpu: Sandbox) -> None:
    """Draws on the device follow the request's seed."""
    body = "return torch.rand(32, 32, device=values.device)"
    first, same, other = (attempt(gpu, body, seed=seed).arrays["answer"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


@pytest.mark.parametrize(
    "body",
    [
        "torch.cuda._sleep(1 << 50)\n    torch.cuda.synchronize()",
        "while True: values = values @ values",
        "torch.cuda._sleep(1 << 50)\n    import time\n    time.sleep(60)",
    ],
)
def test_a_running_kernel_is_killed(gpu: Sandbox, body: str) -> None:
    """An endless kernel ends with its process, and the next program gets the device."""
    outcome = attempt(gpu, body, Limits(cpu_s=60.0, wall_s=1.0))
    assert outcome.kind is OutcomeKind.TIMEOUT, outcome
    assert outcome.wall_s < 20
    assert attempt(gpu, "return values").ok


def test_a_poisoned_context_is_not_passed_on(gpu: Sandbox) -> None:
    """An assertion on the device ends its own program only."""
    bad = attempt(gpu, "torch.zeros(4, device=values.device)[values.long() + 99]; return values")
    assert not bad.ok and bad.kind is not OutcomeKind.SANDBOX_FAILURE
    assert attempt(gpu, "return values").ok


def test_too_much_device_memory_is_told_as_memory(gpu: Sandbox) -> None:
    """Asking for more than the device has is the program's own fault, of the kind memory."""
    outcome = attempt(gpu, "return torch.empty(1 << 45, dtype=torch.uint8, device=values.device)")
    assert outcome.kind is OutcomeKind.MEMORY, outcome


def test_detection_agrees_with_torch() -> None:
    """As many devices are found in /dev as torch counts."""
    assert len(devices.acceptable("cuda")) == torch.cuda.device_count()
    assert devices.concrete("auto") == "cuda"


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there is only one CUDA device")
def test_several_devices_work_at_once(gpu: Sandbox) -> None:
    """Each device by its name gives the same answer, in a worker that sees no other."""
    for number in range(torch.cuda.device_count()):
        program = Program(DEFINE + "return values + torch.cuda.device_count()", "heuristic", DRIVER)
        expects = {"answer": ArraySpec("<f8", (32, 32))}
        outcome = gpu.run(program, {"values": VALUES}, expects, LIMITS, device=f"cuda:{number}")
        np.testing.assert_array_equal(outcome.arrays["answer"], VALUES + 1)


def test_rows_share_the_device_and_stay_within_their_memory(gpu: Sandbox) -> None:
    """Several run at once, each within what it was granted; rows that do not fit are divided."""
    body = (  # 64 MiB for each of the 32 rows
        "big = torch.ones((len(values), 16 << 20), device=values.device)\n"
        "    return values + big[:, :1] - 1"
    )
    program = Program(DEFINE + body, "heuristic", DRIVER)
    expects = {"answer": ArraySpec("<f8", (32, 32))}
    granted = Rows(32, 8 * 2**20)  # much too small a guess: 512 MiB for 2 GiB

    def run(rows: Rows) -> Outcome:
        return gpu.run(program, {"values": VALUES}, expects, LIMITS, rows=rows)

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(run, [granted, granted, Rows(32, 64 * 2**20)]))
    for outcome in found:
        assert outcome.ok, outcome.message
        np.testing.assert_allclose(outcome.arrays["answer"], VALUES)
    greedy = "return values + torch.ones(1 << 30, device=values.device).sum() * 0"
    alone = Program(DEFINE + greedy, "heuristic", DRIVER)
    outcome = gpu.run(alone, {"values": VALUES}, expects, LIMITS, rows=granted)
    assert outcome.kind is OutcomeKind.MEMORY, outcome.message
