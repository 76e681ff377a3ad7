"""A model that attnviz has never seen, with everything that its explorer shows, for pictures that are not square."""

from typing import Any
from unittest import mock

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.data import vision

ROWS, COLUMNS, WINDOW, SHIFT = 8, 12, 4, 2  # of patches of 4 x 4 pixels, of windows, and by how much these are shifted


class Mixed(nn.Module):
    """Gates of channels and places; shifted windows; two layers with a class token; two queries that are learnt.

    It keeps what it has computed in `found`, as the explorer is to show it: (head, query, key), or factors.
    """

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.squeeze, self.space = nn.Conv2d(3, 8, 4, 4), nn.Linear(8, 8), nn.Conv2d(8, 1, 1)
        self.qkv, self.num_heads = nn.Linear(8, 24), 2
        self.cls, self.asked = nn.Parameter(torch.randn(1, 1, 8)), nn.Parameter(torch.randn(1, 2, 8))
        self.first, self.second, self.pool = (nn.MultiheadAttention(8, 2, batch_first=True) for _ in range(3))
        self.answer = nn.Linear(8, 3)
        self.found: dict[str, Tensor] = {}

    def forward(self, pictures: Tensor) -> Tensor:
        maps = self.patches(pictures)
        self.found["gate"] = torch.sigmoid(self.squeeze(maps.mean((2, 3))))
        maps = maps * self.found["gate"][:, :, None, None]
        self.found["space_gate"] = torch.sigmoid(self.space(maps))
        maps = maps * self.found["space_gate"]
        maps = maps + self.windows(maps)
        tokens = torch.cat([self.cls.expand(len(maps), -1, -1), maps.flatten(2).mT], 1)
        for name in ("first", "second"):
            tokens = tokens + self.attend(name, tokens, tokens)
        logits: Tensor = self.answer(tokens[:, 0] + self.attend("pool", self.asked, tokens).mean(1))
        return logits

    def attend(self, name: str, queries: Tensor, tokens: Tensor) -> Tensor:
        mixed, weights = getattr(self, name)(queries, tokens, tokens, average_attn_weights=False)
        self.found[name] = weights[0]
        found: Tensor = mixed
        return found

    def windows(self, maps: Tensor) -> Tensor:
        """Attend within shifted windows."""
        rolled = maps.roll((-SHIFT, -SHIFT), (2, 3))
        tokens = rolled.unfold(2, WINDOW, WINDOW).unfold(3, WINDOW, WINDOW).flatten(4).flatten(2, 3)
        tokens = tokens.permute(0, 2, 3, 1).flatten(0, 1)
        query, key, value = self.qkv(tokens).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
        weights = (query @ key.mT).softmax(-1)
        self.found["windows"] = weights
        mixed = (weights @ value).transpose(1, 2).flatten(2)  # (window, token, feature)
        down, across = ROWS // WINDOW, COLUMNS // WINDOW
        mixed = mixed.unflatten(0, (-1, down, across)).unflatten(3, (WINDOW, WINDOW)).permute(0, 5, 1, 3, 2, 4)
        return mixed.reshape(maps.shape).roll((SHIFT, SHIFT), (2, 3))


def prepare(picture: Any) -> Tensor:
    """Return a picture of Pillow as the model takes it."""
    small = np.asarray(picture.resize((4 * COLUMNS, 4 * ROWS)))
    return torch.from_numpy(small.copy()).permute(2, 0, 1) / 255


def mixed() -> tuple[Mixed, Any, tuple[str, ...]]:
    """Return the model, its preprocessing, and the names of its answers."""
    torch.manual_seed(3)
    model = Mixed().eval()
    for weight in (model.qkv.weight, *(getattr(model, name).in_proj_weight for name in ("first", "second", "pool"))):
        nn.init.normal_(weight)  # so that attention is not flat
    return model, prepare, ("cat", "dog", "owl")


def windows_as_shown(model: Mixed) -> Tensor:
    """Return the weights of the windows as (head, query, key) over the whole grid: 0 outside of a query's window."""
    return spread_windows(model.found["windows"], SHIFT)


def registers() -> tuple[nn.Module, Any, None]:
    """Return a vision transformer of timm with a class token and four registers."""
    vision.torchvision()  # else timm's import of it ends where torch is built for the processor alone
    import timm

    torch.manual_seed(0)
    size = {"img_size": (4 * ROWS, 4 * COLUMNS), "patch_size": 4, "depth": 3, "embed_dim": 16, "num_heads": 2}
    return _peaked(timm.create_model("vit_tiny_patch16_224", reg_tokens=4, **size)), prepare, None


def swin() -> tuple[nn.Module, Any, None]:
    """Return a Swin transformer of torchvision: two layers of windows, the second shifted, and two on half the grid."""
    torch.manual_seed(0)
    made = vision.torchvision().models.SwinTransformer(
        patch_size=[4, 4], embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=[WINDOW, WINDOW], num_classes=3
    )
    return _peaked(made), prepare, None


def _peaked(model: nn.Module) -> nn.Module:
    for name, weight in model.named_parameters():
        if name.endswith("qkv.weight"):
            nn.init.normal_(weight, std=0.5)
    return model.eval()


def softmaxes(model: nn.Module, pictures: Tensor) -> list[Tensor]:
    """Return what each softmax of a pass gives, in order, with no fused attention."""
    found: list[Tensor] = []
    real = Tensor.softmax  # which torch.nn.functional calls, too

    def softmax(*given: Any, **named: Any) -> Tensor:
        found.append(made := real(*given, **named))
        return made

    for part in model.modules():
        if hasattr(part, "fused_attn"):
            setattr(part, "fused_attn", False)  # noqa: B010
    with torch.no_grad(), mock.patch.object(Tensor, "softmax", softmax):
        model(pictures)
    return found


def spread_windows(weights: Tensor, shift: int) -> Tensor:
    """Return weights within windows, (window, head, query, key), as (head, query, key) over the whole grid."""
    cells = torch.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS).roll((-shift, -shift), (0, 1))
    places = cells.unfold(0, WINDOW, WINDOW).unfold(1, WINDOW, WINDOW).flatten(2).flatten(0, 1)
    shown = weights.new_zeros(weights.shape[1], ROWS * COLUMNS, ROWS * COLUMNS)
    for place, one in zip(places, weights, strict=True):
        shown[:, place[:, None], place[None]] = one
    return shown
