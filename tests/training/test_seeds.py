"""From a recipe to a checkpoint, attnviz/training/seeds.py."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

import attnviz
from attnviz import cards, checkpoints, data
from attnviz.card import Card
from attnviz.data import strokes
from attnviz.data.augment import augment
from attnviz.errors import BadInput, CheckpointError, DataError
from attnviz.models import MODELS
from attnviz.models.controls import PixelLine
from attnviz.recipes.recipe import Augmentation, Recipe
from attnviz.recipes.recipe import Test as RecipeTest
from attnviz.training import measuring, seeds
from attnviz.training.evaluations import EVALUATIONS
from attnviz.training.examples import as_float, on_device
from attnviz.training.loop import Training
from attnviz.training.objectives import OBJECTIVES, Classification, objective
from attnviz.training.progress import Epoch, Resumed
from attnviz.training.run import Run
from tests.training import small


def _unvalidated(**changes: object) -> Recipe:
    return small.recipe("pixel_line", validation=None, keep="last", patience=None, epochs=2, **changes)


def test_without_a_validation_part_all_is_trained_on_and_the_lowest_seed_is_shipped(here, monkeypatch):
    parts = []
    made = Training
    monkeypatch.setattr(seeds, "Training", lambda *given: (parts.append(given), made(*given))[1])
    card = seeds.train(_unvalidated(), [3, 1, 2], device="cpu", threads=1, report=small.silent)
    assert card.seed == 1
    count = len(data.load("strokes", "train", (8, 1)).labels)
    assert [(len(train), validation) for _, _, train, validation, *_ in parts] == [(count, None)] * 3


def test_the_highest_accuracy_is_shipped_where_accuracy_is_watched(here):
    chosen = small.recipe("pixel_line", watch="accuracy", epochs=1)
    card = seeds.train(chosen, range(4), device="cpu", threads=1, report=small.silent)
    accuracies = {run.seed: run.kept("validation_accuracy") for run in card.runs}
    assert len(set(accuracies.values())) > 1
    assert accuracies[card.seed] == max(accuracies.values())


def test_a_data_set_may_have_a_validation_split_of_its_own(here, monkeypatch):
    parts = []
    made = Training
    monkeypatch.setattr(seeds, "Training", lambda *given: (parts.append(given), made(*given))[1])
    monkeypatch.setattr(
        data, "load", lambda name, split, classes: small.few(name, "test" if split == "validation" else split, classes)
    )
    chosen = small.recipe("pixel_line", validation="validation", epochs=1)
    seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)
    ((_, _, train, validation, *_),) = parts
    assert train.images.numpy().tobytes() == small.few("strokes", "train", (8, 1)).images.tobytes()
    assert validation.images.numpy().tobytes() == small.few("strokes", "test", (8, 1)).images.tobytes()


@pytest.mark.parametrize(
    ("chosen", "said"), [([0], "0"), ([0, 1, 2], "0-2"), ([5, 0, 2, 1], "0-2,5"), ([3, 1], "1,3"), ([4, 3], "3-4")]
)
def test_the_command_names_the_seeds(chosen, said):
    assert seeds.command_of(small.recipe(), chosen).endswith(f"--seeds {said}")


def test_figures_are_measured_with_the_weights_as_they_are_stored(here, monkeypatch):
    chosen = small.recipe("pixel_line", weights="float16")
    measured = []
    evaluate = measuring.evaluate
    monkeypatch.setattr(
        measuring, "evaluate", lambda m, *rest: (measured.append(m.state_dict()), evaluate(m, *rest))[1]
    )
    seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)
    loaded = attnviz.load(chosen.key).model.state_dict()
    for name, tensor in measured[0].items():
        assert torch.equal(tensor, loaded[name])
        assert torch.equal(tensor, tensor.half().float())


def test_ablations_stand_on_the_card_with_their_figures(here):
    card = seeds.train(small.recipe(**small.ABLATED), [0, 1], device="cpu", threads=1, report=small.silent)
    (ablated,) = card.ablations
    assert ablated.title == "attention.mixed at its mean over 3,000 training pictures"
    (figure,) = ablated.figures
    assert figure.measures(card.recipe.tests[0], "accuracy")
    model, train = attnviz.load(card.name).model, on_device(data.load("strokes", "train", (8, 1)), "cpu")
    (test,) = measuring.test_examples(card.recipe, card.recipe.tests[0]).split(10**6)
    with EVALUATIONS["mean"].replaced(model, train, "attention.mixed"), torch.no_grad():
        correct = (model(as_float(test.images))[:, 0] > 0) == test.labels.bool()
    assert figure.unpacked().tolist() == correct.tolist()
    assert figure.value == pytest.approx(correct.double().mean().item())


def test_two_seeds_make_one_card_that_loads_and_tells_what_was_done(here):
    told = []
    chosen = small.recipe()
    card = seeds.train(chosen, [0, 1], device="cpu", threads=1, report=lambda seed, event: told.append((seed, event)))
    model, read = attnviz.load("pixel_attention.small")
    assert read == Card.model_validate_json(card.model_dump_json())
    assert (card.name, card.recipe, card.device, card.threads) == ("pixel_attention.small", chosen, "cpu", 1)
    assert card.config == {"classes": ("8", "1"), "mean": 0.13, "std": 0.31, "heads": 1, "head_size": 1}
    assert card.classes == ("8", "1")
    assert card.parameters == 3 * 2 + 2 + 784 + 1
    assert card.command == "python -m attnviz train pixel_attention --recipe small --seeds 0-1"
    assert card.versions["torch"] == torch.__version__
    assert card.data_digest == data.digest(data.load("strokes", "train", (8, 1)))
    weights = (here / "checkpoints" / card.name / "weights.safetensors").read_bytes()
    assert card.weights_digest == checkpoints.digest(weights)
    assert card.seconds > 0 and card.core_seconds is not None and card.core_seconds > 0
    # each seed's training, as it was reported
    assert [run.seed for run in card.runs] == [0, 1]
    for run in card.runs:
        epochs = [event for seed, event in told if seed == run.seed and isinstance(event, Epoch)]
        assert [dict(zip(run.curve, values, strict=True)) for values in zip(*run.curve.values(), strict=True)] == [
            epoch.values for epoch in epochs
        ]
        assert run.kept("validation_loss") == min(run.curve["validation_loss"])
        assert run.epoch == run.curve["validation_loss"].index(run.kept("validation_loss")) + 1
    assert card.runs[0].curve != card.runs[1].curve
    # the shipped one is chosen by validation
    best = min(card.runs, key=lambda run: run.kept("validation_loss"))
    assert card.seed == best.seed
    assert len({run.kept("validation_loss") for run in card.runs}) == 2
    # figures of both, beside that of the shipped one
    assert [(figure.data, figure.split, figure.count, figure.seeds) for figure in card.figures] == [
        ("strokes", "test", len(data.load("strokes", "test", (8, 1)).labels), 2),
        ("strokes", "train", 20, 2),
    ]
    for figure, test in zip(card.figures, chosen.tests, strict=True):
        accuracies = [_accuracy(here, seed, test) for seed in (0, 1)]
        assert figure.value == pytest.approx(accuracies[card.seed])
        assert figure.mean == pytest.approx(sum(accuracies) / 2)
        assert figure.per_seed == pytest.approx(accuracies)
        assert (figure.name, figure.unit, figure.better) == ("accuracy", "share", "higher")
        assert (figure.lowest, figure.highest) == pytest.approx((min(accuracies), max(accuracies)))
        examples = measuring.test_examples(chosen, test)
        measured = measuring.evaluate(model, objective(chosen), test, examples)
        assert (measured["accuracy"].value, len(examples)) == (figure.value, figure.count)
    # and what the shipped one says of drawn digits
    assert (card.example.data, card.example.labels) == ("strokes", (8, 1) * 10)
    images = torch.tensor(strokes.draw([8, 1] * 10, seed=card.example.seed)).permute(0, 3, 1, 2) / 255
    torch.testing.assert_close(torch.tensor(card.example.logits), model(images), rtol=0, atol=1e-4)


def _accuracy(here: Path, seed: int, test: RecipeTest) -> float:
    """Of a seed's best weights, read from its run and counted picture by picture."""
    from safetensors.torch import load_file

    (folder,) = (here / "runs").glob(f"pixel_attention.small.{seed}.*")
    newest = max(folder.glob("state-*"))
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
    again = seeds.train(small.recipe(), [1, 0], device="cpu", threads=1, report=small.silent)
    assert again.seed == card.seed
    assert again.weights_digest == card.weights_digest
    assert [run.seed for run in again.runs] == [1, 0]
    order = {"per_seed", "right_per_seed"}
    assert [f.model_dump(exclude=order) for f in again.figures] == [f.model_dump(exclude=order) for f in card.figures]
    for name in order:
        assert [getattr(f, name)[::-1] for f in again.figures] == [getattr(f, name) for f in card.figures]


