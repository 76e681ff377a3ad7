"""Components as lines of the intensity, against the weights of the layer itself."""

import numpy as np
import pytest
import torch

from attnviz.errors import BadInput
from attnviz.measures.pixel_attention.linear import lines
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import trace

MEAN, STD = 0.2, 0.4


def model(**changes: object) -> PixelAttention:
    values = {"classes": ("8", "1"), "heads": 3, "head_size": 2, "rows": 4, "columns": 6, "mean": MEAN, "std": STD}
    return PixelAttention(**{**values, **changes}, generator=torch.Generator().manual_seed(1)).double()


def queries(asked: PixelAttention, pictures: torch.Tensor) -> np.ndarray:
    with torch.no_grad(), trace(asked, "attention.query") as seen:
        asked(pictures)
    return seen["attention.query"].tensor.numpy()


def constant(intensity: float) -> torch.Tensor:
    return torch.full((1, 1, 4, 6), intensity, dtype=torch.float64)


def test_slope_and_start_are_those_of_the_weights() -> None:
    asked = model()
    torch.nn.init.normal_(asked.attention.query.bias, generator=torch.Generator().manual_seed(2))
    found = lines(queries(asked, constant(0))[0], queries(asked, constant(1))[0])
    weight = asked.attention.query.weight.detach().numpy()[:, 0].reshape(3, 2)
    bias = asked.attention.query.bias.detach().numpy().reshape(3, 2)
    np.testing.assert_allclose(found.slope, weight / STD, rtol=1e-12)
    np.testing.assert_allclose(found.start, bias - weight * MEAN / STD, rtol=1e-12)
    assert not found.placed


@pytest.mark.parametrize("positions", [None, "sinusoidal_2d"])
def test_no_picture_goes_beyond_the_bounds_and_every_pixel_lies_on_its_line(positions: str | None) -> None:
    more = {"positions": positions, "position_features": 8, "pool": 2} if positions else {}
    asked = model(**more)
    black, white = queries(asked, constant(0))[0], queries(asked, constant(1))[0]
    found = lines(black, white)
    assert found.placed == bool(positions)
    pictures = torch.rand(5, 1, 4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    said = queries(asked, pictures)  # (picture, head, token, component)
    assert said.min() >= found.lowest
    assert said.max() <= found.highest
    pooled = torch.nn.functional.avg_pool2d(pictures, 2) if positions else pictures
    intensity = pooled.flatten(1).numpy()[:, None, :, None]
    np.testing.assert_allclose(said, black + found.slope[:, None] * intensity, atol=1e-12)


def test_what_is_no_line_is_refused() -> None:
    black = np.zeros((1, 3, 1))
    with pytest.raises(BadInput, match="not linear"):
        lines(black, np.array([[[1.0], [1.0], [2.0]]]))
    with pytest.raises(BadInput, match="same components"):
        lines(black, black[:, :2])
