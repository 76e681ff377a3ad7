"""The Jacobian over the live channel, against central differences of the model itself."""

from typing import Any

import numpy as np
import pytest
import torch

from attnviz import cards, checkpoints, models, subjects
from attnviz.answers import predicted
from attnviz.data import strokes
from attnviz.errors import BadInput, UnknownName
from attnviz.ui.live import jacobian
from attnviz.ui.live.derived import Context

from .asked import answer
from .live_server import request

IMAGE = strokes.load("test", 256)[0][3]
LINE, TWO, ATTENTION = "pixel_line.digits", "pixel_attention.1v8", "pixel_attention.digits"


def ask(name: str, image: np.ndarray = IMAGE, edits: tuple[dict, ...] = (), **parameters: Any) -> tuple[dict, dict]:
    wanted = {"slope": {"derived": "jacobian", "parameters": parameters}}
    asks = [{"checkpoint": name, "wanted": wanted, "edits": [*edits]}]
    return answer(request(1, {"pictures": image}, asks=asks))


@pytest.mark.parametrize("name", [LINE, TWO, ATTENTION])
def test_it_is_the_slope_of_the_answers_logit(name: str) -> None:
    header, arrays = ask(name)
    assert header["axes"] == {"slope": ["batch", "channel", "row", "column"]}
    assert header["parameters"] == {"slope": {"answer": None}}
    model = checkpoints.load(name).model.double()
    pixels = torch.from_numpy(IMAGE.transpose(2, 0, 1)[None] / 255 * 0.99 + 0.005)  # between the levels of 8 bits
    logits = model(pixels)[0]
    answer = int(predicted(logits[None]))
    assert answer == arrays["probabilities"][0].argmax()

    def said(pictures: torch.Tensor) -> torch.Tensor:
        found = model(pictures)
        return found[:, 0] * (2 * answer - 1) if found.shape[1] == 1 else found[:, answer]

    step = 1e-6
    for row, column in [(5, 5), (14, 14), (9, 12), (20, 15)]:
        moved = torch.zeros_like(pixels)
        moved[0, 0, row, column] = step
        slope = (said(pixels + moved) - said(pixels - moved)) / (2 * step)
        found = jacobian.compute(context(name, pixels)).tensor[0, 0, row, column]
        assert found == pytest.approx(float(slope), rel=1e-5, abs=1e-7)
    exact = jacobian.compute(context(name, torch.from_numpy(IMAGE.transpose(2, 0, 1)[None] / 255))).tensor
    np.testing.assert_allclose(arrays["slope"], exact, rtol=1e-3, atol=1e-4 * exact.abs().max())


def context(name: str, pixels: torch.Tensor) -> Any:
    return Context(subjects.net(name).load(double=True), pixels, jacobian.OfAnswer())


def test_the_logit_of_another_class_can_be_asked_for() -> None:
    weight = checkpoints.load(LINE).model.classifier.weight / checkpoints.load(LINE).model.standardise.std
    for digit in "07":
        _, arrays = ask(LINE, answer=digit)
        np.testing.assert_allclose(arrays["slope"].reshape(-1), weight[int(digit)], rtol=1e-5)
    eight, one = (ask(TWO, answer=name)[1]["slope"] for name in ("8", "1"))
    np.testing.assert_array_equal(eight, -one)
    with pytest.raises(UnknownName, match="no class of pixel_line.digits '10'"):
        ask(LINE, answer="10")


def test_several_pictures_each_get_theirs() -> None:
    images = strokes.load("test", 256)[0][:3]
    _, arrays = ask(TWO, images)
    for image, found in zip(images, arrays["slope"], strict=True):
        np.testing.assert_allclose(found, ask(TWO, image)[1]["slope"][0], rtol=1e-4, atol=1e-5)
    with pytest.raises(BadInput, match="jacobian can be requested 16 times at once"):
        ask(TWO, strokes.load("test", 256)[0][:17])


@pytest.mark.parametrize("name", [name for name in cards.names() if name.endswith((".digits", ".1v8"))])
def test_a_model_that_counts_says_so_in_a_sentence(name: str) -> None:
    net = subjects.net(name)
    if models.spec(net.architecture).differentiable:
        assert jacobian.missing(net) is None
        assert np.isfinite(ask(name)[1]["slope"]).all()
        return
    with pytest.raises(BadInput, match=r"has no Jacobian: the model counts or rounds intensities.*\.$"):
        ask(name)


def test_it_is_not_given_with_edits() -> None:
    with pytest.raises(BadInput, match="without the edit of attention.mixed"):
        ask(TWO, edits=({"edit": "off", "address": "attention.mixed"},))
