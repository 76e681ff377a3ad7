"""What the page of attention over blocks says, with numbers."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz import cards, data
from attnviz.answers import as_batch
from attnviz.edits import uniform
from attnviz.subjects import Picture, Subject, net
from attnviz.tracing import trace
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.mechanisms.cnn_attention import stages, words
from attnviz.ui.shared import cache, inference
from tests.accuracies import accuracy

from .placed import SHOWN


def test_the_largest_weight_is_named_with_its_place(here: Path) -> None:
    for name in SHOWN:
        view = attention(Subject(net(f"cnn_attention.{name}"), Picture("strokes", 23)), "block")
        head, query, key, weight = words.strongest(view)
        scores = view.query @ view.key.transpose(0, 2, 1) / view.query.shape[2] ** 0.5
        weights = np.exp(scores) / np.exp(scores).sum(2, keepdims=True)
        np.testing.assert_allclose(weights[head, query, key], weights.max())
        np.testing.assert_allclose(weight, weights.max())
        (from_row, from_column), (row, column) = divmod(query, view.columns), divmod(key, view.columns)
        assert words.means(view).endswith(
            f"in head {head + 1}, the block in row {from_row + 1}, column {from_column + 1} takes it from the block in "
            f"row {row + 1}, column {column + 1}."
        )


def test_where_attention_is_even_that_is_said_with_the_answer_of_exact_even_shares() -> None:
    subject = Subject(net("cnn_attention.cluttered-blocks"), Picture("cluttered_strokes", 0))
    view = attention(subject, "block")
    evenly = cache.of_subject(stages.evenly, subject)
    said = words.even(view, evenly)
    scores = view.query @ view.key.transpose(0, 2, 1) / view.query.shape[2] ** 0.5
    weights = np.exp(scores) / np.exp(scores).sum(2, keepdims=True)
    (times,) = re.findall(r"no weight is above ([0-9.]+) even shares", said)
    assert float(times) == pytest.approx(weights.max() * view.query.shape[1], abs=0.005)
    assert f"exact even shares the model answers {evenly}; as it was trained, {view.origin['answer']}." in said
    mixed = np.repeat(view.value.mean(1, keepdims=True), view.value.shape[1], 1)
    loaded = subject.net.load(double=True)
    batch = as_batch(subject.image, double=True)
    with torch.no_grad(), trace(loaded.model, (), {"attention.mixed": lambda _: torch.from_numpy(mixed)[None]}):
        assert inference.in_words(subject.net, loaded.model(batch)) == evenly
    other = Subject(net("cnn_attention.digits"), Picture("strokes", 23))
    assert words.even(attention(other, "block"), "8, 98 %") == ""


def test_no_weight_of_the_model_of_cluttered_digits_is_far_above_an_even_share() -> None:
    loaded = net("cnn_attention.cluttered-blocks").load()
    pictures = as_batch(data.load("cluttered_strokes", "test", count=100).images)
    with torch.no_grad(), trace(loaded.model, ["attention.weights"]) as seen:
        own = loaded.model(pictures).argmax(1)
    with torch.no_grad(), trace(loaded.model, (), uniform("attention.mixed")):
        evenly = loaded.model(pictures).argmax(1)
    weights = seen["attention.weights"].tensor
    assert float(weights.max()) * weights.shape[-1] < 1.2 < words.EVEN
    assert (own == evenly).float().mean() > 0.98


def test_what_is_missing_is_counted_and_named() -> None:
    assert "trained yet" not in words.counted(28, [])
    assert "One of them has not been trained yet" in words.counted(28, ["cnn_attention.digits-zero"])
    two = words.counted(28, ["cnn_attention.digits-zero", "cnn_attention.digits-narrow"])
    assert "2 of them have not been trained yet" in two
    assert "--recipe digits-zero`" in two


def test_the_interval_decides_whether_attention_is_better() -> None:
    high, low = accuracy(0.9, 0.89, 0.91, count=1000), accuracy(0.8, 0.78, 0.82, count=1000)
    better = words.finding(high, low, 10)
    assert better.startswith("**Attending to all blocks makes the network better**: with attention over all blocks, ")
    assert (
        "90.00 % of 1,000 answers are correct (3 seeds); with the attention set to zero, 80.00 % (3 seeds)." in better
    )
    assert "+10.00 points (95 % interval +" in better
    assert better.endswith("Guessing among 10 classes gives 10.00 %.")
    assert words.finding(low, high, 10).startswith("**Attending to all blocks makes the network worse**")
    neither = words.finding(high, accuracy(0.89, 0.88, 0.9, count=1000), 10)
    assert neither.startswith("**Not decided**")
    alike = words.finding(accuracy(0.9, 0.9001), accuracy(0.9, 0.9), 10)
    assert alike.startswith("**Attending to all blocks makes hardly any difference**")
    once = words.finding(accuracy(0.9, count=1000), low, 10)
    assert once.startswith("**Not decided**") and "one of the two was trained only once" in once
    assert "interval" not in once


def test_ranges_over_seeds_that_overlap_decide_nothing() -> None:
    one, other = accuracy(0.9, 0.88, 0.92, 0.91, 0.89), accuracy(0.87, 0.855, 0.885, 0.87, 0.87)
    assert one.lowest < other.highest
    assert words.finding(one, other, 10).startswith("**Attending to all blocks makes the network better**")


def test_a_network_that_was_trained_is_not_said_to_be_untrained() -> None:
    card = cards.read("cnn_attention.fashion-within")
    said = words.within_is_missing(card.name, card.command)
    assert "has been trained, but its weights are not here" in said and card.command in said
    assert "has not been trained here" in words.within_is_missing(card.name, None)


def test_less_work_is_never_called_more() -> None:
    said = words.saved({"blocks": (50, 340), "plain": (200, 100), "zero": (50, 0)})
    assert "25.0 % of the parameters" in said
    assert "but it does 3.4 times the work" in said
    assert "Attention is not what saves parameters" in said
    less = words.saved({"blocks": (50, 90), "plain": (200, 100), "zero": (40, 0)})
    assert "and it does less work" in less and "not what saves" not in less


def test_weights_inside_a_block_are_said_as_multiples_of_an_even_share() -> None:
    cluttered = net("cnn_attention.cluttered-within")
    said = words.within(np.array([[0.25, 0.75], [0.5, 0.5]]), cluttered, locks=True)
    assert "a different network from the one above: *Cluttered digits, attention within blocks*. Lock a block" in said
    assert "These 2 × 2 weights" in said
    assert said.endswith("between 0.500 and 1.50 times an even share.")


def test_a_negative_difference_has_a_minus_sign() -> None:
    assert "The difference is \N{MINUS SIGN}10.00 points" in words.finding(
        accuracy(0.8, 0.81, 0.79), accuracy(0.9, 0.91, 0.89), 10
    )
