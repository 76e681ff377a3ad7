"""What the card of each model shows, and that the models can give it."""

import numpy as np
import pytest
from torch import Tensor, nn

from attnviz import cards
from attnviz.cards import Card
from attnviz.checkpoints import Checkpoint
from attnviz.data import strokes
from attnviz.layers.attention import Attention
from attnviz.recipes import Recipe
from attnviz.ui import cache
from attnviz.ui.card_views import MAP, View, view_of
from attnviz.ui.live_answer import ask_model
from attnviz.ui.live_derived import definite
from attnviz.ui.live_request import Ask


@pytest.mark.parametrize("name", cards.names())
def test_every_model_can_give_what_its_card_shows(name: str) -> None:
    checkpoint = cache.single(name)
    view = view_of(checkpoint.card)
    wanted = {MAP: view.wanted} if view.wanted else {}
    ask, heads = definite(Ask.model_validate({"checkpoint": name, "wanted": wanted}), checkpoint)
    found = ask_model(checkpoint, ask, strokes.load("test", 256)[0][3:4], {}).found
    assert set(found) == set(wanted)
    assert (view.picture == "ink") == (not wanted)
    if wanted:
        assert found[MAP][1].numel() == view.prefix + view.rows * view.columns
    assert set(heads) == (set(wanted) if view.picture == "share" else set())
    if view.picture == "share":
        assert view.heads == checkpoint.card.config.get("heads", 1)
        np.testing.assert_allclose(found[MAP][1].mean(), 1, rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "kind", "grid", "heads"),
    [
        ("ink.digits", "ink", (28, 28), 0),
        ("histogram_mlp.digits", "ink", (28, 28), 0),
        ("histogram_line.digits", "signed", (28, 28), 0),
        ("pixel_line.digits", "signed", (28, 28), 0),
        ("pixel_attention.digits", "share", (14, 14), 8),
        ("pixel_attention.digits-no-positions", "share", (28, 28), 8),
        ("pixel_attention.1v8-augmented", "share", (28, 28), 24),
        ("pixel_attention.1v8-one-token", "signed", (28, 28), 0),
    ],
)
def test_the_kinds(name: str, kind: str, grid: tuple[int, int], heads: int) -> None:
    view = view_of(cards.read(name))
    assert (view.picture, (view.rows, view.columns), view.heads) == (kind, grid, heads)


class Later(nn.Module):
    """An architecture that the table of views does not know."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.block = layer

    def forward(self, images: Tensor) -> Tensor:
        return self.block(images.flatten(2).mT).flatten(1)[:, :1]


def unknown(monkeypatch: pytest.MonkeyPatch, layer: nn.Module) -> View:
    card = cards.read("pixel_attention.1v8")
    recipe = Recipe(**{**card.recipe.model_dump(), "model": "later", "name": "one"})
    made: Card = card.model_copy(update={"recipe": recipe, "name": "later.one"})
    monkeypatch.setattr(cache, "single", lambda name: Checkpoint(Later(layer), made))
    return view_of(made)


def test_a_model_of_a_later_architecture_shows_where_it_attends(monkeypatch: pytest.MonkeyPatch) -> None:
    from attnviz.readings import Grid

    attention = Attention(features=1, heads=5, head_size=2, grid=Grid(28, 28))
    view = unknown(monkeypatch, attention)
    assert (view.picture, view.heads, view.rows) == ("share", 5, 28)
    assert view.wanted == {"address": "block.weights", "index": {"head": "furthest"}, "mean": "ink"}
    assert "block" in view.says


def test_one_without_attention_shows_the_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unknown(monkeypatch, nn.Linear(1, 1)).picture == "ink"


def test_the_views_of_known_models_cost_no_torch() -> None:
    import subprocess
    import sys

    code = (
        "from attnviz import cards; from attnviz.ui.card_views import view_of; import sys; "
        "[view_of(cards.read(name)) for name in cards.names()]; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
