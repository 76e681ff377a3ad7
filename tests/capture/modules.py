"""Small layers that attend in every way that is captured or refused: 5 tokens of 8 numbers, two heads."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def tokens(batch: int = 1) -> Tensor:
    """Return the same tokens each time, (batch, 5, 8)."""
    return torch.randn(batch, 5, 8, generator=torch.Generator().manual_seed(0))


class Base(nn.Module):
    """Projects tokens to queries, keys and values of two heads, and heads to tokens."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.num_heads = 2
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.mix = nn.Parameter(torch.randn(2, 2))
        self.options = options
        self.requires_grad_(True)

    def split(self, given: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        batch, count, _ = given.shape
        return tuple(self.qkv(given).reshape(batch, count, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0))

    def join(self, mixed: Tensor) -> Tensor:
        batch, _, count, _ = mixed.shape
        return self.out(mixed.transpose(1, 2).reshape(batch, count, 8))

    def weights(self, query: Tensor, key: Tensor) -> Tensor:
        return (query @ key.transpose(-2, -1) * 0.5).softmax(dim=-1)

    def forward(self, given: Tensor) -> Tensor:
        return self.join(self.attend(*self.split(given)))

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        raise NotImplementedError


class Fused(Base):
    """Torch's own attention."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        named = {"mask": "attn_mask", "causal": "is_causal", "dropout": "dropout_p"}
        options = {named[name]: option for name, option in self.options.items()}
        return F.scaled_dot_product_attention(query, key, value, **options)


class ByHand(Base):
    """Product, softmax, product."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return self.weights(query, key) @ value


class Einsum(Base):
    """The same as einsums, with a mask of -inf."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = torch.einsum("b h i d, b h j d -> b h i j", query, key) * 0.5
        return torch.einsum("bhij,bhjd->bhid", F.softmax(scores, -1), value)


class Turned(Base):
    """Values times turned weights, all heads in one axis, as in a self-attention GAN."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        query, key, value = (one.flatten(0, 1) for one in (query, key, value))
        weights = torch.bmm(query * 0.5, key.mT).softmax(-1)
        return torch.bmm(value.mT, weights.permute(0, 2, 1)).mT.unflatten(0, (-1, 2))


class Twice(Base):
    """Two attentions of one visit, the second of what the first gave."""

    def forward(self, given: Tensor) -> Tensor:
        for _ in range(2):
            given = self.join(F.scaled_dot_product_attention(*self.split(given)))
        return given


class Differential(Base):
    """The difference of two attentions of half the features."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        first, second = query.chunk(2, -1), key.chunk(2, -1)
        one, other = (F.scaled_dot_product_attention(q, k, value) for q, k in zip(first, second, strict=True))
        return one - 0.3 * other


class ByMethod(Differential):
    """The same, each attention by a method of the layer, and not within its forward."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        first, second = query.chunk(2, -1), key.chunk(2, -1)
        return self.one(first[0], second[0], value) - 0.3 * self.one(first[1], second[1], value)

    def one(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(query, key, value)


class Combined(Base):
    """The difference of two halves of one attention's heads."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        one, other = F.scaled_dot_product_attention(query, key, value).chunk(2, 1)
        return (one - 0.3 * other).repeat(1, 2, 1, 1)


class Joined(Base):
    """The difference of the heads of two attentions that were put side by side, as in DiffLlama."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        both = [F.scaled_dot_product_attention(query, key, part) for part in value.chunk(2, -1)]
        one, other = torch.cat(both, -1).chunk(2, 1)
        return (one - 0.3 * other).repeat(1, 2, 1, 1)


class Stacked(Base):
    """The difference of two attentions that were stacked."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        both = torch.stack([F.scaled_dot_product_attention(query, key, one) for one in (value, key)])
        return both[0] - both[1]


class Pointwise(Base):
    """Numbers multiplied one by one, and then summed."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        weights = (0.5 * query[..., :, None, :] * key[..., None, :, :]).sum(-1).softmax(-1)
        return torch.sum(weights.unsqueeze(-1) * value.unsqueeze(2), dim=3)


class Neighbours(Base):
    """Each query has three keys of its own, gathered."""

    near = torch.tensor([[0, 1, 2], [0, 1, 2], [1, 2, 3], [2, 3, 4], [0, 2, 4]])

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        weights = torch.einsum("bhid,bhikd->bhik", query, key[:, :, self.near]).softmax(-1)
        return torch.einsum("bhik,bhikd->bhid", weights, value[:, :, self.near])


class OneQuery(Base):
    """The first token asks for all, without an axis of queries."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        weights = torch.einsum("bhd,bhjd->bhj", query[:, :, 0] * 0.5, key).softmax(-1)
        return (weights.unsqueeze(-1) * value).sum(2, keepdim=True).expand_as(value)


class Layered(Base):
    """Products written as layers whose weights are keys and values."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        query, key, value = (one.flatten(0, 1) for one in (query, key, value))
        weights = [F.linear(one * 0.5, other).softmax(-1) for one, other in zip(query, key, strict=True)]
        mixed = [F.linear(one, other.mT) for one, other in zip(weights, value, strict=True)]
        return torch.stack(mixed).unflatten(0, (-1, 2))


class AtOnce(Base):
    """Query, key and value in one product."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return torch.einsum("bhid,bhjd,bhje->bhie", query, key, value)


class Best(Base):
    """A softmax over the three best scores of each query, put back in their places, or with values gathered."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        best, places = (query @ key.mT).topk(3)
        if self.options:
            values = (
                value[:, :, None].expand(*places.shape[:3], 5, 4).gather(3, places[..., None].expand(*best.shape, 4))
            )
            return (best.softmax(-1)[..., None] * values).sum(-2)
        return torch.zeros(*best.shape[:-1], 5).scatter(-1, places, best.softmax(-1)) @ value


class Chunks(Base):
    """Two halves of the keys, each with a softmax of its own, put together by the shares of both."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = [query @ one.mT for one in key.split(3, 2)]
        shares = torch.stack([one.logsumexp(-1, keepdim=True) for one in scores]).softmax(0)
        mixed = [one.softmax(-1) @ other for one, other in zip(scores, value.split(3, 2), strict=True)]
        return (torch.stack(mixed) * shares).sum(0)


class Sigmoid(Base):
    """A sigmoid in place of the softmax."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return (query @ key.mT).sigmoid() @ value


class Sorted(Base):
    """Scores that are put in another order than the keys."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return (query @ key.mT).sort(-1).values.softmax(-1) @ value


class Sink(Base):
    """A further score, whose weight is thrown away."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = torch.cat([query @ key.mT, query.new_zeros(*query.shape[:-1], 1)], -1)
        return scores.softmax(-1)[..., :-1] @ value


class Talking(Base):
    """Weights that are mixed over heads."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return torch.einsum("bhij,hg->bgij", self.weights(query, key), self.mix) @ value


class InPlace(Base):
    """Weights that are changed in place."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        weights = self.weights(query, key).clone()
        with torch.no_grad():
            plain = (query @ key.mT).softmax(-1)
            plain *= 0.5
        return plain @ value + 0 * weights @ value


class Landmarks(Base):
    """Two landmarks collect from all tokens, and each token takes from them: as it is (agent attention), or through the
    inverse of what landmarks weigh one another by (Nyström's approximation).
    """

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        few, fewer = query[:, :, :4].unflatten(2, (2, 2)).mean(3), key[:, :, :4].unflatten(2, (2, 2)).mean(3)
        collected = self.weights(few, key) @ value
        if not self.options:
            return self.weights(query, few) @ collected
        between = self.weights(few, fewer)
        if "solve" in self.options:
            return self.weights(query, fewer) @ self.options["solve"](between, collected)
        return self.weights(query, fewer) @ self.options["inverse"](between) @ collected


def by_steps(weights: Tensor) -> Tensor:
    """Return an approximate inverse, as Nyströmformer computes it."""
    found = weights.mT / weights.sum(-2).max()
    for _ in range(3):
        found = found @ (2 * torch.eye(2) - weights @ found)
    return found


class Diffused(Base):
    """Weights that are taken twice, as their square or one after the other."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        weights = self.weights(query, key)
        return (weights @ weights) @ value if self.options["square"] else weights @ (weights @ value)


class Channels(Base):
    """Features attend to features."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return (self.weights(query.mT, key.mT) @ value.mT).mT


class Linear(Base):
    """No softmax."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return query.relu() @ (key.relu().mT @ value)


class Hard(Base):
    """One query takes a key whole, with the gradient of a softmax over queries, as where GroupViT assigns to groups."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = query @ key.mT
        soft = scores.softmax(-2)
        hard = torch.zeros_like(scores).scatter_(-2, soft.argmax(-2, keepdim=True), 1.0)
        return (hard - soft.detach() + soft) @ value


class Additive(Base):
    """Weights from a layer, not from a product."""

    def __init__(self) -> None:
        super().__init__()
        self.score = nn.Linear(4, 5)

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return self.score(query).softmax(-1) @ value


class Rows(Base):
    """Weights that are summed over queries."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return self.weights(query, key).mT @ value


class Deformable(Base):
    """Samples a few points, so that there is no map."""

    def forward(self, given: Tensor) -> Tensor:
        points, weights = self.qkv(given)[..., :8].tanh().reshape(1, 5, 4, 2), self.qkv(given)[..., 8:12].softmax(-1)
        sampled = F.grid_sample(given.mT[:, :, None], points, align_corners=False)
        return (sampled * weights[:, None]).sum(-1).mT


class AttentionFree(Base):
    """No product of a query and a key, with a name that says otherwise."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return query.sigmoid() * (key.softmax(2) * value).sum(2, keepdim=True)
