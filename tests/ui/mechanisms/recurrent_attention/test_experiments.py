"""What the experiments say of cards and pictures."""

from dataclasses import replace
from pathlib import Path

from attnviz import cards
from attnviz.data import samples
from attnviz.ui.mechanisms.recurrent_attention import experiments, glances
from attnviz.ui.shared import inference
from attnviz.ui.shared.pickers import Picture

from .placed import SOURCE


def test_at_most_five_questions() -> None:
    assert 1 <= len(experiments.EXPERIMENTS) <= 5
    assert all(one.title.endswith("?") for one in experiments.EXPERIMENTS.values())


def test_ablations_come_from_the_card(here: Path) -> None:
    said = experiments.ablations(cards.read("recurrent_attention.small"))
    assert "| along the path that it chooses | 70.00 % | 80.00 % |" in said
    assert "| along the path of another picture |  | 50.00 % |" in said
    assert "Accuracy on 10 test pictures" in said
    assert "has no test" in experiments.ablations(cards.read("recurrent_attention.ring"))


def test_the_other_picture_shows_something_else(here: Path) -> None:
    few, card = samples.read(SOURCE), cards.read("recurrent_attention.small")
    labels = {int(place): card.classes[label] for place, label in zip(few.numbers, few.labels, strict=True)}
    first = glances.view(inference.exactly(card.name), SOURCE, int(few.numbers[0]), None)
    for number, label in labels.items():
        other = experiments.another(card, Picture(SOURCE, number), replace(first, number=number, label=label))
        assert other in labels
        assert labels[other] != label
