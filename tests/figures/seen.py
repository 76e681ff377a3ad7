"""A small vision transformer that attnviz has never seen, and a photograph for it. In double precision."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import attnviz
from attnviz.listening import Trace


class SmallViT(nn.Module):
    """Patches of 4 x 4 pixels, a class token, layers of nn.TransformerEncoder, three classes."""

    def __init__(self, rows: int = 4, columns: int = 6, layers: int = 2, heads: int = 2) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, 4)
        self.cls = nn.Parameter(torch.randn(1, 1, 16))
        self.places = nn.Parameter(torch.randn(1, 1 + rows * columns, 16))
        layer = nn.TransformerEncoderLayer(16, heads, 32, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(16, 3)

    def forward(self, pictures: Tensor) -> Tensor:
        tokens = self.patches(pictures).flatten(2).mT
        tokens = torch.cat([self.cls.expand(len(tokens), -1, -1), tokens], 1) + self.places
        logits: Tensor = self.head(self.encoder(tokens)[:, 0])
        return logits


class Windows(nn.Module):
    """Patches of 4 x 4 pixels, 8 x 8 of them, that attend within shifted windows of 4 x 4 patches; two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.qkv = nn.Conv2d(3, 8, 4, 4), nn.Linear(8, 24)
        self.num_heads = 2

    def forward(self, pictures: Tensor) -> Tensor:
        maps = self.patches(pictures).roll((2, 2), (2, 3))
        tokens = maps.unfold(2, 4, 4).unfold(3, 4, 4).flatten(4).flatten(2, 3).permute(0, 2, 3, 1).flatten(0, 1)
        query, key, value = self.qkv(tokens).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
        self.weights = (query @ key.mT).softmax(-1)
        return (self.weights @ value).mean((1, 2))


class Padded(nn.Module):
    """Patches of 4 x 4 pixels in windows of 3 x 3 patches, which zeros fill up to a multiple of 3; two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.qkv = nn.Conv2d(3, 8, 4, 4), nn.Linear(8, 24)
        self.num_heads = 2

    def forward(self, pictures: Tensor) -> Tensor:
        maps = self.patches(pictures)
        maps = nn.functional.pad(maps, (0, -maps.shape[3] % 3, 0, -maps.shape[2] % 3))
        tokens = maps.unfold(2, 3, 3).unfold(3, 3, 3).flatten(4).flatten(2, 3).permute(0, 2, 3, 1).flatten(0, 1)
        query, key, value = self.qkv(tokens).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
        self.weights = (query @ key.mT).softmax(-1)
        return (self.weights @ value).mean((1, 2))


class TwoGrids(nn.Module):
    """Attention between patches of 4 x 4 pixels, and then between squares of 2 x 2 of them; two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.merge = nn.Conv2d(3, 8, 4, 4), nn.Conv2d(8, 8, 2, 2)
        self.fine, self.coarse = (nn.MultiheadAttention(8, 2, batch_first=True) for _ in range(2))

    def forward(self, pictures: Tensor) -> Tensor:
        maps = self.patches(pictures)
        for attention in (self.fine, self.coarse):
            tokens = maps.flatten(2).mT
            tokens = tokens + attention(tokens, tokens, tokens, need_weights=False)[0]
            maps = tokens.mT.unflatten(2, maps.shape[2:])
            if attention is self.fine:
                maps = self.merge(maps)
        return maps.mean((2, 3))


class Queries(nn.Module):
    """Three queries that are learnt, and attend to 8 x 8 patches and a class token; two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.attention = nn.Conv2d(3, 8, 4, 4), nn.MultiheadAttention(8, 2, batch_first=True)
        self.cls, self.queries = nn.Parameter(torch.randn(1, 1, 8)), nn.Parameter(torch.randn(1, 3, 8))

    def forward(self, pictures: Tensor) -> Tensor:
        tokens = torch.cat([self.cls, self.patches(pictures).flatten(2).mT], 1)
        found, self.weights = self.attention(self.queries, tokens, tokens, average_attn_weights=False)
        return found


class Gated(nn.Module):
    """A convolution whose channels, and then whose places, are multiplied by a sigmoid."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.squeeze, self.space = nn.Conv2d(3, 6, 3), nn.Linear(6, 6), nn.Conv2d(6, 1, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)  # which counts its batches in a tensor without axes

    def forward(self, pictures: Tensor) -> Tensor:
        maps = self.norm(self.convolution(pictures))
        self.gate = torch.sigmoid(self.squeeze(maps.mean((2, 3))))
        maps = maps * self.gate[:, :, None, None]
        self.places = torch.sigmoid(self.space(maps))
        return (maps * self.places).mean((2, 3))


def model(**sizes: int) -> SmallViT:
    torch.manual_seed(3)
    made = SmallViT(**sizes).eval().double()
    for layer in made.encoder.layers:
        nn.init.normal_(layer.self_attn.in_proj_weight)
    return made


def photo(rows: int = 16, columns: int = 24) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 256, (rows, columns, 3), dtype=np.uint8)


def batch(picture: np.ndarray) -> Tensor:
    return torch.from_numpy(picture.transpose(2, 0, 1)[None] / 255)


def seen(**sizes: int) -> Trace:
    return attnviz.watch(model(**sizes))(batch(photo()))


def of_a_command() -> SmallViT:
    """A model of squares of 24 pixels, in single precision."""
    return model(rows=6, columns=6).float()


def with_preprocessing() -> tuple[SmallViT, Any, tuple[str, ...]]:
    """A model of 16 x 24 pixels, its preprocessing, and the names of its answers."""

    def prepare(picture: Any) -> Tensor:
        return torch.from_numpy(np.asarray(picture.resize((24, 16))).copy()).permute(2, 0, 1) / 255

    return model().float(), prepare, ("cat", "dog", "owl")
