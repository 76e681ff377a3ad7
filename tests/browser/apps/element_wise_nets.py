"""Small element-wise attention nets with drawn weights, and their stages spelled out once more in numpy, in float64."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attnviz.ui.components.stage_grid import Norm, Other, StageLayer, StageView

Stages = dict[str, np.ndarray]


def make_layer(random: np.random.Generator, number: int, heads: int, channels: int, side: int) -> StageLayer:
    """Make a layer as in the paper: a norm on the relevance, no scale or shift, no norm on the output."""
    shape = heads, channels, side, side
    even = 1 / side**2
    return StageLayer(
        path=f"layers.{number}",
        x_weights=_single(random.normal(0, 0.4, shape)),
        y_weights=_single(random.normal(0, 0.4, shape)),
        convolution=_single(random.normal(0, 0.15, (channels, heads * channels, 3, 3))),
        bias=_single(random.normal(0, 0.02, channels)),
        norm=Norm(
            _single(even * random.uniform(0.99, 1.01, heads * channels)),
            _single(random.uniform(1e-10, 4e-10, heads * channels)),
            1e-5,
        ),
        mean=random.normal(0, 0.02, shape),
    )  # fmt: skip


def make_grey() -> StageView:
    """Make a net of two layers and eight heads on a grey picture of 28 x 28; the second layer norms its output."""
    random = np.random.default_rng(4)
    first, second = (make_layer(random, number, 8, 1, 28) for number in range(2))
    normed = Norm(np.array([0.1]), np.array([0.3]), 1e-5, np.array([0.8]), np.array([-0.05]))
    return _view((first, replace(second, output_norm=normed)), _picture(28, 1), 1)


def make_colour() -> StageView:
    """Make a net of two layers and three heads on a colour picture of 32 x 32."""
    random = np.random.default_rng(5)
    return _view(tuple(make_layer(random, number, 3, 3, 32) for number in range(2)), _picture(32, 3), 1)


def make_blocks() -> StageView:
    """Make a net on blocks of 4 x 4 pixels as channels, in which an even share is 1."""
    random = np.random.default_rng(6)

    def output_norm() -> Norm:
        mean, variance = random.uniform(0.1, 1, (2, 16))
        return Norm(mean, variance, 1e-5, random.normal(1, 0.1, 16), random.normal(0, 0.1, 16))

    layers = tuple(
        replace(
            make_layer(random, number, 3, 16, 7), norm=None, factor=49.0, mean=None, output_norm=output_norm()
        )
        for number in range(2)
    )  # fmt: skip
    return _view(layers, _picture(28, 1), 4)


def make_alone() -> StageView:
    """Make the grey net on a drawing: there is no other picture."""
    return replace(make_grey(), other=None)


NETS = {"grey": make_grey, "colour": make_colour, "blocks": make_blocks, "alone": make_alone}


@dataclass(frozen=True)
class Switches:
    """What is switched, in words of numpy."""

    eps: float | None = None
    skip: bool = True
    off: list[tuple[int, int]] = field(default_factory=list)
    relevance: list[np.ndarray] | None = None


def compute_stages(view: StageView, switches: Switches = Switches()) -> list[Stages]:  # noqa: B008 (it is never changed)
    """Return per layer every stage, (head, channel, row, column) up to `attended` and (channel, row, column) after."""
    found, flowing = [], view.input
    for number, layer in enumerate(view.layers):
        off = [head for of, head in switches.off if of == number]
        fixed = None if switches.relevance is None else switches.relevance[number]
        found.append(_layer(layer, flowing, switches, off, fixed))
        flowing = found[-1]["output"]
    return found


def _layer(layer: StageLayer, x: np.ndarray, switches: Switches, off: list[int], fixed: np.ndarray | None) -> Stages:
    heads, channels, rows, columns = layer.x_weights.shape
    said: Stages = {"x_product": x * layer.x_weights, "y_product": x * layer.y_weights}
    said["x_relevance"] = np.exp(said["x_product"]) / np.exp(said["x_product"]).sum(3, keepdims=True)
    said["y_relevance"] = np.exp(said["y_product"]) / np.exp(said["y_product"]).sum(2, keepdims=True)
    said["relevance"] = said["x_relevance"] * said["y_relevance"]
    if fixed is not None:
        said["normed_relevance"] = fixed
    elif layer.norm is None:
        said["normed_relevance"] = layer.factor * said["relevance"]
    else:
        eps = layer.norm.eps if switches.eps is None else switches.eps
        mean, variance = (part.reshape(heads, channels, 1, 1) for part in (layer.norm.mean, layer.norm.variance))
        said["normed_relevance"] = (said["relevance"] - mean) / np.sqrt(variance + eps)
    said["attended"] = x * said["normed_relevance"]
    said["attended"][off] = 0
    padded = np.pad(said["attended"].reshape(heads * channels, rows, columns), ((0, 0), (1, 1), (1, 1)))
    convolved = (
        np.zeros((channels, rows, columns)) if layer.bias is None else np.zeros_like(x) + layer.bias[:, None, None]
    )
    for down in range(3):
        for right in range(3):
            window = padded[:, down : down + rows, right : right + columns]
            convolved = convolved + np.einsum("oi,irc->orc", layer.convolution[:, :, down, right], window)
    said["after_conv"] = convolved
    said["before_norm"] = convolved + x if layer.skip and switches.skip else convolved
    said["after_norm"] = said["before_norm"]
    if (norm := layer.output_norm) is not None:
        assert norm.scale is not None
        assert norm.shift is not None
        mean, variance, scale, shift = (
            part[:, None, None] for part in (norm.mean, norm.variance, norm.scale, norm.shift)
        )
        said["after_norm"] = (said["before_norm"] - mean) / np.sqrt(variance + norm.eps) * scale + shift
    said["output"] = np.maximum(said["after_norm"], 0)
    return said


def _single(values: Any) -> np.ndarray:
    return np.asarray(values, np.float32).astype(np.float64)


def _picture(side: int, channels: int) -> np.ndarray:
    """Draw something like a boot on black, uint8 (row, column, channel)."""
    row, column = np.mgrid[0:side, 0:side] / side
    boot = ((row > 0.2) & (row < 0.85) & (column > 0.25) & ((column < 0.55) | (row > 0.6)) & (column < 0.9)).astype(
        float
    )
    shade = 0.55 + 0.4 * np.sin(9 * row + 5 * column)
    planes = [boot * (shade if not plane else np.roll(shade, 5 * plane, 1)) for plane in range(channels)]
    return np.round(255 * np.stack(planes, 2)).astype(np.uint8)


def _view(layers: tuple[StageLayer, ...], picture: np.ndarray, block: int) -> StageView:
    planes = picture.transpose(2, 0, 1) / 255
    channels, rows, columns = planes.shape
    inner = planes.reshape(channels, rows // block, block, columns // block, block).transpose(0, 2, 4, 1, 3)
    given = np.ascontiguousarray(inner.reshape(channels * block**2, rows // block, columns // block))
    return StageView(
        picture=picture, input=given, layers=layers, block=block, classes=("boot", "sandal", "bag"),
        logits=np.array([2.0, 0.5, -1.0]), probabilities=np.array([0.78, 0.18, 0.04]), label="boot",
        checkpoint=None, asked={"data": "drawn", "number": 0}, other=Other(1, given[:, ::-1].copy()),
        origin={"model": "drawn", "image": "drawn/0"},
    )  # fmt: skip
