"""How architectures with random weights are built, and what is expected of each. Nothing is downloaded."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import pytest
import torch
from torch import nn

from attnviz.data.vision import torchvision

Built = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """What is expected of one architecture.

    Args:
        build: the model, and what it is called with.
        captured: how many calls of attention.
        refused: words of the reason -> how many calls.
        gates: how many gates.
        other_softmaxes: how many of the oracle's softmaxes belong to no call.
    """

    build: Callable[[], Built]
    captured: int
    refused: dict[str, int] = field(default_factory=dict)
    gates: int = 0
    other_softmaxes: int = 0


def needed(name: str) -> None:
    """Skip a test of an architecture whose package is not installed."""
    torchvision()  # before the others import it
    package = name.partition(" ")[0].replace("-", "_").replace("none", "torchvision")
    pytest.importorskip(package, reason=f"{package} is not installed; requirements-dev.txt has it")


def pictures(*size: int, batch: int = 1, channels: int = 3) -> torch.Tensor:
    """Return pictures of noise."""
    return torch.randn(batch, channels, *size, generator=torch.Generator().manual_seed(2))


def timm(name: str, size: int | None = None, **options: Any) -> Callable[[], Built]:
    """Build a model of timm at its own size."""

    def build() -> Built:
        model = import_module("timm").create_model(name, **options)
        side = size or model.pretrained_cfg.get("input_size", (3, 224, 224))[-1]
        return model, (pictures(side, side),), {}

    return build


def of_torchvision(name: str, size: int = 224, **options: Any) -> Callable[[], Built]:
    """Build a model of torchvision."""

    def build() -> Built:
        model = import_module("torchvision.models").get_model(name, **options)
        return model, (pictures(size, size),), {}

    return build


def video(name: str, frames: int, size: int) -> Callable[[], Built]:
    """Build a model of torchvision that looks at a video."""

    def build() -> Built:
        return import_module("torchvision.models").get_model(name), (pictures(frames, size, size),), {}

    return build


def hugging_face(config: str, model: str, size: int = 64, how: str = "sdpa", **options: Any) -> Callable[[], Built]:
    """Build a small model of transformers."""

    def build() -> Built:
        transformers = import_module("transformers")
        made = getattr(transformers, config)(**options)
        made._attn_implementation = how
        return getattr(transformers, model)(made), (), {"pixel_values": pictures(size, size)}

    return build


def transformer(config: str, model: str, tokens: int = 0, batch: int = 1, **options: Any) -> Callable[[], Built]:
    """Build a small model of transformers that takes words, or pictures of 64 pixels, or both."""

    def build() -> Built:
        library = import_module("transformers")
        backbone = options.get("backbone_config")
        made = {**options, **({"backbone_config": library.ResNetConfig(**backbone)} if backbone else {})}
        words = torch.arange(batch * tokens).reshape(batch, tokens) % 50
        given = {"input_ids": words} if tokens else {}
        if "vision_config" in options or backbone:
            given["pixel_values"] = pictures(64, 64)
        return getattr(library, model)(getattr(library, config)(**made)), (), given

    return build


def of_parts(config: str, model: str, given: dict[str, torch.Tensor], **options: Any) -> Callable[[], Built]:
    """Build a small model of transformers that computes its attention step by step; a setting that is the name of a
    configuration and its settings is made one."""

    def build() -> Built:
        library = import_module("transformers")
        parts = {name: one for name, one in options.items() if isinstance(one, tuple) and isinstance(one[0], str)}
        made = {name: getattr(library, kind)(**settings) for name, (kind, settings) in parts.items()}
        whole = getattr(library, config)(**{**options, **made})
        whole._attn_implementation = "eager"
        return getattr(library, model)(whole), (), given

    return build


def vit_pytorch(module: str, name: str, size: int = 64, **options: Any) -> Callable[[], Built]:
    """Build a small model of vit-pytorch."""

    def build() -> Built:
        return getattr(import_module(module), name)(**options), (pictures(size, size),), {}

    return build


def encoder() -> Built:
    """Build torch's own encoder, with a padding mask."""
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
    hidden = torch.zeros(2, 7, dtype=torch.bool)
    hidden[1, 5:] = True
    return model, (torch.randn(2, 7, 32),), {"src_key_padding_mask": hidden}


def decoder() -> Built:
    """Build torch's own transformer, with cross-attention and a causal mask."""
    model = nn.Transformer(32, 4, 2, 2, 64, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    return model, (torch.randn(2, 7, 32), torch.randn(2, 5, 32)), {"tgt_mask": mask}


class UNet(nn.Module):
    """Two levels down and up; with attention gates on its skip connection if wanted."""

    def __init__(self, gated: bool = False) -> None:
        super().__init__()
        self.down, self.deep, self.up = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 16, 3, 2, 1), nn.Conv2d(16, 8, 1)
        self.psi = nn.Conv2d(8, 1, 1) if gated else None
        self.last = nn.Conv2d(16, 2, 1)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return a map of probabilities."""
        skip = self.down(images).relu()
        back = nn.functional.interpolate(self.up(self.deep(skip).relu()), scale_factor=2)
        if self.psi is not None:
            skip = skip * self.psi((skip + back).relu()).sigmoid()
        return self.last(torch.cat([skip, back], 1)).sigmoid()


class Recurrent(nn.Module):
    """A cell over the rows of a picture, with gates that are no gates of maps."""

    def __init__(self, cell: type[nn.Module]) -> None:
        super().__init__()
        self.cell, self.last = cell(192, 16), nn.Linear(16, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return probabilities."""
        state = None
        for row in images.permute(2, 0, 1, 3).flatten(2):
            state = self.cell(row, state)
        return self.last(state[0] if isinstance(state, tuple) else state).softmax(-1)


class Written(nn.Module):
    """A gated recurrent unit, SiLU and a gated linear unit, written out."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.new, self.conv = nn.Linear(208, 16), nn.Linear(208, 16), nn.Conv2d(3, 6, 3, padding=1)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return the last state."""
        images = images * images.sigmoid()
        one, other = self.conv(images).chunk(2, 1)
        images, state = one * other.sigmoid(), images.new_zeros(len(images), 16)
        for row in images.permute(2, 0, 1, 3).flatten(2):
            both = torch.cat([row, state], -1)
            share = self.gate(both).sigmoid()
            state = share * state + (1 - share) * self.new(both).tanh()
        return state


def small(build: Callable[[], nn.Module], side: int = 64) -> Callable[[], Built]:
    """Build a model for pictures of a side."""
    return lambda: (build(), (pictures(side, side),), {})


SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
PICTURE = {**SMALL, "image_size": 64, "patch_size": 8}
VIT = {"image_size": 64, "patch_size": 16, "num_classes": 10, "dim": 32, "depth": 2, "heads": 4, "mlp_dim": 64}
