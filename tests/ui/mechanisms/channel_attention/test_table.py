"""The row of the mechanism: what is a control, what its panels show, and the words that its experiments say."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from attnviz.measures.difference import Difference
from attnviz.subjects import Picture, net
from attnviz.tracing import trace
from attnviz.ui.live.answer import ask_model
from attnviz.ui.live.request import Ask
from attnviz.ui.mechanisms import is_control
from attnviz.ui.mechanisms.channel_attention import experiments, gates, view, words
from attnviz.ui.shared import cache

from .placed import NETS, SHOWN


def test_only_a_network_without_gates_is_a_control(here: Path) -> None:
    nets = {name: net(f"channel_attention.{name}") for name in NETS}
    assert [name for name, one in nets.items() if not is_control(one.architecture, one.config)] == [*SHOWN]


@pytest.mark.parametrize("name", NETS)
def test_a_panel_has_a_bar_for_each_gate(here: Path, name: str) -> None:
    one = net(f"channel_attention.{name}")
    panel = view.panel_of(one)
    if name == "digits-plain":
        assert panel.renderer == "ink"
        return
    assert panel.renderer == "bars"
    loaded = cache.single(one)
    image = np.zeros((1, one.input.rows, one.input.columns, one.input.channels), np.uint8)
    ask = Ask.model_validate({"checkpoint": one.key, "edits": [], "wanted": {"map": dict(panel.wanted)}})
    ask.wanted["map"]._find = _find
    axes, values = ask_model(loaded, ask, image, {}).found["map"]
    assert axes == ["batch", "channel"]
    assert values.shape[1] == sum(panel.options["groups"])
    with torch.no_grad(), trace(loaded.model) as seen:
        loaded.model(torch.from_numpy(image).permute(0, 3, 1, 2).float())
    taps = [path for path in seen if path.endswith((".gate", ".full_gate"))]
    wanted = [seen[tap].tensor.flatten(2).mean(2) if seen[tap].tensor.ndim > 2 else seen[tap].tensor for tap in taps]
    torch.testing.assert_close(values, torch.cat(wanted, 1))


def _find(name: str):
    from attnviz.ui import derived_values

    return derived_values.find(name)


def test_the_words_of_an_ablation_name_its_block() -> None:
    assert words.replaced("mean", "blocks.*.attention.*gate") == "all at the mean"
    assert words.replaced("shuffled", "bam.*.full_gate") == "all of another picture"
    assert words.replaced("mean", "blocks.3.attention.*gate") == "block 4 at the mean"
    assert words.replaced("mean", "bam.5.full_gate") == "after block 6 at the mean"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            Difference(0.0001, None, (1, 1), 0.005, missing="one seed"),
            "**Not decided**: {} falls by 0.01 points; one of the two was trained only once.",
        ),
        (
            Difference(0.02, None, (3, 3), 0.005, missing="no answers of each seed"),
            "**Not decided**: {} falls by 2.00 points; the answers of each seed are not known.",
        ),
        (
            Difference(-0.0001, (-0.0004, 0.0002), (3, 3), 0.0005),
            "**As good as a constant, on these pictures**: {} rises by 0.01 points (95 % interval \u22120.02 to 0.04), "
            "within 0.05 points either way.",
        ),
        (
            Difference(0.0204, (-0.004, 0.0448), (3, 3), 0.005),
            "**Not decided**: {} falls by 2.04 points (95 % interval \u22120.40 to 4.48); the interval contains 0 and "
            "more than 0.5 points either way.",
        ),
        (
            Difference(0.03, (0.02, 0.04), (3, 3)),
            "**Attention, on these pictures**: {} falls by 3.00 points (95 % interval 2.00 to 4.00).",
        ),
        (
            Difference(-0.01, (-0.02, -0.005), (3, 3)),
            "**A constant is even better, on these pictures**: {} rises by 1.00 points (95 % interval 0.50 to 2.00).",
        ),
    ],
)
def test_a_verdict_says_what_was_found(found: Difference, said: str) -> None:
    assert words.verdict(found).startswith(said.format("with every gate at its mean the accuracy"))


@pytest.mark.parametrize(
    ("shares", "halves", "said"),
    [
        ([0.1, 0.9], (0.1, 0.9, (0.7, 0.85)), "In this network it grows with depth. In 2 of 2 layers"),
        ([0.9, 0.01], (0.9, 0.01, (-0.92, -0.8)), "In this network it falls with depth. In 1 of 2 layers"),
        ([0.5, 0.52], (0.5, 0.52, (-0.01, 0.05)), "With other pictures it could be the other way round. In 2 of 2"),
        ([0.01, 0.03], (0.01, 0.03, (0.01, 0.03)), "Neither is more than shuffled labels give. In 0 of 2 layers"),
        ([0.5], None, "There is only one layer of gates, so depth cannot be judged. In 1 of 1 layers"),
    ],
)
def test_by_depth_claims_growth_only_beyond_the_choice_of_pictures(
    shares: list[float], halves: tuple[float, float, tuple[float, float]] | None, said: str
) -> None:
    assert said in words.by_depth(shares, [0.04] * len(shares), halves)


def test_the_gate_that_is_farthest_from_its_mean_is_the_one_that_is_named(here: Path) -> None:
    view = gates.view(net("channel_attention.digits").load(double=True), Picture("strokes", 23))
    layer, channel = words.farthest(view.layers)
    all_apart = [abs(float(one.gate[at]) - float(one.mean[at])) for one in view.layers for at in range(len(one.gate))]
    assert abs(float(layer.gate[channel]) - float(layer.mean[channel])) == pytest.approx(max(all_apart))
    assert gates.farthest(layer) == channel


def test_gates_pay_only_where_a_difference_is_sure():
    chance = Difference(0.001, (-0.001, 0.003), (3, 3), 0.005, 0.3)
    single = Difference(0.002, None, (1, 3), 0.005, missing="one seed")
    sure = Difference(-0.004, (-0.006, -0.002), (3, 3), 0.005, 0.001)
    said = words.pays([("CBAM", "No gates", chance), ("BAM", "No gates", chance)])
    assert "do not pay here" in said and "margin, 0.5 points." in said and "(Holm)" in said
    few = words.pays([("CBAM", "No gates", Difference(0.001, (-0.001, 0.003), (3, 3), 0.00041, 0.3))])
    assert few.startswith("**Not decided**") and "more than 0.041 points, a tenth of the errors, is not ruled" in few
    some = words.pays([("CBAM", "No gates", chance), ("BAM", "No gates", single)])
    assert some.startswith("**Not decided**")
    assert some.endswith("1 pair is not judged: one of the two was trained only once.")
    wide = Difference(0.001, (-0.008, 0.010), (3, 3), 0.005, 0.8)
    assert words.pays([("CBAM", "No gates", chance), ("BAM", "No gates", wide)]).startswith("**Not decided**")
    assert words.pays([("CBAM", "No gates", sure)]).endswith("CBAM is worse than no gates by 0.40 points.")
    assert "The 2 comparisons" in words.pays([("CBAM", "No gates", sure), ("BAM", "No gates", chance)])
    alone = Difference(0.004, (0.0001, 0.0079), (3, 3), 0.003, 0.04)
    assert words.pays([("CBAM", "No gates", alone)]).startswith("**Gates make a difference here**")
    assert words.pays([("CBAM", "No gates", alone)] * 2).startswith("**Not decided**"), "Holm: 0.08"
    untold = Difference(0.002, None, (3, 3), 0.005, missing="no answers of each seed")
    assert words.pays([("BAM", "No gates", untold)] * 2) == (
        "**Not decided**: 2 pairs are not judged: the answers of each seed are not known."
    )
    assert words.pays([]) == words.NOTHING_TO_COMPARE


@pytest.mark.parametrize("source", ["strokes", None])
def test_a_network_trained_on_data_of_no_recipe_is_compared_with_nothing(
    monkeypatch: pytest.MonkeyPatch, source: str | None
) -> None:
    said: list[str] = []
    monkeypatch.setattr(experiments, "finding", lambda: said.append)
    subject: Any = SimpleNamespace(net=SimpleNamespace(architecture="channel_attention", data=source))
    experiments.pays(subject)
    assert said == [words.NOTHING_TO_COMPARE]
