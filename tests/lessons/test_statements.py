"""What lessons say of heads in general is computed again over many pictures, and the numbers in the text are those."""

import functools
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from attnviz import subjects
from attnviz.head_table.door import pictures_of
from attnviz.head_table.work import Work
from attnviz.measures.matched_heads import similarity

LESSONS = Path(__file__).parents[2] / "lessons"
COUNT = 100
NEAR = 1  # answer that another processor, which rounds otherwise, may change


class Switched(NamedTuple):
    """Whether each answer changes without each head, (head, picture), and the layer of each head."""

    changed: np.ndarray
    layers: np.ndarray


def work_of(name: str) -> Work:
    net = subjects.net(name)
    few = pictures_of(net, "strokes", COUNT)
    return Work(net.load().model, few.images, few.mask, 0)


@functools.cache
def switched(name: str) -> Switched:
    work = work_of(name)
    images = work.batch(range(COUNT))
    _, changed = work.passes.without_heads(images, work.passes.answers(images))
    return Switched(changed, np.array([head.layer for head in work.units]))


def said(lesson: str, pattern: str) -> list[float]:
    """Return the numbers that a sentence of a lesson gives."""
    found = re.search(pattern, (LESSONS / f"{lesson}.md").read_text("utf-8"))
    assert found is not None, f"{lesson}.md no longer has the sentence {pattern!r}"
    return [float(number) for number in found.groups()]


def test_on_most_digits_no_single_head_is_needed() -> None:
    needed = switched("pixel_attention.digits").changed.sum(0)
    none, one, more = said(
        "heads", r"Of 100 drawn digits, (\d+) need no single head, (\d+) need one, and (\d+) need two or more"
    )
    counts = [(needed == 0).sum(), (needed == 1).sum(), (needed > 1).sum()]
    np.testing.assert_allclose([none, one, more], counts, atol=NEAR)
    assert sum((none, one, more)) == COUNT and none > COUNT / 2


def test_no_two_heads_look_alike() -> None:
    work = work_of("pixel_attention.digits")
    (largest,) = said(
        "heads", r"over 100 drawn digits, the maps of no two heads correlate more than (\d\.\d+) on average"
    )
    total = torch.zeros(len(work.units), len(work.units), dtype=torch.float64)
    for block in work.blocks(range(COUNT)):
        (weights,) = work.passes.maps(work.batch(block))[1]
        rows = weights.double().flatten(2)
        total += similarity(rows, rows).sum(0)
    mean = total.fill_diagonal_(-torch.inf) / COUNT
    assert abs(largest - float(mean.max())) < 0.006 and largest < 0.5


def test_what_one_head_of_a_vision_transformer_is_worth_depends_on_its_layer() -> None:
    changed, layers = switched("vision_transformer.digits")
    none, low, high, last = said(
        "photograph",
        r"Of 100 drawn digits, (\d+) need no single head. But a head of the first layer alone changes (\d+) to (\d+) "
        r"of the answers, one of the last two layers at most (\d+)",
    )
    each = changed.sum(1)
    first = each[layers == 0]
    counts = [(changed.sum(0) == 0).sum(), first.min(), first.max(), each[layers >= 2].max()]
    np.testing.assert_allclose([none, low, high, last], counts, atol=NEAR)
    assert last < high
