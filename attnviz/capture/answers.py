"""Run a model with its attention set to zero and noise on part of the picture, and record how its tokens respond."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.capture.call import Call, bound
from attnviz.capture.mode import Mode, Softmax
from attnviz.capture.products import Product

Which = tuple[str, str]  # the key of a call, and "query" or "key"
NOISE = 1e-5  # changes below this share of a token's size are rounding


class Passes:
    """A model, its first picture, and the calls whose tokens are to be located."""

    def __init__(
        self, model: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any], calls: Mapping[str, Call]
    ) -> None:
        self.model, self.calls = model, {key: call for key, call in calls.items() if not call.refused}
        tensors = [one for one in (*arguments, *named.values()) if isinstance(one, Tensor)]
        pictures = [one for one in tensors if one.ndim == 4 and one.is_floating_point()]
        self.picture = pictures[0][:1].detach() if pictures else None
        self._batch = pictures[0].shape[0] if pictures else 0
        self._given = pictures[0] if pictures else None
        self._arguments, self._named = arguments, named

    def answers(self, strength: Tensor | None = None, ends: bool = False) -> "Answers":
        """Return the queries and keys of a pass with noise of `strength`, (row, column); None means no noise.
        With `ends`, the pass stops once the queries and keys of all calls are known."""
        assert self.picture is not None
        picture = self.picture
        if strength is not None:
            noise = torch.randn(picture.shape, generator=torch.Generator().manual_seed(0)) * strength
            picture = picture + noise.to(picture) * picture.std().clamp_min(0.1)
        mode = _Muted(self.model, set(self.calls) if ends else None)
        # Passes around this one must not record it.
        with suppress(_Enough), torch.no_grad(), mode:
            self.model(
                *(self._put(one, picture) for one in self._arguments),
                **{name: self._put(one, picture) for name, one in self._named.items()},
            )
        mode.frames.close()
        return Answers(mode.found, self.calls)

    def _put(self, value: Any, picture: Tensor) -> Any:
        if value is self._given:
            return picture
        return value[:1] if isinstance(value, Tensor) and value.ndim and value.shape[0] == self._batch else value


class Answers:
    """Queries and keys of one pass, (window, token, features of all heads)."""

    def __init__(self, found: Mapping[Which, Tensor], calls: Mapping[str, Call]) -> None:
        self._found = {}
        for (key, what), tensor in found.items():
            if key in calls:
                self._found[key, what] = _shown(tensor, calls[key]).double().cpu()

    def sizes(self, other: "Answers") -> dict[Which, Tensor]:
        """Return how much each token differs in another pass, (window, token), relative to the size of all tokens."""
        return {
            which: (other._found[which] - own).norm(dim=-1) / own.norm(dim=-1).mean().clamp_min(1e-30)
            for which, own in self._found.items()
            if which in other._found and other._found[which].shape == own.shape
        }

    def changes(self, other: "Answers") -> dict[Which, Tensor]:
        """Return which tokens differ in another pass, (window, token)."""
        return {which: size > NOISE for which, size in self.sizes(other).items()}

    def same_as(self, other: "Answers") -> bool:
        """Return whether no token differs in another pass."""
        return not any(bool(changed.any()) for changed in self.changes(other).values())


def _shown(tensor: Tensor, call: Call) -> Tensor:
    """Rearrange a tensor of a call into (window, token, features of all heads), for the first picture."""
    places = [word for word, _ in call.layout.factors]
    sizes = [-1 if word == "batch" else size for word, size in call.layout.factors]
    split = tensor.reshape(*sizes, *tensor.shape[-2:])
    order = [places.index(word) for word in ("batch", "window") if word in places]
    heads = [places.index("head")] if "head" in places else []
    split = split.permute(*order, len(places), *heads, len(places) + 1)
    return split[0].reshape(call.layout.size("window"), tensor.shape[-2], -1)


class _Enough(BaseException):
    """Raised to end a pass early; no model catches it by mistake."""


class _Muted(Mode):
    """A pass in which every attention returns zero, and which keeps the queries and keys. It ends after the last of
    the calls in `until`, if given."""

    def __init__(self, model: nn.Module, until: set[str] | None) -> None:
        super().__init__(model)
        self._until = until
        self.found: dict[Which, Tensor] = {}

    def attention(self, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        where = self.frames.where("attention")
        given = bound(*arguments, **named)
        self._keep(where.key, given.query, given.key)
        return given.query.new_zeros(*given.query.shape[:-1], given.value.shape[-1])

    def softmax(self, found: Softmax, compute: Callable[[Tensor], Tensor]) -> Tensor:
        where = self.frames.where("attention")
        scores = found.scores
        assert found.product is not None
        both = found.product.query_and_key(scores.shape[:-2], scores.shape[-2], scores.shape[-1])
        self._keep(where.key, *(both or (scores, scores.mT)))
        found.call = where
        return torch.zeros_like(scores)

    def mixing(self, found: Softmax, product: Product, place: int, compute: Callable[[Tensor], Tensor]) -> Tensor:
        if found.call is None and not product.of_parameters:
            self.frames.where("attention")
            return compute(product.operands[1 - place]) * 0
        return compute(product.operands[1 - place])

    def unweighted(self) -> None:
        self.frames.where("attention")

    def fused(self, name: str) -> None:
        self.frames.where("attention")

    def _keep(self, key: str, query: Tensor, keys: Tensor) -> None:
        self.found[key, "query"] = query.detach().clone()
        self.found[key, "key"] = keys.detach().clone()
        if self._until is not None:
            self._until.discard(key)
            if not self._until:
                raise _Enough
