"""From a recipe to a checkpoint, attnviz/training/seeds.py."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

import attnviz
from attnviz import cards, checkpoints, data
from attnviz.data import Dataset, strokes
from attnviz.data.augment import augment
from attnviz.errors import BadInput, CheckpointError, DataError
from attnviz.recipes.recipe import Augmentation
from attnviz.training import seeds
from attnviz.training.loop import Epoch
from attnviz.training.runs import Run
from tests.training import small


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    with small.place(tmp_path):
        yield tmp_path


def _silent(seed: int, event: object) -> None:
    pass


def test_two_seeds_make_one_card_that_loads_and_tells_what_was_done(here):
    told = []
    chosen = small.recipe()
    card = seeds.train(chosen, [0, 1], device="cpu", threads=1, report=lambda seed, event: told.append((seed, event)))
    model, read = attnviz.load("pixel_attention.small")
    assert read == cards.Card.model_validate_json(card.model_dump_json())
    assert (card.name, card.recipe, card.device, card.threads) == ("pixel_attention.small", chosen, "cpu", 1)
    assert card.config == {"classes": ("8", "1"), "mean": 0.13, "std": 0.31, "heads": 1, "head_size": 1}
    assert card.classes == ("8", "1")
    assert card.parameters == 3 * 2 + 2 + 784 + 1
    assert card.command == "python -m attnviz train pixel_attention --recipe small --seeds 0-1"
    assert card.versions["torch"] == torch.__version__
    assert card.data_digest == data.digest(data.load("strokes", "train", (8, 1)))
    weights = (here / "checkpoints" / card.name / "weights.safetensors").read_bytes()
    assert card.weights_digest == checkpoints.digest(weights)
    assert card.seconds >= 0
    # each seed's training, as it was reported
    assert [run.seed for run in card.runs] == [0, 1]
    for run in card.runs:
        epochs = [event for seed, event in told if seed == run.seed and isinstance(event, Epoch)]
        assert run.curve == tuple((e.train_loss, e.validation_loss, e.validation_accuracy) for e in epochs)
        assert run.validation_loss == min(epoch.validation_loss for epoch in epochs)
        assert run.best_epoch == [epoch.validation_loss for epoch in epochs].index(run.validation_loss) + 1
    assert card.runs[0].curve != card.runs[1].curve
    # the shipped one is chosen by validation
    best = min(card.runs, key=lambda run: run.validation_loss)
    assert card.seed == best.seed
    assert len({run.validation_loss for run in card.runs}) == 2
    # figures of both, beside that of the shipped one
    assert [(figure.data, figure.split, figure.count, figure.seeds) for figure in card.figures] == [
        ("strokes", "test", len(data.load("strokes", "test", (8, 1)).labels), 2),
        ("strokes", "train", 20, 2),
    ]
    for figure, test in zip(card.figures, chosen.tests, strict=True):
        accuracies = [_accuracy(here, seed, test) for seed in (0, 1)]
        assert figure.value == pytest.approx(accuracies[card.seed])
        assert figure.mean == pytest.approx(sum(accuracies) / 2)
        assert (figure.lowest, figure.highest) == pytest.approx((min(accuracies), max(accuracies)))
        assert seeds.evaluate(model, chosen, test) == (figure.value, figure.count)
    # and what the shipped one says of drawn digits
    assert (card.example.version, card.example.digits) == (strokes.VERSION, (8, 1) * 10)
    images = torch.tensor(strokes.draw([8, 1] * 10, seed=card.example.seed)).permute(0, 3, 1, 2) / 255
    torch.testing.assert_close(torch.tensor(card.example.logits), model(images), rtol=0, atol=1e-4)


def _accuracy(here: Path, seed: int, test: seeds.Test) -> float:
    """Of a seed's best weights, read from its run and counted picture by picture."""
    from safetensors.torch import load_file

    newest = max((here / "runs" / f"pixel_attention.small.{seed}").glob("state-*"))
    state = {n.removeprefix("best/"): t for n, t in load_file(newest).items() if n.startswith("best/")}
    model = seeds.build(small.recipe())
    model.load_state_dict(state)
    images, labels = data.load(test.data, test.split, (8, 1))
    right = 0
    for image, label in list(zip(images, labels, strict=True))[: test.count]:
        logit = model(torch.tensor(image).permute(2, 0, 1)[None] / 255).item()
        right += (logit > 0) == label
    return right / len(labels[: test.count])


