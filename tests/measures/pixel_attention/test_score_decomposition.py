"""Scores decomposed into content and position, against loops and against the tap."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.layers.positions import PositionCode
from attnviz.measures.pixel_attention.score_decomposition import PARTS, ScoreDecomposition, decompose, halves
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import Grid, trace

WITHOUT: dict[str, object] = {}
WITH = {"positions": "sinusoidal_2d", "position_features": 8}
LEARNED = {"positions": "learned", "position_features": 3, "pool": 2}
PATCHES = {"positions": "sinusoidal_1d", "position_features": 4, "patch": 2}


def model_of(seed: int = 0, heads: int = 3, head_size: int = 4, **more) -> PixelAttention:
    generator = torch.Generator().manual_seed(seed)
    model = PixelAttention(classes=("8", "1"), heads=heads, head_size=head_size, rows=6, columns=8, mean=0.13, std=0.31,
                           generator=generator, **more)  # fmt: skip
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=generator)
    return model.eval().requires_grad_(False)


def picture_of(seed: int, dtype: torch.dtype) -> Tensor:
    return torch.rand(1, 1, 6, 8, generator=torch.Generator().manual_seed(seed + 100), dtype=torch.float64).to(dtype)


def split_of(layer: Attention, content: Tensor, code: Tensor | None) -> ScoreDecomposition:
    return decompose(
        content, code, query_weight=layer.query.weight, query_bias=layer.query.bias, key_weight=layer.key.weight,
        key_bias=layer.key.bias, heads=layer.heads,
    )  # fmt: skip


def looked_at(model: PixelAttention, picture: Tensor) -> tuple[ScoreDecomposition, Tensor]:
    """The decomposition of a picture, and its scores as the layer itself has them: (head, query, key)."""
    keep = ["attention.scores"] if model.positions is None else ["attention.scores", "positions.code"]
    with trace(model, keep) as seen:
        model(picture)
    features = model.attention.query.in_features
    code = None if model.positions is None else seen["positions.code"].tensor
    content = model.tokens(picture)[0, :, : features - (0 if code is None else code.shape[1])]
    return split_of(model.attention, content, code), seen["attention.scores"].at(batch=0)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("more", [WITHOUT, WITH, LEARNED, PATCHES], ids=["without", "with", "learned", "patches"])
@pytest.mark.parametrize("seed", range(3))
def test_the_four_parts_sum_to_the_scores(seed, more, dtype):
    model = model_of(seed, **more).to(dtype)
    found, scores = looked_at(model, picture_of(seed, dtype))
    for head in range(3):
        expected, parts = scores[head].double().numpy(), found.scores(head)
        total = sum(parts.values())
        assert np.abs(total - expected).max() <= 1e-5 * np.abs(expected).max()
        if dtype == torch.float64:
            np.testing.assert_allclose(total, expected, rtol=1e-9, atol=1e-9)
        assert all(np.abs(part).max() > 1e-3 * np.abs(expected).max() for part in parts.values()), "a part is missing"


@settings(max_examples=40, deadline=None)
@given(
    tokens=st.integers(1, 6),
    content=st.integers(1, 4),
    position=st.integers(0, 3),
    heads=st.integers(1, 3),
    size=st.integers(1, 4),
    scale=st.sampled_from([1e-3, 1.0, 255.0]),
    seed=st.integers(0, 1000),
)
def test_the_four_parts_sum_to_the_scores_of_any_layer(tokens, content, position, heads, size, scale, seed):
    torch.manual_seed(seed)
    layer = Attention(features=content + position, heads=heads, head_size=size).double().requires_grad_(False)
    of_picture, code = scale * torch.randn(tokens, content).double(), torch.randn(tokens, position).double()
    with trace(layer, ["scores"]) as seen:
        layer(torch.cat([of_picture, code], 1)[None])
    found = split_of(layer, of_picture, code)
    for head in range(heads):
        parts = found.scores(head)
        largest = sum(np.abs(part) for part in parts.values())
        error = np.abs(sum(parts.values()) - seen["scores"].at(batch=0, head=head).numpy())
        assert (error <= 1e-12 * (largest + 1e-12)).all()


def test_the_halves_are_what_loops_make_of_them():
    generator = torch.Generator().manual_seed(0)
    content, code, weight, bias = (torch.randn(shape, generator=generator) for shape in ((5, 2), (5, 3), (8, 5), (8,)))
    of_content, of_position = halves(content, code, weight, bias, heads=2)
    assert of_content.shape == of_position.shape == (2, 5, 4)
    assert of_content.dtype == of_position.dtype == np.float64
    for head in range(2):
        for token in range(5):
            for number in range(4):
                row = 4 * head + number
                first = sum(float(weight[row, i]) * float(content[token, i]) for i in range(2))
                second = float(bias[row]) + sum(float(weight[row, 2 + i]) * float(code[token, i]) for i in range(3))
                assert of_content[head, token, number] == pytest.approx(first, rel=1e-12)
                assert of_position[head, token, number] == pytest.approx(second, rel=1e-12)


def test_the_parts_of_a_case_by_hand():
    """One head of size 4 (root 2), two tokens; only the first component is used."""
    weight = torch.tensor([[2.0, 10.0], [0, 0], [0, 0], [0, 0]])
    bias = torch.tensor([1.0, 0, 0, 0])
    found = decompose(
        torch.tensor([[1.0], [3.0]]), torch.tensor([[0.0], [1.0]]), query_weight=weight, query_bias=bias,
        key_weight=-weight, key_bias=bias, heads=1,
    )  # fmt: skip
    # Queries 2, 6 by content and 1, 11 by position; keys -2, -6 by content and 1, -9 by position.
    parts = found.scores(0)
    assert tuple(parts) == PARTS == ("content-content", "content-position", "position-content", "position-position")
    assert parts["content-content"].tolist() == [[-2, -6], [-6, -18]]
    assert parts["content-position"].tolist() == [[1, -9], [3, -27]]
    assert parts["position-content"].tolist() == [[-1, -3], [-11, -33]]
    assert parts["position-position"].tolist() == [[0.5, -4.5], [5.5, -49.5]]


def test_without_a_code_position_is_the_bias_alone_and_its_key_half_changes_no_weight():
    model = model_of()
    found, scores = looked_at(model, picture_of(0, torch.float32))
    expected = model.attention.query.bias.unflatten(0, (3, 1, 4)).double().expand(3, 48, 4)
    np.testing.assert_array_equal(found.query_position, expected)
    parts = found.scores(1)
    assert np.ptp(parts["content-position"], axis=1).max() < 1e-12
    assert np.ptp(parts["position-position"]) < 1e-12
    moving = torch.from_numpy(parts["content-content"] + parts["position-content"])
    torch.testing.assert_close(moving.softmax(1), scores[1].double().softmax(1), rtol=1e-4, atol=1e-7)


def test_position_does_not_depend_on_the_picture_and_content_not_on_the_place():
    model = model_of(**WITH)
    first, second = (looked_at(model, picture_of(seed, torch.float32))[0] for seed in (1, 2))
    np.testing.assert_array_equal(first.query_position, second.query_position)
    np.testing.assert_array_equal(first.key_position, second.key_position)
    assert np.abs(first.query_content - second.query_content).max() > 0.1
    grey = looked_at(model, torch.full((1, 1, 6, 8), 0.5))[0]
    assert np.ptp(grey.query_content, axis=1).max() == np.ptp(grey.key_content, axis=1).max() == 0


def test_shapes_that_do_not_fit_are_refused():
    content, code = torch.zeros(5, 1), PositionCode(kind="learned", features=3, grid=Grid(2, 2)).code
    weight, bias = torch.zeros(6, 4), torch.zeros(6)
    halves(content[:4], code, weight, bias, 3)
    fitting = {"content": content[:4], "code": code, "weight": weight, "bias": bias, "heads": 3}
    for change in [{"content": content}, {"code": None}, {"heads": 4}, {"bias": bias[:5]}, {"heads": 0}]:
        with pytest.raises(BadInput, match="do not fit a weight"):
            halves(**(fitting | change))


@pytest.mark.parametrize("head", [-1, 3])
def test_a_head_that_there_is_not_is_refused(head):
    found, _ = looked_at(model_of(), picture_of(0, torch.float32))
    with pytest.raises(BadInput, match="there are 3, counted from 0"):
        found.scores(head)
