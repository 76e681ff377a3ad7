"""What the stage grid is given of a trained model, against what the model says at its taps."""

from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz import data
from attnviz.answers import as_batch
from attnviz.data import samples
from attnviz.tracing import trace
from attnviz.ui.mechanisms.element_wise import stages
from attnviz.ui.shared import inference
from tests.browser.apps.element_wise_nets import stages as spelled_out

from .placed import NETS


@pytest.mark.parametrize("name", NETS)
def test_the_arrays_of_a_model_give_its_stages(here: Path, name: str) -> None:
    checkpoint = inference.exactly(f"element_wise.{name}")
    source = NETS[name][0]
    number = int(samples.read(source).numbers[5])
    view = stages.view(checkpoint, source, number)
    with torch.no_grad(), trace(checkpoint.model) as seen:
        logits = checkpoint.model(stages.batch_of(checkpoint, source, number))
    np.testing.assert_allclose(view.logits, logits[0], atol=1e-12)
    assert view.label == data.DATASETS[source].classes[samples.read(source).labels[5]]
    for layer, said in zip(view.layers, spelled_out(view), strict=True):
        for tap, values in said.items():
            shown = seen[f"{layer.path}.{tap}"].tensor[0].numpy()
            np.testing.assert_allclose(values, shown, atol=1e-9 * max(1, np.abs(shown).max()), err_msg=tap)


def test_blocks_of_pixels_are_told(here: Path) -> None:
    view = stages.view(inference.exactly("element_wise.blocks"), "fashion_mnist", 0)
    assert (view.block, view.input.shape) == (4, (16, 7, 7))
    assert stages.view(inference.exactly("element_wise.colour"), "cifar10", 0).block == 1


def test_another_picture_shows_another_class(here: Path) -> None:
    few = samples.read("fashion_mnist")
    number = int(few.numbers[0])
    view = stages.view(inference.exactly("element_wise.small"), "fashion_mnist", number)
    assert view.other
    assert few.labels[np.flatnonzero(few.numbers == view.other[0])[0]] != few.labels[0]
    image = few.images[np.flatnonzero(few.numbers == view.other[0])[0]]
    np.testing.assert_allclose(view.other[1], image.transpose(2, 0, 1) / 255)


def test_the_mean_relevance_is_that_of_all_samples(here: Path) -> None:
    checkpoint = inference.exactly("element_wise.small")
    means = stages.mean_relevance(checkpoint)
    images = samples.read("fashion_mnist").images
    batch = as_batch(images, double=True)
    with torch.no_grad(), trace(checkpoint.model, ["*.normed_relevance"]) as seen:
        checkpoint.model(batch)
    for path, mean in means.items():
        np.testing.assert_allclose(mean, seen[f"{path}.normed_relevance"].tensor.mean(0), atol=1e-12)


def test_what_is_measured_of_a_layer_is_what_numpy_gives(here: Path) -> None:
    checkpoint = inference.exactly("element_wise.small")
    view = stages.view(checkpoint, "fashion_mnist", 0)
    said = spelled_out(view)
    measured = stages.measure(checkpoint, "fashion_mnist", 0)
    for number, (one, stage) in enumerate(zip(measured, said, strict=True)):
        given = said[number - 1]["output"] if number else view.input
        rms = [np.sqrt((values**2).mean()) for values in (stage["attended"], stage["after_conv"], given)]
        assert one.variance == pytest.approx(stage["relevance"].var())
        assert (one.gain, one.convolved) == (pytest.approx(rms[0] / rms[2]), pytest.approx(rms[1] / rms[2]))
        assert one.cut == pytest.approx((stage["after_norm"] < 0).mean())
        assert one.eps == 1e-5
