"""What the viewer is given: the queries and keys of the blocks, and where these lie on the picture."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz.answers import as_batch
from attnviz.readings import Reading
from attnviz.subjects import Example, Loaded, Picture, Subject, net
from attnviz.tracing import trace
from attnviz.ui.components import stage_maps
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.mechanisms.cnn_attention import stages, words
from attnviz.ui.mechanisms.cnn_attention.view import CONVOLUTIONS_VIEW
from attnviz.views import attending
from attnviz.views.payload import header_of, with_header

from .placed import NETS, SHOWN
from .spelled import Spelled

PICTURE = Picture("strokes", 23)


@pytest.mark.parametrize("name", SHOWN)
def test_queries_keys_and_intensities_are_those_of_the_blocks(here: Path, name: str) -> None:
    subject = Subject(net(f"cnn_attention.{name}"), PICTURE)
    found = attention(subject, "block")
    picture = subject.image[:, :, 0]
    wanted = Spelled(here / f"cnn_attention.{name}", picture, int(str(NETS[name]["heads"])))
    assert (found.rows, found.columns) == wanted.grid
    assert found.unit == "block"
    assert found.boxes == [0, 0, 4, 4, 11, 11]
    np.testing.assert_allclose(found.query, wanted.query, atol=1e-12)
    np.testing.assert_allclose(found.key, wanted.key, atol=1e-12)
    np.testing.assert_allclose(found.log_normaliser, np.log(np.exp(wanted.scores).sum(-1)), atol=1e-12)
    for row in range(found.rows):
        for column in range(found.columns):
            seen = picture[4 * row : 4 * row + 11, 4 * column : 4 * column + 11] / 255
            assert found.picture[row, column] == pytest.approx(seen.mean()), (row, column)
    head, query, key, weight = words.strongest(found)
    assert weight == pytest.approx(wanted.weights.max())
    assert weight == pytest.approx(wanted.weights[head, query, key])


@pytest.mark.parametrize("name", SHOWN)
def test_what_enters_relu_is_given_in_the_parts_that_each_key_and_the_block_itself_add(here: Path, name: str) -> None:
    """The browser computes what a pair changes from these parts; here the model itself is run without the pair."""
    subject = Subject(net(f"cnn_attention.{name}"), PICTURE)
    view = attention(subject, "block")
    loaded = subject.net.load(double=True)
    assert view.before is not None and view.own is not None and view.added is not None and view.scale is not None
    scores = view.query @ view.key.transpose(0, 2, 1) / view.query.shape[2] ** 0.5
    weights = np.exp(scores) / np.exp(scores).sum(2, keepdims=True)
    layer = loaded.model.get_submodule("attention")

    def output(change: Callable[[torch.Tensor], torch.Tensor], tap: str) -> np.ndarray:
        edits = {f"attention.{tap}": change}
        with torch.no_grad(), trace(loaded.model, ["attention.output"], edits) as seen:
            loaded.model(as_batch(subject.image, double=True))
        found: np.ndarray = seen["attention.output"].tensor[0].numpy()
        return found

    def finished(entering: np.ndarray) -> np.ndarray:
        positive = np.maximum(entering, 0)
        spread = positive.var(-1, keepdims=True) + view.eps
        shift: np.ndarray = layer.norm.bias.numpy()
        found: np.ndarray = (positive - positive.mean(-1, keepdims=True)) / np.sqrt(spread) * view.scale + shift
        return found

    np.testing.assert_allclose(finished(view.before), view.output, atol=1e-10)
    heads, tokens, size = view.value.shape
    for head, query, key in ((0, 0, 0), (heads - 1, 3, tokens - 1), (0, tokens - 1, 2)):
        taken = torch.from_numpy(weights[head, query, key] * view.value[head, key])

        def without(
            mixed: torch.Tensor, at: tuple[int, int] = (head, query), part: torch.Tensor = taken
        ) -> torch.Tensor:
            changed = mixed.clone()
            changed[0, at[0], at[1]] -= part
            return changed

        wanted = output(without, "mixed")[query]
        part = weights[head, query, key] * view.added[head, key]
        np.testing.assert_allclose(finished(view.before[query] - part), wanted, atol=1e-10)
    collected = np.einsum("hqk,hkf->qf", weights, view.added)
    bias = layer.output.bias.numpy()
    np.testing.assert_allclose(view.before, view.own + collected + bias, atol=1e-10)


@pytest.mark.parametrize("name", SHOWN)
def test_the_stages_are_those_of_the_convolutions_and_lie_where_they_look(here: Path, name: str) -> None:
    model, its_net = loaded = net(f"cnn_attention.{name}").load(double=True)
    found = stages.view(loaded, PICTURE)
    picture = PICTURE.taken_by(its_net)[:, :, 0]
    wanted = Spelled(here / f"cnn_attention.{name}", picture, int(str(NETS[name]["heads"]))).stages
    assert len(found.layers) == len(wanted) == 3
    for layer, stage in zip(found.layers, wanted, strict=True):
        np.testing.assert_allclose(layer.stages["conv"].maps, stage["after_conv"], atol=1e-12)
        if "pool" in layer.stages:
            np.testing.assert_allclose(layer.stages["pool"].maps, stage["after_pool"], atol=1e-12)
    assert ["pool" in layer.stages for layer in found.layers] == [True, True, False]
    assert found.layers[-1].stages["conv"].grid == model.grid
    sent = CONVOLUTIONS_VIEW.of(Subject(its_net, PICTURE))
    assert sent == with_header(stage_maps.packed(found), request=header_of(sent)["request"])


def test_a_pixel_outside_of_its_box_does_not_change_a_value(here: Path) -> None:
    model, its_net = loaded = net("cnn_attention.wide").load(double=True)
    image = PICTURE.taken_by(its_net)
    layers = stages.view(loaded, PICTURE).layers
    taps = [("conv.0", "after_conv"), ("conv.0", "after_pool"), ("conv.1", "after_conv"), ("conv.1", "after_pool")]
    changed = image.copy()
    changed[7, 12] = 255 - changed[7, 12]
    for place, (path, tap) in enumerate(taps):
        layer = layers[place // 2]
        grid = layer.stages[tap.removeprefix("after_")].grid
        both = []
        for one in (image, changed):
            with torch.no_grad(), trace(model, [f"{path}.{tap}"]) as seen:
                model(as_batch(one, double=True))
            both.append(seen[f"{path}.{tap}"].tensor[0])
        moved = (both[0] != both[1]).any(0).flatten()
        boxes = [grid.box(token) for token in range(grid.tokens)]
        covers = torch.tensor([box[0] <= 7 < box[2] and box[1] <= 12 < box[3] for box in boxes if box])
        assert moved.any()
        assert not (moved & ~covers).any(), f"{path}.{tap}"


def test_only_blocks_that_see_one_another_are_no_control(here: Path) -> None:
    from attnviz.ui.mechanisms import is_control

    nets = {name: net(f"cnn_attention.{name}") for name in NETS}
    assert [name for name, one in nets.items() if not is_control(one.architecture, one.config)] == [*SHOWN]


def test_attention_and_convolutions_of_a_picture_come_from_one_pass(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[str] = []
    passed = attending.passed

    @wraps(passed)
    def counted(loaded: Loaded, example: Example) -> tuple[dict[str, Reading], torch.Tensor]:
        passes.append(example.key)
        return passed(loaded, example)

    monkeypatch.setattr(attending, "passed", counted)
    subject = Subject(net(f"cnn_attention.{SHOWN[0]}"), Picture("strokes", 37))
    attention(subject, "block")
    CONVOLUTIONS_VIEW.of(subject)
    assert passes == ["strokes/test/37"]
