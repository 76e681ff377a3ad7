"""The architectures, in teaching order. Every model: float images (batch, channel, row, column) in 0..1 to logits.

Importing the table `MODELS` costs no torch, so rows name their constructors through `imported`.
"""

from collections.abc import Mapping
from typing import Any

from attnviz.errors import UnknownName
from attnviz.extensions import Table
from attnviz.models.spec import Input as Input
from attnviz.models.spec import ModelSpec as ModelSpec
from attnviz.models.spec import boxes, grey, imported, pictures, receptive_fields

_CONTROLS = "attnviz.models.controls"
_ELEMENT_WISE = (
    "Element-Wise Attention Layers: an option for optimization, Bacochina and Thom de Souza, 2023, arXiv 2302.05488"
)

_OURS: dict[str, ModelSpec] = {
    "ink": ModelSpec(
        "The amount of ink",
        imported(_CONTROLS, "Ink"),
        "Logistic regression; a control",
        grey,
    ),
    "histogram_line": ModelSpec(
        "Logistic regression on the histogram of intensities",
        imported(_CONTROLS, "Histogram"),
        "Logistic regression; a control",
        grey,
        differentiable=False,  # it counts intensities
    ),
    "histogram_mlp": ModelSpec(
        "A small network on the histogram of intensities",
        imported(_CONTROLS, "Histogram"),
        "Multi-layer perceptron; a control",
        grey,
        differentiable=False,
    ),
    "pixel_line": ModelSpec(
        "Logistic regression on the pixels",
        imported(_CONTROLS, "PixelLine"),
        "Logistic regression; a control",
        pictures,
    ),
    "pixel_attention": ModelSpec(
        "Pixel attention",
        imported("attnviz.models.pixel_attention", "PixelAttention"),
        "Multi-Head Attention For Binary Classification, Schwarz, 2021",
        grey,
        boxes,
    ),
    "recurrent_attention": ModelSpec(
        "Recurrent attention",
        imported("attnviz.models.recurrent_attention", "RecurrentAttention"),
        "Recurrent Models of Visual Attention, Mnih et al., 2014",
        grey,
        takes=("generator", "locations"),
    ),
    "cnn_attention": ModelSpec(
        "Convolutions and attention over blocks",
        imported("attnviz.models.cnn_attention", "CnnAttention"),
        "Investigating Attention Mechanisms for Variant MNIST Datasets, Wu, Xu, Lee, 2018",
        grey,
        receptive_fields,
    ),
    "pixel_mlp": ModelSpec(
        "A small network on the pixels",
        imported(_CONTROLS, "PixelMlp"),
        "Multi-layer perceptron; a control",
        grey,
    ),
    "element_wise": ModelSpec(
        "Element-wise attention",
        imported("attnviz.models.element_wise", "ElementWise"),
        _ELEMENT_WISE,
        pictures,
    ),
    "vgg_control": ModelSpec(
        "Six convolutions",
        imported("attnviz.models.vgg_control", "VGGControl"),
        f"{_ELEMENT_WISE}; its control",
        pictures,
    ),
    "plain_conv": ModelSpec(
        "A small convolutional network",
        imported("attnviz.models.plain_conv", "PlainConv"),
        "Convolutions with batch normalisation; a control",
        pictures,
    ),
    "channel_attention": ModelSpec(
        "Channel attention",
        imported("attnviz.models.channel_attention", "ChannelAttention"),
        "Squeeze-and-Excitation Networks, Hu et al., 2018, arXiv 1709.01507",
        pictures,
    ),
    "spatial_transformer": ModelSpec(
        "Spatial transformer",
        imported("attnviz.models.spatial_transformer", "SpatialTransformerNet"),
        "Spatial Transformer Networks, Jaderberg et al., 2015, arXiv 1506.02025",
        pictures,
    ),
}
MODELS = Table("models", _OURS)
"""All architectures; other packages add rows (attnviz/extensions.py)."""


def spec(name: str) -> ModelSpec:
    """Return an architecture by name.

    Raises:
        UnknownName: there is none of that name; the closest ones are listed.
    """
    if name not in MODELS:
        raise UnknownName("model", name, MODELS)
    return MODELS[name]


def input_of(model: str, config: Mapping[str, Any]) -> Input:
    """Return the pictures that the model of that name, built from that config, takes.

    Raises:
        UnknownName: there is no such model.
    """
    return spec(model).input(config)
