"""The training loop, attnviz/training/loop.py."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnviz.data import strokes
from attnviz.recipes.recipe import Augmentation
from attnviz.training import loop
from attnviz.training.loop import Epoch, Examples, Step, Training
from tests.training import small


def _train(chosen, seed: int = 0) -> tuple[Training, list[Step | Epoch]]:
    training = small.training(chosen, seed)
    return training, list(training.run())


def _epochs(events: list[Step | Epoch]) -> list[Epoch]:
    return [event for event in events if isinstance(event, Epoch)]


@pytest.mark.parametrize("model", ["pixel_line", "pixel_attention"])
def test_it_learns_to_tell_ones_from_eights(model):
    training, events = _train(small.recipe(model, epochs=20, patience=20))
    epochs = _epochs(events)
    assert epochs[-1].train_loss < 0.6 * epochs[0].train_loss
    assert epochs[-1].validation_accuracy >= 0.9
    digits = np.array([8, 1] * 20)
    fresh = Examples(torch.from_numpy(strokes.draw(digits, seed=77)).permute(0, 3, 1, 2), torch.tensor([0, 1] * 20))
    assert loop.measure(training.model, fresh)[1] >= 0.9


def test_events_are_one_a_batch_and_one_an_epoch():
    _, events = _train(small.recipe("pixel_line", epochs=2))  # 40 pictures, 16 at a time
    steps = [Step(1, 3), Step(2, 3), Step(3, 3)]
    assert events == [*steps, events[3], *steps, events[7]]
    assert [epoch.epoch for epoch in _epochs(events)] == [1, 2]


def test_every_picture_is_seen_once_an_epoch_in_another_order_each_time():
    chosen = small.recipe("pixel_line", epochs=2)
    training = small.training(chosen)
    seen: list[Tensor] = []
    training.model.register_forward_pre_hook(lambda model, inputs: seen.append(inputs[0]) if model.training else None)
    list(training.run())
    assert [len(images) for images in seen] == [16, 16, 8] * 2
    first, second = torch.cat(seen[:3]).flatten(1), torch.cat(seen[3:]).flatten(1)
    pictures = small.examples(40).images.flatten(1) / 255
    assert not torch.equal(first, second)
    for images in (first, second):
        assert sorted(map(tuple, images.tolist())) == sorted(map(tuple, pictures.tolist()))


def test_beside_every_picture_an_epoch_shows_a_fresh_variant():
    chosen = small.recipe("pixel_line", epochs=2, augmentation=Augmentation(shift=0.3, sampling=("nearest",)))
    training = small.training(chosen)
    seen: list[Tensor] = []
    training.model.register_forward_pre_hook(lambda model, inputs: seen.append(inputs[0]) if model.training else None)
    events = list(training.run())
    assert [len(images) for images in seen] == [16] * 10
    assert events[:5] == [Step(step, 5) for step in range(1, 6)]
    pictures = sorted(map(tuple, (small.examples(40).images.flatten(1) / 255).tolist()))
    varied = []
    for epoch in (seen[:5], seen[5:]):
        shown = sorted(map(tuple, torch.cat(epoch).flatten(1).tolist()))
        plain = [one for one in shown if one in set(pictures)]
        assert plain == pictures
        varied.append([one for one in shown if one not in set(pictures)])
    assert len(varied[0]) == len(varied[1]) == 40
    assert not set(varied[0]) & set(varied[1])


def test_variants_keep_their_labels():
    whole = small.examples(40)
    varied = whole.variants(Augmentation(rotation=30), torch.Generator().manual_seed(0))
    assert torch.equal(varied.labels, whole.labels)
    assert not torch.equal(varied.images, whole.images)
    both = whole + varied
    assert len(both) == 80
    assert torch.equal(both.images[40:], varied.images)


def test_a_training_with_variants_can_be_gone_on_with():
    chosen = small.recipe("pixel_line", epochs=3, augmentation=Augmentation(rotation=180), schedule="cosine")
    whole, first, second = (small.training(chosen) for _ in range(3))
    expected = list(whole.run())
    events = first.run()
    before = [next(events) for _ in range(6)]  # one epoch of five steps
    second.restore(*first.state())
    assert before + list(second.run()) == expected


def test_the_cosine_schedule_rises_then_falls_to_nothing():
    training = small.training(small.recipe("pixel_line", schedule="cosine", learning_rate=0.1))
    rates = [training.rate(share) for share in (0.0, 0.025, 0.05, 0.525, 1.0)]
    assert rates == pytest.approx([0, 0.05, 0.1, 0.05, 0])
    used = []
    chosen = small.recipe("pixel_line", schedule="cosine", learning_rate=0.1, epochs=2)
    training = small.training(chosen)
    for event in training.run():
        if isinstance(event, Step):
            used.append(training.optimiser.param_groups[0]["lr"])
    assert used == [training.rate(step / 6) for step in range(1, 7)]
    assert used[-1] == pytest.approx(0)


class Flat(nn.Module):
    """Gives each epoch the validation loss that a test wants, by the logit of its one number."""

    def __init__(self, logits: list[float]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self.register_buffer("passes", torch.zeros(()))
        self.logits = logits

    def forward(self, images: Tensor) -> Tensor:
        if self.training:
            return self.weight.expand(len(images), 1)
        self.passes += 1
        return torch.full((len(images), 1), self.logits[int(self.passes) - 1])


@pytest.mark.parametrize(
    ("logits", "patience", "epochs", "stops", "best"),
    [
        ([1, 2, 3, 2, 2, 2, 9], 3, 9, 6, 3),  # none better than the third for three epochs
        ([1, 2, 3, 4, 5, 6, 7], 2, 5, 5, 5),  # better each time, until all epochs are done
        ([5, 4, 3, 6, 1, 1, 1, 1], 3, 9, 7, 4),  # better just in time
        ([1, 1, 1, 1], 2, 9, 3, 1),  # as good is not better
    ],
)
def test_it_stops_when_the_validation_loss_has_not_fallen_for_so_long(logits, patience, epochs, stops, best):
    ones = Examples(torch.zeros(4, 1, 2, 2, dtype=torch.uint8), torch.ones(4, dtype=torch.int64))
    chosen = small.recipe("pixel_line", patience=patience, epochs=epochs)
    model = Flat([float(logit) for logit in logits])
    training = Training(model, chosen, ones, ones, torch.Generator())
    told = _epochs(list(training.run()))
    assert (training.epoch, training.best_epoch, training.finished) == (stops, best, True)
    assert [epoch.validation_loss for epoch in told] == pytest.approx(
        [math.log1p(math.exp(-x)) for x in logits[:stops]]
    )
    assert training.best_loss == min(epoch.validation_loss for epoch in told)
    assert training.best["passes"] == best  # the weights of then, not of now


def test_the_same_seed_gives_the_same_curve_and_another_gives_another():
    chosen = small.recipe(epochs=2)
    assert _train(chosen)[1] == _train(chosen)[1]
    assert _train(chosen)[1] != _train(chosen, seed=1)[1]


def test_a_state_gone_on_with_gives_the_same_curve_and_weights():
    chosen = small.recipe(epochs=4)
    whole = small.training(chosen)
    expected = list(whole.run())
    first = small.training(chosen)
    events = first.run()
    before = [next(events) for _ in range(8)]  # two epochs of three steps
    state = first.state()
    list(events)  # to train on changes nothing in a state that was taken
    for _ in range(2):  # and it can be gone on from twice
        second = small.training(chosen, seed=5)
        second.restore(*state)
        assert before + list(second.run()) == expected
        assert (second.epoch, second.best_epoch, second.best_loss) == (4, whole.best_epoch, whole.best_loss)
        for part in ("weights", "best"):
            one, other = (
                {name: tensor for name, tensor in training.state()[0].items() if name.startswith(part)}
                for training in (second, whole)
            )
            assert one.keys() == other.keys()
            assert all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def test_as_floats_pictures_are_k_over_255_exactly():
    levels = torch.arange(256, dtype=torch.uint8)
    assert loop.as_float(levels).tolist() == [float(np.float32(k) / np.float32(255)) for k in range(256)]


def test_the_loss_of_one_column_is_the_binary_cross_entropy():
    logits, labels = torch.tensor([[2.0], [-1.0]]), torch.tensor([1, 1])
    expected = (math.log1p(math.exp(-2)) + math.log1p(math.exp(1))) / 2
    assert loop.loss_of(logits, labels).item() == pytest.approx(expected)


def test_the_loss_of_several_columns_is_the_cross_entropy():
    logits, labels = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([0])
    expected = math.log(math.exp(1) + math.exp(2) + math.exp(3)) - 1
    assert loop.loss_of(logits, labels).item() == pytest.approx(expected)


def test_the_answer_is_the_class_with_the_largest_probability():
    assert loop.chosen(torch.tensor([[0.1], [-0.1], [0.0]])).tolist() == [1, 0, 0]
    assert loop.chosen(torch.tensor([[1.0, 3.0, 2.0], [0.0, -1.0, -2.0]])).tolist() == [1, 0]


def test_measuring_changes_nothing_and_counts_right_answers():
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 1), nn.Dropout(0.9))
    with torch.no_grad():
        model[1].weight.copy_(torch.tensor([[1.0, 0, 0, 0]]))
        model[1].bias.fill_(-0.5)
    images = torch.zeros(4, 1, 2, 2, dtype=torch.uint8)
    images[:2, 0, 0, 0] = 255
    loss, accuracy = loop.measure(model, Examples(images, torch.tensor([1, 0, 0, 0])))
    assert accuracy == 0.75
    assert loss == pytest.approx((3 * math.log1p(math.exp(-0.5)) + math.log1p(math.exp(0.5))) / 4)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_answers_do_not_depend_on_how_many_pictures_go_at_once():
    training = small.training(small.recipe())
    few, many = (loop.answers(training.model, training.train, size) for size in (7, 64))
    assert few.shape == (40, 1)
    torch.testing.assert_close(few, many)
