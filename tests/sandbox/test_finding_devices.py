"""Devices are found without touching them, named as torch names them, and shared out in order."""

import threading
import time
from pathlib import Path

import pytest

from eurisko.sandbox import Sandbox, SandboxError, devices
from eurisko.sandbox.devices import Device
from eurisko.sandbox.places import Places


def machine(monkeypatch: pytest.MonkeyPatch, dev: Path, build: str | None, *nodes: str) -> None:
    """Pretend that torch is built for CUDA and that these nodes exist."""
    for node in nodes:
        (dev / node).touch()
    monkeypatch.setattr(devices, "_DEV", dev)
    monkeypatch.setattr(devices, "_torch_build", lambda: build)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_asking_for_what_is_not_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each cause is one sentence that says what to do; auto falls back to the CPU."""
    machine(monkeypatch, tmp_path, None)
    with pytest.raises(
        SandboxError, match=r"built without CUDA; install .* or use the device 'cpu'"
    ):
        Sandbox(device="cuda")
    assert devices.concrete("auto") == "cpu" and devices.acceptable("auto") == ()
    machine(monkeypatch, tmp_path, "12.8")
    with pytest.raises(SandboxError, match="no NVIDIA device in /dev"):
        devices.concrete("cuda:0")
    machine(monkeypatch, tmp_path, "12.8", "nvidiactl", "nvidia0")
    with pytest.raises(SandboxError, match="'cuda:1' is not here: choose cuda:0, or 'cpu'"):
        devices.concrete("cuda:1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(SandboxError, match="CUDA_VISIBLE_DEVICES hides"):
        devices.concrete("cuda")
    for wrong in ("gpu", "cuda:", "cuda:x", "", "cpu:0", "cpu-prepared"):
        with pytest.raises(ValueError, match="device must be"):
            devices.concrete(wrong)


def test_visible_devices_are_counted_as_torch_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each device's server sees that one alone, named as the user's own variable names it."""
    nodes = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia0", "nvidia1", "nvidia2")
    machine(monkeypatch, tmp_path, "12.8", *nodes)
    assert devices.concrete("auto") == "cuda"
    assert [one.name for one in devices.acceptable("cuda")] == ["cuda:0", "cuda:1", "cuda:2"]
    assert {Path(node).name for node in devices.graphics()[0].nodes} == set(nodes)
    for value, tokens in (
        ("2,0", ["2", "0"]),
        ("1,-1,0", ["1"]),
        ("0,7,1", ["0"]),
        ("GPU-ab12,1", ["GPU-ab12", "1"]),
    ):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
        found = devices.acceptable("cuda")
        assert [one.environment["CUDA_VISIBLE_DEVICES"] for one in found] == tokens
        assert all(one.environment["PYTORCH_NVML_BASED_CUDA_CHECK"] == "1" for one in found)


def test_torchs_build_is_read_without_importing_it() -> None:
    """What is read from the file is what torch says of itself."""
    import torch

    assert devices._torch_build() == torch.version.cuda


def test_devices_are_shared_out_one_program_each() -> None:
    """Any device serves who asked for any, a named one only who asked for it, in order."""
    first, second = Device("cuda:0"), Device("cuda:1")
    places, order = Places(lambda _: None), []
    with places.take([first, second]) as a, places.take([first, second]) as b:
        assert {a.device.name, b.device.name} == {"cuda:0", "cuda:1"}
        threads = []
        for number, wanted in enumerate(([second], [first, second], [second])):

            def enter(number: int = number, wanted: list[Device] = wanted) -> None:
                with places.take(wanted) as one:
                    order.append((number, one.device.name))

            threads.append(threading.Thread(target=enter))
            threads[-1].start()
            while places.waiting <= number:
                time.sleep(0.001)
        assert order == []
    for thread in threads:
        thread.join()
    served = dict(order)
    assert served[0] == served[2] == "cuda:1" and set(served) == {0, 1, 2}
    assert [number for number, _ in order].index(0) < [number for number, _ in order].index(2)
    assert places.running == places.waiting == 0