def test_the_smaller_validation_loss_is_shipped_whatever_the_order(here):
    card = small.checkpoint()[0]
    again = seeds.train(small.recipe(), [1, 0], device="cpu", threads=1, report=_silent)
    assert again.seed == card.seed
    assert again.weights_digest == card.weights_digest
    assert [run.seed for run in again.runs] == [1, 0]
    assert again.figures == card.figures


def test_variants_are_tested_draw_by_draw_with_fixed_seeds(here):
    turned = Augmentation(rotation=180)
    plain, test = seeds.Test(data="strokes", count=6), seeds.Test(data="strokes", count=6, augmentation=turned, draws=2)
    pictures, found = (seeds.test_examples(small.recipe(), one) for one in (plain, test))
    assert len(found) == 12
    assert found.labels.tolist() == pictures.labels.tolist() * 2
    for seed in (0, 1):
        drawn = augment(pictures.images, torch.Generator().manual_seed(seed), **turned.model_dump())
        assert torch.equal(found.images[6 * seed : 6 * seed + 6], drawn)


def test_which_pictures_were_right_stands_on_the_card(here):
    test = seeds.Test(data="strokes", augmentation=Augmentation(rotation=180), draws=2)
    card = seeds.train(small.recipe(tests=(test,)), [0], device="cpu", threads=1, report=_silent)
    (figure,) = card.figures
    examples = seeds.test_examples(card.recipe, test)
    expected = [
        (float(attnviz.load(card.name).model(image[None] / 255)) > 0) == bool(label)
        for image, label in zip(examples.images, examples.labels, strict=True)
    ]
    assert figure.unpacked().tolist() == expected
    assert (figure.count, figure.draws, figure.augmentation) == (len(expected), 2, test.augmentation)
    assert 0 < sum(expected) < len(expected)


def test_the_validation_part_is_split_off_before_it_gets_its_variants(here, monkeypatch):
    parts = []
    made = seeds.Training
    monkeypatch.setattr(seeds, "Training", lambda *given: (parts.append(given), made(*given))[1])
    chosen = small.recipe("pixel_line", epochs=1, augmentation=Augmentation(rotation=180))
    seeds.train(chosen, [0, 1], device="cpu", threads=1, report=_silent)
    (_, _, train, validation, _), (_, _, _, same, _) = parts
    assert torch.equal(validation.images, same.images)
    half = len(validation) // 2
    assert half == round(0.25 * (half + len(train)))
    assert torch.equal(validation.labels[:half], validation.labels[half:])
    assert not torch.equal(validation.images[:half], validation.images[half:])
    seen = set(map(tuple, train.images.flatten(1).tolist()))
    assert not seen & set(map(tuple, validation.images[:half].flatten(1).tolist()))


def test_all_seeds_are_chosen_by_the_same_validation_pictures(here, monkeypatch):
    parts = []
    made = seeds.Training
    monkeypatch.setattr(seeds, "Training", lambda *given: (parts.append(given), made(*given))[1])
    seeds.train(small.recipe("pixel_line", epochs=1), [0, 1], device="cpu", threads=1, report=_silent)
    (_, _, train, validation, _), (_, _, other, same, _) = parts
    assert torch.equal(validation.images, same.images)
    assert torch.equal(train.images, other.images)
    everything = data.load("strokes", "train", (8, 1))
    assert len(validation) == round(0.25 * len(everything.labels))
    both = torch.cat([train.images, validation.images]).flatten(1).tolist()
    assert sorted(both) == sorted(everything.images.reshape(len(both), -1).tolist())


def test_a_training_gone_on_with_gives_the_same_checkpoint(here, tmp_path_factory):
    class Stop(Exception):
        pass

    def stop(seed: int, event: object) -> None:
        if seed == 1 and isinstance(event, Epoch) and event.epoch == 2:
            raise Stop

    chosen = small.recipe()
    with pytest.raises(Stop):
        seeds.train(chosen, [0, 1], device="cpu", threads=1, report=stop)
    assert cards.names() == []
    card = seeds.train(chosen, [0, 1], device="cpu", report=_silent)  # the threads are those it was started with
    expected = small.checkpoint()[0]
    same = {"seconds"}
    assert card.model_dump(exclude=same) == expected.model_dump(exclude=same)


