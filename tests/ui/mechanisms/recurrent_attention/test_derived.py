"""A path over the live channel, against one that is spelled out: drawn, at the means, and with forced locations."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnviz.answers import as_batch
from attnviz.data import samples
from attnviz.errors import BadInput
from attnviz.subjects import Picture, Subject, net
from attnviz.ui.live.answer import Computed
from attnviz.ui.mechanisms.recurrent_attention import glances
from attnviz.ui.mechanisms.recurrent_attention.view import GLIMPSES_VIEW
from attnviz.ui.shared import cache
from attnviz.views.glimpses import GlimpseView
from attnviz.views.payload import header_of, with_header
from tests.ui.mechanisms.asked import ask_net

from .placed import NETS, SOURCE
from .spelled import Spelled, spelled


def image_of(name: str, number: int) -> np.ndarray:
    few = samples.read(SOURCE)
    return Picture(SOURCE, int(few.numbers[number])).taken_by(net(f"recurrent_attention.{name}"))


def ask(name: str, number: int, seed: int | None, locations: list[Any], **more: Any) -> Computed:
    wanted = {"path": {"derived": "glimpses", "parameters": {"locations": locations, **more}}}
    return ask_net(f"recurrent_attention.{name}", image_of(name, number), wanted, seed=seed)


def expected(name: str, number: int, seed: int | None, forced: dict[int, Any]) -> Spelled:
    model, its_net = cache.single(net(f"recurrent_attention.{name}"))
    config = {"size": 12, "scales": 3, **its_net.config}
    return spelled(model.state_dict(), config, image_of(name, number), seed, forced)


def same(said: Computed, wanted: Spelled) -> None:
    found = {name: (axes, values[0].numpy()) for name, (axes, values) in said.found.items()}
    assert found["path.location"][0] == ["batch", "glimpse", "feature"]
    assert found["path.corner"][0] == ["batch", "glimpse", "scale", "feature"]
    np.testing.assert_allclose(found["path.location"][1], wanted.locations, atol=1e-5)
    np.testing.assert_array_equal(found["path.corner"][1], wanted.corners)
    np.testing.assert_allclose(found["path.patches"][1], wanted.patches, atol=1e-5)
    np.testing.assert_allclose(found["path.belief"][1], wanted.beliefs, atol=1e-5)
    answer = np.exp(said.logits[0].double().numpy())
    np.testing.assert_allclose(answer / answer.sum(), wanted.beliefs[-1], atol=1e-5)


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("seed", [None, 0, 3])
def test_a_path_is_the_model_s_own(here: Path, name: str, seed: int | None) -> None:
    same(ask(name, 3, seed, []), expected(name, 3, seed, {}))


@pytest.mark.parametrize("name", ["small", "wide"])
@pytest.mark.parametrize(
    "locations", [[[-1, -1]], [None, [1, 1]], [None, [-0.95, 0.2], [0.31, -0.99]], [[0.5, 0.25], None, None]]
)
def test_the_path_follows_from_where_it_is_forced(here: Path, name: str, locations: list[Any]) -> None:
    forced = {number: one for number, one in enumerate(locations) if one is not None}
    said = ask(name, 5, 1, locations)
    same(said, expected(name, 5, 1, forced))
    first = min(forced)
    own, moved = ask(name, 5, 1, []).found["path.belief"][1][0], said.found["path.belief"][1][0]
    np.testing.assert_array_equal(own[:first], moved[:first])
    assert not np.allclose(own[first:], moved[first:], atol=1e-3), "the belief follows"


@pytest.mark.parametrize("name", ["small", "wide"])
def test_many_paths_are_drawn_at_once_each_for_itself(here: Path, name: str) -> None:
    said = ask(name, 3, 0, [None, [0.25, -0.5]], paths=50)
    model, its_net = cache.single(net(f"recurrent_attention.{name}"))
    batch = as_batch(image_of(name, 3)).expand(50, -1, -1, -1)
    forced = torch.full((1, its_net.config["glimpses"], 2), torch.nan)
    forced[0, 1] = torch.tensor([0.25, -0.5])
    with torch.no_grad():
        wanted = model.look(batch, generator=torch.Generator().manual_seed(0), locations=forced)
    assert set(said.found) == {"path.belief", "path.corner"}
    corners = model.glimpses.retina.corners(wanted.locations)[:, :, 0]
    np.testing.assert_array_equal(said.found["path.corner"][1], corners)
    np.testing.assert_allclose(said.found["path.belief"][1], wanted.logits[:, -1].softmax(-1), atol=1e-6)
    assert len(np.unique(corners[:, 2], axis=0)) > 10, "they differ"
    with pytest.raises(BadInput, match="parameters of glimpses"):
        ask(name, 3, 0, [], paths=51)


@pytest.mark.parametrize("draw", [None, 0, 2])
def test_the_view_of_the_player_is_the_same_however_it_is_asked_for(here: Path, draw: int | None) -> None:
    subject = Subject(net("recurrent_attention.small"), Picture(SOURCE, int(samples.read(SOURCE).numbers[3])))
    found = GLIMPSES_VIEW.of(subject, draw=draw)
    view = GlimpseView.unpacked(found)
    wanted = glances.view(subject.net.load(), subject.example, draw)
    assert (view.draw, view.label, view.ask) == (draw, wanted.label, subject.example.asked)
    np.testing.assert_array_equal(view.belief, wanted.belief)
    np.testing.assert_array_equal(view.corner, wanted.corner)
    request = header_of(found)["request"]
    assert request["derived"] == GLIMPSES_VIEW.name and request["parameters"].get("draw") == draw
    assert found == with_header(view.packed(), request=request) == with_header(wanted.packed(), request=request)


def test_what_cannot_be_forced_is_refused(here: Path) -> None:
    with pytest.raises(BadInput, match="takes 3 glimpses, so 4 locations"):
        ask("wide", 0, 0, [None] * 4)
    for locations in ([[0]], [[0, 1.5]], ["x"], [[0, None]]):
        with pytest.raises(BadInput, match="parameters of glimpses"):
            ask("wide", 0, 0, locations)


def test_a_model_without_glimpses_has_no_path() -> None:
    with pytest.raises(BadInput, match="does not look in glimpses"):
        ask_net("pixel_line.digits", np.zeros((28, 28, 1), np.uint8), {"path": {"derived": "glimpses"}})
