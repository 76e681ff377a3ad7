"""Which device computes, and nets that compute on another than the CPU, tried on one that only pretends to be one."""

import copy
import logging
import math
import os
import time
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor, nn

from attnviz import devices, edits
from attnviz.errors import BadInput
from attnviz.measures.sanity import Shifted
from attnviz.tracing import Layer, Trace, trace
from attnviz.training import seeds
from tests.pretend_device import pretend_device
from tests.training import small

IMAGES = torch.arange(24, dtype=torch.float64).view(2, 1, 3, 4) / 24


class Twice(Layer):
    """A layer with a tap between two products."""

    taps = ("between", "beyond")

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([2.0, 3.0], dtype=torch.float64))

    def forward(self, images: Tensor) -> Tensor:
        between = self.tap("between", images.flatten(1) * self.weight[0], axes="batch token")
        return self.tap("beyond", between * self.weight[1], axes="batch token")


class Net(nn.Module):
    """A net with one layer, whose logits are the sums of what it gives, and the largest of it."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = Twice()

    def forward(self, images: Tensor) -> Tensor:
        found = self.layer(images)
        return torch.stack([found.sum(1), found.amax(1)], 1)


def net() -> nn.Module:
    return Net().eval().requires_grad_(False)


@pytest.mark.parametrize(
    ("word", "there", "device"),
    [
        ("cpu", True, "cpu"),
        ("auto", True, "cuda"),
        ("cuda", True, "cuda"),
        ("cpu", False, "cpu"),
        ("auto", False, "cpu"),
    ],
)
def test_the_words_for_a_device(monkeypatch, word, there, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert devices.device_of(word) == device


def test_cuda_where_there_is_none_and_words_that_are_no_device_are_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(BadInput, match="There is no CUDA device here. Use cpu, or auto"):
        devices.device_of("cuda")
    for word in ("gpu", "", "CPU", "cuda:0"):
        with pytest.raises(BadInput, match=f"must be auto, cpu or cuda, not {word!r}"):
            devices.device_of(word)


def test_the_pretended_device_refuses_tensors_of_the_cpu():
    with pretend_device() as device:
        away = IMAGES.to(device.name)
        assert (away + away).device.type == device.name
        assert torch.equal((away + 1).cpu(), IMAGES + 1)
        with pytest.raises(RuntimeError, match="same device"):
            away + IMAGES


def test_pictures_and_logits_are_on_the_cpu_and_the_weights_too_but_the_device_computes():
    expected = net()(IMAGES)
    with pretend_device() as device:
        model = devices.computing_on(net(), device.name)
        found = model(IMAGES)
        assert device.count > 4
    assert type(found) is Tensor
    assert torch.equal(found, expected)
    assert all(type(one) is nn.Parameter and one.device.type == "cpu" for one in model.parameters())


CHANGES = {
    "layer.between": [
        edits.set_value(torch.tensor([5.0, 7.0]), token=[0, 1]),
        lambda values: values + IMAGES.flatten(1),
    ],
    "layer.beyond": [edits.scale(3, token=0)],
}


def traced(model: nn.Module, **given: Any) -> tuple[Tensor, Trace]:
    """Return what a net answers with changes, and what the trace keeps."""
    with trace(model, edits=CHANGES, **given) as seen:
        logits = model(IMAGES)
    return logits, seen


def test_a_trace_keeps_and_edits_on_the_cpu():
    expected, wanted = traced(net())
    with pretend_device() as device:
        found, seen = traced(devices.computing_on(net(), device.name))
    assert torch.equal(found, expected)
    assert [*seen] == [*wanted] == ["layer.between", "layer.beyond"]
    for path, reading in seen.items():
        assert type(reading.tensor) is type(reading.before) is Tensor, path
        assert torch.equal(reading.tensor, wanted[path].tensor), path
        assert torch.equal(reading.before, wanted[path].before), path


def test_a_trace_of_what_wraps_the_net_keeps_the_same():
    shift = torch.ones(1, 3, 4, dtype=torch.float64)
    model = Shifted(net(), shift)
    with trace(model) as wanted:
        model(IMAGES)
    with pretend_device() as device:
        model = Shifted(devices.computing_on(net(), device.name), shift)
        with trace(model) as outer, trace(model, ["*.beyond"]) as inner:
            model(IMAGES)
    assert [*outer] == [*wanted]
    assert torch.equal(inner["model.layer.beyond"].tensor, wanted["model.layer.beyond"].tensor)
    assert torch.equal(outer["model.layer.beyond"].tensor, wanted["model.layer.beyond"].tensor)


def test_gradients_pass_to_pictures_and_to_what_is_kept():
    def gradients(model: nn.Module) -> tuple[Tensor, ...]:
        images = IMAGES.clone().requires_grad_()
        with trace(model, gradients=True) as seen:
            logits = model(images)
        return torch.autograd.grad(logits[:, 1].sum(), (images, seen["layer.between"].tensor))

    expected = gradients(net())
    with pretend_device() as device:
        found = gradients(devices.computing_on(net(), device.name))
    for one, wanted in zip(found, expected, strict=True):
        assert type(one) is Tensor
        assert torch.equal(one, wanted)


def test_weights_that_change_are_followed_and_a_copy_has_its_own():
    with pretend_device() as device:
        model = devices.computing_on(net(), device.name)
        before = model(IMAGES)
        other = copy.deepcopy(model)
        with torch.no_grad():
            other.layer.weight.mul_(2)
        count = device.count
        assert torch.equal(other(IMAGES), 4 * before)
        assert device.count > count
        assert torch.equal(model(IMAGES), before)


def timed(monkeypatch: pytest.MonkeyPatch, *, there: float, here: float) -> None:
    """Let a pass take so many milliseconds on the device and on the CPU."""

    def seconds(model: nn.Module, images: Tensor) -> float:
        assert len(images) == 1
        return (there if devices.twin_of(model) is not None else here) / 1000

    monkeypatch.setattr(devices, "_seconds", seconds)


@pytest.mark.parametrize(
    ("there", "here", "used", "said"),
    [
        (1, 34, True, "Net computes on meta: 1.0 ms a picture there, 34.0 on the CPU"),
        (3, 1.4, False, "Net computes on the CPU, not on meta: 3.0 ms a picture there, 1.4 on the CPU"),
        (2, 2, False, "Net computes on the CPU, not on meta: 2.0 ms a picture there, 2.0 on the CPU"),
    ],
)
def test_a_net_computes_where_one_picture_takes_less_time_and_the_log_says_so(
    monkeypatch, caplog, there, here, used, said
):
    timed(monkeypatch, there=there, here=here)
    with pretend_device() as device, caplog.at_level(logging.INFO):
        model = devices.computing_where_faster(net(), device.name, (1, 3, 4))
        assert (devices.twin_of(model) is not None) == used
        assert caplog.messages == [said]
        count = device.count
        assert torch.equal(model(IMAGES), net()(IMAGES))
        assert (device.count > count) == used


def test_a_pass_is_timed_with_what_prepares_it_left_out(monkeypatch):
    clock = iter([0, 9, 10, 12, 20, 23, 30, 34, 40, 45])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    model = Mock()
    assert devices._seconds(model, IMAGES) == 2
    assert model.call_count == 5


@pytest.mark.parametrize(("device", "expected"), [("cpu", (False, None)), ("cuda", (True, ":4096:8"))])
def test_on_cuda_torch_chooses_kernels_that_give_the_same_bits_each_time(monkeypatch, device, expected):
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", "")  # so that it is as before afterwards
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG")
    try:
        devices.same_each_time(device)
        found = torch.are_deterministic_algorithms_enabled(), os.environ.get("CUBLAS_WORKSPACE_CONFIG")
        assert found == expected
        assert torch.is_deterministic_algorithms_warn_only_enabled() == found[0]
    finally:
        torch.use_deterministic_algorithms(False)


def test_every_training_asks_for_the_same_bits_each_time(monkeypatch):
    class Asked(Exception):
        pass

    def ask(device: str) -> None:
        raise Asked(device)

    monkeypatch.setattr(devices, "same_each_time", ask)
    with pytest.raises(Asked, match="cpu"):
        seeds.train(small.recipe(), [0], device="cpu", report=small.silent)


def test_a_device_that_fails_or_answers_otherwise_is_not_used_and_the_log_says_so(monkeypatch, caplog):
    timed(monkeypatch, there=1, here=2)
    with pretend_device() as device, caplog.at_level(logging.WARNING):
        assert devices.twin_of(devices.computing_where_faster(net(), device.name, (1, 3, 4)))
        assert not caplog.messages

        mixed = net()
        mixed.layer.register_forward_pre_hook(lambda layer, given: (given[0] + IMAGES,))
        assert devices.twin_of(devices.computing_where_faster(mixed, device.name, (1, 3, 4))) is None
        assert "Net computes on the CPU, not on meta: it fails there: Expected all tensors" in caplog.messages[0]

        for wrong in (1e-6, math.nan):
            off = net()
            off.layer.register_forward_hook(
                lambda layer, given, found, wrong=wrong: found + wrong if found.is_meta else found
            )
            assert devices.twin_of(devices.computing_where_faster(off, device.name, (1, 3, 4))) is None
            assert "its logits there differ by" in caplog.messages[-1]
            assert off(IMAGES).isfinite().all()


def test_on_the_cpu_a_net_stays_as_it_is():
    model = net()
    assert "forward" not in devices.computing_where_faster(model, "cpu", (1, 3, 4)).__dict__
