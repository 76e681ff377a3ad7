"""Describe any product of two tensors by the letters of an einsum, whether it is written as matmul, bmm, einsum, or a
sum of elementwise products."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from string import ascii_lowercase, ascii_uppercase
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnviz.capture.descent import Pairing
from attnviz.capture.lineage import Follows

_ADDED = {torch.baddbmm, Tensor.baddbmm, Tensor.baddbmm_, torch.addmm, Tensor.addmm, Tensor.addmm_}
_INNER = {torch.inner, Tensor.inner}
_SEVERAL = {torch.einsum, torch.linalg.multi_dot, torch.chain_matmul}
PRODUCTS = _ADDED | _INNER | _SEVERAL | {
    torch.matmul, Tensor.matmul, Tensor.__matmul__, Tensor.__rmatmul__, torch.linalg.matmul, torch.bmm, Tensor.bmm,
    torch.mm, Tensor.mm, torch.mv, Tensor.mv, torch.tensordot, torch.cdist, torch.linalg.vecdot, F.linear,
}  # fmt: skip


@dataclass(frozen=True)
class Product:
    """A product of two tensors, with a letter for each axis of its operands and of its result, as in an einsum.

    `sure` is False for a sum of elementwise products that may not multiply tokens; `pairing` is the product of tokens
    that it is, or multiplies by fixed numbers, if any.
    """

    follows: ClassVar[Follows] = "all"

    operands: tuple[Tensor, Tensor]
    letters: tuple[str, str]
    result: str
    sure: bool = True
    pairing: Pairing | None = None

    def size(self, letter: str) -> int:
        """Return the length of an axis after broadcasting."""
        pairs = zip(self.operands, self.letters, strict=True)
        return max(tensor.shape[word.index(letter)] for tensor, word in pairs if letter in word)

    def sizes(self, letters: Sequence[str]) -> list[int]:
        """Return the lengths of several axes."""
        return [self.size(letter) for letter in letters]

    def arranged(self, tensor: Tensor, letters: str, *groups: Sequence[str], lead: Sequence[str]) -> Tensor:
        """Return a tensor as (*lead, group, group, ...), each group of axes merged and missing axes repeated."""
        order = [*lead, *(letter for group in groups for letter in group)]
        there = [letter for letter in order if letter in letters]
        tensor = tensor.permute([letters.index(letter) for letter in there])
        for place, letter in enumerate(order):
            if letter not in letters:
                tensor = tensor.unsqueeze(place)
        tensor = tensor.expand(*(self.size(letter) for letter in order))
        return tensor.reshape(*self.sizes(lead), *(prod(self.sizes(group)) for group in groups))

    def put_back(self, tensor: Tensor, letters: str, *groups: Sequence[str], lead: Sequence[str]) -> Tensor | None:
        """Undo `arranged`; return None if `arranged` had repeated an array."""
        order = [*lead, *(letter for group in groups for letter in group)]
        if sorted(order) != sorted(letters):
            return None
        tensor = tensor.reshape(self.sizes(order))
        return tensor.permute([order.index(letter) for letter in letters])

    def query_and_key(self, lead: Sequence[int], queries: int, keys: int) -> tuple[Tensor, Tensor] | None:
        """Return the operands as query (*lead, query, feature) and key (*lead, key, feature), or None."""
        place, rest, query, key = self._words
        for_key, for_query = self.letters[place], self.letters[1 - place]
        summed = [letter for letter in for_key if letter in for_query and letter not in self.result]
        if (prod(self.sizes(query)), prod(self.sizes(key))) != (queries, keys) or prod(self.sizes(rest)) != prod(lead):
            return None
        found = self.arranged(self.operands[1 - place], for_query, query, summed, lead=rest)
        other = self.arranged(self.operands[place], for_key, key, summed, lead=rest)
        return found.reshape(*lead, *found.shape[-2:]), other.reshape(*lead, *other.shape[-2:])

    @property
    def _words(self) -> tuple[int, str, str, str]:
        """The index of the operand with the keys, and the result's shared, query and key letters."""
        place = 0 if self.result[-1:] in self.letters[0] else 1
        for_key, for_query = self.letters[place], self.letters[1 - place]
        key = _trailing(self.result, for_key, for_query)
        rest = self.result[: len(self.result) - len(key)]
        query = _trailing(rest, for_query, for_key)
        return place, rest[: len(rest) - len(query)], query, key

    @property
    def is_of_one_query(self) -> bool:
        """Whether the result has a key axis but no query axis: a single query, or separate keys for each query."""
        _, _, query, key = self._words
        return bool(key) and not query

    @property
    def of_parameters(self) -> bool:
        """Whether an operand is a parameter of the model, so that this is a layer and not attention."""
        return any(isinstance(one, nn.Parameter) or isinstance(one._base, nn.Parameter) for one in self.operands)


