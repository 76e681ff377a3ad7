"""What the explorer shows of a model that draws random numbers is of one draw: taps, answer and Jacobian alike."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnviz import subjects
from attnviz.data import strokes
from attnviz.measures.jacobian import toward
from attnviz.subjects import Loaded, Picture, Subject
from attnviz.ui.live import jacobian
from attnviz.ui.live.derived import Context
from attnviz.ui.live.jacobian_view import JACOBIAN_VIEW, computed, steps
from attnviz.ui.live.tap_view import TAP_VIEW
from attnviz.ui.shared import inference
from attnviz.views.payload import unpack

NAME = "recurrent_attention.digits-two-scales"
PAGE = Path(__file__).parents[3] / "pages" / "00_explorer.py"


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return subjects.net(NAME).load(double=True)


def along(loaded: Loaded, pictures: torch.Tensor, seed: int | None) -> torch.Tensor:
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    with torch.no_grad():
        logits: torch.Tensor = loaded.model(pictures, generator=generator)
    return logits


def test_another_path_gives_other_answers(loaded: Loaded) -> None:
    """Else the tests below could not fail."""
    pictures = torch.from_numpy(strokes.load("test", 300)[0].transpose(0, 3, 1, 2) / 255)
    assert (along(loaded, pictures, 0).argmax(1) != along(loaded, pictures, None).argmax(1)).any()


def test_jacobian_and_taps_are_of_the_same_draw(loaded: Loaded) -> None:
    example = Picture("strokes", 23)
    subject = Subject(loaded.net, example)
    batch = inference.batch_of(loaded, example)
    answer = along(loaded, batch, 0).argmax(1)
    found = computed(loaded, example)
    assert found.answer == loaded.net.classes[int(answer)]
    step = 1e-6
    for pixel in np.abs(found.values).ravel().argsort()[-5:]:
        ends = []
        for sign in (1, -1):
            moved = batch.clone()
            moved.view(-1)[pixel] += sign * step
            ends.append(float(toward(along(loaded, moved, 0), answer)))
        assert found.values.flat[pixel] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-4)
        up, down = steps(loaded, example, (int(pixel),))[:, 0]
        assert up == pytest.approx(found.values.flat[pixel], rel=1e-9)
        assert down == pytest.approx(found.values.flat[pixel], rel=1e-9)
    header, _ = unpack(JACOBIAN_VIEW.of(subject))
    _, arrays = unpack(TAP_VIEW.of(subject, address="glimpses.belief"))
    assert header["origin"]["answer"] == found.answer
    last = next(values for values in arrays.values() if values.size % len(loaded.net.classes) == 0)
    beliefs = np.asarray(last).reshape(-1, len(loaded.net.classes))
    np.testing.assert_allclose(beliefs[-1], along(loaded, batch, 0).softmax(1)[0], rtol=1e-4)


def test_over_the_live_channel_it_is_of_the_draw_of_the_request(loaded: Loaded) -> None:
    pictures = torch.from_numpy(strokes.load("test", 3)[0].transpose(0, 3, 1, 2) / 255)

    def asked(seed: int | None) -> torch.Tensor:
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        if generator is not None:
            loaded.model(pictures, generator=generator)  # the pass of the request has drawn already
        context: Any = Context(loaded, pictures, jacobian.OfAnswer(answer="3"), generator)
        return jacobian.compute(context).tensor

    step = 1e-6
    for seed in (None, 0, 5):
        found = asked(seed)
        for place in range(3):
            pixel = int(found[place].abs().argmax())
            moved = pictures.clone().repeat(2, 1, 1, 1).view(2, 3, -1)
            moved[0, place, pixel] += step
            moved[1, place, pixel] -= step
            up, down = (along(loaded, one.view_as(pictures), seed)[place, 3] for one in moved)
            assert float(found[place].view(-1)[pixel]) == pytest.approx(float(up - down) / (2 * step), rel=1e-4)


def test_the_explorer_says_of_which_draw() -> None:
    from streamlit.testing.v1 import AppTest

    for name, says in ((NAME, True), ("pixel_attention.1v8", False)):
        for shown in ("attention", "jacobian"):
            test = AppTest.from_file(PAGE, default_timeout=120)
            test.query_params.update({"model": name, "data": "strokes", "number": "23", "map": shown})
            test.run()
            assert not test.exception
            assert any("all come from draw 1" in one.value for one in test.caption) is says
