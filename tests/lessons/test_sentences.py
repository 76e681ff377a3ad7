"""Figures in lessons that no page shows beside them, each computed again from weights, cards or data."""

from collections import Counter
from pathlib import Path

import numpy as np
import torch

import attnviz
from attnviz import cards, data
from attnviz.answers import as_batch
from attnviz.data.digit_strips import strip
from attnviz.data.moved import MOVED
from attnviz.subjects import Picture
from attnviz.subjects import net as net_of
from attnviz.tracing import trace

LESSONS = Path(attnviz.__file__).parents[1] / "lessons"


def says(lesson: str, *phrases: str) -> None:
    """Check that a lesson has these phrases, each once."""
    text = (LESSONS / f"{lesson}.md").read_text()
    assert [phrase for phrase in phrases if text.count(phrase) != 1] == []


def percent(share: float) -> str:
    """Return a share as lessons write it."""
    return f"{100 * share:.0f}"


def test_what_is_known_after_a_glimpse() -> None:
    model, _ = attnviz.load("recurrent_attention.cluttered")
    pictures = data.load("cluttered_strokes", split="test", count=1000)
    right = {}
    for first, generator in (("random", torch.Generator().manual_seed(0)), ("middle", None)):
        with torch.no_grad(), trace(model, ["*belief"]) as seen:
            model(as_batch(pictures.images), generator=generator)
        belief = seen["glimpses.belief"].at()  # (glimpse, picture, class)
        right[first] = [float(np.mean(np.asarray(one.argmax(-1)) == pictures.labels)) for one in belief]
    after_one, after_three = percent(right["random"][0]), percent(right["random"][2])
    says(
        "glimpses",
        f"right on {after_one} of 100 pictures, after the third on {after_three};",
        f"the best guess is then right on {after_one} %",
        f"it is right on {percent(right['middle'][0])} %",
    )


def test_one_vector_loses_the_order_rather_than_the_digits() -> None:
    model, _ = attnviz.load("encoder_decoder.strips-15-one-vector")
    found = [strip("strokes", 15, number) for number in range(100)]
    right = np.array([[int(digit) for digit in text] for _, text in found])
    with torch.no_grad():
        output = model(as_batch(np.stack([picture for picture, _ in found]))).argmax(-1).numpy()
    stop = 10
    texts = [line[: line.index(stop)] if stop in line else line for line in output.tolist()]
    in_place = np.array(
        [[text[i : i + 1] == [digit] for i, digit in enumerate(row)] for text, row in zip(texts, right, strict=True)]
    )
    somewhere = [(Counter(text) & Counter(row.tolist())).total() / 15 for text, row in zip(texts, right, strict=True)]
    anywhere, all_of_them = percent(float(np.mean(somewhere))), percent(in_place.mean())
    first, last = percent(in_place[:, :3].mean()), percent(in_place[:, -3:].mean())
    says(
        "looking-back",
        f"{anywhere} % appear somewhere in its text, but {all_of_them} % in their place",
        f"({first} % of the first three, {last} % of the last three)",
    )


def test_ten_times_as_many_steps() -> None:
    whole = {
        name: next(one.mean for one in cards.read(f"encoder_decoder.{name}").figures if one.name == "accuracy_15")
        for name in ("strips-15-one-vector-patient", "strips-15-patient", "strips-15-one-vector", "strips-15")
    }
    long_one, long, one, with_attention = map(percent, whole.values())
    says(
        "looking-back",
        f"reads {long_one} % of the strips of 15 digits without an error, and the one with attention {long} %",
        f"it was {one} % against {with_attention} %",
    )


def test_the_picture_that_is_turned_by_hand_was_rotated_before() -> None:
    (before,) = MOVED["rotated_strokes"].moves("test", [23]).angles
    says("straightening", f"by {before:.0f} degrees counter-clockwise from the start, and now by {before + 90:.0f}.")


def test_what_a_pixel_carries_is_its_value_times_the_weight_of_the_output() -> None:
    net = net_of("pixel_attention.1v8")
    model = net.load(double=True).model
    images = as_batch(Picture("strokes", 23).taken_by(net), double=True)
    with torch.no_grad(), trace(model, ["attention.value"]) as seen:
        model(images)
    value = float(seen["attention.value"].at(batch=0, head=0, token=8 * 28 + 15))  # key=9,16: row and column, from 1
    weight = float(model.attention.output.weight)
    shown = {"value_number": value, "value": value * weight}
    says(
        "pixel-to-answer",
        *(f"{number:.2f} <pixel_viewer.{name}>`.".replace("-", "−") for name, number in shown.items()),
    )


def test_gates_at_their_mean_change_no_training_by_more_than_a_hundredth_of_a_point() -> None:
    assert "in none of the three trainings by more than a hundredth of a point" in (LESSONS / "gates.md").read_text()
    card = cards.read("channel_attention.digits")
    (whole,) = (one for one in card.figures if one.data == "mnist" and one.augmentation is None)
    (held,) = (
        one
        for ablation in card.ablations
        if ablation.name == "mean" and ablation.of == "blocks.*.attention.*gate"
        for one in ablation.figures
        if one.data == "mnist"
    )
    assert len(whole.per_seed) == 3
    assert max(abs(a - b) for a, b in zip(whole.per_seed, held.per_seed, strict=True)) < 1.01e-4
