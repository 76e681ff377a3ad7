"""What the stage grid is given of a trained model, against what the model says at its taps."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz import data
from attnviz.answers import as_batch
from attnviz.data import samples
from attnviz.subjects import Picture, Subject, net
from attnviz.tracing import trace
from attnviz.ui.mechanisms.element_wise import stages
from attnviz.ui.shared import cache, inference
from tests.browser.apps.element_wise_nets import compute_stages as spelled_out

from .placed import NETS


@pytest.mark.parametrize("name", NETS)
def test_the_arrays_of_a_model_give_its_stages(here: Path, name: str) -> None:
    loaded = net(f"element_wise.{name}").load(double=True)
    source = NETS[name][0]
    picture = Picture(source, int(samples.read(source).numbers[5]))
    view = stages.view(loaded, picture)
    with torch.no_grad(), trace(loaded.model) as seen:
        logits = loaded.model(inference.batch_of(loaded, picture))
    np.testing.assert_allclose(view.logits, logits[0], atol=1e-12)
    assert view.label == data.DATASETS[source].classes[samples.read(source).labels[5]]
    for layer, stage in zip(view.layers, spelled_out(view), strict=True):
        for tap, values in stage.items():
            shown = seen[f"{layer.path}.{tap}"].tensor[0].numpy()
            np.testing.assert_allclose(values, shown, atol=1e-9 * max(1, np.abs(shown).max()), err_msg=tap)


def test_the_pass_over_the_other_picture_ends_at_the_first_layer(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, picture = net("element_wise.small").load(double=True), Picture("fashion_mnist", 0)
    other = picture.of_another_class(loaded.net.classes)
    assert other is not None
    first, last = next(iter(stages.layers_of(loaded.model))), list(loaded.model.modules())[-1]
    reached: list[torch.Tensor] = []
    last.register_forward_hook(lambda *seen: reached.append(seen[-1]))
    view = stages.view(loaded, picture)
    assert len(reached) == 1, "for the picture itself"
    with torch.no_grad(), trace(loaded.model, [f"{first}.input"]) as seen:
        loaded.model(inference.batch_of(loaded, other))
    assert view.other is not None and view.other.number == other.number
    np.testing.assert_array_equal(view.other.input, seen[f"{first}.input"].tensor[0])


def test_blocks_of_pixels_are_told(here: Path) -> None:
    view = stages.view(net("element_wise.blocks").load(double=True), Picture("fashion_mnist", 0))
    assert (view.block, view.input.shape) == (4, (16, 7, 7))
    assert stages.view(net("element_wise.colour").load(double=True), Picture("cifar10", 0)).block == 1


def test_another_picture_shows_another_class(here: Path) -> None:
    few = samples.read("fashion_mnist")
    picture = Picture("fashion_mnist", int(few.numbers[0]))
    view = stages.view(net("element_wise.small").load(double=True), picture)
    assert view.other
    assert few.labels[np.flatnonzero(few.numbers == view.other.number)[0]] != few.labels[0]
    image = few.images[np.flatnonzero(few.numbers == view.other.number)[0]]
    np.testing.assert_allclose(view.other.input, image.transpose(2, 0, 1) / 255)


def test_the_mean_relevance_is_that_of_all_samples(here: Path) -> None:
    loaded = net("element_wise.small").load(double=True)
    means = stages.mean_relevance(loaded)
    images = samples.read("fashion_mnist").images
    batch = as_batch(images, double=True)
    with torch.no_grad(), trace(loaded.model, ["*.normed_relevance"]) as seen:
        loaded.model(batch)
    for path, mean in means.items():
        np.testing.assert_allclose(mean, seen[f"{path}.normed_relevance"].tensor.mean(0), atol=1e-12)


def test_the_mean_relevance_is_that_of_drawn_digits_where_the_net_s_own_data_are_not_here(here: Path) -> None:
    loaded = net("element_wise.small").load(double=True)
    digits = replace(loaded.net, data="mnist", classes=data.DATASETS["mnist"].classes)
    means = stages.mean_relevance(loaded._replace(net=digits))
    batch = as_batch(data.load("strokes", "test", count=stages.FEW).images, double=True)
    with torch.no_grad(), trace(loaded.model, ["*.normed_relevance"]) as seen:
        loaded.model(batch)
    for path, mean in means.items():
        np.testing.assert_allclose(mean, seen[f"{path}.normed_relevance"].tensor.mean(0), atol=1e-12)


def test_another_picture_computes_nothing_of_the_net_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, of = samples.read("fashion_mnist").numbers, net("element_wise.normed")
    first, second = (Subject(of, Picture("fashion_mnist", int(number))) for number in few[:2])
    before = cache.of_subject(stages.view, first)

    def again(*given: object) -> None:
        raise AssertionError("What is known of the layers was computed again.")

    monkeypatch.setattr(stages, "_layer", again)
    after = cache.of_subject(stages.view, second)
    for one, other in zip(before.layers, after.layers, strict=True):
        np.testing.assert_array_equal(one.mean, other.mean)


def test_what_is_measured_of_a_layer_is_what_numpy_gives(here: Path) -> None:
    loaded, picture = net("element_wise.small").load(double=True), Picture("fashion_mnist", 0)
    view = stages.view(loaded, picture)
    each = spelled_out(view)
    measured = stages.measure(loaded, picture)
    for number, (one, stage) in enumerate(zip(measured, each, strict=True)):
        given = each[number - 1]["output"] if number else view.input
        rms = [np.sqrt((values**2).mean()) for values in (stage["attended"], stage["after_conv"], given)]
        assert one.variance == pytest.approx(stage["relevance"].var())
        assert (one.gain, one.convolved) == (pytest.approx(rms[0] / rms[2]), pytest.approx(rms[1] / rms[2]))
        assert one.cut == pytest.approx((stage["after_norm"] < 0).mean())
        assert one.eps == 1e-5
