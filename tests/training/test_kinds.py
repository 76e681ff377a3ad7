"""From one recipe each: what papers train, on pictures made for the test."""

import pytest
import torch

from attnviz.training.progress import Epoch, Step
from tests.training import kinds


def _events(kind: str, **changes: object):
    training = kinds.training(kind, **changes)
    events = list(training.run())
    return training, [e for e in events if isinstance(e, Step)], [e for e in events if isinstance(e, Epoch)]


def test_batches_of_4096_with_accumulated_gradients_and_no_validation_part():
    training, steps, epochs = _events("large_batches", epochs=1)
    assert [step.total for step in steps] == [3, 3, 3]  # 8,200 pictures
    assert set(epochs[0].values) == {
        "train_loss", "loss_sum", "gradient_mean of 1.weight", "parameter_std of 1.weight",
    }  # fmt: skip
    undivided, _, whole = _events("large_batches", epochs=1, accumulate=1)
    assert epochs[0].values == pytest.approx(whole[0].values, rel=1e-4)
    for one, other in zip(training.model.parameters(), undivided.model.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_a_net_with_halving_on_a_plateau_and_the_last_weights():
    training, _, epochs = _events("plateau", learning_rate=0.1, epochs=12, patience=None)
    accuracies = [epoch.values["validation_accuracy"] for epoch in epochs]
    rate, best = 0.1, accuracies[0]
    for accuracy in accuracies[1:-1]:
        rate, best = (rate, accuracy) if accuracy > best else (max(1e-4, rate / 2), best)
    assert rate < 0.1
    assert training.optimiser.param_groups[0]["lr"] == pytest.approx(rate)
    for name, tensor in training.model.state_dict().items():
        assert torch.equal(training.kept[name], tensor)


def test_a_colour_net_with_mirror_and_crop_sgd_and_one_cycle():
    training, steps, epochs = _events("colour", epochs=1)
    assert [step.total for step in steps] == [4] * 4
    assert isinstance(training.optimiser, torch.optim.SGD)
    assert training.optimiser.param_groups[0]["lr"] == pytest.approx(0.1 / 250_000)
    _, _, more = _events("colour", epochs=8)
    assert more[-1].values["validation_accuracy"] > 0.6 > 0.5 > 1 / kinds.CLASSES
    assert more[-1].values["train_loss"] < more[0].values["train_loss"]
    assert epochs[0].values["validation_loss"] is not None