def test_variants_are_tested_draw_by_draw_with_fixed_seeds(here):
    turned = Augmentation(rotation=180)
    plain, test = (
        RecipeTest(data="strokes", count=6),
        RecipeTest(data="strokes", count=6, augmentation=turned, draws=2),
    )
    pictures, found = (next(measuring.test_examples(small.recipe(), one).split(10**6)) for one in (plain, test))
    assert len(found) == 12
    assert found.labels.tolist() == pictures.labels.tolist() * 2
    for seed in (0, 1):
        drawn = augment(pictures.images, torch.Generator().manual_seed(seed), **turned.model_dump())
        assert torch.equal(found.images[6 * seed : 6 * seed + 6], drawn)


def test_which_pictures_were_right_stands_on_the_card(here):
    test = RecipeTest(data="strokes", augmentation=Augmentation(rotation=180), draws=2)
    card = seeds.train(small.recipe(tests=(test,)), [0], device="cpu", threads=1, report=small.silent)
    (figure,) = card.figures
    (examples,) = measuring.test_examples(card.recipe, test).split(10**6)
    expected = [
        (float(attnviz.load(card.name).model(image[None] / 255)) > 0) == bool(label)
        for image, label in zip(examples.images, examples.labels, strict=True)
    ]
    assert figure.unpacked().tolist() == expected
    assert (figure.count, figure.draws, figure.augmentation) == (len(expected), 2, test.augmentation)
    assert 0 < sum(expected) < len(expected)


