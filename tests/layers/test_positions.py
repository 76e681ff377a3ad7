"""Position codes, attnviz/layers/positions.py."""

import math

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.layers.positions import PositionCode, sinusoids
from attnviz.tracing import Grid, trace

GRID = Grid(5, 7)


def sine_or_cosine(place: int, number: int, features: int) -> float:
    """The paper's formula: PE(place, 2 i) = sin(place / 10000^(2 i / d)), PE(place, 2 i + 1) = cos(the same)."""
    angle = place / 10000 ** ((number - number % 2) / features)
    return math.cos(angle) if number % 2 else math.sin(angle)


def test_one_dimensional_sinusoids_follow_the_papers_formula():
    code = PositionCode(kind="sinusoidal_1d", features=6, grid=GRID).code
    expected = [[sine_or_cosine(place, number, 6) for number in range(6)] for place in range(35)]
    torch.testing.assert_close(code, torch.tensor(expected), rtol=1e-5, atol=1e-5)


def test_two_dimensional_sinusoids_code_the_row_in_one_half_and_the_column_in_the_other():
    code = PositionCode(kind="sinusoidal_2d", features=8, grid=GRID).code
    expected = [
        [sine_or_cosine(place, number, 4) for place in (row, column) for number in range(4)]
        for row in range(5)
        for column in range(7)
    ]
    torch.testing.assert_close(code, torch.tensor(expected), rtol=1e-5, atol=1e-5)


def test_the_longest_wavelength_can_be_chosen():
    places = torch.arange(30.0)
    code = sinusoids(places, 8, longest=20)
    for pair in range(4):
        rate = 20 ** (-pair / 4)
        torch.testing.assert_close(code[:, 2 * pair], torch.tensor([math.sin(p * rate) for p in range(30)]))
    layer = PositionCode(kind="sinusoidal_2d", features=16, grid=GRID, longest=20)
    torch.testing.assert_close(layer.code[:7, 8:], code[:7])
    with pytest.raises(BadInput, match="at least 2 pi"):
        sinusoids(places, 8, longest=0.5)


def test_sinusoids_reach_from_two_pi_to_ten_thousand_times_two_pi():
    code = sinusoids(torch.tensor([0, 1]), 512)
    assert code[0].tolist() == [0.0, 1.0] * 256
    assert code[1, 0] == pytest.approx(math.sin(1))
    assert code[1, 510] == pytest.approx(math.sin(10000 ** (-510 / 512)), rel=1e-4)


@pytest.mark.parametrize("kind", ["learned", "sinusoidal_1d", "sinusoidal_2d"])
def test_distinct_places_have_distinct_codes(kind):
    torch.manual_seed(0)
    code = PositionCode(kind=kind, features=4, grid=Grid(28, 28)).code.detach()
    distances = torch.cdist(code.double(), code.double(), compute_mode="donot_use_mm_for_euclid_dist")
    assert (distances + torch.eye(784) > 1e-3).all()


@pytest.mark.parametrize("kind", ["learned", "sinusoidal_1d", "sinusoidal_2d"])
def test_the_code_is_joined_behind_the_token_and_shown(kind):
    layer = PositionCode(kind=kind, features=4, grid=GRID)
    tokens = torch.randn(2, 35, 3)
    with trace(layer) as seen:
        joined = layer(tokens)
    assert joined.shape == (2, 35, 7)
    assert torch.equal(joined[..., :3], tokens)
    for picture in joined:
        assert torch.equal(picture[..., 3:], layer.code)
    assert torch.equal(seen["code"].tensor, layer.code)
    assert seen["code"].grid == GRID


def test_an_edit_of_the_code_reaches_every_picture():
    layer = PositionCode(kind="sinusoidal_1d", features=4, grid=GRID)
    with trace(layer, keep=[], edits={"code": torch.zeros_like}):
        joined = layer(torch.ones(2, 35, 1))
    assert joined.sum() == 2 * 35


def test_the_learned_code_trains_and_is_saved_and_the_sinusoids_are_neither():
    learned = PositionCode(kind="learned", features=3, grid=GRID)
    learned(torch.randn(2, 35, 1)).sum().backward()
    assert torch.equal(learned.code.grad, torch.full((35, 3), 2.0))
    assert list(learned.state_dict()) == ["code"]
    for kind in ("sinusoidal_1d", "sinusoidal_2d"):
        layer = PositionCode(kind=kind, features=4, grid=GRID)
        assert list(layer.parameters()) == []
        assert list(layer.state_dict()) == []


@pytest.mark.parametrize(
    ("kind", "features", "why"),
    [
        ("fourier", 4, "no position code 'fourier'. Use learned, sinusoidal_1d or sinusoidal_2d"),
        ("sinusoidal_1d", 3, "multiple of 2 was expected, not 3"),
        ("sinusoidal_1d", 0, "at least one number, not 0"),
        ("sinusoidal_2d", 6, "multiple of 4 numbers, not 6"),
        ("sinusoidal_2d", 5, "multiple of 4 numbers, not 5"),
        ("learned", 0, "at least one number, not 0"),
        ("learned", -2, "at least one number, not -2"),
    ],
)
def test_what_cannot_be_a_position_code_is_refused(kind, features, why):
    with pytest.raises(BadInput, match=why):
        PositionCode(kind=kind, features=features, grid=GRID)


def test_a_grid_with_tokens_that_lie_nowhere_is_refused():
    with pytest.raises(BadInput, match="1 tokens of this grid have none"):
        PositionCode(kind="learned", features=4, grid=Grid(5, 7, prefix=1))
