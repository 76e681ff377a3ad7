"""What the experiments say of cards and pictures."""

from pathlib import Path

from attnviz.subjects import net
from attnviz.ui.mechanisms.recurrent_attention import experiments


def test_at_most_five_questions() -> None:
    assert 1 <= len(experiments.EXPERIMENTS) <= 5
    assert all(one.title.endswith("?") for one in experiments.EXPERIMENTS.values())


def test_ablations_come_from_the_card(here: Path) -> None:
    found = experiments.ablations(net("recurrent_attention.small"))
    assert "| along the path that it chooses | 70.00 % | 80.00 % |" in found
    assert "| along the path of another picture |  | 50.00 % |" in found
    assert "Accuracy on 10 test pictures" in found
    assert "has no test" in experiments.ablations(net("recurrent_attention.ring"))
