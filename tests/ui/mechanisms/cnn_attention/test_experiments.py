"""The experiment: who may see whom, in numbers."""

from pathlib import Path

import numpy as np
import pytest

from attnviz.subjects import Picture, net
from attnviz.ui.mechanisms.cnn_attention import stages, words
from attnviz.ui.mechanisms.cnn_attention.experiments import KINDS
from attnviz.ui.shared.results.costs import counts

from .placed import NETS
from .spelled import Spelled


def by_hand(rows: int, columns: int, grid: int, after: int, mixing: int) -> int:
    """Return the multiply-adds of the convolutions, of the attention, and of the two layers at the end."""
    halves = ((rows // 2 - 1) * (columns // 2 - 1)) * 64 * 32 * 4
    return rows * columns * 32 * 4 + halves + grid * 192 * 64 * 4 + mixing + grid * after * 256 + 256 * 10


@pytest.mark.parametrize(("task", "side", "grid"), [("cluttered", 40, 81), ("fashion", 28, 36)])
def test_parameters_and_multiply_adds_are_those_counted_by_hand(task: str, side: int, grid: int) -> None:
    narrow = grid * 192 * 32
    projections = 3 * grid * 192 * 192
    mixing = {
        "blocks": projections + 2 * grid * grid * 192 + narrow,
        "within": projections + 2 * grid * 24 * 24 * 8 + narrow,
        "zero": narrow,
        "narrow": narrow,
        "plain": 0,
    }
    parameters = {"cluttered": (841_546, 4_041_898), "fashion": (472_906, 1_830_058)}[task]
    for kind in KINDS:
        found = counts(f"cnn_attention.{task}-{kind}")
        assert found[1] == by_hand(side, side, grid, 192 if kind == "plain" else 32, mixing[kind]), kind
        if kind != "narrow":
            assert found[0] == parameters[kind == "plain"], kind


def test_the_weights_inside_a_block_are_those_between_its_features(here: Path) -> None:
    loaded, example = net("cnn_attention.within").load(double=True), Picture("strokes", 23)
    weights, ink, _ = stages.within(loaded, example)
    picture = example.taken_by(loaded.net)[:, :, 0]
    spelled = Spelled(here / "cnn_attention.within", picture, int(str(NETS["within"]["heads"])))
    scores = np.einsum("hbs,hbt->bst", spelled.query, spelled.key) / np.sqrt(24)
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = (exponentials / exponentials.sum(-1, keepdims=True)).reshape(6, 6, 24, 24)
    np.testing.assert_allclose(weights, wanted, atol=1e-12)
    assert ink[1, 2] == pytest.approx(picture[4:15, 8:19].mean() / 255)


def test_the_words_say_what_is_more_and_what_is_less() -> None:
    found = {"blocks": (10, 30), "plain": (40, 20), "zero": (10, 12)}
    assert "25.0 % of the parameters" in words.saved(found)
    assert "1.5 times the work" in words.saved(found)
    assert "it does less work" in words.saved({**found, "plain": (40, 31)})
    assert "--recipe cluttered-zero" in words.counted(40, ["cnn_attention.cluttered-zero"])
    assert "not been trained" not in words.counted(40, [])
