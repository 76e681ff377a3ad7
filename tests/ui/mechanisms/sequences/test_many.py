"""What is measured over many strips: the same whether at once or in parts, and as a computation apart has it."""

from pathlib import Path

import numpy as np
import pytest
from torch import Tensor, nn

from attnviz.data.digit_strips import strip
from attnviz.measures.sequences import steering
from attnviz.subjects import net
from attnviz.ui.mechanisms.sequences import findings, many
from attnviz.ui.mechanisms.sequences.measured import Of, SteeredPart
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
    one, other = (found.more for found in agreed)
    assert one is not None and other is not None
    assert (other.mean, other.low) == pytest.approx((one.mean, one.low))
    ordered = many.ordered([many.order(loaded, ALL)]), many.ordered([many.order(loaded, of) for of in PARTS])
    assert ordered[0] == pytest.approx(ordered[1])


def part(**said: list[list[int]]) -> SteeredPart:
    one = {name: np.ones(len(said["counted"])) for name in findings.REPLACED}
    return SteeredPart(one, one, {name: np.array(values, bool) for name, values in said.items()})


def test_what_single_steps_say_is_counted_over_all_parts():
    first = part(
        counted=[[1, 1, 1, 1, 0]], follows=[[1, 1, 0, 0, 0]], stays=[[0, 0, 0, 0, 0]], ends=[[0, 0, 1, 1, 0]]
    )  # fmt: skip
    second = part(
        counted=[[1, 0, 1, 1, 1]], follows=[[0, 0, 0, 1, 1]], stays=[[0, 0, 1, 0, 0]], ends=[[1, 0, 0, 0, 0]]
    )  # fmt: skip
    found = many.steered([first, second])
    assert (found.follows, found.stays, found.ends, found.strips) == (4 / 8, 1 / 8, 3 / 8, 2)
    assert found.late == pytest.approx(2 / 3)
    said = findings.steering(found)
    assert said.startswith("**In 50.0 % of the cases the weights steer the answer.**")
    assert "in 50.0 % of the cases, its own in 12.5 %, and ends the text in 37.5 % (66.7 % of these" in said
    none = many.steered([part(counted=[[0, 0]], follows=[[0, 0]], stays=[[0, 0]], ends=[[0, 0]])])
    assert np.isnan([none.follows, none.late]).all()


def test_each_step_is_given_the_weights_of_another_one(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def record(model: nn.Module, strips: Tensor, texts: Tensor, weights: list[str], others: Tensor) -> Tensor:
        given.append(others)
        return texts.gather(1, others)

    monkeypatch.setattr(steering, "one_at_a_time", record)
    found = many.steered([many.steer(cache.single(net(ADDITIVE)), Of("strokes", 4, 0, 40))])
    (others,) = given
    assert (found.follows, found.stays) == (1, 0)
    for step in range(4):
        assert set(others[:, step].tolist()) == {0, 1, 2, 3} - {step}


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
