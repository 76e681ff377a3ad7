"""What is said to the paper's question, pixel_attention/paper_question.py: figures are those of the cards."""

from pathlib import Path
from typing import Any

import pytest
import torch

from attnviz import cards, formatting
from attnviz.training import seeds
from attnviz.ui.mechanisms.pixel_attention import paper_question
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from tests.accuracies import accuracy


def prose() -> str:
    return "\n".join(words for words, _, _ in paper_question.answers())


def test_the_figures_are_those_of_the_cards() -> None:
    text = prose()
    for name in (paper_question.ATTENTION, paper_question.NET, paper_question.PLACED):
        for test in (paper_question.PLAIN, paper_question.BILINEAR):
            figure = cards.read(name).figure(test)
            assert figure is not None
            assert formatting.percent(figure.mean) in text
    fallen = cards.read(paper_question.ATTENTION).figure(paper_question.NEAREST)
    assert fallen is not None
    assert formatting.percent(fallen.mean) in text
    one, other = (
        cards.read(name).figure(paper_question.BILINEAR) for name in (paper_question.PLACED, paper_question.NET)
    )
    assert one is not None
    assert other is not None
    assert f"{100 * (one.mean - other.mean):+.1f} points (" in text


def test_a_difference_has_an_interval_or_says_why_it_has_none() -> None:
    known, once = accuracy(0.9, 0.91, 0.92), accuracy(0.9)
    assert paper_question._more(known, known).startswith("+0.0 points (95 % interval ")
    assert paper_question._more(once, known).endswith("points (not decided: one of the two was trained only once)")
    untold = known.model_copy(update={"right_per_seed": None})
    assert "(not decided: the answers of each seed are not known)" in paper_question._more(known, untold)


def test_what_else_differs_between_two_trainings_stands_beside_their_difference() -> None:
    text = prose()
    for one, other in (("PLACED", "ATTENTION"), ("PLACED", "NET"), ("ATTENTION", "NET")):
        recipes = [cards.read(getattr(paper_question, name)).recipe for name in (one, other)]
        for field, said in (("epochs", "epochs"), ("batch", "batch"), ("learning_rate", "learning rate")):
            values = [getattr(recipe, field) for recipe in recipes]
            if values[0] != values[1]:
                assert f"{said} {values[0]} against {values[1]}" in text
    assert text.count("not trained in the same way (") == 3


def test_what_was_not_trained_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert prose().count("*not trained*") == 4


def test_every_button_opens_an_experiment_of_the_page() -> None:
    for _, label, experiment in paper_question.answers():
        assert bool(label) == bool(experiment)
        assert not experiment or experiment in {**choice.EXPERIMENTS, **choice.OF_THE_PAPER}


def test_trainings_that_failed_are_counted() -> None:
    card = cards.read(paper_question.UNSCALED)
    accuracies = [run.kept("validation_accuracy") for run in card.runs]
    assert 0 < sum(accuracy < 0.9 for accuracy in accuracies) < len(accuracies) == 10
    assert f"{sum(accuracy < 0.9 for accuracy in accuracies)} of 10 answered fewer than 90 %" in prose()


def test_the_first_signs_of_query_and_key_part_the_trainings_as_is_said() -> None:
    card = cards.read(paper_question.UNSCALED)
    opposite: list[Any] = []
    same: list[Any] = []
    for run in card.runs:
        first = seeds.build(card.recipe, torch.Generator().manual_seed(run.seed)).attention
        product = first.query.weight.item() * first.key.weight.item()
        (opposite if product < 0 else same).append(run.kept("validation_accuracy"))
    assert min(opposite) > max(same)
    assert len(opposite) >= 4 <= len(same)
