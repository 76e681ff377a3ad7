"""The progress of a training on the command line, attnviz/training/progress.py."""

import functools
import io

import pytest
import tqdm

from attnviz.training.objectives import objective
from attnviz.training.progress import Epoch, Progress, Resumed, Step, Stopped
from tests.training import small


@pytest.fixture(autouse=True)
def every_update_is_drawn(monkeypatch):
    """Draw each, however soon after the one before."""
    monkeypatch.setattr(tqdm, "tqdm", functools.partial(tqdm.tqdm, mininterval=0))


def epoch(number: int, **values: float) -> Epoch:
    return Epoch(number, values)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(*events: tuple[int, object], to: type[io.StringIO] = Terminal, quiet: bool = False) -> str:
    stream = to()
    progress = Progress(small.recipe(), [0, 1], objective(small.recipe()), stream, quiet=quiet)
    with progress.shown():
        for seed, event in events:
            progress.report(seed, event)
    return stream.getvalue()


def test_nothing_is_drawn_before_the_first_event():
    assert shown() == ""


def test_it_counts_epochs_of_seeds_and_says_the_losses():
    said = shown((0, Step(1, 2)), (0, epoch(1, train_loss=0.51234, validation_accuracy=0.5)), (1, Step(1, 2)))
    assert "pixel_attention.small: seed 0, epoch 1 of at most 4" in said
    assert "epoch 1 of at most 4, train loss 0.5123" in said
    assert "validation accuracy" not in said
    assert "seed 1, epoch 1 of at most 4" in said.split("\r")[-1]


def test_a_resumed_seed_is_said_once():
    said = shown((0, Resumed(3, True)), (1, Resumed(1, False)))
    assert "seed 0 is already trained: 3 epochs." in said
    assert "seed 1 resumes after 1 epoch." in said


def test_where_there_is_no_terminal_each_epoch_is_one_line():
    steps = [(0, Step(step, 50)) for step in range(1, 51)]
    said = shown((0, Resumed(1, False)), *steps, (0, epoch(2, train_loss=0.5)), *steps, to=io.StringIO)
    assert said.splitlines() == [
        "pixel_attention.small: seed 0 resumes after 1 epoch.",
        "pixel_attention.small: seed 0, epoch 2 of at most 4, train loss 0.5",
    ]
    assert "\r" not in said


@pytest.mark.parametrize("to", [Terminal, io.StringIO])
def test_quiet_shows_nothing(to):
    assert shown((0, Resumed(1, False)), (0, Step(1, 2)), (0, epoch(2, train_loss=0.5)), to=to, quiet=True) == ""


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        ([(0, epoch(2, train_loss=1.0))], "resumes seed 0 after epoch 2."),
        ([(0, Step(1, 2))], "Stopped in the first epoch of seed 0: nothing of it was saved."),
        ([(0, epoch(4, train_loss=1.0)), (1, Step(1, 2))], "Seed 0 is saved: the same command resumes after it."),
    ],
)
def test_a_keyboard_that_stops_it_is_told_what_was_saved(events, sentence):
    progress = Progress(small.recipe(), [0, 1], objective(small.recipe()), io.StringIO())

    def stopped() -> None:
        with progress.shown():
            for seed, event in events:
                progress.report(seed, event)
            raise KeyboardInterrupt

    with pytest.raises(Stopped) as found:
        stopped()
    assert str(found.value).endswith(sentence)
