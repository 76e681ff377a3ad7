"""Every view of every mechanism, of nets that compute on another device: it is that of the CPU.

The device is one that pretends to be one. It cannot do forward-mode differentiation, which no view here needs.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from torch.utils._python_dispatch import _disable_current_modes

from attnviz import devices, subjects
from attnviz.subjects import Loaded, Net, Picture, Subject
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import cache
from attnviz.work.kept import Kept
from attnviz.work.queue import QUEUE
from tests.pretend_device import Device, pretend_device
from tests.ui.test_views_of_runs import asked, shown, views

EIGHT = Picture("strokes", 23)
CHOSEN = (
    "pixel_attention.1v8",
    "element_wise.digits",
    "recurrent_attention.digits",
    "cnn_attention.digits",
    "channel_attention.digits",
    "spatial_transformer.rotated",
    "vision_transformer.digits",
    "transformer.strips-15",
)
TAPS = 3  # of so many of a net's taps the view is asked for


@pytest.fixture(name="device")
def _device(monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """Let nets that pages and the live channel ask compute on the pretended device."""

    def placed(net: Net, *, double: bool) -> Loaded:
        with _disable_current_modes():  # building a net takes "meta" for what it is
            return Loaded(devices.computing_on(net.load(double=double).model, Device.name), net)

    monkeypatch.setattr(cache, "_loaded", placed)
    with pretend_device() as device:
        yield device


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    _forget(monkeypatch)


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_nets", Kept(cache.NETS, QUEUE))
    monkeypatch.setattr(cache, "_values", Kept(cache.VALUES, QUEUE))


def test_each_mechanism_with_a_view_is_tried() -> None:
    tried = {subjects.net(name).architecture for name in CHOSEN}
    for row in MECHANISMS.values():
        assert tried & {*row.models}, f"{row.name} has no net in CHOSEN"


@pytest.mark.parametrize("name", CHOSEN)
def test_every_view_is_that_of_the_cpu(name: str, request: pytest.FixtureRequest, monkeypatch: Any) -> None:
    subject = Subject(subjects.net(name), EIGHT)
    each = [(view, given) for view in views().values() for given in asked(view, subject.net)[:TAPS]]
    expected = [shown(view, subject, **given) for view, given in each]
    assert sum(bool(arrays) for _, arrays in expected) > TAPS
    _forget(monkeypatch)
    device = request.getfixturevalue("device")
    for (view, given), wanted in zip(each, expected, strict=True):
        assert_close(f"{view.name} {given}", shown(view, subject, **given), wanted)
    assert device.count > 100


def assert_close(name: str, found: Any, wanted: Any) -> None:
    """Compare headers and arrays, numbers up to rounding: the order of a sum may be another one."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), name
        for key, value in wanted.items():
            assert_close(f"{name}: {key}", found[key], value)
    elif isinstance(wanted, list | tuple):
        assert len(found) == len(wanted), name
        for one, other in zip(found, wanted, strict=True):
            assert_close(name, one, other)
    elif isinstance(wanted, float | np.ndarray):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6, err_msg=name)
    else:
        assert found == wanted, name
