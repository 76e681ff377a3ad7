"""What a page gets of a model and a picture, against the model itself."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnviz import checkpoints, data, subjects
from attnviz.subjects import Loaded, Picture
from attnviz.ui.shared import inference
from tests.ui import colour_model

NAME = "pixel_attention.1v8"


EIGHT = Picture("strokes", int(np.flatnonzero(data.labels("strokes", "test") == 8)[0]))


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return subjects.net(NAME).load(double=True)


def test_what_is_shown_exactly_is_what_the_net_computes_in_single_precision(loaded: Loaded) -> None:
    single = checkpoints.load(NAME).model(inference.batch_of(loaded, EIGHT).float())
    double = loaded.model(inference.batch_of(loaded, EIGHT))
    assert double.dtype == torch.float64
    assert torch.allclose(single.double(), double, rtol=1e-4)


def test_a_control_has_nothing_to_hear() -> None:
    assert inference.list_taps(subjects.net("pixel_line.1v8").load(double=True)) == {}


def test_answers_are_labels_for_known_classes_and_minus_one_for_others() -> None:
    few = data.load("strokes", "test", count=200)
    loaded = subjects.net(NAME).load()
    found = inference.answers(loaded, "strokes", "test", 0, 200)
    known = np.isin(few.labels, (1, 8))
    assert set(found[known]) == {1, 8}
    assert set(found[~known]) == {-1}
    assert (found[known] == few.labels[known]).mean() > 0.9
    assert inference.answers(loaded, "strokes", "test", 150, 30).tolist() == found[150:180].tolist()


def test_what_is_heard_of_a_model_says_where_its_tokens_lie(colour: str) -> None:
    found = inference.list_taps(subjects.net(colour).load(double=True))
    assert found["attention.weights"].shape == (1, 2, 64, 64)
    assert found["attention.weights"].grid == colour_model.grid({})


class Drawing(torch.nn.Module):
    def forward(self, images: torch.Tensor, *, generator: torch.Generator) -> torch.Tensor:
        return torch.randn(len(images), 2, generator=generator)


def test_a_model_that_draws_random_numbers_gets_a_generator_of_the_seed(loaded: Loaded) -> None:
    drawing = Loaded(Drawing(), replace(loaded.net, takes=("generator",)))
    batch = torch.zeros(3, 1, 28, 28)
    assert torch.equal(inference.ask(drawing, batch, seed=4), inference.ask(drawing, batch, seed=4))
    assert not torch.equal(inference.ask(drawing, batch, seed=4), inference.ask(drawing, batch, seed=5))
