"""The architectures in teaching order. Every model maps float images (batch, channel, row, column) in 0..1 to logits.

Importing the table `MODELS` does not import torch, because rows name their constructors through `imported`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attnviz.errors import UnknownName
from attnviz.extensions import Table
from attnviz.models.spec import (
    DROPOUT,
    HEAD_SIZE,
    HEADS,
    HIDDEN,
    POSITIONS,
    SHARED,
    SKIP,
    Setting,
    boxes,
    grey,
    imported,
    patches,
    pictures,
    receptive_fields,
    strips,
    switch,
)
from attnviz.models.spec import Input as Input
from attnviz.models.spec import ModelSpec as ModelSpec

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
        settings=(HIDDEN,),
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
        settings=(HEADS, HEAD_SIZE, POSITIONS, SKIP, DROPOUT),
    ),
    "recurrent_attention": ModelSpec(
        "Recurrent attention",
        imported("attnviz.models.recurrent_attention", "RecurrentAttention"),
        "Recurrent Models of Visual Attention, Mnih et al., 2014",
        grey,
        takes=("generator", "locations"),
        settings=(
            Setting("glimpses", "Glimpses", "number of glimpses before the answer", "whole", 1, 24),
            Setting("size", "Glimpse size", "side of the finest patch of a glimpse, in pixels", "whole", 2, 28),
            Setting("scales", "Scales", "patches of a glimpse, each twice as wide as the last", "whole", 1, 4),
            Setting(
                "location_std",
                "Spread of locations",
                "standard deviation of the locations, in half widths of the picture",
                "number",
                0.01,
                1,
                log=True,
                default=0.1,
            ),
        ),
    ),
    "cnn_attention": ModelSpec(
        "Convolutions and attention over blocks",
        imported("attnviz.models.cnn_attention", "CnnAttention"),
        "Investigating Attention Mechanisms for Variant MNIST Datasets, Wu, Xu, Lee, 2018",
        grey,
        receptive_fields,
        settings=(replace(HEADS, default=8, tried=SHARED), replace(HIDDEN, default=256)),
    ),
    "pixel_mlp": ModelSpec(
        "A small network on the pixels",
        imported(_CONTROLS, "PixelMlp"),
        "Multi-layer perceptron; a control",
        grey,
        settings=(HIDDEN,),
    ),
    "element_wise": ModelSpec(
        "Element-wise attention",
        imported("attnviz.models.element_wise", "ElementWise"),
        _ELEMENT_WISE,
        pictures,
        settings=(
            HEADS,
            Setting("layers", "Layers", "number of attention layers", "whole", 1, 8),
            replace(SKIP, default=True),
        ),
    ),
    "vgg_control": ModelSpec(
        "Six convolutions",
        imported("attnviz.models.controls", "VGGControl"),
        f"{_ELEMENT_WISE}; its control",
        pictures,
    ),
    "plain_conv": ModelSpec(
        "A small convolutional network",
        imported("attnviz.models.controls", "PlainConv"),
        "Convolutions with batch normalisation; a control",
        pictures,
    ),
    "vision_transformer": ModelSpec(
        "Vision transformer",
        imported("attnviz.models.vision_transformer", "VisionTransformer"),
        "An Image Is Worth 16x16 Words: Transformers for Image Recognition at Scale, Dosovitskiy et al., 2020, "
        "arXiv 2010.11929",
        pictures,
        patches,
        settings=(
            replace(
                HEADS,
                about="number of attention heads in each layer, which share its features evenly",
                default=4,
                tried=SHARED,
            ),
            Setting("layers", "Layers", "number of attention layers", "whole", 1, 12, default=4),
            Setting("registers", "Registers", "number of extra tokens that are not patches", "whole", 0, 8, default=0),
            switch("positions", "Positions", "adds to each patch a vector that encodes its position", default=True),
        ),
    ),
    "channel_attention": ModelSpec(
        "Channel attention",
        imported("attnviz.models.channel_attention", "ChannelAttention"),
        "Squeeze-and-Excitation Networks, Hu et al., 2018, arXiv 1709.01507",
        pictures,
        settings=(
            Setting(
                "reduction",
                "Reduction",
                "ratio of the channels to the units of a gate's narrow layer",
                "whole",
                1,
                16,
                log=True,
                default=4,
            ),
            Setting("blocks", "Blocks", "number of residual blocks per stage", "whole", 1, 6, default=2),
        ),
    ),
    "spatial_transformer": ModelSpec(
        "Spatial transformer",
        imported("attnviz.models.spatial_transformer", "SpatialTransformerNet"),
        "Spatial Transformer Networks, Jaderberg et al., 2015, arXiv 1506.02025",
        pictures,
        settings=(replace(HIDDEN, default=128),),
    ),
    "encoder_decoder": ModelSpec(
        "Encoder-decoder",
        imported("attnviz.models.encoder_decoder", "EncoderDecoder"),
        "Neural Machine Translation by Jointly Learning to Align and Translate, Bahdanau et al., 2015, arXiv 1409.0473",
        strips,
        takes=("targets",),
        per_step=True,
        settings=(
            Setting(
                "attention",
                "Attention",
                "how the columns are weighted at each step; without attention there is one vector for all steps",
                "choice",
                values={kind: kind for kind in ("additive", "uniform", "none")},
                default="additive",
            ),
            replace(HIDDEN, title="Decoder", about="number of features of the decoder's state", default=128),
        ),
    ),
    "transformer": ModelSpec(
        "Transformer",
        imported("attnviz.models.transformer", "Transformer"),
        "Attention Is All You Need, Vaswani et al., 2017, arXiv 1706.03762",
        strips,
        takes=("targets",),
        per_step=True,
        settings=(
            replace(
                HEADS,
                about="number of attention heads in each layer, which share its features evenly",
                default=4,
                tried=SHARED,
            ),
            Setting("layers", "Layers", "number of layers of the encoder and of the decoder", "whole", 1, 6, default=2),
            switch("positions", "Positions", "adds position codes to columns and steps", default=True),
        ),
    ),
}
MODELS = Table("models", _OURS)
"""All architectures, to which other packages can add rows (attnviz/extensions.py)."""


def spec(name: str) -> ModelSpec:
    """Return the architecture of this name.

    Raises:
        UnknownName: no architecture has this name; the closest names are listed.
    """
    if name not in MODELS:
        raise UnknownName("model", name, MODELS)
    return MODELS[name]


def input_of(model: str, config: Mapping[str, Any]) -> Input:
    """Return the pictures that a model takes, given its name and its config.

    Raises:
        UnknownName: no model has this name.
    """
    return spec(model).input(config)
