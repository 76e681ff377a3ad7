"""Copies of strips along the batch, encoded once, give what one pass for each step and digit gives."""

import pytest
import torch
from torch import Tensor, nn

from attnviz.edits import set_value
from attnviz.layers.columns import ColumnFeatures
from attnviz.measures.sequences import attribution, steering
from attnviz.models.encoder_decoder import EncoderDecoder
from attnviz.models.transformer import Transformer
from attnviz.tracing import trace

DIGITS, HEIGHT, WIDTH = 3, 28, 84
TEXTS = torch.tensor([[1, 0, 2, 3], [2, 2, 1, 3]])
STRIPS = torch.rand(2, 1, HEIGHT, WIDTH, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def recurrent() -> tuple[nn.Module, str, str]:
    model = EncoderDecoder(classes="012.", features=6, width=5, hidden=7, units=4, embedding=3, generator=seeded())
    nn.init.normal_(model.decoder.attention.score.weight, generator=seeded())  # which begins uniform
    return model, "decoder.attention.weights", "decoder.attention.energies"


def transformer() -> tuple[nn.Module, str, str]:
    model = Transformer(classes="012.", features=8, heads=2, hidden=9, layers=1, generator=seeded())
    return model, "decoder.0.cross.weights", "decoder.0.cross.scores"


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture(params=[recurrent, transformer])
def reader(request: pytest.FixtureRequest) -> tuple[nn.Module, str, str]:
    model, weights, scores = request.param()
    return model.double().eval().requires_grad_(False), weights, scores


def log_probability(model: nn.Module, strips: Tensor) -> Tensor:
    return model(strips, targets=TEXTS).log_softmax(-1)[:, :DIGITS].gather(-1, TEXTS[:, :DIGITS, None])[..., 0]


def test_each_step_alone_is_given_the_weights_of_another(reader):
    model, weights, _ = reader
    others = torch.tensor([[1, 2, 0], [2, 0, 1]])
    with trace(model, keep=[weights]) as seen:
        model(STRIPS, targets=TEXTS)
    own, expected = steering.rows(seen[weights]), []
    for step in range(DIGITS):
        given = own.clone()
        for strip in range(2):
            given[strip, :, step] = own[strip, :, others[strip, step]]
        with trace(model, keep=[], edits=steering.edits_of(seen, {weights: given})):
            expected.append(model(STRIPS, targets=TEXTS)[:, step].argmax(-1))
    assert torch.equal(steering.one_at_a_time(model, STRIPS, TEXTS, [weights], others), torch.stack(expected, 1))


def test_each_step_is_derived_and_each_digit_is_erased_and_masked(reader):
    model, weights, scores = reader
    found = attribution.by_method(model, STRIPS, TEXTS, weights=[weights], scores=[scores])
    before = log_probability(model, STRIPS)
    for number in range(DIGITS):
        strips = STRIPS.clone().requires_grad_()
        model(strips, targets=TEXTS)[:, number].gather(-1, TEXTS[:, number, None]).sum().backward()
        per_digit = strips.grad.abs().sum((1, 2)).unflatten(-1, (DIGITS, 28)).sum(-1)
        torch.testing.assert_close(found["gradient"][:, number], per_digit)
        erased = STRIPS.clone()
        erased[..., 28 * number : 28 * (number + 1)] = 0
        torch.testing.assert_close(found["pixels"][..., number], before - log_probability(model, erased))
        with trace(model, keep=[weights]) as seen:
            model(STRIPS, targets=TEXTS)
        columns = steering.rows(seen[weights]).shape[-1]
        masked = [key for key in range(columns) if 2 * key // (2 * columns // DIGITS) == number]
        with trace(model, keep=[], edits={scores: set_value(-1e9, key=masked)}):
            torch.testing.assert_close(found["annotations"][..., number], before - log_probability(model, STRIPS))


def test_the_strips_of_all_copies_are_encoded_once(reader):
    model, weights, _ = reader
    batches = []
    (first,) = (module for module in model.modules() if isinstance(module, ColumnFeatures))
    first.register_forward_hook(lambda _, given, __: batches.append(len(given[0])))
    steering.one_at_a_time(model, STRIPS, TEXTS, [weights], torch.tensor([[1, 2, 0], [2, 0, 1]]))
    assert batches == [2, 2]
