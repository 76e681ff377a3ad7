"""The training loop, attnviz/training/loop.py."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from attnviz.data import strokes
from attnviz.data.augment import augment
from attnviz.errors import BadInput, RunError, UnknownName
from attnviz.recipes.recipe import Augmentation, changed
from attnviz.training import seeds
from attnviz.training.examples import Examples
from attnviz.training.loop import Training
from attnviz.training.objectives import Classification
from attnviz.training.progress import Epoch, Step
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
    assert epochs[-1].values["train_loss"] < 0.6 * epochs[0].values["train_loss"]
    assert epochs[-1].values["validation_accuracy"] >= 0.9
    digits = np.array([8, 1] * 20)
    fresh = Examples(torch.from_numpy(strokes.draw(digits, seed=77)).permute(0, 3, 1, 2), torch.tensor([0, 1] * 20))
    assert Classification().measure(training.model, fresh)["accuracy"].value >= 0.9


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


class Flat(nn.Module):
    """Gives each epoch the validation loss that a test wants, by the logit of its one number."""

    def __init__(self, logits: list[float]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self.passes: Tensor
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
    assert [epoch.values["validation_loss"] for epoch in told] == pytest.approx(
        [math.log1p(math.exp(-x)) for x in logits[:stops]]
    )
    assert training.best_value == min(epoch.values["validation_loss"] for epoch in told)
    assert training.kept["passes"] == best  # the weights of then, not of now


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
        assert (second.epoch, second.best_epoch, second.best_value) == (4, whole.best_epoch, whole.best_value)
        for part in ("weights", "best"):
            one, other = (
                {name: tensor for name, tensor in training.state()[0].items() if name.startswith(part)}
                for training in (second, whole)
            )
            assert one.keys() == other.keys()
            assert all(torch.equal(tensor, other[name]) for name, tensor in one.items())


@pytest.mark.parametrize(
    "augmentation", [None, Augmentation(rotation=30, shift=0.1, noise=0.1)], ids=["plain", "varied"]
)
@pytest.mark.parametrize("schedule", ["constant", "cosine"])
@pytest.mark.parametrize("model", ["pixel_line", "pixel_attention"])
def test_what_recipes_could_say_before_gives_the_same_weights_to_the_bit(model, schedule, augmentation):
    """The loop as it was when the first thirty checkpoints were trained, written out."""
    chosen = small.recipe(model, schedule=schedule, augmentation=augmentation, epochs=2)
    training = small.training(chosen)
    list(training.run())
    generator = torch.Generator().manual_seed(0)
    expected = seeds.build(chosen, generator)
    adam = torch.optim.Adam(expected.parameters(), lr=1e-2)
    train = small.examples(40)
    shown = 40 if augmentation is None else 80
    steps = -(-shown // 16)
    for epoch in range(2):
        order = torch.randperm(shown, generator=generator)
        expected.train()
        for step, places in enumerate(order.split(16), 1):
            progress = (epoch * steps + step) / (2 * steps)
            if schedule == "cosine":
                rises = progress < 0.05
                rate = (
                    1e-2 * progress / 0.05 if rises else 1e-2 * (1 + math.cos(math.pi * (progress - 0.05) / 0.95)) / 2
                )
                adam.param_groups[0]["lr"] = rate
            images, labels = train.images[places[places < 40]], train.labels[places[places < 40]]
            if augmentation is not None:
                varied = places[places >= 40] - 40
                changed = augment(train.images[varied], generator, **augmentation.model_dump())
                images, labels = torch.cat([images, changed]), torch.cat([labels, train.labels[varied]])
            loss = binary_cross_entropy_with_logits(expected(images.float() / 255)[:, 0], labels.float())
            adam.zero_grad()
            loss.backward()
            adam.step()
    for name, tensor in expected.state_dict().items():
        assert torch.equal(training.model.state_dict()[name], tensor), name


def test_a_batch_in_parts_gives_the_loss_and_the_gradients_of_the_undivided_one():
    whole, parts = (
        small.training(small.recipe("pixel_line", batch=40, accumulate=count, epochs=1, optimiser="sgd"))
        for count in (1, 7)
    )
    sizes: list[int] = []
    for training in (whole, parts):
        training.model.register_forward_pre_hook(lambda m, i: sizes.append(len(i[0])) if m.training else None)
    events = [list(training.run()) for training in (whole, parts)]
    assert sizes == [40, 6, 6, 6, 6, 6, 6, 4]
    assert events[0][0] == events[1][0] == Step(1, 1)
    assert events[1][1].values["train_loss"] == pytest.approx(events[0][1].values["train_loss"], rel=1e-6)
    for one, other in zip(whole.model.parameters(), parts.model.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_gradients_above_the_clip_are_scaled_down_to_it_together_and_others_are_left_alone():
    def one_step(clip: float | None) -> Training:
        training = small.training(small.recipe("pixel_line", batch=40, epochs=1, optimiser="sgd", clip=clip))
        list(training.run())
        return training

    free = one_step(None)
    norm = float(torch.cat([parameter.grad.flatten() for parameter in free.model.parameters()]).norm())
    for clip, share in ((norm / 4, 1 / 4), (2 * norm, 1.0)):
        for one, other in zip(one_step(clip).model.parameters(), free.model.parameters(), strict=True):
            torch.testing.assert_close(one.grad, share * other.grad, rtol=1e-4, atol=1e-7)


def test_in_bfloat16_only_the_passes_of_training_are_rounded():
    training = small.training(small.recipe("pixel_line", precision="bfloat16", epochs=1))
    exact = small.training(small.recipe("pixel_line", epochs=1))
    outputs: set[tuple[bool, torch.dtype]] = set()
    training.model.register_forward_hook(lambda m, i, logits: outputs.add((m.training, logits.dtype)))
    for each in (training, exact):
        list(each.run())
    assert outputs == {(True, torch.bfloat16), (False, torch.float32)}
    for one, other in zip(training.model.parameters(), exact.model.parameters(), strict=True):
        assert one.dtype == torch.float32 and not torch.equal(one, other)
        torch.testing.assert_close(one, other, rtol=0.05, atol=0.005)


def test_batches_of_a_model_that_normalises_by_batch_are_not_divided():
    model = nn.Sequential(nn.BatchNorm2d(1), nn.Flatten(), nn.Linear(784, 1))
    chosen = small.recipe("pixel_line", accumulate=2)
    with pytest.raises(BadInput, match=r"pixel_line.small divides its batches, but .* Use accumulate=1"):
        Training(model, chosen, small.examples(40), None, torch.Generator())


class Normalised(nn.Module):
    """A linear layer whose logits are normalised by batch."""

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(784, 1)
        self.norm = nn.BatchNorm1d(1)

    def forward(self, images: Tensor) -> Tensor:
        logits: Tensor = self.norm(self.line(images.flatten(1)))
        return logits


def test_renewed_statistics_are_means_over_the_batches_with_the_last_weights():
    torch.manual_seed(0)
    chosen = small.recipe("pixel_line", validation=None, keep="renewed", patience=None, epochs=2)
    training = Training(Normalised(), chosen, small.examples(40), None, torch.Generator().manual_seed(0))
    list(training.run())
    model, images = training.model, small.examples(40).images.double().flatten(1) / 255
    lines = (images @ model.line.weight.double().T + model.line.bias).detach().split(16)
    mean, variance = (sum(of(batch) for batch in lines) / 3 for of in (torch.mean, torch.var))
    torch.testing.assert_close(model.norm.running_mean.double(), mean[None], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(model.norm.running_var.double(), variance[None], rtol=1e-5, atol=1e-6)
    assert model.norm.momentum == 0.1
    assert torch.equal(training.kept["norm.running_mean"], model.norm.running_mean)


def test_without_a_validation_part_all_epochs_are_trained_and_the_last_weights_kept():
    chosen = small.recipe("pixel_line", validation=None, keep="last", patience=None, epochs=3)
    generator = torch.Generator().manual_seed(0)
    training = Training(seeds.build(chosen, generator), chosen, small.examples(40), None, generator)
    epochs = _epochs(list(training.run()))
    assert [set(epoch.values) for epoch in epochs] == [{"train_loss"}] * 3
    assert (training.finished, training.kept_epoch) == (True, 3)
    for name, tensor in training.model.state_dict().items():
        assert torch.equal(training.kept[name], tensor)
    assert not any(name.startswith("best") for name in training.state()[0])


def test_the_last_weights_are_kept_where_the_recipe_says_so_and_patience_stops_all_the_same():
    ones = Examples(torch.zeros(4, 1, 2, 2, dtype=torch.uint8), torch.ones(4, dtype=torch.int64))
    chosen = small.recipe("pixel_line", keep="last", patience=2, epochs=9)
    training = Training(Flat([1.0, 3.0, 2.0, 2.0, 2.0]), chosen, ones, ones, torch.Generator())
    list(training.run())
    assert (training.epoch, training.best_epoch, training.kept_epoch) == (4, 2, 4)
    assert training.kept["passes"] == 4


def test_the_rate_falls_after_each_epoch_without_a_better_figure_but_never_below_the_lowest():
    ones = Examples(torch.zeros(4, 1, 2, 2, dtype=torch.uint8), torch.ones(4, dtype=torch.int64))
    chosen = small.recipe(
        "pixel_line", schedule="plateau", plateau={"lowest": 2e-3}, learning_rate=1e-2, patience=None, epochs=8
    )
    training = Training(Flat([1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0]), chosen, ones, ones, torch.Generator())
    rates = [training.optimiser.param_groups[0]["lr"] for event in training.run() if isinstance(event, Step)]
    assert rates == pytest.approx([1e-2, 1e-2, 1e-2, 5e-3, 2.5e-3, 2.5e-3, 2e-3, 2e-3])


def test_an_accuracy_that_is_watched_must_rise():
    ones = Examples(torch.zeros(4, 1, 2, 2, dtype=torch.uint8), torch.ones(4, dtype=torch.int64))
    chosen = small.recipe("pixel_line", watch="accuracy", patience=2, epochs=9)
    training = Training(Flat([-1.0, 1.0, 2.0, 3.0, 4.0]), chosen, ones, ones, torch.Generator())
    list(training.run())
    assert (training.epoch, training.best_epoch, training.best_value) == (4, 2, 1.0)


def test_variants_stand_instead_of_the_pictures_where_the_recipe_says_so():
    chosen = small.recipe("pixel_line", epochs=1, augmentation={"mirror": True, "crop": 2}, augment="instead")
    training = small.training(chosen)
    seen: list[Tensor] = []
    training.model.register_forward_pre_hook(lambda model, inputs: seen.append(inputs[0]) if model.training else None)
    list(training.run())
    assert [len(images) for images in seen] == [16, 16, 8]
    pictures = set(map(tuple, (small.examples(40).images.flatten(1) / 255).tolist()))
    shown = list(map(tuple, torch.cat(seen).flatten(1).tolist()))
    assert sum(one in pictures for one in shown) < 10
    assert sorted(map(sum, shown)) == pytest.approx(sorted(map(sum, pictures)), rel=0.05)  # nothing but moved


def test_a_recipe_that_watches_what_its_objective_does_not_measure_is_refused():
    with pytest.raises(
        UnknownName, match="no measure of the objective classification 'acuracy'. Did you mean 'accuracy'"
    ):
        small.training(small.recipe("pixel_line", watch="acuracy"))


@pytest.mark.parametrize("validated", [True, False])
def test_a_training_that_diverges_says_so(validated):
    chosen = small.recipe("pixel_line", learning_rate=3e38, optimiser="sgd", momentum=0.9)
    if not validated:
        chosen = changed(chosen, validation=None, keep="last", patience=None)
    generator = torch.Generator().manual_seed(0)
    held_out = small.examples(15, start=40) if validated else None
    training = Training(seeds.build(chosen, generator), chosen, small.examples(40), held_out, generator)
    which = "validation" if validated else "train"
    with pytest.raises(RunError, match=rf"After epoch \d the {which} loss is (nan|inf): the training has diverged"):
        list(training.run())
