"""Which leading axes are pictures, windows and heads, and products as letters."""

import pytest
import torch
from torch import Tensor

from attnviz.capture.layout import layout_of
from attnviz.capture.products import product_of
from attnviz.errors import TraceError


@pytest.mark.parametrize(
    ("lead", "batches", "heads", "expected"),
    [
        ((), [1], set(), {}),
        ((2, 6), [2], {6}, {"batch": 2, "head": 6}),
        ((12,), [2], {6}, {"batch": 2, "head": 6}),
        ((12,), [1, 3], {4}, {"batch": 3, "head": 4}),
        ((2,), [2], {6}, {"batch": 2}),
        ((128, 3), [2], {3}, {"batch": 2, "window": 64, "head": 3}),
        ((16, 9), [2], {8}, {"batch": 2, "head": 8, "window": 9}),
        ((2, 49, 4), [2], {4}, {"batch": 2, "window": 49, "head": 4}),
        ((2, 4, 49), [2], {4}, {"batch": 2, "head": 4, "window": 49}),
        ((3, 4), [1, 3], {4}, {"batch": 3, "head": 4}),
        ((5, 4), [2], {4}, {"batch": 5, "head": 4}),
    ],
)
def test_leading_axes_are_told_apart_and_back(
    lead: tuple[int, ...], batches: list[int], heads: set[int], expected: dict[str, int]
) -> None:
    layout = layout_of(lead, batches, heads)
    assert {word: layout.size(word) for word in ("batch", "window", "head") if layout.size(word) > 1} == expected
    tensor = torch.randn(*lead, 5, 3)
    shown = layout.shown(tensor)
    assert shown.ndim == len(layout.words) + 2
    assert torch.equal(layout.back(shown), tensor)


@pytest.mark.parametrize(("lead", "heads"), [((2, 4, 4), {4}), ((2, 3, 5), {7}), ((2, 2, 2, 2), {2})])
def test_what_can_be_read_in_two_ways_is_refused(lead: tuple[int, ...], heads: set[int]) -> None:
    with pytest.raises(TraceError, match="cannot be told apart as pictures, windows and heads"):
        layout_of(lead, [2], heads)


def test_heads_that_lie_side_by_side_in_memory_settle_it() -> None:
    assert dict(layout_of((2, 4, 4), [2], {4}, packed=1).factors) == {"batch": 2, "head": 4, "window": 4}
    assert layout_of((2, 4, 4), [2], {4}, packed=1).factors[1][0] == "head"
    assert layout_of((2, 4, 4), [2], {4}, packed=2).factors[1][0] == "window"


QUERY, KEY = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (torch.matmul, (QUERY, KEY.mT)),
        (torch.bmm, (QUERY.flatten(0, 1), KEY.flatten(0, 1).mT)),
        (torch.baddbmm, (torch.zeros(6, 5, 7), QUERY.flatten(0, 1), KEY.flatten(0, 1).mT)),
        (torch.einsum, ("b h i d, b h j d -> b h i j", QUERY, KEY)),
        (torch.einsum, ("...jd,...id->...ij", KEY, QUERY)),
        (torch.einsum, ("...jd,...id", KEY, QUERY)),
        (torch.linalg.vecdot, (QUERY[..., :, None, :], KEY[..., None, :, :])),
        (torch.cdist, (QUERY, KEY)),
        (torch.einsum, ("bihd,bjhd->bhij", [QUERY.transpose(1, 2), KEY.transpose(1, 2)])),
    ],
)
def test_queries_and_keys_of_a_product_however_it_is_written(function: object, arguments: tuple[object, ...]) -> None:
    product = product_of(function, arguments, {})
    assert product is not None
    found = product.query_and_key((2, 3), 5, 7)
    assert found is not None
    assert torch.equal(found[0], QUERY) and torch.equal(found[1], KEY)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (torch.matmul, (torch.randn(3), torch.randn(3))),
        (torch.einsum, ("ij,jk,kl->il", QUERY[0, 0], QUERY[0, 0].mT, QUERY[0, 0])),
        (torch.einsum, ("ii,ij->ij", torch.eye(3), torch.eye(3))),
        (torch.einsum, (QUERY[0, 0], [0, 1], KEY[0, 0], [2, 1])),
    ],
)
def test_what_is_no_product_of_two_tensors_by_letters(function: object, arguments: tuple[object, ...]) -> None:
    assert product_of(function, arguments, {}) is None


def test_values_are_arranged_and_put_back() -> None:
    weights, value = torch.randn(2, 3, 5, 7), torch.randn(2, 7, 3, 4)
    product = product_of(torch.einsum, ("bhij,bjhd->bihd", weights, value), {})
    assert product is not None
    shown = product.arranged(value, "bjhd", "j", "d", lead="bh")
    assert torch.equal(shown, value.transpose(1, 2))
    back: Tensor | None = product.put_back(shown, "bjhd", "j", "d", lead="bh")
    assert back is not None and torch.equal(back, value)
