"""What the page says, with the numbers of a model and a picture."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz import cards
from attnviz.subjects import Picture, net
from attnviz.training.objectives.reinforcement import COLLAPSED
from attnviz.ui.mechanisms.recurrent_attention import glances, words
from attnviz.ui.shared.wording import share
from tests.accuracies import accuracy

from .placed import SOURCE


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("small", "147 numbers per glimpse, 588 in all: fewer than the 784 pixels"),
        ("wide", "50 numbers per glimpse, 150 in all: fewer than the 560 pixels"),
        ("wide", "3.0 rows and 4.2 columns"),
        ("ring", "the same for every picture"),
        ("random", "drawn at random"),
        ("small", "this policy has collapsed"),
    ],
)
def test_means_has_the_numbers(here: Path, name: str, sentence: str) -> None:
    loaded = net(f"recurrent_attention.{name}").load()
    view = glances.view(loaded, Picture(SOURCE, 0), 0)
    found = words.means(view, loaded.net)
    assert sentence in found
    belief = view.belief[-1]
    probable = share(float(belief.max()))
    assert f"*{view.classes[belief.argmax()]}* with {probable} after the last" in found


def test_the_spread_is_said_of_learnt_policies_alone(here: Path) -> None:
    assert words.COLLAPSED == COLLAPSED
    assert words.spread(net("recurrent_attention.ring")) == ""
    small = net("recurrent_attention.small")
    card = cards.read(small.key)
    wide = tuple(one.model_copy(update={"value": 0.4}) for one in card.figures)
    assert words.spread(replace(small, card=card.model_copy(update={"figures": wide}))).endswith(
        "varies by at least 0.40 (1 is half a picture)."
    )


def test_a_net_without_a_card_has_the_words_of_its_recipe() -> None:
    for name, early in (("cluttered", True), ("cluttered-every-glimpse", False)):
        own = net(f"recurrent_attention.{name}")
        without = replace(own, card=None)
        assert words.does_not_show(without) == words.does_not_show(own)
        assert ("trained on its last answer only" in words.does_not_show(without)) is early
        assert words.spread(without) == ""


def test_where_a_squashed_draw_lies_is_said_as_drawn_samples_show() -> None:
    loaded = net("recurrent_attention.cluttered-6-as-published").load()
    view = glances.view(loaded, Picture(SOURCE, 0), 0)
    rows, columns = view.picture.shape[:2]
    means = view.location_mean[1:].astype(float)
    noise = np.random.default_rng(0).normal(size=(100_001, 1, 2)) * view.std
    centres = np.median(np.tanh(means + noise), axis=0)
    away = np.linalg.norm((centres - means) * (rows / 2, columns / 2), axis=1).mean()
    (pixels,) = re.findall(r"([0-9.]+) pixels from the mean on average", words.means(view, loaded.net))
    assert float(pixels) == pytest.approx(away, abs=0.051)  # it is said with two digits
    other = net("recurrent_attention.cluttered-6").load()
    assert "squashes" not in words.means(glances.view(other, Picture(SOURCE, 0), 0), other.net)


HIGH, LOW = accuracy(0.9, 0.895, 0.905), accuracy(0.8, 0.795, 0.805)
ALIKE, WIDE = (accuracy(0.9, 0.9001), accuracy(0.9, 0.9)), accuracy(0.9, 0.85, 0.95)


@pytest.mark.parametrize(
    ("said", "better", "worse", "neither", "unknown"),
    [
        (
            lambda one, other: words.finding_of_path(one, other, ["8", "3"], 10),
            "Yes, the path has to fit the picture", "No, it even answers better at places chosen for another picture",
            "Hardly any difference", "Known only for the picture below",
        ),
        (
            lambda one, other: words.finding_of_learning(one, other, "drawn at random", 10),
            "Yes, learnt locations are better", "No, learnt locations are worse",
            "Hardly any difference", "Not known yet",
        ),
        (
            lambda one, other: words.finding_of_gradient(other, one, 10),
            "Yes, the correct gradient is better", "No, the broken gradient is even better",
            "Hardly any difference", "Not known yet",
        ),
        (
            lambda one, other: words.finding_of_fewer((64, other), (512, one), answers=10),
            "Seeing more helps", "Seeing more does harm", "Seeing more makes hardly any difference",
            "Not known yet",
        ),
    ],
)  # fmt: skip
def test_a_finding_follows_from_the_accuracies(said: Any, better: str, worse: str, neither: str, unknown: str) -> None:
    assert said(HIGH, LOW).startswith(f"**{better}**") and said(HIGH, LOW).endswith("10 classes gives 10.00 %.")
    assert said(LOW, HIGH).startswith(f"**{worse}**")
    assert said(*ALIKE).startswith(f"**{neither}**")
    assert said(HIGH, WIDE).startswith("**Not decided**")
    assert said(HIGH, None).startswith(f"**{unknown}**")


def test_one_picture_alone_says_whether_its_answer_changed() -> None:
    assert "gives another answer (*8* along its own path, *3*" in words.finding_of_path(None, None, ["8", "3"], 10)
    assert "gives the same answer" in words.finding_of_path(None, None, ["8", "8"], 10)
