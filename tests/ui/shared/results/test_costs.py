"""What the nets of a comparison cost, as a table: attnviz/ui/shared/results/costs.py."""

import re
from collections.abc import Callable, Mapping

import pytest
import streamlit as st

from attnviz import cards
from attnviz.card import Card
from attnviz.ui.shared.results import costs

SE, PLAIN, CIFAR = "channel_attention.digits", "channel_attention.digits-plain", "channel_attention.cifar"
Drawn = Callable[[Mapping[str, Card]], tuple[list[str], list[str]]]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """Return a function that draws the table of some cards, and returns its heads and what each row says."""

    def draw(known: Mapping[str, Card]) -> tuple[list[str], list[str]]:
        html: list[str] = []
        monkeypatch.setattr(cards, "readable", lambda among: {name: known[name] for name in among if name in known})
        monkeypatch.setattr(cards, "is_there", known.__contains__)
        monkeypatch.setattr(st, "markdown", lambda body, **_: html.append(body))
        costs.table({SE: "gates", PLAIN: "none", CIFAR: "colour"}, [PLAIN], key="costs")
        rows = re.findall(r"<tr>(<th scope=\"row\">.*?)</tr>", html[0])
        said = [re.sub(r"<small>.*?</small>|<[^>]+>", " ", row).strip() for row in rows]
        return re.findall(r'scope="col">([^<]*)<', html[0]), said

    return draw


def test_core_minutes_are_of_one_training_and_a_column_only_where_a_card_knows_them(drawn: Drawn) -> None:
    gates, plain = (cards.read(name).model_copy(update={"core_seconds": None}) for name in (SE, PLAIN))
    heads, rows = drawn({SE: gates, PLAIN: plain})
    assert heads == ["network", "parameters", "million multiply-adds", "test accuracy"]
    assert len(gates.runs) == 3
    heads, rows = drawn({SE: gates.model_copy(update={"core_seconds": 452.0}), PLAIN: plain})
    assert heads[3] == "core-minutes of a training"
    assert [row.split()[0] for row in rows] == ["gates", "none", "colour"]
    assert rows[0].split()[3] == "2.5"  # 450 seconds of three trainings
    assert "not measured" in rows[1] and "3 seeds" in rows[1]
    assert rows[2].endswith("not trained")


def test_an_accuracy_is_that_of_the_card_and_says_so_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    card = cards.read(SE)
    figure = card.figures[0].model_copy(update={"mean": 0.8, "lowest": 0.7, "highest": 0.9, "seeds": 1})
    several = figure.model_copy(update={"seeds": 3})
    for figures, said in (
        ((figure,), "80.00 %, 1 seed"),
        ((several,), "80.00 % (70.00 to 90.00), 3 seeds"),
        ((), "not measured"),
    ):
        known = {SE: card.model_copy(update={"figures": figures})}
        monkeypatch.setattr(cards, "readable", lambda among, known=known: known)
        assert costs.accuracy(SE) == said
    monkeypatch.setattr(cards, "readable", lambda among: {})
    assert costs.accuracy("channel_attention.nothing") == "not trained"
