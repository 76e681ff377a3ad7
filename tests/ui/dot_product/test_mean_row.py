"""The least uniform head of a model of other classes than digits; the rest: tests/ui/live/test_answer_derived.py."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from attnviz import data, subjects
from attnviz.errors import BadInput
from attnviz.models import MODELS
from attnviz.subjects import Loaded
from attnviz.tracing import trace
from attnviz.ui.dot_product.mean_row import least_uniform
from tests.ui import colour_model


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loaded:
    monkeypatch.setitem(MODELS, "colour_blocks", colour_model.ROW)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(colour_model.lay(tmp_path)))
    return subjects.net(colour_model.NAME).load(double=True)


def test_it_is_chosen_on_pictures_of_the_models_own_classes(photos: Loaded) -> None:
    images, labels = data.load("cifar10", "samples")
    batch = torch.from_numpy(np.stack([images[labels == label][0] for label in range(10)])).movedim(3, 1) / 255
    asked: list[Tensor] = []
    watching = photos.model.register_forward_pre_hook(lambda model, given: asked.append(given[0]))
    found = least_uniform(photos, "attention")
    watching.remove()
    assert torch.allclose(asked[0], batch.double(), atol=1e-6)
    # Apart, spelled out: the head whose mean row has the smallest entropy.
    with torch.no_grad(), trace(photos.model, "attention.weights") as seen:
        photos.model(batch.double())
    entropies = []
    inked = batch.unfold(2, 4, 4).unfold(3, 4, 4).amax((1, 4, 5)).flatten(1) > 0  # (picture, token)
    for weights, has in zip(seen["attention.weights"].tensor, inked, strict=True):
        mean = weights[:, has].mean(1)
        entropies.append(-(mean * mean.log()).sum(1))
    assert found == int(torch.stack(entropies).mean(0).argmin())


def test_of_classes_without_pictures_that_are_always_here_a_head_has_to_be_named(
    photos: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(data.DATASETS, "theirs", data.DATASETS["cifar10"])
    theirs = replace(photos.net, data="theirs")
    with pytest.raises(BadInput, match="There are no built-in pictures of theirs .* Name a head"):
        least_uniform(photos._replace(net=theirs), "attention")