def product_of(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Product | None:
    """Describe a call of one of `PRODUCTS` by letters; None if it is not a product of two tensors with axes to sum."""
    values = [*arguments, *named.values()]
    if function in _SEVERAL:
        equation, *operands = _several(values)
        return _einsum(equation.replace(" ", ""), operands) if equation and len(operands) == 2 else None
    left, right = values[1:3] if function in _ADDED else values[:2]
    if function is Tensor.__rmatmul__:
        left, right = right, left
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return None
    turned = function is torch.cdist or function is F.linear  # the second operand is transposed, as keys are
    if min(left.ndim, right.ndim) < 1 + turned or max(left.ndim, right.ndim) < 2:
        return None
    if function is torch.linalg.vecdot:
        return pointwise(left, right, [named.get("dim", -1)])
    if function is torch.tensordot or function in _INNER:
        return _contracted(left, right, ([-1], [-1]) if function in _INNER else (*values, 2)[2])
    lead = ascii_uppercase[: max(left.ndim, right.ndim) - 2]
    first, second = lead[len(lead) - left.ndim + 2 :], lead[len(lead) - right.ndim + 2 :]
    if turned:
        return Product((left, right), (first + "qc", second + "kc"), lead + "qk", function is torch.cdist)
    ends = "qc"[left.ndim == 1 :], "ck"[: min(right.ndim, 2)]
    return Product((left, right), (first + ends[0], second + ends[1]), lead + (ends[0] + ends[1]).replace("c", ""))


def of_many(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Return whether a call multiplies three or more tensors at once, none of them a parameter of the model."""
    operands = _several([*arguments, *named.values()])[1:] if function in _SEVERAL else []
    return sum(isinstance(one, Tensor) and not isinstance(one, nn.Parameter) for one in operands) > 2


def pointwise(left: Tensor, right: Tensor, axes: Sequence[int]) -> Product | None:
    """Describe the sum over axes of an elementwise product of two tensors; None if one of them lacks such an axis."""
    shape = torch.broadcast_shapes(left.shape, right.shape)
    letters = ascii_lowercase[: len(shape)]
    operands, words = [], []
    for one in (left, right):
        full = one[(None,) * (len(shape) - one.ndim)]
        there = [size == 1 or bool(step) for size, step in zip(shape, full.expand(shape).stride(), strict=True)]
        operands.append(full[tuple(slice(None) if one else 0 for one in there)])
        words.append("".join(letter for letter, one in zip(letters, there, strict=True) if one))
    summed = {letters[axis] for axis in axes}
    if not all(summed <= {*word} for word in words):
        return None
    rest = "".join(letter for letter in letters if letter not in summed)
    sure = bool({*words[0]} - {*words[1]}) and bool({*words[1]} - {*words[0]})
    return Product((operands[0], operands[1]), (words[0], words[1]), rest, sure)


def _several(values: list[Any]) -> list[Any]:
    """Return the equation (or "") and the operands of a call of one of `_SEVERAL`."""
    equation = values.pop(0) if isinstance(values[0], str) else ""
    return [equation, *(values[0] if isinstance(values[0], tuple | list) else values)]


def _contracted(left: Tensor, right: Tensor, dims: Any) -> Product:
    """Describe a contraction over axes given as for torch.tensordot; the left operand's axes come first."""
    if isinstance(dims, int):
        dims = range(-dims, 0), range(dims)
    word, other = ascii_uppercase[: left.ndim], [*ascii_lowercase[: right.ndim]]
    for one, two in zip(*dims, strict=True):
        other[two] = word[one]
    rest = [letter for letter in word if letter not in other] + [letter for letter in other if letter not in word]
    return Product((left, right), (word, "".join(other)), "".join(rest))


def _einsum(equation: str, operands: Sequence[Any]) -> Product | None:
    if not all(isinstance(one, Tensor) for one in operands):
        return None
    inputs, arrow, result = equation.partition("->")
    if not arrow:
        once = sorted(letter for letter in inputs if letter.isalpha() and inputs.count(letter) == 1)
        result = "..." * ("..." in inputs) + "".join(once)
    words = inputs.split(",")
    spare = [letter for letter in ascii_uppercase if letter not in equation]
    most = 0
    for place, (word, tensor) in enumerate(zip(words, operands, strict=True)):
        if "..." in word:
            length = tensor.ndim - len(word) + 3
            most = max(most, length)
            words[place] = word.replace("...", "".join(spare[len(spare) - length :]))
    result = result.replace("...", "".join(spare[len(spare) - most :]))
    if any(len(set(word)) != len(word) for word in (*words, result)) or not result:
        return None
    return Product((operands[0], operands[1]), (words[0], words[1]), result)


def _trailing(letters: str, among: str, without: str) -> str:
    """Return the trailing letters that occur in `among` and not in `without`."""
    count = 0
    while count < len(letters) and letters[-1 - count] in among and letters[-1 - count] not in without:
        count += 1
    return letters[len(letters) - count :]
