"""What the experiments say of cards and pictures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attnviz import cards
from attnviz.charts import with_minus
from attnviz.recipes import RECIPES
from attnviz.subjects import Picture, Subject, net
from attnviz.ui.mechanisms.recurrent_attention import compare, experiments


def test_at_most_five_questions() -> None:
    assert 1 <= len(experiments.EXPERIMENTS) <= 5
    assert all(one.title.endswith("?") for one in experiments.EXPERIMENTS.values())


def test_ablations_come_from_the_card(here: Path) -> None:
    found = experiments.ablations(net("recurrent_attention.small"))
    assert "| along the path that it chooses | 70.00 % | 80.00 % |" in found
    assert "| at places chosen for another picture |  | 50.00 % |" in found
    assert "Accuracy on 10 test pictures" in found
    assert "has no test" in experiments.ablations(net("recurrent_attention.ring"))


def test_ablations_are_those_of_the_pictures_that_the_model_s_accuracy_is_of(here: Path) -> None:
    small = net("recurrent_attention.small")
    card = cards.read(small.key)
    (_, shuffled) = card.ablations
    more = shuffled.figures[0].model_copy(update={"data": "strokes", "count": 20_000, "value": 0.25})
    elsewhere = card.model_copy(update={"ablations": (shuffled.model_copy(update={"figures": (more,)}),)})
    found = experiments.ablations(replace(small, card=elsewhere))
    assert "| along the path that it chooses | 70.00 % | 80.00 % |" in found
    assert "another picture" not in found and "20,000" not in found


def test_a_model_that_chooses_no_locations_is_not_asked_whether_they_depend_on_the_picture(here: Path) -> None:
    refused = {
        name: experiments.chooses_nothing(Subject(net(f"recurrent_attention.{name}"), Picture("strokes", 0)))
        for name in ("small", "ring", "random")
    }
    assert refused["small"] is None
    assert "the same for every picture" in str(refused["ring"])
    assert "drawn at random" in str(refused["random"])


@pytest.mark.parametrize("experiment", [experiments.worth, experiments.published, experiments.fewer])
@pytest.mark.parametrize("name", ["digits", "cluttered"])
def test_that_its_numbers_are_of_other_data_than_the_model_s_is_said_first(
    said: list[str], experiment: Any, name: str
) -> None:
    ask(experiment, f"recurrent_attention.{name}")
    note = "Measured with networks that were trained on Cluttered MNIST, not on the data of the model above.\n\n"
    assert said[0].startswith(note) == (name == "digits")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list in which the finding of an experiment arrives; nothing else is drawn."""
    found: list[str] = []
    monkeypatch.setattr(experiments, "finding", lambda: found.append)
    monkeypatch.setattr(compare, "show", lambda *_, **__: None)
    for part in ("caption", "markdown"):
        monkeypatch.setattr(f"streamlit.{part}", lambda *_, **__: None)
    return found


def ask(experiment: Any, name: str) -> None:
    experiment(Subject(net(name), Picture("strokes", 0)), None)


def one_draw(name: str, ablation: str = "") -> float:
    card = cards.read(name)
    figures = card.figures
    if ablation:
        (figures,) = [one.figures for one in card.ablations if one.name == ablation]
    return next(one.mean for one in figures if (one.name, one.count) == ("accuracy_one_draw", 10_000))


def test_what_learning_where_to_look_is_worth_is_said_against_random_locations_and_along_one_path(
    said: list[str],
) -> None:
    name = "recurrent_attention.cluttered"
    ask(experiments.worth, name)
    against_random, along_one_path = said[0].split("\n\n")
    for sentence, other in (
        (against_random, one_draw(f"{name}-random")),
        (along_one_path, one_draw(name, "mean")),
    ):
        assert f"{100 * one_draw(name):.2f} % of 10,000" in sentence and f"{100 * other:.2f} %" in sentence
        apart = with_minus(f"{100 * (one_draw(name) - other):+.2f}")
        assert f"The difference is {apart} points" in sentence
    assert "one fixed path for all pictures" in along_one_path
    assert "trained differently" not in said[0]


def test_models_that_were_not_trained_alike_are_said_not_to_be(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(experiments.fewer, "recurrent_attention.fashion")
    if not said[0].startswith("**Not known yet**"):
        assert "They were trained differently: epochs 40 against 200" in said.pop()
    figure = cards.read("recurrent_attention.fashion").figures[0]
    monkeypatch.setattr(compare, "accuracy", lambda name: figure)
    said.clear()
    ask(experiments.fewer, "recurrent_attention.fashion")
    assert "They were trained differently: epochs 40 against 200" in said[0]


def test_under_the_chart_stand_the_models_with_another_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, ...]] = []
    captions: list[str] = []
    monkeypatch.setattr("streamlit.caption", captions.append)
    for part in ("markdown", "expander", "container"):
        monkeypatch.setattr(f"streamlit.{part}", _Nothing)
    monkeypatch.setattr("streamlit.columns", lambda count, **_: [_Nothing()] * count)
    monkeypatch.setattr(experiments, "finding", lambda: lambda _: None)
    show = compare.show
    monkeypatch.setattr(
        compare, "show", lambda names, *given, **key: (shown.append((*names,)), show(names, *given, **key))
    )
    ask(experiments.worth, "recurrent_attention.cluttered")
    (names,) = shown
    assert names[0] == "recurrent_attention.cluttered"
    assert {"pixel_mlp.cluttered"} == {name for name in names if name.startswith("pixel_mlp.")}
    assert {RECIPES[name].data.removesuffix("_centred") for name in names} == {"cluttered_mnist"}
    (caption,) = [one for one in captions if one.startswith("Not trained like *Cluttered digits, ours*: ")]
    for name in names:
        other = RECIPES[name]
        if name in cards.names() and other.epochs != RECIPES[names[0]].epochs:
            assert f"*{other.title}*" in caption and f"epochs 150 against {other.epochs}" in caption


def test_that_the_paper_s_gradient_was_broken_is_called_very_likely_and_not_proven(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    captions: list[str] = []
    monkeypatch.setattr("streamlit.caption", captions.append)
    ask(experiments.published, "recurrent_attention.cluttered-6")
    assert "very likely, but not proven" in captions[0]
    assert "very likely" in RECIPES["recurrent_attention.cluttered-6-as-published"].why
    assert "very likely" in experiments.EXPERIMENTS["published"].measures


class _Nothing:
    """A part of a page that draws nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass
