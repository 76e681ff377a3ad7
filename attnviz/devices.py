"""The choice of a device, and nets that compute on one while everything around them stays on the CPU.

Pages and the live channel read weights, taps and logits everywhere, and edit values with their own arrays. So they get
an ordinary module on the CPU whose forward pass runs in a twin on the device: pictures are copied to it, and logits and
values of taps back from it. A trace of the module records the twin.

    model = computing_on(model, "cuda")
    with trace(model, ["attention.weights"]) as seen:
        logits = model(images)                         # both on the CPU, computed on the device
"""

import copy
import logging
import os
import threading
import time
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.edits import version
from attnviz.errors import BadInput

_log = logging.getLogger(__name__)

AGREE = {torch.float64: 1e-9, torch.float32: 1e-3}
"""The maximum difference of two devices' logits, relative to the largest of them or 1, by precision."""

_PASSES = 5  # to time a device; the first one warms it up


def device_of(word: str) -> str:
    """Return "cpu" or "cuda" for one of these or for "auto", which is CUDA if available."""
    if word not in ("auto", "cpu", "cuda"):
        raise BadInput(f"The device must be auto, cpu or cuda, not {word!r}.")
    if word == "cuda" and not torch.cuda.is_available():
        raise BadInput("There is no CUDA device here. Use cpu, or auto.")
    return "cuda" if word != "cpu" and torch.cuda.is_available() else "cpu"


def check_threads(threads: int) -> None:
    """Refuse a number of CPU threads below 1, or above both 256 and the number of cores."""
    most = max(256, os.cpu_count() or 1)
    if threads < 1:
        raise BadInput(f"There must be at least one thread, not {threads}.")
    if threads > most:
        raise BadInput(f"There can be at most {most} threads, not {threads:,}.")


def same_each_time(device: str) -> None:
    """Make this process compute the same bits each time on "cpu" or "cuda"; call it before anything is computed.

    CUDA sums in the order in which its threads end, unless torch chooses deterministic kernels. If an operation has
    none, torch warns and names it. On a CPU with a fixed number of threads the bits are the same anyway
    (https://docs.pytorch.org/docs/stable/notes/randomness.html).
    """
    if device == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS starts
        torch.use_deterministic_algorithms(True, warn_only=True)


def computing_on(model: nn.Module, device: str) -> nn.Module:
    """Make a module on the CPU, in evaluation mode, run its forward passes on a device such as "cuda", and return it:
    its `forward` is replaced.

    A deep copy of it computes on the same device, with its own weights. Changes of the weights in place take effect.
    """
    if device != "cpu":
        model.forward = _Forward(model, device)
    if device == "cuda":  # by default, its convolutions round single precision to ten bits
        torch.backends.cudnn.allow_tf32 = False
    return model


def computing_where_faster(model: nn.Module, device: str, shape: tuple[int, int, int]) -> nn.Module:
    """Do as `computing_on`, unless the CPU is as fast for one picture of a shape, (channel, row, column), or the device
    returns different logits, or fails.

    Launching many small operations on a GPU takes longer than running them on a CPU, so few nets gain from it on a
    single picture. It is tried on two pictures of noise and timed on one. The log records where a net computes, unless
    there is only the CPU.
    """
    if device == "cpu":
        return model
    weight = next(model.parameters())
    images = torch.rand(2, *shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64).to(weight)
    name = type(model).__name__
    with torch.no_grad():
        expected, here = model(images), _seconds(model, images[:1])
        try:
            found = computing_on(model, device)(images)
            there = _seconds(model, images[:1])
        except RuntimeError as error:  # from the driver, the device's memory, or a missing kernel
            _log.warning("%s computes on the CPU, not on %s: it fails there: %s", name, device, error)
        else:
            apart = float((found - expected).abs().max() / expected.abs().max().clamp(min=1))
            times = f"{1000 * there:.1f} ms a picture there, {1000 * here:.1f} on the CPU"
            if not apart <= AGREE[expected.dtype]:  # also true for NaN
                _log.warning("%s computes on the CPU, not on %s: its logits there differ by %.1e", name, device, apart)
            elif there < here:
                _log.info("%s computes on %s: %s", name, device, times)
                return model
            else:
                _log.info("%s computes on the CPU, not on %s: %s", name, device, times)
    del model.forward
    return model


def _seconds(model: nn.Module, images: Tensor) -> float:
    """Return the shortest time of a pass, with copies and the device's own time, since it ends with the logits here."""
    took = []
    for _ in range(_PASSES):
        began = time.perf_counter()
        model(images)
        took.append(time.perf_counter() - began)
    return min(took)


def twin_of(module: nn.Module) -> nn.Module | None:
    """Return the module that computes for this one on a device, or None if it computes itself."""
    forward = module.__dict__.get("forward")
    return forward.twin() if isinstance(forward, _Forward) else None


class _Forward:
    """The forward pass of a module, run by its twin on a device."""

    def __init__(self, model: nn.Module, device: str) -> None:
        self.model, self.device = model, device
        self._lock = threading.Lock()
        self._twin: nn.Module | None = None
        self._made_from: list[tuple[int, int]] = []

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return _moved(self.twin()(*_moved(arguments, self.device), **_moved(named, self.device)), "cpu")

    def twin(self) -> nn.Module:
        """Return the twin, which is rebuilt if the module's weights have changed."""
        now = [(id(one), version(one)) for one in (*self.model.parameters(), *self.model.buffers())]
        with self._lock:
            if self._twin is None or now != self._made_from:
                twin = copy.deepcopy(self.model)
                del twin.forward
                self._twin, self._made_from = twin.to(self.device), now
            return self._twin

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Forward":
        return _Forward(copy.deepcopy(self.model, memo), self.device)


def _moved(value: Any, device: str) -> Any:
    """Return a value with all its tensors moved to a device; a batch keeps its gradient."""
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, Mapping):
        return {name: _moved(one, device) for name, one in value.items()}
    if isinstance(value, tuple):
        found = [_moved(one, device) for one in value]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    return value
