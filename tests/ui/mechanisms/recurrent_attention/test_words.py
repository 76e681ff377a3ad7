"""What the page says, with the numbers of a model and a picture."""

from pathlib import Path

import pytest

from attnviz import cards
from attnviz.training.reinforcement import COLLAPSED
from attnviz.ui.mechanisms.recurrent_attention import glances, words
from attnviz.ui.shared import inference

from .placed import SOURCE


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("small", "147 numbers per glimpse, 588 in all: fewer than the 784 pixels"),
        ("wide", "50 numbers per glimpse, 150 in all: fewer than the 560 pixels"),
        ("wide", "3.0 rows and 4.2 columns"),
        ("ring", "the same for every picture"),
        ("random", "drawn at random"),
        ("small", "this policy has collapsed"),
    ],
)
def test_means_has_the_numbers(here: Path, name: str, said: str) -> None:
    view = glances.view(inference.exactly(f"recurrent_attention.{name}"), SOURCE, 0, 0)
    found = words.means(view, cards.read(f"recurrent_attention.{name}"))
    assert said in found
    belief = view.path.belief[-1]
    share = "over 99" if 0.995 < belief.max() < 1 else f"{100 * belief.max():.0f}"
    assert f"*{view.classes[belief.argmax()]}* with {share} % after the last" in found


def test_the_spread_is_said_of_learnt_policies_alone(here: Path) -> None:
    assert words.COLLAPSED == COLLAPSED
    assert words.spread(cards.read("recurrent_attention.ring")) == ""
    card = cards.read("recurrent_attention.small")
    wide = tuple(one.model_copy(update={"value": 0.4}) for one in card.figures)
    assert words.spread(card.model_copy(update={"figures": wide})).endswith(
        "varies by at least 0.40 (1 is half a picture)."
    )
