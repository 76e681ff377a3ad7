"""A model with a part of it replaced: the finding is made of the differences on its card."""

import re
from pathlib import Path

import pytest

from attnviz import cards, comparisons
from attnviz.card import Card, Figure
from attnviz.formatting import signed
from attnviz.measures.difference import Difference
from attnviz.ui.shared.results import ablated
from tests.accuracies import accuracy
from tests.ui.mechanisms.channel_attention.placed import place


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return place(tmp_path_factory.mktemp("ablated"))


def told(card: Card | None) -> list[str]:
    said: list[str] = []
    ablated.show(
        card, said.append, kind="gates", named=lambda name, of: f"{name} {of}",
        verdict=lambda found: f"{found.value:.2f}", none="none",
    )  # fmt: skip
    return said


def test_the_verdict_is_of_the_whole_less_all_parts_at_their_mean(here: Path) -> None:
    assert told(cards.read("channel_attention.digits")) == ["0.10"]


def test_the_bars_are_means_over_the_trainings_as_the_differences_are(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card, drawn = cards.read("channel_attention.digits"), list[str]()
    monkeypatch.setattr("streamlit.markdown", lambda text, **_: drawn.append(text))

    def several(figure: Figure, *values: float) -> Figure:
        own = accuracy(*values, count=figure.count)
        kept = {"name": figure.name, "data": figure.data, "split": figure.split, "augmentation": figure.augmentation}
        return own.model_copy(update=kept)

    (whole, *_), (one, *_) = card.figures, card.ablations
    replaced = one.model_copy(update={"figures": (several(one.figures[0], 0.9, 0.5, 0.4),)})
    told(card.model_copy(update={"figures": (several(whole, 0.9, 0.8, 0.7),), "ablations": (replaced,)}))
    (table,) = drawn
    assert "mean of 3 trainings" in table
    assert "<b>80.00</b>" in table and "<b>60.00</b>" in table and "<b>90.00</b>" not in table
    assert "\u221220.00" in table
    apart = comparisons.difference(several(whole, 0.9, 0.5, 0.4), several(whole, 0.9, 0.8, 0.7), paired=True)
    assert apart.interval is not None
    assert re.findall(r"\((\S+) to (\S+)\)", table)[0] == tuple(map(signed, apart.interval))


def test_without_such_tests_it_says_so(here: Path) -> None:
    assert told(cards.read("channel_attention.digits-cbam")) == told(None) == ["none"]


def test_only_a_figure_of_the_same_pictures_is_set_beside_another() -> None:
    whole = accuracy(0.9, count=100)
    for change in ({"name": "loss"}, {"data": "strokes"}, {"count": 50}):
        assert ablated.like((whole.model_copy(update=change),), whole) is None
    assert ablated.like((whole.model_copy(update={"data": "strokes"}), whole), whole) is whole


def test_a_difference_has_its_interval_where_there_is_one() -> None:
    assert ablated.points(Difference(0.0123, None, (1, 1))) == "+1.23"
    assert ablated.points(Difference(-0.02, (-0.03, -0.01), (3, 3))) == "\u22122.00 (\u22123.00 to \u22121.00)"
