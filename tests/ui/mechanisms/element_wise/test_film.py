"""The recorded networks, one of which dies: what they make of a picture, against torch's own norm in float64."""

from pathlib import Path
from types import SimpleNamespace
from typing import Literal, cast

import numpy as np
import pytest
import torch
from torch.nn.functional import batch_norm

from attnviz.errors import BadInput
from attnviz.subjects import Subject
from attnviz.ui.mechanisms.element_wise import view
from attnviz.views.payload import unpack


def test_the_courses_of_nets_that_die_are_shipped() -> None:
    found = view.courses()
    assert found
    dead, alive = found["courses"]
    assert (dead["dead"], alive["dead"]) == (True, False)
    assert min(layer["above"] for layer in dead["steps"][-1]) == 0
    assert len(dead["steps"]) > max(view.STEPS)


@pytest.mark.parametrize("fate", ["dies", "lives"])
def test_the_maps_are_what_the_recorded_norms_make_of_a_picture(fate: Literal["dies", "lives"]) -> None:
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    subject = cast(Subject, SimpleNamespace(image=image))
    header, arrays = unpack(view.film_payload(subject, view.OfFate(fate=fate)))
    found = view.courses()
    assert found
    (course,) = (one for one in found["courses"] if one["dead"] == (fate == "dies"))
    assert arrays["maps"].shape == (course["layers"] * len(view.STEPS), 5, 7)
    assert header["labels"][len(view.STEPS) + 2] == f"layer 2, step {view.STEPS[2]}"
    for number, step in enumerate(view.STEPS):
        flowing = (torch.tensor(image).double().mean(2) / 255)[None, None]
        for layer, norm in enumerate(course["steps"][step]):
            mean, variance, scale, shift, bias = (
                torch.tensor([norm[name]], dtype=torch.float64)
                for name in ("mean", "variance", "scale", "shift", "bias")
            )
            flowing = batch_norm(flowing + bias, mean, variance, scale, shift, eps=1e-5).relu()
            shown = arrays["maps"][layer * len(view.STEPS) + number]
            np.testing.assert_allclose(shown, flowing[0, 0], rtol=1e-6, atol=1e-9)


def test_without_a_recording_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(view, "DYING", tmp_path / "none.json")
    view.courses.cache_clear()
    try:
        with pytest.raises(BadInput, match=r"There is no recording of a network that lives\."):
            view.film_payload(cast(Subject, None), view.OfFate(fate="lives"))
    finally:
        view.courses.cache_clear()
