"""What the page is given of gates: the numbers of each gate, what is computed from many pictures, and the maps."""

from pathlib import Path

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.subjects import Picture, Subject, net
from attnviz.ui.components import gates as component
from attnviz.ui.mechanisms.channel_attention import gates, stages, words
from attnviz.ui.mechanisms.channel_attention.view import BLOCKS_VIEW, GATES_VIEW, in_url
from attnviz.ui.shared import cache
from attnviz.views.payload import unpack
from tests.ui.brought import bring

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
    monkeypatch.setattr(gates, "PICTURES", 7)
    monkeypatch.setattr(gates, "BATCH", 3)
    loaded = net("channel_attention.digits-cbam").load(double=True)
    found = gates.over(loaded, "strokes")
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
    assert list(found.stages) == list(words.IN_BLOCK)
    for layer, wanted in zip(found.layers, spelled(here, name).stages, strict=True):
        assert list(layer.stages) == list(words.IN_BLOCK)
        for stage, maps in wanted.items():
            np.testing.assert_allclose(layer.stages[stage].maps, maps, rtol=1e-4, atol=1e-4, err_msg=stage)


@pytest.mark.parametrize("name", ["digits", "digits-cbam"])
def test_the_maps_follow_gates_that_are_turned(here: Path, name: str) -> None:
    found = net(f"channel_attention.{name}")
    put = {0: np.array([np.nan, np.nan, 0.25, np.nan]), 1: np.array([np.nan] * 5 + [1.0])}
    wanted = Spelled(here / found.key, picture_of(name).taken_by(found), dict(NETS[name][1]), put)
    turned = stages.view(found.load(double=True), picture_of(name), turned="1.3-25,2.6-100")
    assert turned.origin["turned"] == "1.3-25,2.6-100"
    for layer, one in zip(turned.layers, wanted.stages, strict=True):
        for stage, maps in one.items():
            np.testing.assert_allclose(layer.stages[stage].maps, maps, rtol=1e-4, atol=1e-4, err_msg=stage)
    own = stages.view(found.load(double=True), picture_of(name))
    assert not np.allclose(own.layers[0].stages["gate"].maps[2], turned.layers[0].stages["gate"].maps[2], atol=1e-4)


def test_the_maps_follow_gates_that_are_replaced_all_together(here: Path) -> None:
    found = net("channel_attention.digits")
    ones = {number: np.ones(width) for number, width in enumerate((4, 6, 8))}
    wanted = Spelled(here / found.key, WHERE["digits"].taken_by(found), dict(NETS["digits"][1]), ones)
    for layer, one in zip(
        stages.view(found.load(double=True), WHERE["digits"], "one").layers, wanted.stages, strict=True
    ):
        np.testing.assert_allclose(layer.stages["gate"].maps, one["gate"], rtol=1e-4, atol=1e-4)
    subject = Subject(found, WHERE["digits"])
    own = gates.view(found.load(double=True), WHERE["digits"])
    mean = {number: layer.mean for number, layer in enumerate(own.layers)}
    at_mean = Spelled(here / found.key, WHERE["digits"].taken_by(found), dict(NETS["digits"][1]), mean).stages
    _, arrays = unpack(BLOCKS_VIEW.of(subject, gates="mean"))
    np.testing.assert_allclose(arrays["2.output"], at_mean[2]["output"], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("turned", ["4.1-50", "1.5-50", "1.1-101"])
def test_a_gate_that_there_is_not_is_refused(here: Path, turned: str) -> None:
    subject = Subject(net("channel_attention.digits"), WHERE["digits"])
    with pytest.raises(BadInput, match="There is no gate"):
        BLOCKS_VIEW.of(subject, turned=turned)
    assert in_url(subject, {"turned": turned, "gates": "one"}) == {"gates": "one", "turned": ""}
    for nonsense in ("abc", "1.5", "1.1-20,1.1-80", ",".join(["1.1-20"] * 700)):
        assert in_url(subject, {"turned": nonsense}) == {"gates": "own", "turned": ""}
    assert in_url(subject, {"turned": "1.2-50,3.8-0"}) == {"gates": "own", "turned": "1.2-50,3.8-0"}


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
    assert arrays["0.tap.mean"].dtype == np.float32
    assert len(header["layers"]) == len(subject.net.config["widths"])
    assert header["other"] is not None
    assert len(unpack(BLOCKS_VIEW.of(subject))[0]["layers"]) == len(header["layers"])
    assert set(component.FIELDS.defaults) & set(words.STAGE_FIELDS.defaults) == {"layer", "channel"}, (
        "which link the two"
    )


def test_once_the_data_set_is_here_its_samples_are_no_longer_what_gates_usually_are(here, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    subject = Subject(net("channel_attention.wide"), picture_of("wide"))
    assert "sample pictures" in cache.of_subject(gates.view, subject).many
    bring(tmp_path, "cifar10")
    assert cache.of_subject(gates.view, subject).many == "500 test pictures of CIFAR-10"


def test_the_pass_over_the_other_picture_serves_again_once_that_one_is_looked_at(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    its_net, first = net("channel_attention.digits"), Picture("strokes", 31)
    other = first.of_another_class(its_net.classes)
    assert other is not None
    passed: list[str] = []
    seen = gates._seen
    monkeypatch.setattr(gates, "_seen", lambda loaded, one, taps: passed.append(one.key) or seen(loaded, one, taps))
    cache.of_subject(gates.view, Subject(its_net, first))
    assert passed == [first.key, other.key]
    found = cache.of_subject(gates.view, Subject(its_net, other))
    assert passed[2:] == [one.key for one in [other.of_another_class(its_net.classes)] if one]
    plain, _ = seen(cache.exact(its_net), other, [f"{found.layers[0].path}.gate"])
    np.testing.assert_array_equal(found.layers[0].gate, plain[f"{found.layers[0].path}.gate"].tensor[0])
