"""Heads switched off: attnviz/measures/switched.py."""

import pytest
import torch

from attnviz.errors import BadInput
from attnviz.measures.switched import HeadLayer, appears, head_layers, lost

TOKENS, PAIRS, MAPS = "batch head token feature", "batch head query key", "batch head channel row column"


def taps(**axes: str) -> dict[str, tuple[list[str], list[int]]]:
    sizes = {"batch": 1, "head": 3}
    return {
        name.replace("__", "."): (words.split(), [sizes.get(word, 7) for word in words.split()])
        for name, words in axes.items()
    }


def test_a_head_is_switched_off_where_a_layer_last_tells_heads_apart() -> None:
    known = taps(
        code="token feature", attend__query=TOKENS, attend__weights=PAIRS, attend__mixed=TOKENS,
        attend__output="batch token feature", second__relevance=MAPS, second__attended=MAPS,
    )  # fmt: skip
    assert head_layers(known) == [
        HeadLayer("attend", 3, "attend.mixed", "attend.weights"),
        HeadLayer("second", 3, "second.attended", "second.relevance"),
    ]
    assert head_layers(taps(gate="batch channel")) == []
    assert head_layers(taps(own__anything=TOKENS)) == [HeadLayer("own", 3, "own.anything", "")]


def test_what_the_right_answer_loses_has_a_sign() -> None:
    draw = torch.Generator().manual_seed(0)
    whole, without = (torch.rand(5, 4, generator=draw, dtype=torch.float64).softmax(1) for _ in range(2))
    right = torch.tensor([0, 3, 1, 1, 2])
    for picture, answer in enumerate(right.tolist()):
        expected = whole[picture][answer].item() - without[picture][answer].item()
        assert float(lost(whole, without, right)[picture]) == expected
    certain = torch.eye(2, dtype=torch.float64)
    assert lost(certain, certain.flip(0), torch.tensor([0, 0])).tolist() == [1, -1]
    with pytest.raises(BadInput, match=r"\(5, 4\) with \(4, 5\)"):
        lost(whole, whole.mT, right)


@pytest.mark.parametrize(
    ("effects", "place"),
    [
        ([0.0, 0.1, 0.3, 0.4], 2),
        ([0.4, 0.1, 0.3, 0.4], 2),  # what it did before it lost it again does not count
        ([0.3, 0.3, 0.4], 0),
        ([0.0, 0.4], 1),
        ([0.9, 0.009], None),
        ([0.2], 0),
    ],
)
def test_a_head_appears_where_its_effect_reaches_half_of_the_last_and_stays(effects: list[float], place: int | None):
    assert appears(effects) == place