def test_another_data_set_under_the_same_name_is_refused(here, monkeypatch):
    chosen = small.recipe("pixel_line", epochs=1)
    seeds.train(chosen, [0], device="cpu", threads=1, report=_silent)

    def changed(*which: object, **options: object) -> Dataset:
        images, labels = small.few(*which, **options)
        images = images.copy()
        images[0, 0, 0, 0] ^= 1
        return Dataset(images, labels)

    monkeypatch.setattr(data, "load", changed)
    with pytest.raises(attnviz.errors.RunError, match="another data digest"):
        seeds.train(chosen, [0], device="cpu", threads=1, report=_silent)


def test_missing_data_are_said_before_anything_is_written(here):
    with pytest.raises(DataError, match="MNIST is not here: .*Get it with"):
        seeds.train(small.recipe(data="mnist"), [0], device="cpu", report=_silent)
    assert list(here.iterdir()) == []


def test_a_checkpoint_that_cannot_be_written_is_one_sentence_and_the_next_try_needs_no_training(here, monkeypatch):
    chosen = small.recipe("pixel_line")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "write", full)
        with pytest.raises(CheckpointError, match="cannot be written: no space left on device"):
            seeds.train(chosen, [0], device="cpu", threads=1, report=_silent)
    told = []
    seeds.train(chosen, [0], device="cpu", threads=1, report=lambda seed, event: told.append(event))
    assert told == []
    assert cards.names() == ["pixel_line.small"]


@pytest.mark.parametrize(
    ("word", "there", "device"),
    [
        ("cpu", True, "cpu"),
        ("auto", True, "cuda"),
        ("cuda", True, "cuda"),
        ("cpu", False, "cpu"),
        ("auto", False, "cpu"),
    ],
)
def test_the_words_for_a_device(monkeypatch, word, there, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert seeds.device_of(word) == device


def test_cuda_where_there_is_none_and_words_that_are_no_device_are_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(BadInput, match="There is no CUDA device here. Use --device cpu, or auto"):
        seeds.device_of("cuda")
    for word in ("gpu", "", "CPU", "cuda:0"):
        with pytest.raises(BadInput, match=f"must be auto, cpu or cuda, not {word!r}"):
            seeds.device_of(word)


@pytest.mark.parametrize("threads", [0, -1])
def test_fewer_threads_than_one_are_refused_before_anything_is_written(here, threads):
    with pytest.raises(BadInput, match=f"at least one thread, not {threads}"):
        seeds.train(small.recipe(), [0], device="cpu", threads=threads, report=_silent)
    assert list(here.iterdir()) == []


def test_a_run_uses_the_threads_it_was_given(here):
    used = []
    chosen = small.recipe("pixel_line", epochs=1)
    seeds.train(chosen, [0], device="cpu", threads=1, report=lambda seed, event: used.append(torch.get_num_threads()))
    assert set(used) == {1}
    assert Run(small.run_file(chosen, data_digest=cards.read("pixel_line.small").data_digest)).info.threads == 1


def test_a_data_set_on_the_device_has_its_channels_first_and_can_be_changed_alone():
    images = np.arange(2 * 3 * 4 * 2, dtype=np.uint8).reshape(2, 3, 4, 2)
    images.flags.writeable = False
    examples = seeds.on_device(Dataset(images, np.array([1, 0])), "cpu")
    assert examples.images.shape == (2, 2, 3, 4)
    assert examples.images.dtype == torch.uint8
    assert examples.images[1, 0, 2, 3] == images[1, 2, 3, 0]
    examples.images[:] = 0
    assert images.max() == 47


def test_class_names_come_in_the_order_of_the_logits():
    assert seeds.class_names(small.recipe(classes=(8, 1))) == ("8", "1")
    assert seeds.class_names(small.recipe(data="fashion_mnist", classes=(9, 0))) == ("ankle boot", "T-shirt/top")


def test_the_pictures_that_weights_are_chosen_by_are_never_trained_on():
    held_out, trained = seeds.split(50, small.recipe(validation=0.3))
    assert len(held_out) == 15
    assert sorted([*held_out.tolist(), *trained.tolist()]) == list(range(50))
    assert held_out.tolist() != list(range(15)), "the order of a data set may be no chance order"
