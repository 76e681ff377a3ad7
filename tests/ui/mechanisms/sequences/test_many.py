"""What is measured over many strips: the same whether at once or in parts, and as a computation apart has it."""

from pathlib import Path

import numpy as np
import pytest

from attnviz.data.digit_strips import strip
from attnviz.subjects import net
from attnviz.ui.mechanisms.sequences import many
from attnviz.ui.mechanisms.sequences.many import Of
from attnviz.ui.shared import cache

from .spelled import spelled

ADDITIVE, TRANSFORMER = "encoder_decoder.strips-15", "transformer.strips-15"
ALL, PARTS = Of("strokes", 4, 0, 6), (Of("strokes", 4, 0, 2), Of("strokes", 4, 2, 4))


@pytest.mark.parametrize("key", [ADDITIVE, TRANSFORMER])
def test_parts_say_together_what_all_strips_say(here: Path, key: str) -> None:
    loaded = cache.single(net(key))
    whole, parts = many.steered([many.steer(loaded, ALL)]), many.steered([many.steer(loaded, of) for of in PARTS])
    for name in set(whole.digits) - {"permuted"}:  # which is drawn anew for each part
        assert parts.digits[name] == pytest.approx(whole.digits[name])
        assert parts.apart[name] == pytest.approx(whole.apart[name], abs=1e-6)
    assert (parts.follows, parts.stays, parts.ends) == (whole.follows, whole.stays, whole.ends)
    assert parts.strips == whole.strips == 6
    agreed = many.agreed([many.agree(loaded, ALL)]), many.agreed([many.agree(loaded, of) for of in PARTS])
    for pair in agreed[0].mean:
        assert agreed[1].mean[pair] == pytest.approx(agreed[0].mean[pair])
    assert agreed[0].hits == agreed[1].hits
    ordered = many.ordered([many.order(loaded, ALL)]), many.ordered([many.order(loaded, of) for of in PARTS])
    assert ordered[0] == pytest.approx(ordered[1])


def test_digits_that_are_right_are_those_of_the_file_of_weights(here: Path) -> None:
    loaded = cache.single(net(ADDITIVE))
    placed, told = [], []
    for number in ALL.numbers:
        picture, text = strip("strokes", 4, number)
        right = [int(digit) for digit in text]
        one = spelled(here, ADDITIVE, picture)
        said = one.read().said
        kept = said[: said.index(10)] if 10 in said else said
        placed.append(sum(digit == wanted for digit, wanted in zip(kept, right, strict=False)) / len(right))
        told.append(np.mean(np.array(one.read([*right, 10]).said[:-1]) == right))
    assert many.steered([many.steer(loaded, ALL)]).digits["own"] == pytest.approx(np.mean(told))
    right_at, somewhere, _ = many.ordered([many.order(loaded, ALL)])
    assert right_at == pytest.approx(np.mean(placed))
    assert right_at <= somewhere <= 1
