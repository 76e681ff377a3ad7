"""Two representations: without positions every component is the picture or its negative; with them it is not."""

import numpy as np
import pytest
import torch

from attnviz.data import strokes
from attnviz.measures.pixel_attention.representations import Count, count, kinds, needed, scaled
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import trace

DIGITS = np.arange(100) % 10


@pytest.fixture(scope="module")
def pictures() -> torch.Tensor:
    """A fixed hundred of drawn digits, float64 (picture, 1, row, column)."""
    drawn = strokes.draw(DIGITS, seed=5)
    return torch.from_numpy(drawn).permute(0, 3, 1, 2).double() / 255


def tiles(pictures: torch.Tensor, part: str, **config: object) -> np.ndarray:
    """Return every component of a model as it begins: (picture, 144, token)."""
    values = {"classes": ("8", "1"), "heads": 24, "head_size": 6, "mean": 0.13, "std": 0.31, **config}
    model = PixelAttention(**values, generator=torch.Generator().manual_seed(1)).double()
    with torch.no_grad():
        for layer in (model.attention.query, model.attention.key, model.attention.value):
            layer.bias.uniform_(-1, 1, generator=torch.Generator().manual_seed(2))
        # What the tap says, without attending: that takes a minute for a hundred pictures.
        found = model.attention.split(getattr(model.attention, part)(model.tokens(pictures)))
        with trace(model, f"attention.{part}") as seen:
            model(pictures[:1])
    assert torch.equal(seen[f"attention.{part}"].tensor, found[:1])
    return found.mT.flatten(1, 2).numpy()


@pytest.mark.parametrize("part", ["query", "key", "value"])
def test_two_representations(pictures: torch.Tensor, part: str) -> None:
    found = tiles(pictures, part)
    assert found.shape == (100, 144, 784)
    for maps, picture in zip(found, pictures.flatten(1).numpy(), strict=True):
        # An oracle of its own: on their own scales there are two different maps among 144.
        own = (maps - maps.min(1, keepdims=True)) / np.ptp(maps, axis=1, keepdims=True)
        assert len({one.tobytes() for one in own.round(6) + 0.0}) == 2
        counted = count(kinds(maps, picture))
        assert counted.other == 0
        assert min(counted.picture, counted.negative) > 0
        assert counted.all == 144


def test_the_sign_of_the_weight_decides(pictures: torch.Tensor) -> None:
    picture = pictures[0].flatten().numpy()
    maps = np.stack([0.3 * picture + 2, -1e-4 * picture + 2, 40 * picture - 3, np.full_like(picture, 2)])
    assert kinds(maps, picture) == ("picture", "negative", "picture", "other")


def test_with_positions_there_are_others(pictures: torch.Tensor) -> None:
    found = tiles(pictures, "query", positions="sinusoidal_2d", position_features=32)
    for maps, picture in zip(found, pictures.flatten(1).numpy(), strict=True):
        assert count(kinds(maps, picture)) == Count(0, 0, 144)


def test_a_map_of_one_value_is_empty_on_its_own_scale() -> None:
    np.testing.assert_array_equal(scaled(np.array([[3.0, 3.0], [1.0, 5.0], [0.0, 0.0]])), [[0, 0], [0, 1], [0, 0]])


def test_how_many_tokens_hold_half() -> None:
    assert needed(np.array([[0.25, 0.25, 0.25, 0.25], [0.1, 0.6, 0.2, 0.1], [0, 0, 1, 0]])) == [2, 1, 1]