def test_the_validation_part_is_split_off_before_it_gets_its_variants(here, monkeypatch):
    parts = []
    made = Training
    monkeypatch.setattr(seeds, "Training", lambda *given: (parts.append(given), made(*given))[1])
    chosen = small.recipe("pixel_line", epochs=1, augmentation=Augmentation(rotation=180))
    seeds.train(chosen, [0, 1], device="cpu", threads=1, report=small.silent)
    (_, _, train, validation, *_), (_, _, _, same, *_) = parts
    assert torch.equal(validation.images, same.images)
    half = len(validation) // 2
    assert half == round(0.25 * (half + len(train)))
    assert torch.equal(validation.labels[:half], validation.labels[half:])
    assert not torch.equal(validation.images[:half], validation.images[half:])
    seen = set(map(tuple, train.images.flatten(1).tolist()))
    assert not seen & set(map(tuple, validation.images[:half].flatten(1).tolist()))


def test_all_seeds_are_chosen_by_the_same_validation_pictures(here, monkeypatch):
    parts = []
    made = Training
    monkeypatch.setattr(seeds, "Training", lambda *given: (parts.append(given), made(*given))[1])
    seeds.train(small.recipe("pixel_line", epochs=1), [0, 1], device="cpu", threads=1, report=small.silent)
    (_, _, train, validation, *_), (_, _, other, same, *_) = parts
    assert torch.equal(validation.images, same.images)
    assert torch.equal(train.images, other.images)
    everything = data.load("strokes", "train", (8, 1))
    assert len(validation) == round(0.25 * len(everything.labels))
    both = torch.cat([train.images, validation.images]).flatten(1).tolist()
    assert sorted(both) == sorted(everything.images.reshape(len(both), -1).tolist())


