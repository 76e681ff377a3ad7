"""Products of two tensors, however they are written, as letters: matmul, bmm, baddbmm and einsum become one thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from string import ascii_lowercase, ascii_uppercase
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

PRODUCTS = {
    torch.matmul, Tensor.matmul, Tensor.__matmul__, Tensor.__rmatmul__, torch.bmm, Tensor.bmm, torch.mm, Tensor.mm,
    torch.baddbmm, Tensor.baddbmm, torch.addmm, Tensor.addmm, torch.linalg.matmul, torch.tensordot, torch.inner,
    Tensor.inner, torch.einsum,
}  # fmt: skip
_ADDED = {torch.baddbmm, Tensor.baddbmm, torch.addmm, Tensor.addmm}
_INNER = {torch.inner, Tensor.inner}


@dataclass(frozen=True)
class Product:
    """A product of two tensors, with a letter for each axis of its operands and of its result, as in an einsum."""

    follows: ClassVar[Literal["all", "sums", "shapes"]] = "all"

    operands: tuple[Tensor, Tensor]
    letters: tuple[str, str]
    result: str

    def size(self, letter: str) -> int:
        """Return how long an axis is, broadcast."""
        pairs = zip(self.operands, self.letters, strict=True)
        return max(tensor.shape[word.index(letter)] for tensor, word in pairs if letter in word)

    def sizes(self, letters: Sequence[str]) -> list[int]:
        """Return how long several axes are."""
        return [self.size(letter) for letter in letters]

    def arranged(self, tensor: Tensor, letters: str, *groups: Sequence[str], lead: Sequence[str]) -> Tensor:
        """Return a tensor as (*lead, group, group, ...), each group of axes as one, what it lacks repeated."""
        order = [*lead, *(letter for group in groups for letter in group)]
        there = [letter for letter in order if letter in letters]
        tensor = tensor.permute([letters.index(letter) for letter in there])
        for place, letter in enumerate(order):
            if letter not in letters:
                tensor = tensor.unsqueeze(place)
        tensor = tensor.expand(*(self.size(letter) for letter in order))
        return tensor.reshape(*self.sizes(lead), *(prod(self.sizes(group)) for group in groups))

    def put_back(self, tensor: Tensor, letters: str, *groups: Sequence[str], lead: Sequence[str]) -> Tensor | None:
        """Undo `arranged`; None where it had repeated an array."""
        order = [*lead, *(letter for group in groups for letter in group)]
        if sorted(order) != sorted(letters):
            return None
        tensor = tensor.reshape(self.sizes(order))
        return tensor.permute([order.index(letter) for letter in letters])

    def query_and_key(self, lead: Sequence[int], queries: int, keys: int) -> tuple[Tensor, Tensor] | None:
        """Return the operands as query (*lead, query, feature) and key (*lead, key, feature), if they are that."""
        place = 0 if self.result[-1] in self.letters[0] else 1
        for_key, for_query = self.letters[place], self.letters[1 - place]
        rest = self.result
        key = _trailing(rest, for_key, for_query)
        rest = rest[: len(rest) - len(key)]
        query = _trailing(rest, for_query, for_key)
        rest = rest[: len(rest) - len(query)]
        summed = [letter for letter in for_key if letter in for_query and letter not in self.result]
        if (prod(self.sizes(query)), prod(self.sizes(key))) != (queries, keys) or prod(self.sizes(rest)) != prod(lead):
            return None
        found = self.arranged(self.operands[1 - place], for_query, query, summed, lead=rest)
        other = self.arranged(self.operands[place], for_key, key, summed, lead=rest)
        return found.reshape(*lead, *found.shape[-2:]), other.reshape(*lead, *other.shape[-2:])

    @property
    def of_parameters(self) -> bool:
        """Whether an operand is a weight of the model, so that this is a layer and no attention."""
        return any(isinstance(one, nn.Parameter) or isinstance(one._base, nn.Parameter) for one in self.operands)


def product_of(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Product | None:
    """Return a call of one of `PRODUCTS` as letters; None for one that is no product of two tensors with axes to
    sum.
    """
    values = [*arguments, *named.values()]
    if function is torch.einsum:
        if not isinstance(values[0], str):
            return None
        operands = values[1] if len(values) == 2 and isinstance(values[1], tuple | list) else values[1:]
        return _einsum(values[0].replace(" ", ""), tuple(operands)) if len(operands) == 2 else None
    left, right = values[1:3] if function in _ADDED else values[:2]
    if function is Tensor.__rmatmul__:
        left, right = right, left
    if not isinstance(left, Tensor) or not isinstance(right, Tensor) or min(left.ndim, right.ndim) < 2:
        return None
    if function is torch.tensordot or function in _INNER:
        return _contracted(left, right, ([-1], [-1]) if function in _INNER else (*values, 2)[2])
    lead = ascii_uppercase[: max(left.ndim, right.ndim) - 2]
    first, second = lead[len(lead) - left.ndim + 2 :], lead[len(lead) - right.ndim + 2 :]
    return Product((left, right), (first + "qc", second + "ck"), lead + "qk")


def _contracted(left: Tensor, right: Tensor, dims: Any) -> Product:
    """Return a sum over axes of both, given as torch.tensordot takes them, which leaves those of the left one first."""
    if isinstance(dims, int):
        dims = range(-dims, 0), range(dims)
    word, other = ascii_uppercase[: left.ndim], [*ascii_lowercase[: right.ndim]]
    for one, two in zip(*dims, strict=True):
        other[two] = word[one]
    rest = [letter for letter in word if letter not in other] + [letter for letter in other if letter not in word]
    return Product((left, right), (word, "".join(other)), "".join(rest))


def _einsum(equation: str, operands: tuple[Any, ...]) -> Product | None:
    if "->" not in equation or not all(isinstance(one, Tensor) for one in operands):
        return None
    inputs, result = equation.split("->")
    words = inputs.split(",")
    spare = [letter for letter in ascii_uppercase if letter not in equation]
    most = 0
    for place, (word, tensor) in enumerate(zip(words, operands, strict=True)):
        if "..." in word:
            length = tensor.ndim - len(word) + 3
            most = max(most, length)
            words[place] = word.replace("...", "".join(spare[len(spare) - length :]))
    result = result.replace("...", "".join(spare[len(spare) - most :]))
    if any(len(set(word)) != len(word) for word in (*words, result)) or len(result) < 2:
        return None
    return Product((operands[0], operands[1]), (words[0], words[1]), result)


def _trailing(letters: str, among: str, without: str) -> str:
    """Return the last letters that are in one word and not in the other."""
    count = 0
    while count < len(letters) and letters[-1 - count] in among and letters[-1 - count] not in without:
        count += 1
    return letters[len(letters) - count :]
