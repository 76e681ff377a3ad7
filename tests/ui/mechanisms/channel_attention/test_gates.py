"""What the page is given of gates: the numbers of each gate, what is computed from many pictures, and the maps."""

from pathlib import Path

import numpy as np
import pytest

from attnviz.subjects import Picture, Subject, net
from attnviz.ui.components import gates as component
from attnviz.ui.components.payload import unpack
from attnviz.ui.mechanisms.channel_attention import block, gates, many, stages
from attnviz.ui.mechanisms.channel_attention.view import BLOCKS_VIEW, GATES_VIEW

from .placed import NETS, SHOWN
from .spelled import Spelled

WHERE = {"digits": Picture("strokes", 23), "digits-cbam": Picture("strokes", 23), "wide": Picture("cifar10", 0)}


def spelled(here: Path, name: str) -> Spelled:
    found = net(f"channel_attention.{name}")
    return Spelled(here / found.key, picture_of(name).taken_by(found), dict(NETS[name][1]))


def picture_of(name: str) -> Picture:
    from attnviz import data

    if name != "wide":
        return WHERE[name]
    return Picture("cifar10", int(data.shown("cifar10").numbers[0]))


@pytest.mark.parametrize("name", WHERE)
def test_every_gate_and_what_it_is_computed_from_are_those_of_the_spelled_out_network(here: Path, name: str) -> None:
    loaded = net(f"channel_attention.{name}").load(double=True)
    found, wanted = gates.view(loaded, picture_of(name)), spelled(here, name)
    assert len(found.layers) == len(wanted.gates)
    for layer, one in zip(found.layers, wanted.gates, strict=True):
        np.testing.assert_allclose(layer.gate, one["gate"], atol=1e-6)
        np.testing.assert_allclose(layer.squeezed, one["squeezed"], atol=1e-6)
        np.testing.assert_allclose(layer.excite @ layer.reduced + layer.shift, one["score"], atol=1e-6)
        np.testing.assert_allclose(
            np.maximum(layer.reduce @ one["squeezed"] + layer.reduce_shift, 0), one["reduced"], atol=1e-6
        )
        if "place" in one:
            assert layer.space is not None
            np.testing.assert_allclose(layer.space, one["place"], atol=1e-6)
    np.testing.assert_allclose(found.probabilities, wanted.probabilities, atol=1e-6)


def test_the_scores_of_bam_give_its_gates_with_the_scores_of_places(here: Path) -> None:
    found = gates.view(net("channel_attention.digits-bam").load(double=True), WHERE["digits"])
    assert [layer.title for layer in found.layers] == ["Stage 1", "Stage 2", "Stage 3"]
    for layer in found.layers:
        score = layer.excite @ layer.reduced + layer.shift
        assert layer.space is not None
        full = 1 / (1 + np.exp(-(score[:, None, None] + layer.space)))
        np.testing.assert_allclose(full.mean((1, 2)), layer.gate, atol=1e-9)
        assert layer.form == "one plus"


def test_means_over_many_pictures_are_those_of_the_pictures_one_by_one(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many, "PICTURES", 7)
    monkeypatch.setattr(many, "BATCH", 3)
    loaded = net("channel_attention.digits-cbam").load(double=True)
    found = many.over(loaded, "strokes")
    each = [gates.of_picture(loaded, Picture("strokes", number)) for number in range(7)]
    for number, (path, gates_of) in enumerate(found.gates.items()):
        np.testing.assert_allclose(gates_of, [one[number] for one in each], atol=1e-5)
        np.testing.assert_allclose(found.means[f"{path}.gate"], np.mean([one[number] for one in each], 0), atol=1e-5)
        assert found.means[f"{path}.space_gate"].ndim == 2
    assert found.said == "7 test pictures of Strokes"
    assert [int(label) for label in found.labels] == [int(Picture("strokes", number).target) for number in range(7)]


@pytest.mark.parametrize("name", WHERE)
def test_the_maps_before_and_after_a_gate_are_those_of_the_spelled_out_network(here: Path, name: str) -> None:
    found = stages.view(net(f"channel_attention.{name}").load(double=True), picture_of(name))
    assert list(found.stages) == list(block.IN_BLOCK)
    for layer, wanted in zip(found.layers, spelled(here, name).stages, strict=True):
        assert list(layer.stages) == list(block.IN_BLOCK)
        for stage, maps in wanted.items():
            np.testing.assert_allclose(layer.stages[stage].maps, maps, rtol=1e-4, atol=1e-4, err_msg=stage)


def test_the_gate_of_bam_comes_after_the_block(here: Path) -> None:
    found = stages.view(net("channel_attention.digits-bam").load(double=True), WHERE["digits"])
    assert list(found.stages)[-2:] == ["output", "gate"]
    for layer in found.layers:
        ratio = (
            layer.stages["gate"].maps[layer.stages["output"].maps > 0]
            / (layer.stages["output"].maps[layer.stages["output"].maps > 0])
        )
        assert (ratio >= 1).all()
        assert (ratio <= 2).all()


@pytest.mark.parametrize("name", SHOWN)
def test_views_are_what_the_components_take(here: Path, name: str) -> None:
    subject = Subject(net(f"channel_attention.{name}"), picture_of(name) if name in WHERE else WHERE["digits"])
    header, arrays = unpack(GATES_VIEW.of(subject))
    assert arrays["0.put_mean"].dtype == np.float32
    assert len(header["layers"]) == len(subject.net.config["widths"])
    assert header["other"] is not None
    assert len(unpack(BLOCKS_VIEW.of(subject))[0]["layers"]) == len(header["layers"])
    assert set(component.FIELDS.defaults) & set(block.FIELDS.defaults) == {"layer", "channel"}, "which link the two"