def test_missing_data_are_said_before_anything_is_written(here):
    with pytest.raises(DataError, match="MNIST has not been downloaded: .*Get it with"):
        seeds.train(small.recipe(data="mnist"), [0], device="cpu", report=small.silent)
    assert list(here.iterdir()) == []


def test_a_checkpoint_that_cannot_be_written_is_one_sentence_and_the_next_try_needs_no_training(here, monkeypatch):
    chosen = small.recipe("pixel_line")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "write", full)
        with pytest.raises(CheckpointError, match="cannot be written: no space left on device"):
            seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)
    told = []
    seeds.train(chosen, [0], device="cpu", threads=1, report=lambda seed, event: told.append(event))
    assert told == [Resumed(4, True)]
    assert cards.names() == ["pixel_line.small"]


def test_a_folder_of_checkpoints_that_is_read_only_is_said_before_anything_is_trained(here, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", "/proc/attnviz")  # which not even root can make
    told = []
    with pytest.raises(CheckpointError, match=r"The checkpoint /proc/attnviz/pixel_line\.small cannot be written: "):
        seeds.train(
            small.recipe("pixel_line"), [0], device="cpu", threads=1, report=lambda seed, event: told.append(event)
        )
    assert told == []


@pytest.mark.parametrize("threads", [0, -1])
def test_fewer_threads_than_one_are_refused_before_anything_is_written(here, threads):
    with pytest.raises(BadInput, match=f"at least one thread, not {threads}"):
        seeds.train(small.recipe(), [0], device="cpu", threads=threads, report=small.silent)
    assert list(here.iterdir()) == []


def test_a_run_uses_the_threads_it_was_given(here):
    used = []
    chosen = small.recipe("pixel_line", epochs=1)
    seeds.train(chosen, [0], device="cpu", threads=1, report=lambda seed, event: used.append(torch.get_num_threads()))
    assert set(used) == {1}
    assert Run(small.run_file(chosen, data_digest=cards.read("pixel_line.small").data_digest)).info.threads == 1


def test_the_objective_is_built_once_for_all_seeds(here, monkeypatch):
    built = []

    class Counted(Classification):
        def __init__(self) -> None:
            built.append(self)

    monkeypatch.setitem(OBJECTIVES, "counted", Counted)
    seeds.train(small.recipe(objective="counted", epochs=1), [0, 1], device="cpu", threads=1, report=small.silent)
    assert len(built) == 1


def test_a_tuple_in_a_config_survives_the_run_and_the_card(here, monkeypatch):
    sizes = []

    def build(**config: object) -> nn.Module:
        sizes.append(config.pop("sizes"))
        return PixelLine(**config)

    monkeypatch.setitem(MODELS, "sized", replace(MODELS["pixel_line"], constructor=build))
    chosen = small.recipe("sized", epochs=1, config={"mean": 0.1, "std": 0.3, "sizes": (1, (2, 3))})
    for _ in range(2):  # the second resumes
        card = seeds.train(chosen, [0], device="cpu", threads=1, report=small.silent)
    assert cards.read(card.name).recipe == card.recipe == chosen
    assert attnviz.load(card.name).card.config["sizes"] == (1, (2, 3))
    assert set(sizes) == {(1, (2, 3))}
