"""The pass with an eps, a skip or a relevance of one's own, against numpy; the model itself stays as it is."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz.data import samples
from attnviz.errors import BadInput
from attnviz.subjects import Picture, Subject, net
from attnviz.ui.live.answer import Computed
from attnviz.ui.mechanisms.element_wise import stages
from attnviz.ui.mechanisms.element_wise.view import STAGES_VIEW
from attnviz.views.payload import unpack
from tests.browser.apps.element_wise_nets import Switches
from tests.browser.apps.element_wise_nets import compute_stages as spelled_out
from tests.ui.mechanisms.asked import ask_net

from .placed import NETS


def ask(
    name: str, image: np.ndarray, parameters: dict[str, Any], edits: Any = (), derived: str = "element_wise"
) -> Computed:
    return ask_net(name, image, {"it": {"derived": derived, "parameters": parameters}}, edits=list(edits))


def logits(name: str, parameters: dict[str, Any], edits: Any = (), number: int = 0) -> np.ndarray:
    image = Picture(NETS[name.partition(".")[2]][0], number).picture
    return ask(name, image, parameters, edits).logits[0].numpy()


def expected(name: str, switches: Switches, number: int = 0) -> np.ndarray:
    model, its_net = loaded = net(name).load(double=True)
    view = stages.view(loaded, Picture(str(its_net.data), number))
    line = model.classifier
    return line.weight.numpy() @ spelled_out(view, switches)[-1]["output"].ravel() + line.bias.numpy()


@pytest.mark.parametrize("name", [f"element_wise.{net}" for net in NETS])
@pytest.mark.parametrize(
    ("parameters", "switches"),
    [({}, Switches()), ({"skip": False}, Switches(skip=False)), ({"eps": 1e-9}, Switches(eps=1e-9))],
)
def test_eps_and_skip(here: Path, name: str, parameters: dict[str, Any], switches: Switches) -> None:
    if name == "element_wise.blocks" and "eps" in parameters:
        with pytest.raises(BadInput, match="no eps to change"):
            logits(name, parameters)
        return
    wanted = expected(name, switches)
    np.testing.assert_allclose(logits(name, parameters), wanted, atol=1e-4 * np.abs(wanted).max())
    np.testing.assert_allclose(logits(name, {}), expected(name, Switches()), atol=1e-4, err_msg="nothing has stayed")


def test_a_relevance_from_elsewhere(here: Path) -> None:
    name, few = "element_wise.small", samples.read("fashion_mnist")
    view = stages.view(net(name).load(double=True), Picture("fashion_mnist", 0))
    ones = [np.ones_like(layer.x_weights) for layer in view.layers]
    zeros = [np.zeros_like(layer.x_weights) for layer in view.layers]
    means = [layer.mean for layer in view.layers]
    other = replace(view, input=few.images[7].transpose(2, 0, 1) / 255)
    borrowed = [stage["normed_relevance"] for stage in spelled_out(other)]
    number = {"data": "fashion_mnist", "other": int(few.numbers[7])}
    for parameters, relevance in (
        ({"relevance": "one"}, ones), ({"relevance": "zero"}, zeros), ({"relevance": "mean"}, means),
        ({"relevance": "other", **number}, borrowed),
    ):  # fmt: skip
        wanted = expected(name, Switches(relevance=relevance))
        np.testing.assert_allclose(
            logits(name, parameters), wanted, atol=1e-4 * np.abs(wanted).max(), err_msg=str(parameters)
        )


def test_heads_that_are_off_stay_off_in_such_a_pass(here: Path) -> None:
    edits = [{"edit": "off", "address": "layers.1.attended", "index": {"head": [0, 2]}}]
    wanted = expected("element_wise.small", Switches(skip=False, off=[(1, 0), (1, 2)]))
    found = logits("element_wise.small", {"skip": False}, edits)
    np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


def test_the_stages_of_named_layers_come_back(here: Path) -> None:
    image = samples.read("fashion_mnist").images[0]
    found = ask("element_wise.small", image, {"layers": ["layers.0", "layers.1"]}).found
    axes, output = found["it.output"]
    assert axes == ["batch", "layer", "channel", "row", "column"]
    view = stages.view(net("element_wise.small").load(double=True), Picture("fashion_mnist", 0))
    each = spelled_out(view)
    np.testing.assert_allclose(output[0], [one["output"] for one in each], atol=1e-5)
    np.testing.assert_allclose(found["it.attended"][1][0], [one["attended"].mean(0) for one in each], atol=1e-5)


@pytest.mark.parametrize("name", ["small", "blocks", "colour"])
def test_what_is_handed_on_is_laid_out_as_pictures(here: Path, name: str) -> None:
    source = NETS[name][0]
    image = samples.read(source).images[0]
    axes, found = ask(f"element_wise.{name}", image, {}, derived="handed_on").found["it"]
    assert axes == ["batch", "layer", "feature", "row", "column"]
    assert found.shape == (1, 2, 2, *image.shape[:2])
    picture = Picture(source, int(samples.read(source).numbers[0]))
    view = stages.view(net(f"element_wise.{name}").load(double=True), picture)
    stage = spelled_out(view)[1]
    side = image.shape[0] // view.block
    planes = stage["output"].reshape(image.shape[2], view.block, view.block, side, side).transpose(0, 3, 1, 4, 2)
    np.testing.assert_allclose(found[0, 1, 1], planes.reshape(image.shape[2], *image.shape[:2]).mean(0), atol=1e-4)


def test_the_view_of_the_stage_grid_is_the_same_however_it_is_asked_for(here: Path) -> None:
    subject = Subject(net("element_wise.small"), Picture("fashion_mnist", 0))
    header, arrays = unpack(STAGES_VIEW.of(subject))
    view = stages.view(subject.net.load(double=True), subject.example)
    assert (header["checkpoint"], header["asked"]) == (subject.net.key, {"data": "fashion_mnist", "number": 0})
    assert not {"state", "fields", "switches"} & header.keys(), "those belong to a page"
    np.testing.assert_array_equal(arrays["input"], view.input.astype(arrays["input"].dtype))
    np.testing.assert_array_equal(arrays["1.mean"], view.layers[1].mean)


def test_another_picture_must_be_named(here: Path) -> None:
    with pytest.raises(BadInput, match="its data set as"):
        logits("element_wise.small", {"relevance": "other"})
